/* Scans. Threads work in rounds over pieces that stay in their caches: each adds up its tiles, one of them turns the
 * totals into carries, then each scans its piece; so memory is read about once. One thread scans straight on. */
#include <stdalign.h>
#include <string.h>

#include "core/cpu/collectives.h"
#include "core/cpu/level.h"
#include "core/cpu/scan_kernels.h"

enum { PIECE_BYTES = 1 << 20, MOST_ELEMENT = 8 };

struct job {
    const struct bi_scan_kernels *k;
    const char *in;
    const uint8_t *heads;
    char *out;
    int64_t n, tiles;
    int64_t piece; /* tiles a chunk and round */
    int chunks;
    bool exclusive;
    char *totals; /* of the tiles of two rounds: a thread may add up the next while another still scans */
    uint8_t *flags;
    char *last; /* the last inclusive result of each round's and chunk's piece */
    alignas(64) char state[BI_SCAN_STATE_MOST];
};

/* The tiles [begin, end) of part p in a round. */
struct span {
    int64_t begin, end;
};

static struct span span_of(const struct job *j, int64_t round, int p)
{
    int64_t left = j->tiles - round * j->piece * j->chunks, whole = j->piece * j->chunks;
    int64_t tiles = left < whole ? left : whole, first = j->tiles - left;
    return (struct span){first + bi_chunk_begin(tiles, j->chunks, p), first + bi_chunk_begin(tiles, j->chunks, p + 1)};
}

static int64_t items_of(const struct job *j, struct span s)
{
    return (s.end * BI_TILE < j->n ? s.end * BI_TILE : j->n) - s.begin * BI_TILE;
}

/* Where the total of a tile of a round is kept. */
static int64_t total_at(const struct job *j, int64_t round, int64_t tile)
{
    int64_t whole = j->piece * j->chunks;
    return round % 2 * whole + tile - round * whole;
}

static void totals_of(struct job *j, int64_t round, int p)
{
    struct span s = span_of(j, round, p);
    int64_t at = total_at(j, round, s.begin);
    if (s.begin == s.end) return;
    j->k->totals(j->in + (size_t)s.begin * BI_TILE * j->k->size, j->heads ? j->heads + s.begin * BI_TILE : NULL,
                 items_of(j, s), j->totals + (size_t)at * j->k->size, j->flags + at);
}

static void scan_span(struct job *j, struct span s, const void *carries, char *last)
{
    size_t offset = (size_t)s.begin * BI_TILE * j->k->size;
    struct bi_scan_piece piece = {.in = j->in + offset,
                                  .heads = j->heads ? j->heads + s.begin * BI_TILE : NULL,
                                  .n = items_of(j, s),
                                  .carries = carries,
                                  .state = j->state,
                                  .last = last,
                                  .out = j->out + offset,
                                  .exclusive = j->exclusive};
    if (s.begin < s.end) j->k->scan(&piece);
}

static void scan_part(struct job *j, int64_t round, int p)
{
    struct span s = span_of(j, round, p);
    scan_span(j, s, j->totals + (size_t)total_at(j, round, s.begin) * j->k->size,
              j->last + (size_t)(round * j->chunks + p) * MOST_ELEMENT);
}

static void carries_of(struct job *j, int64_t round)
{
    struct span all = {span_of(j, round, 0).begin, span_of(j, round, j->chunks - 1).end};
    int64_t at = total_at(j, round, all.begin);
    j->k->carries(j->state, j->totals + (size_t)at * j->k->size, j->heads ? j->flags + at : NULL, all.end - all.begin);
}

/* The first result of an exclusive piece is the last one of the piece before, which another thread made. */
static void mend_firsts(struct job *j, int64_t rounds)
{
    const char *last = NULL;
    for (int64_t round = 0; round < rounds; round++)
        for (int p = 0; p < j->chunks; p++) {
            struct span s = span_of(j, round, p);
            if (s.begin == s.end) continue;
            if (last && !(j->heads && j->heads[s.begin * BI_TILE]))
                memcpy(j->out + (size_t)s.begin * BI_TILE * j->k->size, last, j->k->size);
            last = j->last + (size_t)(round * j->chunks + p) * MOST_ELEMENT;
        }
}

static bosc_status scan_rounds(bosc_ctx *ctx, struct job *j, int64_t rounds)
{
    struct bi_parts parts = bi_parts_of(ctx, rounds, (double)j->n / (double)rounds);
    while (bi_next_part(ctx, &parts)) {
#pragma omp parallel num_threads(j->chunks)
        for (int64_t round = parts.begin; round < parts.end; round++) {
#pragma omp for schedule(static)
            for (int p = 0; p < j->chunks; p++) totals_of(j, round, p);
#pragma omp single
            carries_of(j, round);
#pragma omp for schedule(static) nowait
            for (int p = 0; p < j->chunks; p++) scan_part(j, round, p);
        }
    }
    if (j->exclusive && parts.status == BOSC_OK) mend_firsts(j, rounds);
    return parts.status;
}

static bosc_status scan_straight_on(bosc_ctx *ctx, struct job *j)
{
    struct bi_parts p = bi_parts_of(ctx, j->tiles, (double)j->n / (double)j->tiles);
    while (bi_next_part(ctx, &p)) scan_span(j, (struct span){p.begin, p.end}, NULL, j->last);
    return p.status;
}

static bosc_status scan(bosc_ctx *ctx, struct job *j)
{
    if (j->n == 0) return BOSC_OK;
    struct bi_mark mark = bi_arena_mark(ctx);
    void *memory;
    j->tiles = bi_div_up(j->n, BI_TILE);
    j->piece = PIECE_BYTES / (BI_TILE * (int64_t)j->k->size);
    j->chunks = bi_thread_count(ctx, j->tiles, 16);
    memset(j->state, 0, j->k->state_size);
    int64_t rounds = bi_div_up(j->tiles, j->piece * j->chunks);
    size_t totals = j->chunks > 1 ? 2 * (size_t)(j->piece * j->chunks) : 0,
           lasts = (size_t)(rounds * j->chunks) * MOST_ELEMENT;
    BI_TRY(bi_scratch(ctx, lasts + totals * (j->k->size + 1), &memory));
    j->last = memory;
    j->totals = j->last + lasts;
    j->flags = (uint8_t *)j->totals + totals * j->k->size;
    for (int64_t i = 0; i < rounds * j->chunks; i++) j->k->nothing(j->last + i * MOST_ELEMENT);
    bosc_status status = j->chunks == 1 ? scan_straight_on(ctx, j) : scan_rounds(ctx, j, rounds);
    bi_arena_rewind(ctx, mark);
    return status;
}

bosc_status bi_cpu_scan_segmented(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in,
                                  const uint8_t *heads, int64_t n, void *out)
{
    struct job j;
    j.k = &BI_LEVEL_PICK(ctx->level, bi_scan_table)->of[op][dtype - 1];
    j.in = in;
    j.heads = heads;
    j.out = out;
    j.n = n;
    j.exclusive = kind == BOSC_EXCLUSIVE;
    return scan(ctx, &j);
}

bosc_status bi_cpu_scan(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in, int64_t n,
                        void *out)
{
    return bi_cpu_scan_segmented(ctx, op, kind, dtype, in, NULL, n, out);
}
