/* Look-ups documented as capturable, as graphs: replayed with other keys each time, they answer as the calls would. */
#include "support/arrays.h"
#include "support/capture.h"
#include "cases/hash/hash_data.h"

enum { ROUNDS = 3 };

/* A table and arrays in the backend's memory, which the recorded calls use. */
struct scene {
    bosc_hash *table;
    struct reference_hash oracle;
    struct hash_pairs pairs;
    int64_t m, keys, listed; /* queries; keys and values of the table */
    struct array queries, values, found, only_found, counts, all_keys, all_values, all_counts;
};

static void open_scene(bosc_ctx *ctx, struct scene *s, bosc_hash_opts o, int64_t n, int64_t m)
{
    const bool device = has_device_memory(ctx);
    bosc_hash_info info = {.size = sizeof info};
    int64_t bad;
    o.size = sizeof o;
    *s = (struct scene){.oracle = {.opts = o}, .pairs = hash_make(HASH_FEW, &o, 7, n), .m = m};
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &s->table));
    s->oracle.opts = s->table->opts;
    CHECK_OK(ctx, bosc_hash_build(ctx, s->table, s->pairs.keys, s->pairs.values, n));
    CHECK(reference_hash_insert(&s->oracle, s->pairs.keys, s->pairs.values, n, &bad));
    CHECK_OK(ctx, bosc_hash_get_info(ctx, s->table, &info));
    s->keys = info.keys;
    s->listed = o.kind == BOSC_HASH_MULTIMAP ? info.pairs : info.keys;
    const size_t key = (size_t)s->pairs.key_bits / 8, value = (size_t)o.value_size;
    s->queries = array_make(ctx, NULL, (size_t)m * key, device);
    s->values = array_make(ctx, NULL, (size_t)m * value, device);
    s->found = array_make(ctx, NULL, (size_t)m, device);
    s->only_found = array_make(ctx, NULL, (size_t)m, device);
    s->counts = array_make(ctx, NULL, (size_t)m * 8, device);
    s->all_keys = array_make(ctx, NULL, (size_t)s->keys * key, device);
    s->all_values = array_make(ctx, NULL, (size_t)s->listed * value, device);
    s->all_counts = array_make(ctx, NULL, (size_t)s->keys * 8, device);
}

static void close_scene(bosc_ctx *ctx, struct scene *s)
{
    struct array *arrays[] = {&s->queries, &s->values,   &s->found,      &s->only_found,
                              &s->counts,  &s->all_keys, &s->all_values, &s->all_counts};
    for (int i = 0; i < 8; i++) array_free(ctx, arrays[i]);
    bosc_hash_free(s->table);
    hash_free_pairs(&s->pairs);
    reference_hash_clear(&s->oracle);
}

static void upload(bosc_ctx *ctx, struct array *a, const void *from)
{
    memcpy(a->host, from, a->bytes);
    if (a->on_device && a->bytes) CHECK_OK(ctx, bosc_ctx_copy(ctx, a->p, a->host, a->bytes));
}

static void spoil(bosc_ctx *ctx, struct array *a)
{
    memset(a->host, 0x33, a->bytes);
    if (a->on_device && a->bytes) CHECK_OK(ctx, bosc_ctx_copy(ctx, a->p, a->host, a->bytes));
}

static void look_up(bosc_ctx *ctx, void *user)
{
    const struct scene *s = user;
    CHECK_OK(ctx, bosc_hash_find(ctx, s->table, s->queries.p, s->m, s->values.p, s->found.p));
    CHECK_OK(ctx, bosc_hash_find(ctx, s->table, s->queries.p, s->m, NULL, s->only_found.p));
    CHECK_OK(ctx, bosc_hash_count(ctx, s->table, s->queries.p, s->m, s->counts.p));
    if (s->table->opts.layout == BOSC_HASH_BUCKETED) /* of the others it waits */
        CHECK_OK(ctx, bosc_hash_get_pairs(ctx, s->table, s->all_keys.p, s->all_values.p, s->all_counts.p));
}

static void check_answers(bosc_ctx *ctx, struct scene *s, const void *queries)
{
    const bosc_hash_opts *o = &s->table->opts;
    const size_t size = (size_t)o->value_size;
    const bool counts_pairs = o->counted || o->kind == BOSC_HASH_MULTIMAP;
    const unsigned char *values = array_get(ctx, &s->values), *found = array_get(ctx, &s->found);
    const unsigned char *only_found = array_get(ctx, &s->only_found);
    const int64_t *counts = array_get(ctx, &s->counts);
    for (int64_t q = 0; q < s->m; q++) {
        int64_t count;
        const struct reference_pair *p =
            reference_hash_find(&s->oracle, bosc_hash_word_at(queries, q, o->key_bits), &count);
        CHECK_EQ(found[q], p != NULL);
        CHECK_EQ(only_found[q], p != NULL);
        CHECK_EQ(counts[q], counts_pairs ? count : p != NULL);
        if (p)
            CHECK(memcmp(values + (size_t)q * size, p->value, size) == 0);
        else
            CHECK(hash_has_zeros(values + (size_t)q * size, (int64_t)size));
    }
}

