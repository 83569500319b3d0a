/* The published layouts are built as published: each key stands where a plain version of the rounds puts it. */
#include <math.h>

#include "reference/hash_published.h"
#include "support/arrays.h"
#include "hash/handle.h"
#include "hash/slots.h"
#include "cases/hash/hash_data.h"

/* A table of n distinct keys, and its contents on the host. */
struct built {
    bosc_hash *table;
    bosc_hash_info info;
    int n;
    bosc_hash_word *hashes; /* in the order of the lists */
    bosc_hash_slots_view view;
    uint64_t *descriptors;
    unsigned char *slots;
};

/* The hashes in the order of the input; the lists have them by partition. */
static void order_by_partition(struct built *b, const struct hash_pairs *p)
{
    const struct bi_hash_shape *s = &b->table->shape;
    int at = 0;
    b->hashes = suite_alloc((size_t)p->n * sizeof *b->hashes);
    for (uint32_t part = 0; part >> s->partition_bits == 0; part++)
        for (int64_t i = 0; i < p->n; i++) {
            bosc_hash_word hash = bosc_hash_of(bosc_hash_word_at(p->keys, i, s->key_bits), s->key_bits, s->seed);
            if (bosc_hash_partition_of(hash, s->key_bits, s->partition_bits) == part) b->hashes[at++] = hash;
        }
    CHECK_EQ(at, p->n);
}

static struct built build_table(bosc_ctx *ctx, bosc_hash_opts o, const struct hash_pairs *p)
{
    struct built b = {.n = (int)p->n, .info = {.size = sizeof b.info}};
    o.size = sizeof o;
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &b.table));
    CHECK_OK(ctx, bosc_hash_build(ctx, b.table, p->keys, p->values, p->n));
    CHECK_OK(ctx, bosc_hash_get_info(ctx, b.table, &b.info));
    CHECK_EQ(b.info.keys, p->n);
    order_by_partition(&b, p);
    size_t bytes[BI_HASH_BLOCKS];
    bi_hash_used_bytes(b.table, bytes);
    b.descriptors = suite_alloc(bytes[BI_HASH_DESCRIPTORS]);
    b.slots = suite_alloc(bytes[BI_HASH_TABLE] + 1);
    CHECK_OK(ctx, ctx->backend->copy(ctx, b.descriptors, b.table->blocks[BI_HASH_DESCRIPTORS].data,
                                     bytes[BI_HASH_DESCRIPTORS]));
    CHECK_OK(ctx, ctx->backend->copy(ctx, b.slots, b.table->blocks[BI_HASH_TABLE].data, bytes[BI_HASH_TABLE]));
    CHECK_OK(ctx, ctx->backend->sync(ctx));
    b.view = bi_hash_slots_view_of(b.table, p->n);
    b.view.descriptors = b.descriptors;
    b.view.slots = b.slots;
    return b;
}

static void drop(struct built *b)
{
    bosc_hash_free(b->table);
    free(b->hashes);
    free(b->descriptors);
    free(b->slots);
}

/* The slots from `first` on hold these of `hashes`, or none (-1). */
static void check_slots(const struct built *b, uint64_t first, int count, const bosc_hash_word *hashes,
                        const int32_t *occupant)
{
    for (int s = 0; s < count; s++) {
        uint64_t slot = first + (uint64_t)s;
        CHECK_EQ(bi_hash_is_occupied(&b->view, slot), occupant[s] >= 0);
        if (occupant[s] >= 0) CHECK(bi_hash_same(bosc_hash_at_slot(&b->view, slot), hashes[occupant[s]]));
    }
}

/* The seed of a run, and who stands where; *n keys. */
static uint32_t expect_hybrid(const struct built *b, uint32_t run, bosc_hash_word *of_run, int *n, int32_t *occupant)
{
    *n = 0;
    for (int i = 0; i < b->n; i++)
        if (bosc_hash_run_of(&b->view, b->hashes[i]) == run) of_run[(*n)++] = b->hashes[i];
    return reference_hash_hybrid(of_run, *n, b->view.key_bits, occupant);
}

