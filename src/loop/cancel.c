/*
 * cancel.c - see trimtab/cancel.h and cancel.h
 *
 * Tokens form trees.  A child holds a reference on its parent, so the root lives longest, and its mutex guards the links of the
 * whole tree; a parent knows its children by links that each child takes out before it goes.  Firing walks the tree along these
 * links, so its depth costs no stack.
 *
 * What a token says is one atomic number: asking it takes no mutex.  The first to write the number decides whether it was
 * canceled or came to its deadline, so that all who ask hear the same.
 *
 * A hook may be removed, and its loop freed, while another thread fires its token.  So the post is made under the mutex, as long
 * as the hook is still there, and carries a reference on the token and not the hook: on the loop, it takes the first hook of this
 * loop that is left.
 */
#include "loop/cancel.h"

#include "loop/mutex.h"

#include <assert.h>
#include <stdlib.h>

struct tt_cancel {
	atomic_size_t refs;
	_Atomic(tt_code) fired; /* TT_OK, or what tt_cancel_check() says */
	const tt_clock *clock;
	int64_t deadline_ns;
	tt_cancel *parent, *root;
	tt_mutex mutex;  /* the root's is used: guards the links of all tokens of the tree */
	tt_link sibling; /* in the parent's children */
	tt_link children;
	tt_link sleepers;
	tt_link hooks;
};

/* The child of a token that has fired is born fired. */
static void join_tree(tt_cancel *token, tt_cancel *parent)
{
	token->parent = tt_cancel_ref(parent);
	token->root = parent->root;
	if (parent->deadline_ns < token->deadline_ns)
		token->deadline_ns = parent->deadline_ns;
	tt_mutex_lock(&token->root->mutex);
	tt_list_add_last(&parent->children, &token->sibling);
	atomic_store(&token->fired, atomic_load(&parent->fired));
	tt_mutex_unlock(&token->root->mutex);
}

tt_code tt_cancel_new(tt_loop *loop, tt_cancel *parent, int64_t timeout_ns, tt_cancel **ret, tt_error *err)
{
	if (parent && parent->clock != loop->clock)
		return tt_fail(err, TT_INVALID, "cannot make a token: its parent's deadline counts on the clock of another loop");
	tt_cancel *token = calloc(1, sizeof *token);

	if (!token)
		return tt_fail(err, TT_LIMIT, "out of memory for a token");
	atomic_store(&token->refs, 1);
	token->clock = loop->clock;
	if (timeout_ns == TT_NO_TIMEOUT || __builtin_add_overflow(tt_clock_mono_ns(loop->clock), timeout_ns, &token->deadline_ns))
		token->deadline_ns = timeout_ns < 0 ? INT64_MIN : INT64_MAX;
	tt_list_init(&token->sibling);
	tt_list_init(&token->children);
	tt_list_init(&token->sleepers);
	tt_list_init(&token->hooks);
	tt_mutex_init(&token->mutex);
	token->root = token;
	if (parent)
		join_tree(token, parent);
	*ret = token;
	return TT_OK;
}

tt_cancel *tt_cancel_ref(tt_cancel *token)
{
	if (token)
		atomic_fetch_add(&token->refs, 1);
	return token;
}

void tt_cancel_unref(tt_cancel *token)
{
	while (token && atomic_fetch_sub(&token->refs, 1) == 1) {
		tt_cancel *parent = token->parent;

		tt_mutex_lock(&token->root->mutex);
		tt_list_remove(&token->sibling);
		tt_mutex_unlock(&token->root->mutex);
		tt_mutex_done(&token->mutex);
		free(token);
		token = parent;
	}
}

/* The first to call this decides.  Returns what the token says from now on. */
static tt_code decide(tt_cancel *token, tt_code code)
{
	tt_code before = TT_OK;

	return atomic_compare_exchange_strong(&token->fired, &before, code) ? code : before;
}

static tt_code state_of(const tt_cancel *token)
{
	tt_code code = atomic_load(&token->fired);

	if (code || token->deadline_ns == INT64_MAX || tt_clock_mono_ns(token->clock) < token->deadline_ns)
		return code;
	return decide((tt_cancel *)(uintptr_t)token, TT_TIMEOUT); /* asking does not change it, only remembers the answer */
}

tt_code tt_cancel_check(const tt_cancel *token, tt_error *err)
{
	tt_code code = token ? state_of(token) : TT_OK;

	if (!code)
		return TT_OK;
	return tt_fail(err, code, code == TT_TIMEOUT ? "the deadline has passed" : "canceled");
}

int64_t tt_cancel_deadline_ns(const tt_cancel *token)
{
	return token ? token->deadline_ns : INT64_MAX;
}

static void run_hook(void *data);

