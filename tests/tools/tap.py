"""tap.py - test programs in Python that speak TAP: the functions that are given are the cases, their names are facts"""
import os
import subprocess
import sys
import traceback

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def tool(name):
    return os.path.join(ROOT, "tools", name)


def call(*command, **options):
    """Runs a command; what it wrote, both streams together, and its exit code."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, check=False,
                          **options)
    return done.stdout, done.returncode


def must(*command, **options):
    """Runs a command that has to succeed; what it wrote."""
    output, code = call(*command, **options)
    assert code == 0, "%s ended with %d:\n%s" % (" ".join(command), code, output)
    return output


def write(path, text, mode=0o644):
    """Makes a new file; never writes into one that is there, or through a link."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "x", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def equal(got, wanted):
    assert got == wanted, "got:\n%s\nwanted:\n%s" % (got, wanted)


def contains(text, *parts):
    for part in parts:
        assert part in text, "no '%s' in:\n%s" % (part, text)


def run(cases):
    print("1..%d" % len(cases))
    failed = 0
    for number, case in enumerate(cases, 1):
        try:
            case()
            print("ok %d - %s" % (number, case.__name__), flush=True)
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print("not ok %d - %s" % (number, case.__name__))
            for line in traceback.format_exc().splitlines():
                print("# " + line)
            sys.stdout.flush()
    sys.exit(1 if failed else 0)