static int by_hash(const void *a, const void *b)
{
    const bosc_hash_word *x = a, *y = b;
    return bosc_hash_less(*x, *y) ? -1 : bosc_hash_less(*y, *x);
}

/* All runs; the largest seed. After some failed seeds the table is built again of sorted hashes, as keys might repeat.
 */
static uint32_t check_hybrid(const struct built *b)
{
    bosc_hash_word of_run[BI_HASH_HYBRID_MAX_KEYS];
    int32_t occupant[576];
    uint32_t most = 0;
    int n;
    CHECK_EQ(b->descriptors[0], 0);
    for (uint32_t r = 0; r < b->view.runs; r++) {
        uint32_t seed = expect_hybrid(b, r, of_run, &n, occupant);
        if (seed > most) most = seed;
    }
    if (most >= BI_HASH_UNSURE_SEEDS) qsort(b->hashes, (size_t)b->n, sizeof *b->hashes, by_hash);
    for (uint32_t r = 0; r < b->view.runs; r++) {
        bosc_hash_run run = bosc_hash_run_at(&b->view, r);
        CHECK_EQ(run.seed, expect_hybrid(b, r, of_run, &n, occupant));
        check_slots(b, run.first, 576, of_run, occupant);
    }
    return most;
}

/* Distinct keys; `full` of them choose bucket 0 of two. */
static struct hash_pairs crowded(const bosc_hash_opts *o, int64_t n, int64_t full, uint64_t random)
{
    struct hash_pairs p = hash_make(HASH_RANDOM, o, random, n);
    struct suite_random r = {random};
    for (int64_t i = 0; i < n;) {
        bosc_hash_word hash = {suite_next(&r), suite_next(&r)};
        if (o->key_bits == 32) hash.low &= UINT32_MAX;
        if (o->key_bits < 128) hash.high = 0;
        uint32_t bits = bosc_hash_remix(hash, o->key_bits, BOSC_HASH_LINEAR + 1);
        if ((bosc_hash_below(bits, 2) == 0) == (i < full))
            bi_hash_store(p.keys, o->key_bits, i++, bi_hash_key_of(hash, o->key_bits, o->seed));
    }
    return p;
}

static void hybrid(bosc_ctx *ctx)
{
    static const int64_t full[] = {409, 450, 306, 490, 500, 505, 508, 510, 511, 512};
    uint32_t reseeded = 0, sorted = 0;
    for (int k = 0; k < 30; k++) {
        if (suite_slow(ctx) && suite_leaves_out()) continue;
        bosc_hash_opts o = {.layout = BOSC_HASH_HYBRID, .key_bits = 32 << k % 3, .seed = (uint64_t)k};
        struct hash_pairs p = crowded(&o, 818, full[k / 3], (uint64_t)k + 1);
        struct built b = build_table(ctx, o, &p);
        uint32_t seed = check_hybrid(&b);
        CHECK(seed >= BI_HASH_UNSURE_SEEDS || (b.info.reseeded > 0) == (seed > 0));
        reseeded += seed > 0;
        sorted += seed >= BI_HASH_UNSURE_SEEDS;
        drop(&b);
        hash_free_pairs(&p);
    }
    CHECK(suite_slow(ctx) || (reseeded > 8 && sorted > 0 && sorted < 9));
}

