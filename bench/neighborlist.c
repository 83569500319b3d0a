/* Times neighbour lists: bench_neighborlist [-n atoms]. Three inputs: a crystal of n atoms at 0.1 atoms per unit of
 * volume, displaced from a lattice, with a cutoff of 5, as a full and a half list; the same atoms in random order; and
 * n / 1024 molecules of 64 atoms in one call. Positions and results are in the backend's memory, the list is warm.
 * Pairs, shifts and distances must be the same bits on the CPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"

enum { MOLECULE = 64 };

struct subject {
    int64_t n, system_count;
    float *positions; /* in the backend's memory, as all arrays below */
    double *cells;
    int64_t *offsets;
    bosc_neighborlist *list;
    bosc_neighborlist_arrays out;
    int64_t capacity;
};

static double unit(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Systems of `each` atoms on a cubic lattice of 0.1 atoms per unit of volume, displaced by up to 0.3. */
static void make_systems(struct subject *b, int64_t n, int64_t each, bool shuffled)
{
    const int64_t systems = n / each, side = (int64_t)ceil(cbrt((double)each) - 1e-9);
    const double step = cbrt(10.0), edge = step * (double)side;
    float *positions = bench_host((size_t)n * 3 * sizeof *positions);
    double *cells = bench_host((size_t)systems * 9 * sizeof *cells);
    int64_t *offsets = bench_host((size_t)(systems + 1) * sizeof *offsets);
    uint64_t state = 7;
    /* 1. Lattices with displacements; then the order of the atoms. */
    for (int64_t s = 0; s <= systems; s++) offsets[s] = s * each;
    for (int64_t k = 0; k < 9 * systems; k++) cells[k] = k % 9 % 4 == 0 ? edge : 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at[3] = {i % each / (side * side), i % each / side % side, i % each % side};
        for (int c = 0; c < 3; c++)
            positions[3 * i + c] = (float)(((double)at[c] + 0.5) * step + (unit(&state) - 0.5) * 0.6);
    }
    for (int64_t i = n - 1; i > 0 && shuffled; i--) {
        const int64_t other = (int64_t)(unit(&state) * (double)(i + 1));
        for (int c = 0; c < 3; c++) {
            const float kept = positions[3 * i + c];
            positions[3 * i + c] = positions[3 * other + c];
            positions[3 * other + c] = kept;
        }
    }
    /* 2. The arrays in the backend's memory. */
    b->n = n;
    b->system_count = systems;
    b->positions = bench_array(positions, (size_t)n * 3 * sizeof *positions);
    b->cells = bench_array(cells, (size_t)systems * 9 * sizeof *cells);
    b->offsets = bench_array(offsets, (size_t)(systems + 1) * sizeof *offsets);
    free(positions);
    free(cells);
    free(offsets);
}

