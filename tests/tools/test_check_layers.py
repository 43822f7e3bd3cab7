"""What tools/check-layers promises, tried on small trees that are right and wrong"""
import json
import os
import tempfile

import tap


class Tree:
    """A source tree in a temporary folder: {path: text}."""

    def __init__(self, files):
        self.folder = tempfile.TemporaryDirectory()
        self.root = self.folder.name
        for path, text in files.items():
            tap.write(os.path.join(self.root, path), text)

    def compile(self):
        """Objects of all sources, and the compile_commands.json that tells of them."""
        entries = []
        build = os.path.join(self.root, "build")
        os.mkdir(build)
        for place, _, names in os.walk(self.root):
            for name in names:
                if name.endswith(".c"):
                    source = os.path.join(place, name)
                    made = name + ".o"
                    tap.must("cc", "-O2", "-D_GNU_SOURCE", "-c", source, "-o", os.path.join(build, made))
                    entries.append({"directory": build, "file": os.path.relpath(source, build), "output": made})
        tap.write(os.path.join(build, "compile_commands.json"), json.dumps(entries))
        return build

    def check(self, *arguments):
        return tap.call(tap.tool("check-layers"), "--root", self.root, *arguments)

    def passes(self, *arguments):
        tap.equal(self.check(*arguments), ("", 0))

    def fails(self, *parts, arguments=()):
        output, code = self.check(*arguments)
        tap.contains(output, *parts)
        tap.equal(code, 1)


POINTER_TO_SLEEP = "#include <unistd.h>\nextern unsigned (*wait_a_bit)(unsigned);\nunsigned (*wait_a_bit)(unsigned) = sleep;\n"
RIGHT = {
    "include/trimtab/a.h": "#include <trimtab/b.h>\n#include <stddef.h>\n",
    "src/base/a.c": '#include "base/a.h"\n#include <time.h>\nint f(void) { return clock_gettime(0, 0); }\n',
    "src/loop/a.c": '#include "base/a.h"\n#include "loop/a.h"\n#include <uv.h>\n',
    "src/cache/a.c": '#include "client/a.h"\n#include "store/a.h"\n#include "base/a.h"\n/* #include "server/a.h" */\n',
    "src/controller/a.c": '#include "cache/a.h"\n#include "queue/a.h"\n#include "http/a.h"\n',
    "src/server/a.c": '#include <trimtab/server.h>\n#include <sqlite3.h>\n#include "store/a.h"\n',
    "controllers/a.c": '#include "a.h"\n#include <trimtab/trimtab.h>\n#include <sys/types.h>\n',
    "controllers/a.h": "",
    "cmd/trimtab/a.c": '#include "controllers/a.h"\n#include "codegen/a.h"\nvoid *f(void) { return fopen("x", "r"); }\n',
    "examples/network/a.c": "#include <trimtab/trimtab.h>\n",
    "tests/unit/a.c": '#include "server/a.h"\n#include "cache/a.h"\n',
}


def a_right_tree_passes():
    Tree(RIGHT).passes()


def an_include_of_a_higher_layer_fails_with_file_line_and_rule():
    Tree({**RIGHT, "src/queue/a.c": '#include "base/a.h"\n\n#include "cache/a.h"\n'}).fails(
        "src/queue/a.c:3: #include of 'cache/a.h': src/queue may include queue, base, loop and public headers")


def each_folder_refuses_what_its_row_does_not_name():
    for path, include in [("src/base/x.c", '"loop/a.h"'), ("src/object/x.c", '"loop/a.h"'), ("src/http/x.c", '"object/a.h"'),
                          ("src/store/x.h", '"http/a.h"'), ("src/client/x.c", '"store/a.h"'), ("src/cache/x.c", '"queue/a.h"'),
                          ("src/controller/x.c", '"server/a.h"'), ("src/server/x.c", '"client/a.h"'), ("src/codegen/x.c", '"loop/a.h"'),
                          ("src/loop/x.c", '"object/a.h"'), ("include/trimtab/x.h", '"base/a.h"')]:
        Tree({path: "#include %s\n" % include}).fails("%s:1: #include of %s" % (path, include.replace('"', "'")))