/* *stashed: keys in the stash. */
static uint32_t check_cuckoo(const struct built *b, int *stashed)
{
    bosc_hash_run table = bosc_hash_run_at(&b->view, 0), stash = bosc_hash_run_at(&b->view, 1);
    int slots = (int)bi_hash_slots_for(b->table->opts.load_factor, (uint64_t)b->n);
    int32_t *occupant = suite_alloc((size_t)(slots + 101) * sizeof *occupant);
    uint32_t seed =
        reference_hash_cuckoo(b->hashes, b->n, b->view.key_bits, b->view.functions, slots, occupant, stashed);
    /* 1. The seed, sizes and slots are those of the plain version of the rounds. */
    CHECK_EQ(table.seed, seed);
    CHECK_EQ(table.size, slots);
    CHECK_EQ(stash.size, *stashed ? 101 : 0);
    check_slots(b, 0, slots + (*stashed ? 101 : 0), b->hashes, occupant);
    CHECK_EQ(b->info.reseeded, seed > 0);
    CHECK(b->n == 0 ? b->info.rounds == 0 : b->info.rounds >= 8 * ((int)seed + 1) && b->info.rounds % 8 == 0);
    CHECK_EQ(b->info.max_probes, (int)b->view.functions + (*stashed > 0));
    CHECK_EQ(b->info.slots, slots + (*stashed ? 101 : 0));
    /* 2. Each key is found in its slot; the mean number of probes is right. */
    double probes = 0;
    for (int i = 0; i < b->n; i++) {
        uint32_t f = 0;
        int64_t at = bosc_hash_search(&b->view, b->hashes[i]);
        CHECK(at >= 0 && occupant[at] == i);
        while (f < b->view.functions &&
               bosc_hash_slot_by_function(b->hashes[i], b->view.key_bits, seed, f, table.size) != (uint64_t)at)
            f++;
        probes += f + 1;
    }
    CHECK(fabs(probes - b->info.mean_probes * b->n) < 1e-6);
    free(occupant);
    return seed;
}

static void cuckoo(bosc_ctx *ctx)
{
    static const double limits[] = {0.5, 0.91, 0.97}, usual[] = {0.3, 0.6, 0.8};
    static const int64_t sizes[] = {0, 1, 2, 7, 40, 63, 64, 200, 1000};
    int stashed;
    for (int k = 0; k < 54; k++) {
        if (suite_leaves_out() || (suite_slow(ctx) && k >= 42)) continue;
        bosc_hash_opts o = {.layout = BOSC_HASH_CUCKOO,
                            .key_bits = 32 << k % 3,
                            .functions = 2 + k / 3 % 3,
                            .value_size = k % 2 ? 4 : 0,
                            .seed = (uint64_t)k};
        o.load_factor = k % 2 ? limits[o.functions - 2] : usual[o.functions - 2];
        struct hash_pairs p = hash_make(k % 4 ? HASH_RANDOM : HASH_SEQUENCE, &o, (uint64_t)k, sizes[k / 6]);
        struct built b = build_table(ctx, o, &p);
        check_cuckoo(&b, &stashed);
        drop(&b);
        hash_free_pairs(&p);
    }
}

/* n keys whose slots by two functions of seed 0 are among the first three of 2 n. */
static struct hash_pairs keys_of_three_slots(const bosc_hash_opts *o, int64_t n)
{
    struct hash_pairs p = hash_make(HASH_RANDOM, o, 1, n);
    bosc_hash_word hash = {0, 0};
    for (int64_t i = 0; i < n; hash.low++) {
        uint64_t first = bosc_hash_slot_by_function(hash, o->key_bits, 0, 0, 2 * (uint64_t)n);
        uint64_t second = bosc_hash_slot_by_function(hash, o->key_bits, 0, 1, 2 * (uint64_t)n);
        if (first < 3 && second < 3) bi_hash_store(p.keys, o->key_bits, i++, bi_hash_key_of(hash, o->key_bits, 0));
    }
    return p;
}

/* Keys that the functions cannot place go to the stash; if there are too many, or two collide there, another seed is
 * used. */
static void stash(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {4, 5, 7, 30, 110};
    for (int k = 0; k < 5; k++) {
        if (suite_leaves_out()) continue;
        int stashed;
        bosc_hash_opts o = {.layout = BOSC_HASH_CUCKOO, .functions = 2, .key_bits = 64, .load_factor = 0.5};
        struct hash_pairs p = keys_of_three_slots(&o, sizes[k]);
        struct built b = build_table(ctx, o, &p);
        uint32_t seed = check_cuckoo(&b, &stashed);
        CHECK_EQ(seed, k < 3 ? 0 : 1);
        if (k < 3) CHECK_EQ(stashed, sizes[k] - 3);
        drop(&b);
        hash_free_pairs(&p);
    }
}