static void check_list(bosc_ctx *ctx, struct scene *s)
{
    const bosc_hash_opts *o = &s->table->opts;
    const size_t size = (size_t)o->value_size;
    const bool multimap = o->kind == BOSC_HASH_MULTIMAP;
    const void *keys = array_get(ctx, &s->all_keys);
    const unsigned char *values = array_get(ctx, &s->all_values);
    const int64_t *counts = array_get(ctx, &s->all_counts);
    int64_t at = 0;
    for (int64_t i = 0; i < s->keys; i++) {
        int64_t count;
        const struct reference_pair *p =
            reference_hash_find(&s->oracle, bosc_hash_word_at(keys, i, o->key_bits), &count);
        CHECK(p != NULL);
        CHECK_EQ(counts[i], o->counted || multimap ? count : 1);
        for (int64_t k = 0; k < (multimap ? count : 1); k++)
            CHECK(memcmp(values + (size_t)(at++) * size, p[k].value, size) == 0);
    }
    CHECK_EQ(at, s->listed);
}

static void look_ups(bosc_ctx *ctx)
{
    for (int k = 0; k < 6 * (BOSC_HASH_ORDERED + 1); k++) {
        if (suite_leaves_out()) continue;
        static const int32_t sizes[] = {4, 8, 12, 0, 1};
        bosc_hash_opts o = {
            .layout = (bosc_hash_layout)(k / 6), .key_bits = 32 << k / 2 % 3, .value_size = sizes[k % 5]};
        o.no_wait = k % 2; /* the build must be finished before a graph is recorded */
        if (k % 6 == 4) o.counted = 1;
        if (k % 6 == 5) o.kind = BOSC_HASH_MULTIMAP;
        const int64_t n = suite_slow(ctx) ? 400 : 4000, m = suite_slow(ctx) ? 150 : 1000;
        struct scene s;
        struct capture graph;
        open_scene(ctx, &s, o, n, m);
        void *queries = hash_queries(&s.pairs, 100, m);
        upload(ctx, &s.queries, queries);
        capture_open(&graph, ctx, look_up, &s);
        for (int round = 0; round < ROUNDS; round++) {
            struct array *outputs[] = {&s.values,   &s.found,      &s.only_found, &s.counts,
                                       &s.all_keys, &s.all_values, &s.all_counts};
            free(queries);
            queries = hash_queries(&s.pairs, (uint64_t)(k * ROUNDS + round), m);
            upload(ctx, &s.queries, queries);
            for (int i = 0; i < 7; i++) spoil(ctx, outputs[i]);
            capture_replay(&graph);
            check_answers(ctx, &s, queries);
            if (s.table->opts.layout == BOSC_HASH_BUCKETED) check_list(ctx, &s);
        }
        capture_close(&graph);
        free(queries);
        close_scene(ctx, &s);
    }
}

/* Before the first build, and after a failed one, nothing is found. */
static void empty_tables(bosc_ctx *ctx)
{
    bosc_hash_opts o = {.layout = BOSC_HASH_BUCKETED, .value_size = 4, .duplicates = BOSC_HASH_ERROR};
    struct hash_pairs twice = hash_make(HASH_EQUAL, &o, 1, 2);
    for (int failed = 0; failed < 2; failed++) {
        struct scene s;
        struct capture graph;
        open_scene(ctx, &s, (bosc_hash_opts){.value_size = 4, .duplicates = BOSC_HASH_LAST}, 0, 99);
        if (failed) {
            bosc_hash_free(s.table);
            o.size = sizeof o;
            CHECK_OK(ctx, bosc_hash_create(ctx, &o, &s.table));
            CHECK_STATUS(ctx, bosc_hash_build(ctx, s.table, twice.keys, twice.values, 2), BOSC_ERR_DATA);
        }
        void *queries = hash_queries(&twice, 3, s.m);
        upload(ctx, &s.queries, queries);
        capture_open(&graph, ctx, look_up, &s);
        spoil(ctx, &s.values);
        spoil(ctx, &s.found);
        capture_replay(&graph);
        check_answers(ctx, &s, queries);
        capture_close(&graph);
        free(queries);
        close_scene(ctx, &s);
    }
    hash_free_pairs(&twice);
}

static const struct suite_case suite_cases_hash_capture[] = {{"look-ups", look_ups, NULL},
                                                             {"nothing", empty_tables, NULL}};
SUITE(hash_capture);
