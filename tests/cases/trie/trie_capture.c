/* Queries documented as capturable, as graphs: replayed with other queries each time, they answer as the calls would.
 * */
#include "support/arrays.h"
#include "support/capture.h"
#include "cases/trie/trie_data.h"

enum { ROUNDS = 3 };

/* A trie and arrays in the backend's memory, which the recorded calls use. */
struct scene {
    bosc_trie *trie;
    int64_t m, stride, keys;
    struct array queries, lengths, ranks, values, found, of_ranks, begins, ends;
    struct array longest, first, last, all_keys, all_values, all_counts;
};

static void run_queries(bosc_ctx *ctx, void *user)
{
    const struct scene *s = user;
    CHECK_OK(ctx, bosc_trie_find(ctx, s->trie, s->queries.p, s->m, s->stride, s->ranks.p, s->values.p, s->found.p));
    CHECK_OK(ctx, bosc_trie_get_values(ctx, s->trie, s->ranks.p, s->m, s->of_ranks.p));
    CHECK_OK(ctx, bosc_trie_prefix(ctx, s->trie, s->queries.p, s->lengths.p, s->m, s->stride, s->begins.p, s->ends.p));
    CHECK_OK(ctx, bosc_trie_longest(ctx, s->trie, s->queries.p, s->m, s->stride, s->longest.p, s->first.p, s->last.p));
    CHECK_OK(ctx, bosc_trie_get_keys(ctx, s->trie, 0, s->keys, s->all_keys.p, s->all_values.p, s->all_counts.p));
}

enum { OUTPUTS = 12 };

static void outputs_of(struct scene *s, struct array *outputs[OUTPUTS])
{
    struct array *all[OUTPUTS] = {&s->ranks,   &s->values, &s->found, &s->of_ranks, &s->begins,     &s->ends,
                                  &s->longest, &s->first,  &s->last,  &s->all_keys, &s->all_values, &s->all_counts};
    memcpy(outputs, all, sizeof all);
}

static struct scene open_scene(bosc_ctx *ctx, bosc_trie *trie, int64_t m, int64_t stride)
{
    bool device = has_device_memory(ctx);
    bosc_trie_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_trie_get_info(ctx, trie, &info));
    size_t n = (size_t)m, keys = (size_t)info.keys, value = (size_t)info.value_bits / 8;
    struct scene s = {.trie = trie, .m = m, .stride = stride, .keys = info.keys};
    s.queries = array_make(ctx, NULL, n * (size_t)stride * 8, device);
    s.lengths = array_make(ctx, NULL, n * 4, device);
    s.ranks = array_make(ctx, NULL, n * 8, device);
    s.values = array_make(ctx, NULL, n * value, device);
    s.found = array_make(ctx, NULL, n, device);
    s.of_ranks = array_make(ctx, NULL, n * value, device);
    s.begins = array_make(ctx, NULL, n * 8, device);
    s.ends = array_make(ctx, NULL, n * 8, device);
    s.longest = array_make(ctx, NULL, n * 4, device);
    s.first = array_make(ctx, NULL, n * 8, device);
    s.last = array_make(ctx, NULL, n * 8, device);
    s.all_keys = array_make(ctx, NULL, keys * (size_t)info.words * 8, device);
    s.all_values = array_make(ctx, NULL, keys * value, device);
    s.all_counts = array_make(ctx, NULL, keys * 8, device);
    return s;
}

static void close_scene(bosc_ctx *ctx, struct scene *s)
{
    struct array *outputs[OUTPUTS];
    outputs_of(s, outputs);
    for (int k = 0; k < OUTPUTS; k++) array_free(ctx, outputs[k]);
    array_free(ctx, &s->queries);
    array_free(ctx, &s->lengths);
}

static void upload(bosc_ctx *ctx, struct array *a, const void *from)
{
    memcpy(a->host, from, a->bytes);
    if (a->on_device && a->bytes) CHECK_OK(ctx, bosc_ctx_copy(ctx, a->p, a->host, a->bytes));
}

/* New queries; answers of before are overwritten. */
static void renew(bosc_ctx *ctx, struct scene *s, struct suite_random *r, const struct reference_cells *c)
{
    struct array *outputs[OUTPUTS];
    struct reference_cells queries = trie_queries(r, c, s->m);
    int32_t *lengths = suite_alloc((size_t)s->m * 4);
    CHECK_EQ(queries.stride, s->stride);
    for (int64_t q = 0; q < s->m; q++) lengths[q] = (int32_t)suite_below(r, (uint64_t)c->length + 1);
    upload(ctx, &s->queries, queries.rows);
    upload(ctx, &s->lengths, lengths);
    outputs_of(s, outputs);
    for (int k = 0; k < OUTPUTS; k++) {
        memset(outputs[k]->host, 0x33, outputs[k]->bytes);
        upload(ctx, outputs[k], outputs[k]->host);
    }
    free(queries.rows);
    free(lengths);
}

/* The answers of a replay are those of the calls. */
static void compare(bosc_ctx *ctx, struct scene *s)
{
    struct array *outputs[OUTPUTS];
    void *replayed[OUTPUTS];
    outputs_of(s, outputs);
    for (int k = 0; k < OUTPUTS; k++) {
        replayed[k] = suite_alloc(outputs[k]->bytes);
        memcpy(replayed[k], array_get(ctx, outputs[k]), outputs[k]->bytes);
    }
    run_queries(ctx, s);
    CHECK_OK(ctx, bosc_ctx_sync(ctx));
    for (int k = 0; k < OUTPUTS; k++) {
        CHECK(memcmp(replayed[k], array_get(ctx, outputs[k]), outputs[k]->bytes) == 0);
        free(replayed[k]);
    }
}

static void replays(bosc_ctx *ctx)
{
    struct suite_random r = {81};
    for (int k = 0; k < 4; k++) {
        if (suite_leaves_out()) continue;
        bosc_trie_opts o = trie_options(k, 70, 1 + k);
        struct reference_cells c = cells_make(&r, CELLS_WALK, o.length, o.letter_bits, suite_slow(ctx) ? 40 : 300, 0);
        bosc_trie *trie = trie_of(ctx, &o, &c);
        struct reference_cells query = trie_queries(&r, &c, 1);
        struct scene s = open_scene(ctx, trie, suite_slow(ctx) ? 20 : 100, query.stride);
        struct capture capture;
        renew(ctx, &s, &r, &c);
        capture_open(&capture, ctx, run_queries, &s);
        for (int round = 0; round < ROUNDS; round++) {
            renew(ctx, &s, &r, &c);
            capture_replay(&capture);
            compare(ctx, &s);
        }
        capture_close(&capture);
        close_scene(ctx, &s);
        bosc_trie_free(trie);
        free(query.rows);
        free(c.rows);
    }
}

static const struct suite_case suite_cases_trie_capture[] = {{"replays", replays, NULL}};
SUITE(trie_capture);