static void chained(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {0, 1, 2, 15, 16, 17, 33, 500, 4000};
    for (int k = 0; k < 54; k++) {
        const int64_t n = sizes[k / 6];
        if (suite_leaves_out() || (suite_slow(ctx) && n > 500)) continue;
        const int functions = k % 4 == 3 ? 0 : 2 + k % 4;
        bosc_hash_opts o = {.layout = BOSC_HASH_CHAINED,
                            .key_bits = 32 << k % 3,
                            .functions = functions,
                            .go_left = k / 2 % 2,
                            .seed = (uint64_t)k};
        struct hash_pairs p = hash_make(k % 2 ? HASH_RANDOM : HASH_SEQUENCE, &o, (uint64_t)k, n);
        struct built b = build_table(ctx, o, &p);
        const uint32_t d = b.view.functions, each = b.view.runs / (o.go_left ? d : 1);
        uint32_t *choices = suite_alloc((size_t)(b.n + 1) * d * sizeof *choices),
                 *chosen = suite_alloc((size_t)(b.n + 1) * sizeof *chosen);
        CHECK_EQ(d, functions ? functions : 2);
        CHECK_EQ(b.view.runs % each, 0);
        /* 1. The plain version of the rounds chooses a run for each key. The functions differ; to go left each has
         * runs of its own. */
        for (int i = 0; i < b.n; i++)
            for (uint32_t f = 0; f < d; f++) {
                choices[(uint32_t)i * d + f] = bosc_hash_run_by_function(&b.view, b.hashes[i], f);
                CHECK_EQ(choices[(uint32_t)i * d + f] / each, o.go_left ? f : 0);
            }
        reference_hash_chained(choices, (int)d, d == 2 && !o.go_left ? 16 : 64, b.n, b.view.runs, chosen);
        /* 2. The runs adjoin, and each holds its keys in order. */
        uint64_t slot = 0, longest = 0;
        for (uint32_t r = 0; r < b.view.runs; r++) {
            bosc_hash_run run = bosc_hash_run_at(&b.view, r);
            CHECK_EQ(run.first, slot);
            for (int i = 0; i < b.n; i++)
                if (chosen[i] == r) CHECK(bi_hash_same(bosc_hash_at_slot(&b.view, slot++), b.hashes[i]));
            CHECK_EQ(run.first + run.size, slot);
            if (run.size > longest) longest = run.size;
        }
        CHECK_EQ(b.info.slots, b.n);
        CHECK_EQ(b.info.linear, 0);
        CHECK_EQ(b.info.max_probes, longest ? (int64_t)d * (int64_t)longest : d);
        CHECK(longest <= 8);
        /* 3. The mean of the probes is that of look-ups in the order of the functions. */
        double probes = 0;
        for (int i = 0; i < b.n; i++) {
            const int64_t at = bosc_hash_search(&b.view, b.hashes[i]);
            CHECK(at >= 0 && bi_hash_same(bosc_hash_at_slot(&b.view, (uint64_t)at), b.hashes[i]));
            for (uint32_t f = 0; f < d; f++) {
                const bosc_hash_run run = bosc_hash_run_at(&b.view, choices[(uint32_t)i * d + f]);
                if (choices[(uint32_t)i * d + f] == chosen[i]) {
                    probes += (double)((uint64_t)at - run.first) + 1;
                    break;
                }
                probes += (double)run.size;
            }
        }
        CHECK(fabs(probes - b.info.mean_probes * b.n) < 1e-6);
        free(choices);
        free(chosen);
        drop(&b);
        hash_free_pairs(&p);
    }
}