static void build_list(void *user)
{
    struct subject *b = user;
    const bosc_neighborlist_systems systems = {.size = sizeof systems,
                                               .positions = b->positions,
                                               .n = b->n,
                                               .system_count = b->system_count,
                                               .offsets = b->offsets,
                                               .cells = b->cells};
    BENCH(bosc_neighborlist_build(bench.ctx, b->list, &systems));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void build_and_write(void *user)
{
    struct subject *b = user;
    build_list(user);
    BENCH(bosc_neighborlist_pairs(bench.ctx, b->list, 0, &b->out, NULL));
    BENCH(bosc_ctx_sync(bench.ctx));
}

/* Creates the list, builds it once, and allocates arrays for its pairs: atoms, shifts and distances. */
static void open_list(struct subject *b, bool half)
{
    const bosc_neighborlist_opts o = {.size = sizeof o, .cutoff = 5, .half = half, .id_bits = 32};
    BENCH(bosc_neighborlist_create(bench.ctx, &o, &b->list));
    build_list(b);
    BENCH(bosc_neighborlist_pairs(bench.ctx, b->list, 0, NULL, &b->capacity));
    const size_t count = (size_t)b->capacity;
    b->out = (bosc_neighborlist_arrays){.size = sizeof b->out, .capacity = b->capacity};
    b->out.centers = bench_array(NULL, count * sizeof(uint32_t));
    b->out.neighbors = bench_array(NULL, count * sizeof(uint32_t));
    b->out.shifts = bench_array(NULL, count * 3 * sizeof(int32_t));
    b->out.distances = bench_array(NULL, count * sizeof(float));
}

static void close_list(struct subject *b)
{
    bosc_neighborlist_free(b->list);
    bench_release(b->out.centers);
    bench_release(b->out.neighbors);
    bench_release(b->out.shifts);
    bench_release(b->out.distances);
    bench_release(b->positions);
    bench_release(b->cells);
    bench_release(b->offsets);
    *b = (struct subject){0};
}

static uint64_t hash_words(uint64_t hash, const void *from, size_t bytes)
{
    uint32_t *words = bench_host(bytes + 1);
    BENCH(bosc_ctx_copy(bench.ctx, words, from, bytes));
    for (size_t i = 0; i < bytes / sizeof *words; i++) hash = (hash ^ words[i]) * 1099511628211u;
    free(words);
    return hash;
}

static uint64_t hash_pairs(struct subject *b)
{
    const size_t count = (size_t)b->capacity;
    build_and_write(b);
    uint64_t hash = hash_words(14695981039346656037u, b->out.centers, count * sizeof(uint32_t));
    hash = hash_words(hash, b->out.neighbors, count * sizeof(uint32_t));
    hash = hash_words(hash, b->out.shifts, count * 3 * sizeof(int32_t));
    return hash_words(hash, b->out.distances, count * sizeof(float));
}

struct input {
    const char *name;
    int64_t each; /* 0: all in one system */
    bool shuffled, half;
};

static const struct input inputs[] = {{"crystal", 0, false, false},
                                      {"crystal, half", 0, false, true},
                                      {"shuffled", 0, true, false},
                                      {"molecules of 64", MOLECULE, false, false}};
enum { INPUTS = sizeof inputs / sizeof *inputs };

/* Times an input, or only returns the hash of its pairs. */
static uint64_t run_input(const struct input *in, bool timed)
{
    struct subject b = {0};
    make_systems(&b, in->each ? bench.n / 16 / in->each * in->each : bench.n, in->each ? in->each : bench.n,
                 in->shuffled);
    open_list(&b, in->half);
    const uint64_t hash = hash_pairs(&b);
    if (timed) {
        struct bench_row row = {.name = bench_text("%s, built", in->name), .n = b.n};
        row.ours = bench_time(NULL, build_list, &b, bench.repeats);
        row.note = bench_text("%.1f neighbours an atom, hash %016" PRIx64, (double)b.capacity / (double)b.n, hash);
        bench_print(&row);
        row.name = bench_text("%s, built and written", in->name);
        row.ours = bench_time(NULL, build_and_write, &b, bench.repeats);
        bench_print(&row);
    }
    close_list(&b);
    return hash;
}

int main(int argc, char **argv)
{
    uint64_t hashes[INPUTS] = {0};
    const char *only = "";
    const struct bench_option own[] = {{'c', BENCH_TEXT, &only, "inputs with names that begin so"}};
    bench.n = 524288;
    bench.repeats = 15;
    bench_options(argc, argv, "atoms", own, 1);
    bench_open();
    bench_time_one_thread();
    bench_say("%s", bench_device());
    for (int k = 0; k < INPUTS; k++)
        if (strncmp(inputs[k].name, only, strlen(only)) == 0) hashes[k] = run_input(&inputs[k], true);
    bench_reopen();
    for (int k = 0; k < INPUTS; k++)
        if (hashes[k] != 0)
            bench_check(run_input(&inputs[k], false) == hashes[k], "%s: other pairs on the CPU", inputs[k].name);
    return bench_close();
}