def controllers_commands_and_examples_see_only_the_public_api():
    for path in ("controllers/x.c", "examples/network/x.c", "cmd/trimtab/x.c"):
        Tree({path: '#include "base/buf.h"\n'}).fails(path + ":1: #include of 'base/buf.h'")
        Tree({path: '#include "../../src/base/buf.h"\n', "src/base/buf.h": ""}).fails(path + ":1: ")


def an_inner_header_is_named_with_its_folder():
    Tree({"src/base/x.c": '#include "a.h"\n', "src/base/a.h": ""}).fails('src/base/x.c:1: ', '"base/a.h"')


def a_library_is_used_only_where_the_table_says():
    Tree({"src/queue/x.c": "#include <uv.h>\n"}).fails("src/queue/x.c:1: #include of 'uv.h': only src/loop")
    Tree({"src/queue/x.c": "#include <curl/curl.h>\n"}).fails("src/queue/x.c:1: #include of 'curl/curl.h': neither libc nor")


def a_folder_that_is_not_in_the_table_fails():
    Tree({"src/misc/x.c": ""}).fails("src/misc/x.c:1: this folder is not in the table")


def a_banned_call_fails_by_its_source():
    for call in ("clock_gettime(0, 0)", "time(0)", "nanosleep(0, 0)", "usleep(1)", "pthread_create(0, 0, 0, 0)",
                 "pthread_cond_wait(0, 0)", "sem_wait(0)", "poll(0, 0, 0)", "select(0, 0, 0, 0, 0)", "epoll_wait(0, 0, 0, 0)",
                 "getrandom(0, 0, 0)", "rand()", "arc4random_uniform(3)", "RAND_bytes(0, 0)", "uv_now(0)", "thrd_create(0, 0, 0)",
                 "mtx_timedlock(0, 0)", "socket(0, 0, 0)", "fork()", "syscall(1)", "fopen(0, 0)"):
        Tree({"src/queue/x.c": "\nvoid f(void) { %s; }\n" % call}).fails("src/queue/x.c:2: '%s'" % call.split("(")[0])


def words_members_and_own_functions_are_not_calls():
    Tree({"src/queue/x.c": '/* time() */\nstatic int select(int a)\n{\n\treturn a;\n}\nint f(struct x *x)\n{\n'
                           '\tx->poll(1);\n\tx.time(2);\n\tputs("rand()");\n\treturn select(1) + tt_time(1);\n}\n'}).passes()


def a_command_may_use_files_but_not_clocks():
    Tree({"cmd/trimtab/x.c": "void f(void) { time(0); }\n"}).fails("cmd/trimtab/x.c:1: 'time' reads a clock")
    Tree({"controllers/x.c": "void f(void) { fopen(0, 0); }\n"}).fails("controllers/x.c:1: 'fopen' uses a file")


def a_call_behind_a_macro_is_found_in_the_object():
    tree = Tree({"src/queue/x.c": "#include <time.h>\n#define GLUE(a, b) a##b\n"
                                  "int f(struct timespec *t);\nint f(struct timespec *t) { return GLUE(clock_, gettime)(0, t); }\n"})
    tree.passes()
    tree.fails("src/queue/x.c:1: 'clock_gettime' reads a clock", arguments=[tree.compile()])


def a_function_pointer_is_found_in_the_object():
    tree = Tree({"src/server/x.c": POINTER_TO_SLEEP})
    tree.fails("src/server/x.c:3: 'sleep' sleeps", arguments=[tree.compile()])


def the_waiting_layers_may_do_so_in_the_object_too():
    tree = Tree({"src/loop/x.c": POINTER_TO_SLEEP, "src/base/y.c": POINTER_TO_SLEEP,
                 "src/queue/z.c": "int tt_z(void);\nint tt_z(void) { return 1; }\n"})
    tree.passes(tree.compile())


tap.run([
    a_right_tree_passes,
    an_include_of_a_higher_layer_fails_with_file_line_and_rule,
    each_folder_refuses_what_its_row_does_not_name,
    controllers_commands_and_examples_see_only_the_public_api,
    an_inner_header_is_named_with_its_folder,
    a_library_is_used_only_where_the_table_says,
    a_folder_that_is_not_in_the_table_fails,
    a_banned_call_fails_by_its_source,
    words_members_and_own_functions_are_not_calls,
    a_command_may_use_files_but_not_clocks,
    a_call_behind_a_macro_is_found_in_the_object,
    a_function_pointer_is_found_in_the_object,
    the_waiting_layers_may_do_so_in_the_object_too,
])
