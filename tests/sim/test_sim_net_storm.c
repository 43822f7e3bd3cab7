/*
 * test_sim_net_storm.c - any use of the simulated network, with any faults, against a model
 */
#include "sim/pair.h"

enum { LANES = 6 };

/* One direction of one connection, as a model. */
struct lane {
	struct peer *from, *to;
	uint64_t written;
	unsigned salt;
	bool is_ended;
};

struct storm {
	struct pair *pair;
	struct lane lanes[LANES];
	bool breaks; /* connections may break too */
};

static void write_some(struct storm *storm, struct lane *lane)
{
	size_t size = (size_t)tt_world_choose(storm->pair->world, 2) ? 1 + (size_t)tt_world_choose(storm->pair->world, 100)
								     : 1 + (size_t)tt_world_choose(storm->pair->world, 150000);

	if (!lane->is_ended && try_write(lane->from, lane->written, size, lane->salt, NULL) == TT_OK)
		lane->written += size;
}

static void do_something(struct storm *storm)
{
	tt_world *world = storm->pair->world;
	tt_node *a = storm->pair->a.node, *b = storm->pair->b.node;
	struct lane *lane = &storm->lanes[tt_world_choose(world, LANES)];

	switch (tt_world_choose(world, storm->breaks ? 40 : 39)) {
	case 0:
		tt_world_cut(a, b);
		break;
	case 1:
		tt_world_cut_one_way(a, b);
		break;
	case 2:
		tt_world_cut_one_way(b, a);
		break;
	case 3:
	case 4:
	case 5:
		tt_world_mend(a, b);
		break;
	case 6:
		tt_node_pause(tt_world_choose(world, 2) ? a : b);
		break;
	case 7:
	case 8:
		tt_node_resume(a);
		tt_node_resume(b);
		break;
	case 9:
		tt_stream_end(lane->from->stream);
		lane->is_ended = true;
		break;
	case 39:
		tt_world_reset(a, b);
		break;
	default:
		if (tt_world_choose(world, 3))
			write_some(storm, lane);
		else
			tt_stream_read(lane->to->stream, tt_world_choose(world, 2));
	}
}

static void begin_storm(struct storm *storm, uint64_t seed)
{
	storm->pair = pair_new(seed);
	for (unsigned i = 0; i < LANES; i += 2) {
		struct peer *b, *a = open_pair(storm->pair, &b);

		b->salt = i;
		a->salt = i + 1;
		storm->lanes[i] = (struct lane){ .from = a, .to = b, .salt = i };
		storm->lanes[i + 1] = (struct lane){ .from = b, .to = a, .salt = i + 1 };
	}
}

static void end_storm(struct storm *storm)
{
	tt_world_mend(storm->pair->a.node, storm->pair->b.node);
	tt_node_resume(storm->pair->a.node);
	tt_node_resume(storm->pair->b.node);
	for (int i = 0; i < LANES; i++) {
		tt_stream_read(storm->lanes[i].to->stream, true);
		tt_stream_end(storm->lanes[i].from->stream);
	}
	tt_world_run_for(storm->pair->world, TT_MINUTE);
}

static void bytes_arrive_complete_in_order_and_once(void **state)
{
	(void)state;
	uint64_t broken = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct storm storm = { .breaks = seed % 4 == 0 };

		begin_storm(&storm, seed);
		for (int i = 0; i < 60; i++) {
			do_something(&storm);
			tt_world_run_for(storm.pair->world, (int64_t)tt_world_choose(storm.pair->world, 2000000));
		}
		end_storm(&storm);
		for (int i = 0; i < LANES; i++) {
			const struct lane *lane = &storm.lanes[i];

			assert_false(lane->to->is_wrong);
			assert_true(lane->to->read_bytes <= lane->written);
			if (strchr(lane->to->events, 'f')) {
				assert_true(storm.breaks);
				broken++;
				continue;
			}
			assert_int_equal(lane->to->read_bytes, lane->written);
			assert_non_null(strchr(lane->to->events, 'e'));
		}
		pair_free(storm.pair);
	}
	assert_true(broken > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bytes_arrive_complete_in_order_and_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
