"""What tools/check-sizes and tools/check-symbols promise"""
import os
import tempfile

import tap


def function(name, lines):
    return "int %s(void)\n{\n%s}\n" % (name, "\tx();\n" * (lines - 2))


def sizes(files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            tap.write(os.path.join(root, path), text)
        return tap.call(tap.tool("check-sizes"), root)


def what_is_at_its_limit_is_not_listed():
    tap.equal(sizes({"src/base/a.c": "\n" * (600 - 61) + function("f", 60), "include/trimtab/a.h": "\n" * 250}), ("", 0))


def what_is_one_past_its_limit_is_listed_and_is_no_failure():
    tap.equal(sizes({"src/base/a.c": function("short_one", 3) + function("long_one", 61), "src/base/b.c": "\n" * 601,
                     "include/trimtab/a.h": "\n" * 251}),
              ("include/trimtab/a.h: 251 lines, over 250\nsrc/base/a.c:6: long_one has 61 lines, over 60\n"
               "src/base/b.c: 601 lines, over 600\n", 0))


def symbols(text, program=None):
    with tempfile.TemporaryDirectory() as build:
        for name in ("libtrimtab", "libtrimtab-server"):
            stem = os.path.join(build, "src", name)
            tap.write(stem + ".c", text)
            tap.must("cc", "-fPIC", "-fvisibility=hidden", "-c", stem + ".c", "-o", stem + ".o")
            tap.must("cc", "-shared", stem + ".o", "-o", stem + ".so")
            tap.must("ar", "rc", stem + ".a", stem + ".o")
        if program:
            source = os.path.join(build, "tests", "unit", "main.c")
            tap.write(source, "int tt_a(void); int main(void) { return tt_a(); }\n")
            tap.must("cc", source, "-L%s/src" % build, program, "-o", os.path.join(build, "tests", "unit", "test-main"))
        return tap.call(tap.tool("check-symbols"), build)


PUBLIC = '__attribute__((visibility("default"))) int tt_a(void) { return 1; }\n'


def symbols_of_ours_pass():
    tap.equal(symbols(PUBLIC + "int tt_hidden(void) { return 1; }\nstatic int local;\nint *tt_b = &local;\n"), ("", 0))


def a_foreign_name_fails_in_the_shared_library():
    output, code = symbols(PUBLIC + '__attribute__((visibility("default"))) int a(void) { return 1; }\n')
    tap.contains(output, "libtrimtab.so exports a\n", "libtrimtab-server.so exports a\n")
    tap.equal(code, 1)


def a_foreign_name_fails_in_the_archive_although_it_is_hidden():
    output, code = symbols(PUBLIC + "int a(void) { return 1; }\n")
    tap.equal((output, code), ("libtrimtab.a exports a\nlibtrimtab-server.a exports a\n", 1))


def a_library_that_exports_nothing_fails():
    tap.equal(symbols("int tt_a(void) { return 1; }\n"), ("libtrimtab.so exports nothing\nlibtrimtab-server.so exports nothing\n", 1))


def a_test_links_the_archive_and_not_the_shared_library():
    tap.equal(symbols(PUBLIC, "-l:libtrimtab.a"), ("", 0))
    output, code = symbols(PUBLIC, "-l:libtrimtab.so")
    tap.contains(output, "tests/unit/test-main links the shared library\n")
    tap.equal(code, 1)


tap.run([
    what_is_at_its_limit_is_not_listed,
    what_is_one_past_its_limit_is_listed_and_is_no_failure,
    symbols_of_ours_pass,
    a_foreign_name_fails_in_the_shared_library,
    a_foreign_name_fails_in_the_archive_although_it_is_hidden,
    a_library_that_exports_nothing_fails,
    a_test_links_the_archive_and_not_the_shared_library,
])
