"""What tools/run-tests promises, tried on programs that pass, fail, crash, hang, skip and lie"""
import atexit
import os
import re
import shutil
import tempfile

import tap

PROGRAMS = {
    "passes": "echo 1..2; echo noise; echo OK; echo 'ok 1 - one'; echo 'ok 2 - two'",
    "fails": "echo 1..2; echo 'ok 1 - one'; echo 'hello from two'; echo 'not ok 2 - two'; echo '# 0x1 != 0x2'; echo words >&2; exit 1",
    "crashes": "echo 1..5; echo 'ok 1 - one'; echo 'ok 2 - two'; echo 'last words' >&2; kill -SEGV $$",
    "hangs": "echo 1..3; echo 'ok 1 - one'; sleep 1000",
    "skips": "echo 1..3; echo 'ok 1 - one'; echo 'ok 2 - two # SKIP no network'; echo 'not ok 3 # SKIP three'",
    "skips_all": "echo '1..0 # SKIP no compiler'",
    "stops_early": "echo 1..3; echo 'ok 1 - one'",
    "goes_on": "echo 1..1; echo 'ok 1 - one'; echo 'ok 2 - two'",
    "says_nothing": "true",
    "has_no_cases": "echo 1..0",
    "has_no_plan": "echo 'ok 1 - one'",
    "leaks": "echo 1..1; echo 'ok 1 - one'; echo 'leaked 8 bytes' >&2; exit 23",
    "shows_options": "echo 1..1; echo \"$ASAN_OPTIONS $UBSAN_OPTIONS $TSAN_OPTIONS\"; echo 'not ok 1 - options'; exit 1",
}
folder = tempfile.mkdtemp()
build = os.path.join(folder, "build")
atexit.register(shutil.rmtree, folder)


def make_project():
    lines = ["project('fake')"]
    for name, script in PROGRAMS.items():
        tap.write(os.path.join(folder, name), "#!/bin/sh\n" + script + "\n", 0o755)
        lines.append("test('%s', find_program('%s'), protocol: 'tap', timeout: %d)" % (name, name, 1 if name == "hangs" else 30))
    tap.write(os.path.join(folder, "meson.build"), "\n".join(lines) + "\n")
    tap.must("meson", "setup", build, folder)


def run(*names):
    """Its output, closing line and exit code."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("SAN_OPTIONS")}
    output, code = tap.call(tap.tool("run-tests"), build, *names, env=environment)
    return output, output.splitlines()[-1], code


def expect(name, closing, code, *parts):
    output, last, got = run(name)
    tap.contains(output, *parts)
    tap.equal((last, got), (closing, code))


def cases_are_counted_and_not_programs():
    expect("passes", "2 passed, 0 failed", 0)


def a_failing_case_shows_name_expectation_and_output():
    expect("fails", "1 passed, 1 failed", 1, "FAILED fails: two\n", "hello from two\n", "0x1 != 0x2\n", "words\n")


def a_crash_fails_the_cases_that_were_not_reached():
    expect("crashes", "2 passed, 3 failed", 1, "FAILED crashes: died of SIGSEGV after 2 of 5 cases\n", "last words\n")


def a_hang_is_killed_and_fails_the_cases_that_were_not_reached():
    expect("hangs", "1 passed, 2 failed", 1, "FAILED hangs: was killed: it took longer than its timeout after 1 of 3 cases\n")


def skipped_cases_are_named_and_counted_apart():
    expect("skips", "1 passed, 0 failed, 2 skipped", 0, "skipped skips: two", "skipped skips: three")


def a_run_in_which_everything_was_skipped_fails():
    expect("skips_all", "0 passed, 0 failed, 1 skipped", 1, "no compiler")


def a_program_that_ends_before_its_plan_fails():
    expect("stops_early", "1 passed, 2 failed", 1, "ended with exit code 0 after 1 of 3 cases")


def more_cases_than_planned_fail():
    expect("goes_on", "2 passed, 1 failed", 1, "ran 2 cases where it planned 1")


def a_program_that_says_nothing_fails():
    expect("says_nothing", "0 passed, 1 failed", 1, "FAILED says_nothing: ")


def a_program_without_cases_fails():
    expect("has_no_cases", "0 passed, 1 failed", 1, "has no cases")


def a_program_without_a_plan_fails():
    expect("has_no_plan", "1 passed, 1 failed", 1, "without saying how many cases it has")


def a_bad_exit_fails_although_every_case_passed():
    expect("leaks", "1 passed, 1 failed", 1, "ended with exit code 23 although no case failed", "leaked 8 bytes")


def sanitizers_are_told_to_stop_at_the_first_finding():
    expect("shows_options", "0 passed, 1 failed", 1, "halt_on_error=1", "detect_leaks=1", "print_stacktrace=1",
           "second_deadlock_stack=1")


def a_run_without_tests_fails():
    _, last, code = run("no_such_test")
    assert re.fullmatch(r"0 passed, \d failed", last) and code == 1, last


def several_programs_are_added_up():
    _, last, code = run("passes", "fails", "skips")
    tap.equal((last, code), ("4 passed, 1 failed, 2 skipped", 1))


make_project()
tap.run([
    cases_are_counted_and_not_programs,
    a_failing_case_shows_name_expectation_and_output,
    a_crash_fails_the_cases_that_were_not_reached,
    a_hang_is_killed_and_fails_the_cases_that_were_not_reached,
    skipped_cases_are_named_and_counted_apart,
    a_run_in_which_everything_was_skipped_fails,
    a_program_that_ends_before_its_plan_fails,
    more_cases_than_planned_fail,
    a_program_that_says_nothing_fails,
    a_program_without_cases_fails,
    a_program_without_a_plan_fails,
    a_bad_exit_fails_although_every_case_passed,
    sanitizers_are_told_to_stop_at_the_first_finding,
    a_run_without_tests_fails,
    several_programs_are_added_up,
])
