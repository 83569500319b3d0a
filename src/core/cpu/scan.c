/* Reductions: totals of tiles in parallel, then the tree over the totals (core/tiles.h). Scans: threads work in rounds
 * over runs of tiles that stay in their caches. Each thread sums its tiles, one turns the totals into carries, then
 * each scans its run. So memory is read about once. A single thread scans in one pass. */
#include <stdalign.h>
#include <string.h>

#include "core/cpu/collectives.h"
#include "core/cpu/kernels.h"
#include "core/cpu/level.h"

/* ---- reductions ---- */

enum { TILES_A_THREAD = BI_THREAD_ITEMS / 2 / BI_TILE }; /* tiles from which another thread pays: 2^14 items */

/* The totals of tiles [begin, end) of n items. */
static void sum_tiles(const struct bi_scan_kernels *k, const void *in, int64_t n, int64_t begin, int64_t end,
                      void *totals)
{
    int64_t items = end * BI_TILE < n ? (end - begin) * BI_TILE : n - begin * BI_TILE;
    k->totals((const char *)in + (size_t)begin * BI_TILE * k->size, NULL, items,
              (char *)totals + (size_t)begin * k->size, NULL);
}

bosc_status bi_cpu_reduce(bosc_ctx *ctx, bosc_op op, bosc_dtype dtype, const void *in, int64_t n, void *result)
{
    const struct bi_scan_kernels *k = &BI_LEVEL_PICK(ctx->level, bi_scan_table)->of[op][dtype - 1];
    if (n == 0) {
        k->empty(result);
        return BOSC_OK;
    }
    int64_t tiles = bi_div_up(n, BI_TILE);
    struct bi_mark mark = bi_arena_mark(ctx);
    void *totals;
    BI_TRY(bi_scratch(ctx, (size_t)tiles * k->size, &totals));
    struct bi_batches batch = bi_batches_of(ctx, tiles, (double)n / (double)tiles);
    while (bi_next_batch(ctx, &batch)) {
        int chunks = bi_thread_count(ctx, batch.end - batch.begin, TILES_A_THREAD);
        BI_PARALLEL_FOR(chunks, (static), p, 0, chunks,
                        sum_tiles(k, in, n, batch.begin + bi_chunk_begin(batch.end - batch.begin, chunks, p),
                                  batch.begin + bi_chunk_begin(batch.end - batch.begin, chunks, p + 1), totals));
    }
    if (batch.status == BOSC_OK) k->total(totals, tiles, result);
    bi_arena_rewind(ctx, mark);
    return batch.status;
}

/* ---- scans ---- */

enum {
    RUN_BYTES = 1 << 20, /* of a run; with its output it fits a second-level cache of 2 MB */
    MAX_ELEMENT = 8      /* bytes of the largest element */
};

struct scan_job {
    const struct bi_scan_kernels *k;
    const char *in;
    const uint8_t *heads;
    char *out;
    int64_t n, tiles;
    int64_t run_tiles; /* tiles of a chunk in a round */
    int chunks;
    bool exclusive;
    char *totals; /* of the tiles of two rounds: a thread sums the next round while another still scans */
    uint8_t *flags;
    char *last; /* the last inclusive result of each run, by round and chunk */
    alignas(64) char state[BI_SCAN_STATE_BYTES];
};

/* Tiles of chunk p in a round. */
static struct bi_span span_of_chunk(const struct scan_job *j, int64_t round, int p)
{
    int64_t left = j->tiles - round * j->run_tiles * j->chunks, whole = j->run_tiles * j->chunks;
    int64_t tiles = left < whole ? left : whole, first = j->tiles - left;
    return (struct bi_span){first + bi_chunk_begin(tiles, j->chunks, p),
                            first + bi_chunk_begin(tiles, j->chunks, p + 1)};
}

static int64_t count_items(const struct scan_job *j, struct bi_span s)
{
    return (s.end * BI_TILE < j->n ? s.end * BI_TILE : j->n) - s.begin * BI_TILE;
}

/* Index of a tile's total in the buffer of two rounds. */
static int64_t total_slot(const struct scan_job *j, int64_t round, int64_t tile)
{
    int64_t whole = j->run_tiles * j->chunks;
    return round % 2 * whole + tile - round * whole;
}

static void sum_chunk(struct scan_job *j, int64_t round, int p)
{
    struct bi_span s = span_of_chunk(j, round, p);
    int64_t at = total_slot(j, round, s.begin);
    if (s.begin == s.end) return;
    j->k->totals(j->in + (size_t)s.begin * BI_TILE * j->k->size, j->heads ? j->heads + s.begin * BI_TILE : NULL,
                 count_items(j, s), j->totals + (size_t)at * j->k->size, j->flags + at);
}

static void scan_span(struct scan_job *j, struct bi_span s, const void *carries, char *last)
{
    size_t offset = (size_t)s.begin * BI_TILE * j->k->size;
    struct bi_scan_run run = {.in = j->in + offset,
                              .heads = j->heads ? j->heads + s.begin * BI_TILE : NULL,
                              .n = count_items(j, s),
                              .carries = carries,
                              .state = j->state,
                              .last = last,
                              .out = j->out + offset,
                              .exclusive = j->exclusive};
    if (s.begin < s.end) j->k->scan(&run);
}

