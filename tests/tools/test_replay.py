"""What tests/fuzz/replay.c promises, tried on a target that crashes, hangs and leaves early when told to"""
import os
import tempfile

import tap

TARGET = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size == 5 && memcmp(bytes, "crash", 5) == 0)
		abort();
	if (size == 4 && memcmp(bytes, "exit", 4) == 0)
		exit(7);
	if (size == 5 && memcmp(bytes, "words", 5) == 0) {
		fprintf(stderr, "last words\\n");
		abort();
	}
	return 0;
}
"""
folder = tempfile.TemporaryDirectory()
program = os.path.join(folder.name, "replay")


def make_program():
    source = os.path.join(folder.name, "target.c")
    tap.write(source, TARGET)
    tap.must("cc", "-D_GNU_SOURCE", source, os.path.join(tap.ROOT, "tests", "fuzz", "replay.c"), "-o", program)


def replay(**inputs):
    corpus = tempfile.mkdtemp(dir=folder.name)
    for name, text in inputs.items():
        tap.write(os.path.join(corpus, name), text)
    return tap.call(program, corpus)


def every_file_is_a_case():
    tap.equal(replay(b="fine", a=""), ("1..2\nok 1 - a\nok 2 - b\n", 0))


def an_input_that_crashes_is_named_and_the_others_still_run():
    tap.equal(replay(a="crash", b="fine")[0], "1..2\nnot ok 1 - a\n# died of signal 6 (Aborted)\nok 2 - b\n")


def an_input_that_ends_the_program_is_named():
    tap.equal(replay(a="exit")[0], "1..1\nnot ok 1 - a\n# ended with exit code 7\n")


def what_an_input_writes_comes_before_its_result():
    tap.contains(replay(a="words")[0], "last words\nnot ok 1 - a\n")


def a_missing_corpus_fails():
    output, code = tap.call(program, os.path.join(folder.name, "none"))
    tap.contains(output, "No such file or directory")
    tap.equal(code, 1)


make_program()
tap.run([
    every_file_is_a_case,
    an_input_that_crashes_is_named_and_the_others_still_run,
    an_input_that_ends_the_program_is_named,
    what_an_input_writes_comes_before_its_result,
    a_missing_corpus_fails,
])