/* Fills a table, built of n other keys, from n equal hashes, as if they were distinct. */
static void fill_equal(bosc_ctx *ctx, bosc_hash *table, int64_t n, bosc_hash_word hash, struct bi_hash_report *report)
{
    const bool device = has_device_memory(ctx);
    uint64_t *hashes = suite_alloc((size_t)n * sizeof *hashes);
    for (int64_t i = 0; i < n; i++) hashes[i] = hash.low;
    struct array listed = array_make(ctx, hashes, (size_t)n * sizeof *hashes, device);
    struct array found = array_make(ctx, report, sizeof *report, device);
    struct bi_hash_lists lists = {.n = n, .hashes = listed.p};
    CHECK_OK(ctx, bosc_ctx_sync(ctx)); /* enters the backend */
    struct bi_mark mark = bi_arena_mark(ctx);
    CHECK_OK(ctx, table->layout->fill(ctx, table, &lists, true, found.p));
    bi_arena_rewind(ctx, mark);
    memcpy(report, array_get(ctx, &found), sizeof *report);
    array_free(ctx, &listed);
    array_free(ctx, &found);
    free(hashes);
}

/* Where nothing separates the keys they are searched from end to end, or by halves. */
static void inseparable(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {150, 20000};
    for (int k = 0; k < 4; k++) {
        bosc_hash_opts o = {.layout = k % 2 ? BOSC_HASH_CHAINED : BOSC_HASH_CUCKOO, .key_bits = 64};
        int64_t n = sizes[k / 2];
        if (suite_leaves_out() || (n > 150 && (suite_slow(ctx) || k % 2 == 0))) continue;
        struct hash_pairs p = hash_make(HASH_SEQUENCE, &o, 1, n);
        struct built b = build_table(ctx, o, &p);
        struct bi_hash_report report = {0};
        bosc_hash_word hash = b.hashes[n / 2];
        uint64_t keys[2] = {bi_hash_key_of(hash, 64, 0).low, 1u << 30};
        uint8_t found[2];
        fill_equal(ctx, b.table, n, hash, &report);
        CHECK_EQ(report.linear, k % 2 ? 0 : 1);
        CHECK_EQ(report.repeats | report.oversized, 0);
        CHECK_EQ(report.extra_probes, (uint64_t)n * (uint64_t)(n - 1) / 2);
        b.table->linear = (int32_t)report.linear;
        CHECK_OK(ctx, bosc_hash_find(ctx, b.table, keys, 2, NULL, found));
        CHECK(found[0] == 1 && found[1] == 0);
        CHECK_OK(ctx, bosc_hash_get_info(ctx, b.table, &b.info));
        CHECK(b.info.max_probes >= n && b.info.max_probes <= (k % 2 ? 2 * n : n)); /* two chains, or one run */
        CHECK_EQ(b.info.slots, n);
        drop(&b);
        hash_free_pairs(&p);
    }
}

/* One key that comes twice is one key, also where both pairs lose their first slot to another key and part. */
static void twice(bosc_ctx *ctx)
{
    for (int k = 0; k < 60; k++) {
        if (suite_leaves_out()) continue;
        static const bosc_hash_layout layouts[] = {BOSC_HASH_CUCKOO, BOSC_HASH_HYBRID, BOSC_HASH_CHAINED};
        bosc_hash_opts o = {.size = sizeof o, .layout = layouts[k % 3], .key_bits = 64, .value_size = 4};
        if (k % 3 == 2) o.functions = 2 + k / 3 % 3, o.go_left = k / 9 % 2;
        bosc_hash *table = NULL;
        int64_t n = 300;
        uint32_t value = 0;
        o.seed = (uint64_t)k;
        struct hash_pairs p = hash_make(HASH_SEQUENCE, &o, 1, n);
        memcpy((uint64_t *)p.keys + 200, (uint64_t *)p.keys + 100, sizeof(uint64_t));
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, n));
        CHECK_EQ(table->keys, n - 1);
        CHECK_OK(ctx, bosc_hash_find(ctx, table, (uint64_t *)p.keys + 100, 1, &value, NULL));
        CHECK_EQ(value, ((uint32_t *)p.values)[200]);
        hash_free_pairs(&p);
        bosc_hash_free(table);
    }
}

static const struct suite_case suite_cases_hash_published[] = {
    {"hybrid", hybrid, NULL},   {"cuckoo", cuckoo, NULL},           {"stash", stash, NULL},
    {"chained", chained, NULL}, {"inseparable", inseparable, NULL}, {"twice", twice, NULL},
};
SUITE(hash_published);
