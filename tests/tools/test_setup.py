"""What tools/setup promises, tried with stand-ins for the commands of the system"""
import os
import shutil
import tempfile

import tap

PLAIN = "awk cat env flock grep head id mktemp printf rm sed sh sort tr uniq".split()


class System:
    """A system that has the plain tools and the scripts that are given."""

    def __init__(self, scripts):
        self.folder = tempfile.TemporaryDirectory()
        self.bin = os.path.join(self.folder.name, "bin")
        self.log = os.path.join(self.folder.name, "log")
        os.mkdir(self.bin)
        for name in set(PLAIN) - set(scripts):
            os.symlink(shutil.which(name), os.path.join(self.bin, name))
        for name, script in scripts.items():
            tap.write(os.path.join(self.bin, name), "#!/bin/sh\n%s\n" % script.replace("LOG", self.log), 0o755)

    def setup(self, *sets):
        return tap.call(tap.tool("setup"), *sets, env={"PATH": self.bin})

    def logged(self):
        if not os.path.exists(self.log):
            return ""
        with open(self.log, encoding="utf-8") as file:
            return file.read()


ALL_INSTALLED = 'shift 3; for package; do echo "ii  $package"; done'
NOTHING_INSTALLED = "exit 1"


def nothing_is_said_and_done_when_all_is_there():
    system = System({"dpkg-query": ALL_INSTALLED, "apt-get": "echo $* >>LOG"})
    tap.equal(system.setup("build", "test", "lint", "fuzz", "bench"), ("", 0))
    tap.equal(system.logged(), "")


def one_line_says_what_is_installed():
    system = System({"dpkg-query": 'shift 3; for package; do [ $package = cppcheck ] || echo "ii  $package"; done',
                     "id": "echo 0", "apt-get": "echo $* >>LOG"})
    output, code = system.setup("lint")
    tap.equal((output, code), ("setup: installing cppcheck\n", 0))
    tap.contains(system.logged(), "install -y --no-install-recommends cppcheck\n", "DPkg::Lock::Timeout=300")


def without_root_and_sudo_it_says_what_to_do():
    system = System({"dpkg-query": NOTHING_INSTALLED, "id": "echo 1000", "apt-get": "echo $* >>LOG"})
    output, code = system.setup("lint")
    tap.contains(output, "run this as root: apt-get install clang clang-format clang-tidy cppcheck")
    tap.equal((code, system.logged()), (1, ""))


def sudo_is_used_when_not_root():
    system = System({"dpkg-query": NOTHING_INSTALLED, "id": "echo 1000", "apt-get": "true", "sudo": "echo $* >>LOG"})
    tap.equal(system.setup("lint")[1], 0)
    tap.contains(system.logged(), "env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 install -y")


def a_failed_installation_shows_what_apt_said():
    system = System({"dpkg-query": NOTHING_INSTALLED, "id": "echo 0", "apt-get": "echo 'E: broken'; exit 100"})
    output, code = system.setup("lint")
    tap.contains(output, "E: broken", "apt-get could not install: clang")
    tap.equal(code, 1)


def another_distribution_goes_on_when_all_is_found():
    present = {name: "true" for name in "gcc g++ cc meson ninja pkg-config python3".split()}
    tap.equal(System(present).setup("build"), ("", 0))


def another_distribution_gets_the_list_of_what_is_missing():
    present = {name: "true" for name in "gcc g++ cc meson ninja python3".split()}
    present["pkg-config"] = '[ "$2" != yyjson ] && [ "$2" != re2 ]'
    output, code = System(present).setup("build")
    tap.contains(output, "libuv1-dev (libuv)", "install these first: libre2-dev (re2) libyyjson-dev (yyjson)")
    tap.equal(code, 1)


def an_unknown_set_is_refused():
    output, code = System({}).setup("everything")
    tap.contains(output, "no set 'everything', there are: build test lint fuzz bench")
    tap.equal(code, 1)


tap.run([
    nothing_is_said_and_done_when_all_is_there,
    one_line_says_what_is_installed,
    without_root_and_sudo_it_says_what_to_do,
    sudo_is_used_when_not_root,
    a_failed_installation_shows_what_apt_said,
    another_distribution_goes_on_when_all_is_found,
    another_distribution_gets_the_list_of_what_is_missing,
    an_unknown_set_is_refused,
])
