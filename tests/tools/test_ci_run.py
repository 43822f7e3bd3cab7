"""What .ci/run promises, tried with a make that says what the lanes would"""
import os
import tempfile

import tap


def run(script):
    """Its last line, exit code and output, with lanes that do what the script says; $* are the arguments of make."""
    with tempfile.TemporaryDirectory() as folder:
        tap.write(os.path.join(folder, "make"), "#!/bin/sh\n" + script + "\n", 0o755)
        output, code = tap.call(os.path.join(tap.ROOT, ".ci", "run"), env=dict(os.environ, PATH=folder + ":" + os.environ["PATH"]))
        return output.splitlines()[-1], code, output


def closing_lines_are_added_up():
    tap.equal(run("echo '3 passed, 0 failed'")[:2], ("15 passed, 0 failed", 0))


def skipped_cases_are_told():
    tap.equal(run("echo '3 passed, 0 failed, 2 skipped'")[:2], ("15 passed, 0 failed, 10 skipped", 0))


def a_failing_lane_fails_the_run_and_the_lanes_after_it_still_run():
    tap.equal(run("case $* in lint) echo '1 passed, 2 failed'; exit 1 ;; esac; echo '3 passed, 0 failed'")[:2], ("13 passed, 2 failed", 1))


def a_lane_without_a_closing_line_is_a_failure():
    last, code, output = run("case $* in 'test SAN=thread') echo broken; exit 2 ;; esac; echo '3 passed, 0 failed'")
    tap.equal((last, code), ("12 passed, 1 failed", 1))
    tap.contains(output, "no closing line, exit code 2")


def a_lane_that_fails_without_a_failed_case_is_a_failure():
    tap.equal(run("echo '3 passed, 0 failed'; case $* in lint) exit 2 ;; esac")[:2], ("15 passed, 1 failed", 1))


def a_lane_in_which_nothing_passed_is_a_failure():
    tap.equal(run("case $* in fuzz*) echo '0 passed, 0 failed' ;; *) echo '3 passed, 0 failed' ;; esac")[:2], ("12 passed, 1 failed", 1))


def every_lane_runs_once():
    _, _, output = run("echo \"lane $*\"; echo '1 passed, 0 failed'")
    tap.equal([line[5:] for line in output.splitlines() if line.startswith("lane ")],
              ["test", "lint", "test SAN=address", "test SAN=thread", "fuzz TIME=0"])


tap.run([
    closing_lines_are_added_up,
    skipped_cases_are_told,
    a_failing_lane_fails_the_run_and_the_lanes_after_it_still_run,
    a_lane_without_a_closing_line_is_a_failure,
    a_lane_that_fails_without_a_failed_case_is_a_failure,
    a_lane_in_which_nothing_passed_is_a_failure,
    every_lane_runs_once,
])
