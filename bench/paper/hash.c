/* The hashing paper's tables: bench_paper_hash [-s scale] [-o file]. Five million pairs of 32 bits at scale 1: tables
 * built, and read back in another order, by the published methods and by ours, beside a sort with binary searches; the
 * longest lists of chaining with 2 to 4 choices; rounds, restarts and times of cuckoo tables against n; and an object
 * in a virtual grid of 128^3 voxels, put into a new table each frame. Every answer is checked. Source: Alcantara et
 * al., Real-time Parallel Hashing on the GPU (SIGGRAPH Asia 2009). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/random.h"
#include "harness/voxels.h"
#include "paper/table.h"

enum { FRAMES = 8 };

struct subject {
    int64_t n;
    uint32_t *keys, *values, *present, *absent, *got; /* the backend's */
    uint32_t *host_present;
    uint32_t *sorted_keys, *sorted_values;
    int64_t *ranks;
    const uint32_t *queries;
    bosc_hash *table;
};

static uint32_t mix(uint32_t i) /* one to one */
{
    i *= 0x9e3779b1u;
    i ^= i >> 15;
    i *= 0x2c1b3c6du;
    return i ^ i >> 12;
}

static uint32_t value_of(uint32_t key) { return key * 3 + 1; }

static void make_input(struct subject *s)
{
    const size_t bytes = (size_t)s->n * 4;
    uint32_t *keys = bench_host(bytes), *other = bench_host(bytes);
    uint64_t random = 1;
    for (int64_t i = 0; i < s->n; i++) keys[i] = mix((uint32_t)i);
    s->keys = bench_array(keys, bytes);
    for (int64_t i = 0; i < s->n; i++) other[i] = value_of(keys[i]);
    s->values = bench_array(other, bytes);
    for (int64_t i = 0; i < s->n; i++) other[i] = mix((uint32_t)(s->n + i));
    s->absent = bench_array(other, bytes);
    free(other);
    for (int64_t i = s->n - 1; i > 0; i--) {
        const int64_t j = (int64_t)(bench_next(&random) % (uint64_t)(i + 1));
        const uint32_t key = keys[i];
        keys[i] = keys[j];
        keys[j] = key;
    }
    s->present = bench_array(keys, bytes);
    s->host_present = keys;
    s->got = bench_array(NULL, bytes);
}

/* --- Tables ------------------------------------------------------------------------------------------------------- */

