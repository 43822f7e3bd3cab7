"""test_install.py BUILD_DIR SO_VERSION HEADER... - what a program outside the tree finds in an installed prefix"""
import os
import re
import shlex
import sys
import tempfile

import tap

BUILD, SO_VERSION, *HEADERS = sys.argv[1:]
HERE = os.path.dirname(os.path.abspath(__file__))
CC = os.environ.get("CC", "cc")
CXX = {"clang": "clang++"}.get(CC, "g++")
LIBRARIES = ("trimtab", "trimtab-server")
PROGRAMS = {"trimtab": "app.c", "trimtab-server": "server_app.c"}

folder = tempfile.TemporaryDirectory()
stage, prefix = os.path.join(folder.name, "stage"), ""
environment = dict(os.environ)


def install():
    """Installs below a stage, as a packager does, and points pkg-config there."""
    global prefix
    tap.must("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", stage)
    places = [place for place, _, names in os.walk(stage) if "trimtab.pc" in names]
    tap.equal(len(places), 1)
    library = os.path.dirname(places[0])
    with open(os.path.join(places[0], "trimtab.pc"), encoding="utf-8") as file:
        prefix = stage + re.search(r"^prefix=(.*)$", file.read(), re.M)[1]
    # The paths in the .pc files are those after installation; the stage goes before them.
    environment.update(PKG_CONFIG_PATH=places[0], PKG_CONFIG_SYSROOT_DIR="", LD_LIBRARY_PATH=library)
    for name in LIBRARIES:
        path = os.path.join(places[0], name + ".pc")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(re.sub(r"^prefix=.*$", "prefix=" + prefix, text, flags=re.M))
    return library


def flags(*arguments):
    return shlex.split(tap.must("pkg-config", *arguments, env=environment))


def compiled(name, *command):
    """Builds a program outside the tree, runs it and returns its path."""
    program = os.path.join(folder.name, name)
    tap.must(*command, "-o", program, cwd=folder.name, env=environment)
    tap.contains(tap.must(program, env=environment), "trimtab", "0.")
    return program


def source(library):
    return os.path.join(HERE, PROGRAMS[library])


def needed(program):
    return tap.must("objdump", "-p", program, env=environment)


def exported(library):
    """The symbols that a shared library defines, as {name: version}."""
    lines = tap.must("nm", "-D", "--defined-only", os.path.join(LIBRARY, "lib%s.so" % library)).splitlines()
    names = [line.split()[-1] for line in lines if line.split()[-2] != "A"]
    return {name.split("@")[0]: name.split("@")[-1] if "@" in name else "" for name in names}


def the_public_headers_are_installed_and_nothing_else():
    tap.equal(sorted(os.listdir(os.path.join(prefix, "include", "trimtab"))), sorted(HEADERS))


def sonames_carry_the_interface_version():
    for name in LIBRARIES:
        tap.contains(needed(os.path.join(LIBRARY, "lib%s.so" % name)), "lib%s.so.%s\n" % (name, SO_VERSION))
        assert os.path.islink(os.path.join(LIBRARY, "lib%s.so.%s" % (name, SO_VERSION)))


def every_exported_symbol_begins_with_tt():
    for name in LIBRARIES:
        symbols = exported(name)
        assert symbols and all(symbol.startswith("tt_") for symbol in symbols), symbols


def public_and_inner_symbols_have_versions_of_their_own():
    symbols = exported("trimtab")
    tap.equal((symbols["tt_version"], symbols["tt_fail"], symbols["tt_buf_new"]),
              ("TRIMTAB_" + SO_VERSION, "TRIMTAB_" + SO_VERSION, "TRIMTAB_PRIVATE"))
    tap.equal(exported("trimtab-server")["tt_server_check"], "TRIMTAB_SERVER_" + SO_VERSION)
    tap.equal(set(symbols.values()), {"TRIMTAB_" + SO_VERSION, "TRIMTAB_PRIVATE"})


def a_program_links_the_shared_library():
    for name in LIBRARIES:
        program = compiled(name + "-shared", CC, "-std=c99", "-pedantic", "-Werror", source(name), *flags("--cflags", "--libs", name))
        tap.contains(needed(program), "lib%s.so.%s" % (name, SO_VERSION))


def a_program_links_the_archive():
    for name in LIBRARIES:
        archived = [re.sub(r"^-l(trimtab.*)$", r"-l:lib\1.a", flag) for flag in flags("--static", "--cflags", "--libs", name)]
        program = compiled(name + "-static", CC, "-std=c99", source(name), *archived)
        assert "libtrimtab" not in needed(program), needed(program)
        tap.contains(tap.must("nm", program), " T tt_version\n")


def a_program_may_be_cxx17():
    for name in LIBRARIES:
        compiled(name + "-cxx", CXX, "-std=c++17", "-pedantic", "-Wall", "-Wextra", "-Werror", "-x", "c++", source(name), "-x", "none",
                 *flags("--cflags", "--libs", name))


def cmake_finds_it_through_pkg_config():
    for name in LIBRARIES:
        project = os.path.join(folder.name, name + "-cmake")
        tap.write(os.path.join(project, "CMakeLists.txt"), """
            cmake_minimum_required(VERSION 3.16)
            project(app C)
            find_package(PkgConfig REQUIRED)
            pkg_check_modules(TRIMTAB REQUIRED IMPORTED_TARGET %s)
            add_executable(app %s)
            target_link_libraries(app PkgConfig::TRIMTAB)
        """ % (name, source(name)))
        tap.must("cmake", "-S", project, "-B", project + "/build", env=environment)
        tap.must("cmake", "--build", project + "/build", env=environment)
        tap.contains(tap.must(project + "/build/app", env=environment), "trimtab")


def a_meson_project_takes_it_as_a_subproject():
    project = os.path.join(folder.name, "meson")
    lines = ["project('app', 'c', default_options: ['warning_level=1'])", "subproject('trimtab')"]
    for name in LIBRARIES:
        lines.append("executable('%s-app', '%s', dependencies: dependency('%s'))" % (name, source(name), name))
    tap.write(os.path.join(project, "meson.build"), "\n".join(lines) + "\n")
    os.mkdir(os.path.join(project, "subprojects"))
    os.symlink(tap.ROOT, os.path.join(project, "subprojects", "trimtab"))
    tap.must("meson", "setup", project + "/build", project)
    tap.must("ninja", "-C", project + "/build")
    for name in LIBRARIES:
        tap.contains(tap.must("%s/build/%s-app" % (project, name)), "trimtab")


LIBRARY = install()
tap.run([
    the_public_headers_are_installed_and_nothing_else,
    sonames_carry_the_interface_version,
    every_exported_symbol_begins_with_tt,
    public_and_inner_symbols_have_versions_of_their_own,
    a_program_links_the_shared_library,
    a_program_links_the_archive,
    a_program_may_be_cxx17,
    cmake_finds_it_through_pkg_config,
    a_meson_project_takes_it_as_a_subproject,
])