static void scan_chunk(struct scan_job *j, int64_t round, int p)
{
    struct bi_span s = span_of_chunk(j, round, p);
    scan_span(j, s, j->totals + (size_t)total_slot(j, round, s.begin) * j->k->size,
              j->last + (size_t)(round * j->chunks + p) * MAX_ELEMENT);
}

static void compute_carries(struct scan_job *j, int64_t round)
{
    struct bi_span all = {span_of_chunk(j, round, 0).begin, span_of_chunk(j, round, j->chunks - 1).end};
    int64_t at = total_slot(j, round, all.begin);
    j->k->carries(j->state, j->totals + (size_t)at * j->k->size, j->heads ? j->flags + at : NULL, all.end - all.begin);
}

/* The first result of a run of an exclusive scan is the last one of the run before, which another thread computed. */
static void fix_first_results(struct scan_job *j, int64_t rounds)
{
    const char *last = NULL;
    for (int64_t round = 0; round < rounds; round++)
        for (int p = 0; p < j->chunks; p++) {
            struct bi_span s = span_of_chunk(j, round, p);
            if (s.begin == s.end) continue;
            if (last && !(j->heads && j->heads[s.begin * BI_TILE]))
                memcpy(j->out + (size_t)s.begin * BI_TILE * j->k->size, last, j->k->size);
            last = j->last + (size_t)(round * j->chunks + p) * MAX_ELEMENT;
        }
}

/* Scans the chunks of `round`, unless it is before `begin`, and sums those of the next round unless it is `end`. A
 * thread scans the chunk of its last sum, still in its cache. */
static void process_chunks(struct scan_job *j, int64_t round, int64_t begin, int64_t end)
{
#pragma omp parallel for schedule(static) num_threads(j->chunks)
    for (int p = 0; p < j->chunks; p++) {
        if (round >= begin) scan_chunk(j, round, p);
        if (round + 1 < end) sum_chunk(j, round + 1, p);
    }
}

static bosc_status scan_rounds(bosc_ctx *ctx, struct scan_job *j, int64_t rounds)
{
    struct bi_batches batch = bi_batches_of(ctx, rounds, (double)j->n / (double)rounds);
    while (bi_next_batch(ctx, &batch)) {
        process_chunks(j, batch.begin - 1, batch.begin, batch.end);
        for (int64_t round = batch.begin; round < batch.end; round++) {
            compute_carries(j, round);
            process_chunks(j, round, batch.begin, batch.end);
        }
    }
    if (j->exclusive && batch.status == BOSC_OK) fix_first_results(j, rounds);
    return batch.status;
}

static bosc_status scan_with_one_thread(bosc_ctx *ctx, struct scan_job *j)
{
    struct bi_batches p = bi_batches_of(ctx, j->tiles, (double)j->n / (double)j->tiles);
    while (bi_next_batch(ctx, &p)) scan_span(j, (struct bi_span){p.begin, p.end}, NULL, j->last);
    return p.status;
}

static bosc_status scan_array(bosc_ctx *ctx, struct scan_job *j)
{
    if (j->n == 0) return BOSC_OK;
    struct bi_mark mark = bi_arena_mark(ctx);
    void *memory;
    j->tiles = bi_div_up(j->n, BI_TILE);
    j->run_tiles = RUN_BYTES / (BI_TILE * (int64_t)j->k->size);
    j->chunks = bi_thread_count(ctx, j->tiles, TILES_A_THREAD);
    memset(j->state, 0, j->k->state_size);
    int64_t rounds = bi_div_up(j->tiles, j->run_tiles * j->chunks);
    size_t totals = j->chunks > 1 ? 2 * (size_t)(j->run_tiles * j->chunks) : 0,
           lasts = (size_t)(rounds * j->chunks) * MAX_ELEMENT;
    BI_TRY(bi_scratch(ctx, lasts + totals * (j->k->size + 1), &memory));
    j->last = memory;
    j->totals = j->last + lasts;
    j->flags = (uint8_t *)j->totals + totals * j->k->size;
    for (int64_t i = 0; i < rounds * j->chunks; i++) j->k->empty(j->last + i * MAX_ELEMENT);
    bosc_status status = j->chunks == 1 ? scan_with_one_thread(ctx, j) : scan_rounds(ctx, j, rounds);
    bi_arena_rewind(ctx, mark);
    return status;
}

bosc_status bi_cpu_scan_segmented(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in,
                                  const uint8_t *heads, int64_t n, void *out)
{
    struct scan_job j;
    j.k = &BI_LEVEL_PICK(ctx->level, bi_scan_table)->of[op][dtype - 1];
    j.in = in;
    j.heads = heads;
    j.out = out;
    j.n = n;
    j.exclusive = kind == BOSC_EXCLUSIVE;
    return scan_array(ctx, &j);
}

bosc_status bi_cpu_scan(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in, int64_t n,
                        void *out)
{
    return bi_cpu_scan_segmented(ctx, op, kind, dtype, in, NULL, n, out);
}