static void build_table(void *user)
{
    struct subject *s = user;
    BENCH(bosc_hash_build(bench.ctx, s->table, s->keys, s->values, s->n));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void find_values(void *user)
{
    struct subject *s = user;
    BENCH(bosc_hash_find(bench.ctx, s->table, s->queries, s->n, s->got, NULL));
    BENCH(bosc_ctx_sync(bench.ctx));
}

/* True if each present key has its value and each absent one 0. */
static bool is_right(struct subject *s)
{
    uint32_t *got = bench_host((size_t)s->n * 4);
    bool right = true;
    BENCH(bosc_ctx_copy(bench.ctx, got, s->got, (size_t)s->n * 4));
    for (int64_t i = 0; i < s->n; i++)
        right = right && got[i] == (s->queries == s->present ? value_of(s->host_present[i]) : 0);
    free(got);
    return right;
}

/* The paper's figures of a row: ms, and memory divided by the bytes of the pairs; NaN: none. */
struct paper_row {
    double build, find, memory;
};
static const struct paper_row no_figures = {NAN, NAN, NAN}, hybrid = {35.7, 15.3, 1.42};

static bool time_finds(struct subject *s, void (*run)(void *), struct bench_times times[2])
{
    s->queries = s->present;
    times[0] = bench_time(NULL, run, s, bench.repeats);
    bool right = is_right(s);
    s->queries = s->absent;
    times[1] = bench_time(NULL, run, s, bench.repeats);
    return is_right(s) && right;
}

/* Times that the row is ahead of the paper's; the paper has no CPU figures. */
static void add_ahead(struct table *t, double printed, struct bench_times ours)
{
    const bool known = paper_scale() == 1 && bench.opts.backend == BOSC_BACKEND_CUDA;
    table_number(t, known ? printed / (1e3 * ours.median) : NAN);
}

static void add_row(struct table *t, const char *name, const struct paper_row *paper, struct bench_times built,
                    const struct bench_times found[2], double memory, bool right)
{
    table_text(t, "%s", name);
    table_number(t, paper->build);
    table_ms(t, built);
    table_number(t, paper->find);
    table_ms(t, found[0]);
    table_ms(t, found[1]);
    table_number(t, paper->memory);
    table_number(t, memory);
    add_ahead(t, isnan(paper->build) ? hybrid.build : paper->build, built);
    add_ahead(t, isnan(paper->find) ? hybrid.find : paper->find, found[0]);
    table_answer(t, right, "every value");
}

static void table_row(struct table *t, struct subject *s, const char *name, const bosc_hash_opts *opts,
                      const struct paper_row *paper)
{
    bosc_hash_opts o = *opts;
    bosc_hash_info info = {.size = sizeof info};
    struct bench_times found[2];
    o.size = sizeof o;
    o.key_bits = 32;
    o.value_size = 4;
    o.seed = 1;
    BENCH(bosc_hash_create(bench.ctx, &o, &s->table));
    struct bench_times built = bench_time(NULL, build_table, s, bench.repeats);
    BENCH(bosc_hash_get_info(bench.ctx, s->table, &info));
    bool right = time_finds(s, find_values, found);
    add_row(t, name, paper, built, found, (double)info.bytes / (8.0 * (double)s->n), right);
    bosc_hash_free(s->table);
}

/* --- A sort, and binary searches ---------------------------------------------------------------------------------- */

static void sort_pairs(void *user)
{
    struct subject *s = user;
    BENCH(bosc_sort_pairs(bench.ctx, BOSC_U32, s->keys, 4, s->values, s->n, s->sorted_keys, s->sorted_values));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void search_keys(void *user)
{
    struct subject *s = user;
    BENCH(bosc_search_sorted(bench.ctx, BOSC_U32, s->sorted_keys, s->n, s->queries, s->n, s->ranks));
    BENCH(bosc_ctx_sync(bench.ctx));
}

/* Turns the ranks of a search into values; not timed. */
static void look_up_ranks(struct subject *s)
{
    const size_t bytes = (size_t)s->n * 4;
    int64_t *ranks = bench_host(2 * bytes);
    uint32_t *keys = bench_host(bytes), *values = bench_host(bytes), *queries = bench_host(bytes);
    BENCH(bosc_ctx_copy(bench.ctx, ranks, s->ranks, 2 * bytes));
    BENCH(bosc_ctx_copy(bench.ctx, keys, s->sorted_keys, bytes));
    BENCH(bosc_ctx_copy(bench.ctx, values, s->sorted_values, bytes));
    BENCH(bosc_ctx_copy(bench.ctx, queries, s->queries, bytes));
    for (int64_t i = 0; i < s->n; i++)
        queries[i] = ranks[i] < s->n && keys[ranks[i]] == queries[i] ? values[ranks[i]] : 0;
    BENCH(bosc_ctx_copy(bench.ctx, s->got, queries, bytes));
    free(ranks);
    free(keys);
    free(values);
    free(queries);
}

static void sorted_row(struct table *t, struct subject *s)
{
    static const struct paper_row paper = {36.6, 79.5, 1};
    struct bench_times found[2];
    s->sorted_keys = bench_array(NULL, (size_t)s->n * 4);
    s->sorted_values = bench_array(NULL, (size_t)s->n * 4);
    s->ranks = bench_array(NULL, (size_t)s->n * 8);
    struct bench_times built = bench_time(NULL, sort_pairs, s, bench.repeats);
    bool right = true;
    for (int absent = 0; absent < 2; absent++) {
        s->queries = absent ? s->absent : s->present;
        found[absent] = bench_time(NULL, search_keys, s, bench.repeats);
        look_up_ranks(s);
        right = is_right(s) && right;
    }
    add_row(t, "sort, binary search", &paper, built, found, 1, right);
}

static void table_of_methods(void)
{
    struct subject s = {.n = paper_size(5000000, 1024)};
    struct table *t =
        table_open("tables", bench_text("%" PRId64 " pairs of 32-bit keys and values", s.n),
                   "method|paper: build, ms|build, ms|paper: look-ups, ms|hits, ms|misses, ms|paper: memory|memory|"
                   "ahead: build|ahead: hits|answer");
    make_input(&s);
    /* 1. The published methods. */
    table_row(t, &s, "hybrid, as published", &(bosc_hash_opts){.layout = BOSC_HASH_HYBRID}, &hybrid);
    table_row(t, &s, "FKS, as published", &(bosc_hash_opts){.layout = BOSC_HASH_FKS}, &no_figures);
    for (int32_t functions = 2; functions <= 4; functions++)
        table_row(t, &s, bench_text("cuckoo, %d functions", (int)functions),
                  &(bosc_hash_opts){
                      .layout = BOSC_HASH_CUCKOO, .functions = functions, .load_factor = functions > 2 ? 0.71 : 0},
                  &no_figures);
    for (int32_t functions = 2; functions <= 4; functions++)
        table_row(t, &s, bench_text("chaining, %d choices", (int)functions),
                  &(bosc_hash_opts){.layout = BOSC_HASH_CHAINED, .functions = functions}, &no_figures);
    table_row(t, &s, "chaining, 3 choices, left",
              &(bosc_hash_opts){.layout = BOSC_HASH_CHAINED, .functions = 3, .go_left = 1}, &no_figures);
    /* 2. The paper's baseline, and ours. */
    sorted_row(t, &s);
    table_row(t, &s, "bucketed, .71", &(bosc_hash_opts){.layout = BOSC_HASH_BUCKETED, .load_factor = 0.71},
              &no_figures);
    table_row(t, &s, "perfect, .71", &(bosc_hash_opts){.layout = BOSC_HASH_PERFECT, .load_factor = 0.71}, &no_figures);
    table_note(t, "memory: times the bytes of the pairs; paper: GeForce GTX 280; here: %s", bench_device());
    table_note(t, "ahead: the paper's time, else that of its hybrid table, divided by the one here; on a device alone");
    table_close(t);
    free(s.host_present);
}

/* --- Against n ---------------------------------------------------------------------------------------------------- */

/* A built table of the first n keys, whose hits are all right. */
static bool open_prefix(struct subject *s, const struct subject *all, int64_t n, const bosc_hash_opts *opts,
                        bosc_hash_info *info, struct bench_times times[2])
{
    bosc_hash_opts o = *opts;
    *s = *all;
    s->n = n;
    o.size = sizeof o;
    o.key_bits = 32;
    o.value_size = 4;
    o.seed = 1;
    BENCH(bosc_hash_create(bench.ctx, &o, &s->table));
    times[0] = bench_time(NULL, build_table, s, bench.repeats);
    *info = (bosc_hash_info){.size = sizeof *info};
    BENCH(bosc_hash_get_info(bench.ctx, s->table, info));
    s->queries = s->keys;
    times[1] = bench_time(NULL, find_values, s, bench.repeats);
    /* The keys are those of make_input, in its order. */
    uint32_t *got = bench_host((size_t)n * 4);
    bool right = info->keys == n;
    BENCH(bosc_ctx_copy(bench.ctx, got, s->got, (size_t)n * 4));
    for (int64_t i = 0; i < n; i++) right = right && got[i] == value_of(mix((uint32_t)i));
    free(got);
    bosc_hash_free(s->table);
    return right;
}

/* The theory: ln ln n / ln d with d choices (Azar et al.), ln ln n / (d ln phi_d) with subtables (Voecking), each up to
 * a constant; phi_d: 1.618, 1.839, 1.928. */
static void table_of_lists(const struct subject *all)
{
    static const double phi[] = {1.618, 1.839, 1.928};
    struct table *t = table_open("lists", "longest lists of chaining, two keys a list on average",
                                 "n|2 choices|3|4|2, left|3, left|4, left|theory: 2|theory: 3|theory: 4|"
                                 "theory: 2, left|3, left|4, left|answer");
    for (int64_t n = all->n / 4096 > 64 ? all->n / 4096 : 64; n <= all->n; n *= 8) {
        bool right = true;
        table_integer(t, n);
        /* The lists, then the theory. */
        for (int k = 0; k < 6; k++) {
            const bosc_hash_opts o = {.layout = BOSC_HASH_CHAINED, .functions = 2 + k % 3, .go_left = k / 3};
            struct bench_times times[2];
            struct subject s;
            bosc_hash_info info;
            right = open_prefix(&s, all, n, &o, &info, times) && right;
            table_integer(t, info.max_probes / o.functions);
        }
        for (int k = 0; k < 6; k++) {
            const double d = 2 + k % 3;
            table_number(t, log(log((double)n)) / (k < 3 ? log(d) : d * log(phi[k % 3])));
        }
        table_answer(t, right, "every value");
    }
    table_note(t,
               "theory: of the part of the longest list that grows with n, for a sequential algorithm: ln ln n / ln d "
               "(Azar et al. 1999), ln ln n / (d ln phi_d) (Voecking 2003)");
    table_note(t, "here keys choose in 16 batches (2 choices) or 64, which count the keys of earlier batches; %s",
               bench_device());
    table_close(t);
}

/* The published expectation: a moderate number of rounds, few restarts, time in proportion to n. */
static void table_of_rounds(const struct subject *all)
{
    static const struct {
        const char *name;
        bosc_hash_opts opts;
    } rows[] = {{"cuckoo 2, load .45", {.layout = BOSC_HASH_CUCKOO, .functions = 2}},
                {"cuckoo 2, load .5", {.layout = BOSC_HASH_CUCKOO, .functions = 2, .load_factor = 0.5}},
                {"cuckoo 3, load .71", {.layout = BOSC_HASH_CUCKOO, .functions = 3, .load_factor = 0.71}},
                {"cuckoo 3, load .91", {.layout = BOSC_HASH_CUCKOO, .functions = 3, .load_factor = 0.91}},
                {"cuckoo 4, load .8", {.layout = BOSC_HASH_CUCKOO, .functions = 4}},
                {"cuckoo 4, load .97", {.layout = BOSC_HASH_CUCKOO, .functions = 4, .load_factor = 0.97}},
                {"hybrid", {.layout = BOSC_HASH_HYBRID}},
                {"FKS", {.layout = BOSC_HASH_FKS}}};
    struct table *t =
        table_open("rounds", "rounds, restarts and times of the published layouts against n",
                   "method|n|rounds|restarts|buckets|build, ms|hits, ms|build, ns a key|hits, ns a key|answer");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int64_t n = all->n / 64 > 64 ? all->n / 64 : 64; n <= all->n; n *= 8) {
            const bool is_cuckoo = rows[k].opts.layout == BOSC_HASH_CUCKOO;
            struct bench_times times[2];
            struct subject s;
            bosc_hash_info info;
            /* A build and look-ups, then the row. */
            const bool right = open_prefix(&s, all, n, &rows[k].opts, &info, times);
            table_text(t, "%s", rows[k].name);
            table_integer(t, n);
            table_number(t, is_cuckoo ? info.rounds : NAN);
            table_integer(t, info.reseeded);
            table_integer(t, is_cuckoo ? 1 : info.partitions);
            table_ms(t, times[0]);
            table_ms(t, times[1]);
            table_number(t, 1e9 * times[0].median / (double)n);
            table_number(t, 1e9 * times[1].median / (double)n);
            table_answer(t, right, "every value");
        }
    table_note(t, "rounds: of all seeds, in steps of 8; restarts: buckets (cuckoo: the table) whose first seed failed");
    table_note(t, "paper: a moderate number of iterations, rare restarts, time linear in n; here: %s", bench_device());
    table_close(t);
}

static void tables_against_n(void)
{
    struct subject all = {.n = paper_size(5000000, 1024)};
    make_input(&all);
    table_of_lists(&all);
    table_of_rounds(&all);
    free(all.host_present);
}

/* --- Frames ------------------------------------------------------------------------------------------------------- */

struct frames {
    int64_t side, n[FRAMES], still_n, shared[FRAMES];
    uint32_t *moving[FRAMES], *still; /* the backend's */
    uint8_t *found;
    bosc_hash *table;
    int frame;
};

static void make_frames(struct frames *f)
{
    const size_t all = (size_t)(f->side * f->side * f->side);
    uint8_t *still = bench_host(all), *moving = bench_host(all);
    uint32_t *keys = bench_voxels(f->side, 5.3, 0.7, still, &f->still_n);
    f->still = bench_array(keys, (size_t)f->still_n * 4);
    free(keys);
    for (int k = 0; k < FRAMES; k++) {
        keys = bench_voxels(f->side, 4, 0.05 * k, moving, &f->n[k]);
        f->moving[k] = bench_array(keys, (size_t)f->n[k] * 4);
        free(keys);
        for (size_t key = 0; key < all; key++) f->shared[k] += still[key] & moving[key];
    }
    f->found = bench_array(NULL, (size_t)f->still_n);
    free(still);
    free(moving);
}

static void one_frame(void *user)
{
    struct frames *f = user;
    f->frame = (f->frame + 1) % FRAMES;
    BENCH(bosc_hash_build(bench.ctx, f->table, f->moving[f->frame], NULL, f->n[f->frame]));
    BENCH(bosc_hash_find(bench.ctx, f->table, f->still, f->still_n, NULL, f->found));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static bool frames_are_right(struct frames *f)
{
    uint8_t *found = bench_host((size_t)f->still_n);
    bool right = true;
    for (int k = 0; k < FRAMES; k++) {
        int64_t shared = 0;
        one_frame(f);
        BENCH(bosc_ctx_copy(bench.ctx, found, f->found, (size_t)f->still_n));
        for (int64_t i = 0; i < f->still_n; i++) shared += found[i];
        right = right && shared == f->shared[f->frame];
    }
    free(found);
    return right;
}

static void table_of_frames(void)
{
    static const struct {
        const char *name;
        bosc_hash_layout layout;
        double paper;
    } rows[] = {{"hybrid, as published", BOSC_HASH_HYBRID, 27}, {"bucketed", BOSC_HASH_BUCKETED, NAN}};
    struct frames f = {.side = (int64_t)(cbrt((double)paper_size(128 * 128 * 128, 512)) + 0.5)};
    struct table *t =
        table_open("frames", bench_text("an object in %" PRId64 "^3 voxels, a new table each frame", f.side),
                   "method|paper, frames/s|frames/s|ahead of the paper|answer");
    make_frames(&f);
    for (int k = 0; k < 2; k++) {
        bosc_hash_opts o = {.size = sizeof o, .layout = rows[k].layout, .key_bits = 32, .seed = 1};
        BENCH(bosc_hash_create(bench.ctx, &o, &f.table));
        struct bench_times times = bench_time(NULL, one_frame, &f, FRAMES * bench.repeats);
        table_text(t, "%s", rows[k].name);
        table_number(t, rows[k].paper);
        table_number(t, 1 / times.median);
        add_ahead(t, 1e3 / rows[0].paper, times);
        table_answer(t, frames_are_right(&f), "every voxel");
        bosc_hash_free(f.table);
    }
    table_note(t, "%" PRId64 " voxels of a gyroid in the table, as many looked up; here: %s", f.n[0], bench_device());
    table_note(t, "paper: GeForce GTX 280, the voxels of surfaces that it does not count");
    table_close(t);
}

int main(int argc, char **argv)
{
    paper_open(argc, argv, NULL, 0);
    table_of_methods();
    tables_against_n();
    table_of_frames();
    return paper_close();
}
