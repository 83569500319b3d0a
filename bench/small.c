/* Times small calls on the CPU, of one item and of a few thousand: bench_small [-n items] [-m points of the tree that
 * single queries search]. First: the first call of a fresh context and handle; then: the same call again. All times are
 * processor time of all threads, least of many. */
#include <math.h>
#include <stdlib.h>

#include <boscage/device/hash.h>
#include <boscage/device/kdtree_box.h>

#include "harness/bench.h"
#include "harness/shapes.h"
#include "harness/small_calls.h"

enum { AT_ONCE = 64, SINGLE_QUERIES = 2000 };

static int64_t large_items = 1000000; /* of the structures that single queries search */

/* --- Measurements ------------------------------------------------------------------------------------------------- */

static void print_row(const char *name, const char *what, int64_t n, struct bench_times t, int times)
{
    bench_print(&(struct bench_row){
        .name = name, .data = what, .n = n, .ours = {.least = t.least / times, .median = t.median / times}});
}

/* Times the first call of a fresh context and handle; the process made such calls before. */
static void time_first(const struct small_call *call)
{
    double *seconds = bench_host((size_t)bench.repeats * sizeof *seconds);
    for (int r = 0; r < bench.repeats; r++) {
        small_create_handles();
        if (call->prepare) call->prepare();
        double since = bench_now();
        call->run();
        seconds[r] = bench_now() - since;
        small_free_handles();
    }
    print_row(call->name, "first", small.n, bench_median_of(seconds, bench.repeats), 1);
    free(seconds);
}

static void run_batch(void *user)
{
    const struct small_call *call = user;
    for (int i = 0; i < AT_ONCE; i++) call->run();
}

static void time_again(const struct small_call *call)
{
    small_create_handles();
    if (call->prepare) call->prepare();
    print_row(call->name, "again", small.n, bench_time(NULL, run_batch, (void *)call, bench.repeats), AT_ONCE);
    small_free_handles();
}

static void time_calls(int64_t n)
{
    small.n = n;
    for (int c = 0; c < small_call_count; c++) {
        time_first(&small_calls[c]);
        time_again(&small_calls[c]);
    }
}

/* --- Single queries ----------------------------------------------------------------------------------------------- */

static struct {
    bosc_kdtree_view tree;
    bosc_hash_view table;
    const float *queries; /* (SINGLE_QUERIES x 3) */
    uint32_t ids[SMALL_K];
    double dist2[SMALL_K];
    int64_t sum; /* of the answers */
} one;

static void view_nearest(void *user)
{
    (void)user;
    for (int q = 0; q < SINGLE_QUERIES; q++)
        one.sum += bosc_kdtree_view_nearest(&one.tree, one.queries + 3 * q, (double)INFINITY, NULL);
}

static void view_knn(void *user)
{
    (void)user;
    for (int q = 0; q < SINGLE_QUERIES; q++) {
        bosc_kdtree_view_knn(&one.tree, one.queries + 3 * q, SMALL_K, (double)INFINITY, one.ids, one.dist2);
        one.sum += one.ids[0];
    }
}

static void view_within(void *user)
{
    bosc_kdtree_walk walk;
    (void)user;
    for (int q = 0; q < SINGLE_QUERIES; q++) {
        bosc_kdtree_walk_begin(&walk, &one.tree, one.queries + 3 * q);
        while (bosc_kdtree_walk_within(&walk, small_radius() * small_radius(), NULL) >= 0) one.sum++;
    }
}

static void view_box(void *user)
{
    bosc_kdtree_box_walk walk;
    (void)user;
    for (int q = 0; q < SINGLE_QUERIES; q++) {
        float low[3], high[3], r = (float)small_radius();
        for (int c = 0; c < 3; c++) {
            low[c] = one.queries[3 * q + c] - r;
            high[c] = one.queries[3 * q + c] + r;
        }
        bosc_kdtree_box_begin(&walk, &one.tree, low, high);
        while (bosc_kdtree_box_next(&walk) >= 0) one.sum++;
    }
}

static void view_look_up(void *user)
{
    (void)user;
    for (int q = 0; q < SINGLE_QUERIES; q++) {
        bosc_hash_word key = {small.keys[small.many / SINGLE_QUERIES * q], 0};
        one.sum += *(const uint32_t *)bosc_hash_value_at(&one.table, bosc_hash_look_up(&one.table, key));
    }
}

static void call_knn(void *user)
{
    const int64_t *k = user;
    for (int q = 0; q < SINGLE_QUERIES; q++)
        BENCH(bosc_kdtree_knn(bench.ctx, small.handles.tree, one.queries + 3 * q, 1, 0, *k, one.ids, NULL));
}

static void call_find(void *user)
{
    (void)user;
    for (int q = 0; q < SINGLE_QUERIES; q++)
        BENCH(bosc_hash_find(bench.ctx, small.handles.table, small.keys + small.many / SINGLE_QUERIES * q, 1,
                             small.out32, NULL));
}

static void time_one(const char *name, const char *what, void (*run)(void *), void *user)
{
    print_row(name, what, 1, bench_time(NULL, run, user, bench.repeats / 10 + 1), SINGLE_QUERIES);
}

static void time_single_queries(void)
{
    int64_t nearest = 1, k = SMALL_K;
    small_create_handles();
    small_build_whole_tree();
    small_build_whole_table();
    BENCH(bosc_kdtree_get_view(bench.ctx, small.handles.tree, &one.tree));
    BENCH(bosc_hash_get_view(bench.ctx, small.handles.table, &one.table));
    one.queries = bench_points("uniform", SINGLE_QUERIES, 3, 77);
    time_one("nearest of one", "view", view_nearest, NULL);
    time_one("nearest of one", "call", call_knn, &nearest);
    time_one("knn of one, k = 8", "view", view_knn, NULL);
    time_one("knn of one, k = 8", "call", call_knn, &k);
    time_one("within a radius of one", "view", view_within, NULL);
    time_one("in one box", "view", view_box, NULL);
    time_one("find one", "view", view_look_up, NULL);
    time_one("find one", "call", call_find, NULL);
    bench_check(one.sum > 0, "no answers");
    small_free_handles();
}

int main(int argc, char **argv)
{
    const struct bench_option own[] = {
        {'m', BENCH_INTEGER, &large_items, "points and keys that single queries search"}};
    bench.n = 1000;
    bench.repeats = 200;
    bench_options(argc, argv, "items of a call", own, 1);
    if (bench.opts.backend == BOSC_BACKEND_CUDA) bench_fail("small calls are timed on the CPU");
    bench.clock = BENCH_PROCESS;
    small_make_input(bench.n);
    time_calls(bench.n);
    time_calls(1);
    small_free_input();
    small_make_input(large_items);
    time_single_queries();
    small_free_input();
    bench_open();
    return bench_close();
}
