/*
 * test.h - what every test program includes
 *
 * A test's name is a fact, and breaking the fact turns the test red.  A program lists its tests and calls tt_test_run(): each runs under an
 * alarm, so that a hang is a failure of that test and not of the machine.
 */
#ifndef TRIMTAB_TESTS_TEST_H
#define TRIMTAB_TESTS_TEST_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
/* after those, as cmocka asks */
#include <cmocka.h>

#include <trimtab/error.h>

/* A test that takes longer than this hangs.  Far above any honest test, also under a sanitizer on a busy machine. */
enum { TT_TEST_SECONDS_MAX = 120 };

#define TEST(name) cmocka_unit_test_setup_teardown(name, tt_test_arm, tt_test_disarm)

static inline int tt_test_arm(void **state)
{
	(void)state;
	alarm(TT_TEST_SECONDS_MAX);
	return 0;
}

static inline int tt_test_disarm(void **state)
{
	(void)state;
	alarm(0);
	return 0;
}

/* As fork(); the child does not outlive the test program, and a hang ends it too. */
static inline pid_t tt_test_fork(void)
{
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(TT_TEST_SECONDS_MAX);
	}
	return child;
}

/* The call succeeds; if not, its words are shown. */
#define assert_ok(call)                                                                         \
	do {                                                                                    \
		TT_ERROR(err_);                                                                 \
		tt_error *err = err_;                                                           \
		tt_code code_ = (call);                                                         \
		if (code_)                                                                      \
			fail_msg("%s: %s: %s", #call, tt_code_name(code_), tt_error_text(err)); \
	} while (0)

#endif