/* The mutex is held.  False: it had fired before, and so had all below it. */
static bool fire_one(tt_cancel *token)
{
	if (state_of(token) || decide(token, TT_CANCELED) != TT_CANCELED)
		return false;
	for (tt_link *link = token->sleepers.next; link != &token->sleepers; link = link->next)
		tt_unpark(TT_CONTAINER(link, tt_cancel_sleeper, link)->parker);
	for (tt_link *link = token->hooks.next; link != &token->hooks; link = link->next)
		tt_loop_post(TT_CONTAINER(link, tt_cancel_hook, link)->loop, run_hook, tt_cancel_ref(token));
	return true;
}

/* The token to fire after this one, in the tree below top: parents come before their children. */
static tt_cancel *next_below(const tt_cancel *top, tt_cancel *token, bool with_children)
{
	if (with_children && !tt_list_is_empty(&token->children))
		return TT_CONTAINER(token->children.next, tt_cancel, sibling);
	for (; token != top; token = token->parent) {
		if (token->sibling.next != &token->parent->children)
			return TT_CONTAINER(token->sibling.next, tt_cancel, sibling);
	}
	return NULL;
}

void tt_cancel_fire(tt_cancel *top)
{
	tt_mutex_lock(&top->root->mutex);
	for (tt_cancel *token = top; token;)
		token = next_below(top, token, fire_one(token));
	tt_mutex_unlock(&top->root->mutex);
}

/* Sleepers. */

void tt_cancel_sleeper_add(tt_cancel_sleeper *sleeper, tt_cancel *token, tt_parker *parker)
{
	*sleeper = (tt_cancel_sleeper){ .token = token, .parker = parker };
	if (!token)
		return;
	tt_mutex_lock(&token->root->mutex);
	tt_list_add_last(&token->sleepers, &sleeper->link);
	if (atomic_load(&token->fired))
		tt_unpark(parker);
	tt_mutex_unlock(&token->root->mutex);
}

void tt_cancel_sleeper_remove(tt_cancel_sleeper *sleeper)
{
	if (!sleeper->token)
		return;
	tt_mutex_lock(&sleeper->token->root->mutex);
	tt_list_remove(&sleeper->link);
	tt_mutex_unlock(&sleeper->token->root->mutex);
}

/* Hooks. */

static void unlink_hook(tt_cancel_hook *hook)
{
	tt_mutex_lock(&hook->token->root->mutex);
	tt_list_remove(&hook->link);
	tt_mutex_unlock(&hook->token->root->mutex);
}

/* The hook is in no list.  Its function may release the memory it is in. */
static void call_hook(tt_cancel_hook *hook)
{
	tt_cancel *token = hook->token;

	tt_timer_stop(&hook->timer);
	hook->token = NULL;
	hook->fn(hook->data);
	tt_cancel_unref(token);
}

static void on_deadline(void *data)
{
	unlink_hook(data);
	call_hook(data);
}

/* On a loop: one hook of this loop has its turn, if one is left. */
static void run_hook(void *data)
{
	tt_cancel *token = data;
	tt_loop *loop = tt_loop_current();
	tt_cancel_hook *hook = NULL;

	tt_mutex_lock(&token->root->mutex);
	for (tt_link *link = token->hooks.next; link != &token->hooks && !hook; link = link->next) {
		if (TT_CONTAINER(link, tt_cancel_hook, link)->loop == loop)
			hook = TT_CONTAINER(link, tt_cancel_hook, link);
	}
	if (hook)
		tt_list_remove(&hook->link);
	tt_mutex_unlock(&token->root->mutex);
	if (hook)
		call_hook(hook);
	tt_cancel_unref(token);
}

void tt_cancel_hook_add(tt_cancel_hook *hook, tt_cancel *token, tt_loop *loop, tt_loop_fn fn, void *data)
{
	*hook = (tt_cancel_hook){ .token = tt_cancel_ref(token), .loop = loop, .fn = fn, .data = data };
	if (!token)
		return;
	assert(token->clock == loop->clock);
	tt_timer_init(&hook->timer, loop, on_deadline, hook);
	if (token->deadline_ns != INT64_MAX)
		tt_timer_start_at(&hook->timer, token->deadline_ns);
	tt_mutex_lock(&token->root->mutex);
	tt_list_add_last(&token->hooks, &hook->link);
	if (atomic_load(&token->fired))
		tt_loop_post(loop, run_hook, tt_cancel_ref(token));
	tt_mutex_unlock(&token->root->mutex);
}

void tt_cancel_hook_remove(tt_cancel_hook *hook)
{
	tt_cancel *token = hook->token;

	if (!token)
		return;
	unlink_hook(hook);
	tt_timer_stop(&hook->timer);
	hook->token = NULL;
	tt_cancel_unref(token);
}
