/* Scans over ranks, by the rows and tiles of core/tiles.h. The rank at which a tile begins scans it: it receives the
 * tile's remaining elements from the higher ranks and returns their results. The prefix of each tile is a scan over
 * ranks of the tiles' sums, by recursion. Rank 0 scans short inputs alone. */
#include <boscage/ranks/prims.h>

#include "core/call.h"
#include "ranks/exchange/slices.h"
#include "ranks/steps/steps.h"
#include "prims/check.h"

enum { ROOT_SCAN_MAX = 4096 }; /* elements that rank 0 scans alone: the tile sums of 4 million */

struct scan_call {
    bosc_op op;
    bosc_dtype dtype;
    size_t size;
    bool exclusive;
    uint64_t identity; /* the result of an empty prefix */
    const void *in;
    int64_t n;
    void *out; /* (n); written last */
};

/* This rank's part of a scan by tiles. */
struct tile_scan {
    const struct bi_ranks_slices *slices;
    struct bi_exchange x;
    int64_t head;     /* elements before the first tile that begins here; a lower rank scans them */
    int64_t n, tiles; /* elements of the tiles that begin here, received ones included; number of these tiles */
    char *scanned;    /* (head + n) */
    void *tail;       /* elements received from higher ranks */
    void *rows;       /* by row: the scan of the row sums within its tile */
    void *carries;    /* by tile: the prefix before it */
    bool first_tile;  /* tile 0 here is the first of all and has no prefix */
};

static char *item_at(const void *array, int64_t i, size_t size) { return (char *)array + i * (int64_t)size; }

/* ---- short inputs: rank 0 scans all ---- */

static bosc_status scan_at_root(bosc_ctx *ctx, bosc_comm *comm, const struct scan_call *s, const struct bi_exchange *x)
{
    void *all = NULL, *own_results = NULL;
    bosc_status local_status = bi_scratch_of(ctx, x->received, s->size, &all);
    BI_IF_OK(local_status, bi_scratch_of(ctx, s->n, s->size, &own_results));
    BI_TRY(bi_exchange_items(ctx, comm, local_status, x, s->size, s->in, all));
    if (x->received)
        local_status = ctx->backend->core->scan(ctx, s->op, s->exclusive ? BOSC_EXCLUSIVE : BOSC_INCLUSIVE, s->dtype,
                                                all, x->received, all);
    BI_TRY(bi_exchange_replies(ctx, comm, local_status, x, s->size, all, own_results));
    if (s->n) local_status = ctx->backend->copy(ctx, s->out, own_results, (size_t)s->n * s->size);
    return bi_comm_agree(ctx, comm, local_status);
}

static bosc_status scan_on_root(bosc_ctx *ctx, bosc_comm *comm, const struct scan_call *s,
                                const struct bi_ranks_slices *slices)
{
    struct bi_exchange x;
    slices->counts[0] = s->n;
    bosc_status status = bi_exchange_begin(ctx, comm, BOSC_OK, slices->counts, &x);
    if (status == BOSC_OK) BI_WITH_SCRATCH(ctx, status = scan_at_root(ctx, comm, s, &x));
    bi_exchange_end(ctx, &x);
    return status;
}

/* ---- tiles ---- */

static bosc_status scan_slices(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const struct scan_call *s);

/* Finds the elements that a lower rank scans, and that rank. */
static void plan_tiles(struct tile_scan *p)
{
    const struct bi_ranks_slices *slices = p->slices;
    const int64_t begin = slices->offsets[slices->rank], end = slices->offsets[slices->rank + 1];
    const int64_t edge = bi_div_up(begin, BI_TILE) * BI_TILE; /* of the first tile that begins here */
    int32_t owner = slices->rank;
    p->head = (edge < end ? edge : end) - begin;
    p->first_tile = begin == 0;
    if (p->head == 0) return;
    while (slices->offsets[owner] > edge - BI_TILE)
        owner--; /* the last rank whose slice begins at or before the tile */
    slices->counts[owner] = p->head;
}

/* Scans the rows of all tiles, the rows of the row sums, and collects the tiles' sums. */
static bosc_status scan_rows(bosc_ctx *ctx, const struct scan_call *s, struct tile_scan *p, void **sums)
{
    const int64_t rows = bi_div_up(p->n, BI_TILE_ROW);
    void *row_sums;
    BI_TRY(bi_scratch_of(ctx, rows, s->size, &row_sums));
    BI_TRY(bi_scratch_of(ctx, rows, s->size, &p->rows));
    BI_TRY(bi_scratch_of(ctx, p->tiles, s->size, sums));
    BI_TRY(bi_scratch_of(ctx, p->tiles, s->size, &p->carries));
    if (p->n == 0) return BOSC_OK;
    struct bi_ranks_scan_rows elements = {.op = s->op,
                                          .dtype = s->dtype,
                                          .in = item_at(s->in, p->head, s->size),
                                          .tail = p->tail,
                                          .in_count = s->n - p->head,
                                          .n = p->n,
                                          .out = item_at(p->scanned, p->head, s->size),
                                          .sums = row_sums};
    struct bi_ranks_scan_rows of_rows = {
        .op = s->op, .dtype = s->dtype, .in = row_sums, .in_count = rows, .n = rows, .out = p->rows, .sums = *sums};
    BI_TRY(ctx->ops->ranks->steps->scan_rows(ctx, rows, &elements));
    return ctx->ops->ranks->steps->scan_rows(ctx, p->tiles, &of_rows);
}

/* Writes `count` results from element `from` on. */
static bosc_status write_results(bosc_ctx *ctx, const struct scan_call *s, const struct tile_scan *p, int64_t from,
                                 int64_t count, bool shifted, uint64_t previous, void *out)
{
    const struct bi_ranks_scan_results results = {.op = s->op,
                                                  .dtype = s->dtype,
                                                  .scanned = p->scanned,
                                                  .rows = p->rows,
                                                  .carries = p->carries,
                                                  .head = p->head,
                                                  .from = from,
                                                  .first_tile = p->first_tile,
                                                  .shifted = shifted,
                                                  .previous = previous,
                                                  .out = out};
    return count ? ctx->ops->ranks->steps->scan_results(ctx, count, &results) : BOSC_OK;
}

/* Finds the last result of the lower ranks, at which an exclusive scan of this slice begins. */
static bosc_status find_previous_result(bosc_ctx *ctx, bosc_comm *comm, const struct scan_call *s,
                                        const struct tile_scan *p, uint64_t *previous)
{
    uint64_t last = 0, *lasts = comm->gather;
    void *on_backend = NULL;
    bosc_status local_status = bi_scratch_of(ctx, 1, sizeof last, &on_backend);
    if (local_status == BOSC_OK && s->n) local_status = write_results(ctx, s, p, s->n - 1, 1, false, 0, on_backend);
    if (local_status == BOSC_OK && s->n) local_status = bi_read_back(ctx, &last, on_backend, s->size);
    BI_TRY(bi_comm_agree(ctx, comm, local_status));
    BI_TRY(bi_comm_all_gather(ctx, comm, &last, sizeof last, lasts));
    /* Empty slices have no result. */
    *previous = s->identity;
    for (int32_t r = 0; r < comm->rank; r++)
        if (p->slices->offsets[r] < p->slices->offsets[r + 1]) *previous = lasts[r];
    return BOSC_OK;
}

/* Scans the tiles that begin on this rank. */
static bosc_status scan_own_tiles(bosc_ctx *ctx, bosc_comm *comm, const struct scan_call *s, struct tile_scan *p)
{
    /* The recursion: an exclusive scan over ranks of the tiles' sums. */
    struct scan_call carries = *s;
    void *sums = NULL, *answers = NULL;
    uint64_t previous = 0;
    p->n = s->n - p->head + p->x.received;
    p->tiles = bi_div_up(p->n, BI_TILE);
    bosc_status local_status = bi_scratch_of(ctx, p->head + p->n, s->size, &p->scanned);
    BI_IF_OK(local_status, bi_scratch_of(ctx, p->x.received, s->size, &p->tail));
    BI_IF_OK(local_status, bi_scratch_of(ctx, p->x.received, s->size, &answers));
    /* 1. Complete this rank's tiles with elements of higher ranks, and scan within them. */
    BI_TRY(bi_exchange_items(ctx, comm, local_status, &p->x, s->size, s->in, p->tail));
    local_status = scan_rows(ctx, s, p, &sums);
    /* 2. The prefix of each tile. */
    carries.in = sums, carries.n = p->tiles, carries.out = p->carries, carries.exclusive = true;
    BI_TRY(scan_slices(ctx, comm, local_status, &carries));
    /* 3. Return the results of received elements, then write this slice's own. */
    local_status = write_results(ctx, s, p, s->n, p->x.received, false, 0, answers);
    BI_TRY(bi_exchange_replies(ctx, comm, local_status, &p->x, s->size, answers, p->scanned));
    if (s->exclusive) BI_TRY(find_previous_result(ctx, comm, s, p, &previous));
    return bi_comm_agree(ctx, comm, write_results(ctx, s, p, 0, s->n, s->exclusive, previous, s->out));
}

/* The owners of tiles receive their elements from higher ranks. */
static bosc_status scan_tiles(bosc_ctx *ctx, bosc_comm *comm, const struct scan_call *s,
                              const struct bi_ranks_slices *slices)
{
    struct tile_scan p = {.slices = slices};
    plan_tiles(&p);
    bosc_status status = bi_exchange_begin(ctx, comm, BOSC_OK, slices->counts, &p.x);
    if (status == BOSC_OK) BI_WITH_SCRATCH(ctx, status = scan_own_tiles(ctx, comm, s, &p));
    bi_exchange_end(ctx, &p.x);
    return status;
}

/* Scans all slices. Ends in an agreement. */
static bosc_status scan_slices(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const struct scan_call *s)
{
    struct bi_ranks_slices slices;
    bosc_status status = bi_ranks_slices_begin(ctx, comm, local_status, s->n, &slices);
    BI_IF_OK(status,
             slices.total <= ROOT_SCAN_MAX ? scan_on_root(ctx, comm, s, &slices) : scan_tiles(ctx, comm, s, &slices));
    bi_ranks_slices_end(ctx, &slices);
    return status;
}

static bosc_status stage_and_scan(bosc_ctx *ctx, bosc_comm *comm, struct scan_call *s, void *out)
{
    struct bi_out to = {0};
    bool staged = false;
    const size_t bytes = (size_t)s->n * s->size;
    bosc_status local_status = bi_stage_in(ctx, s->in, bytes, &s->in, &staged);
    BI_IF_OK(local_status, bi_stage_out(ctx, out, bytes, &to, &staged));
    BI_IF_OK(local_status, bosc_reduce(ctx, s->op, s->dtype, NULL, 0, &s->identity));
    s->out = to.reachable;
    BI_TRY(scan_slices(ctx, comm, local_status, s));
    local_status = bi_stage_back(ctx, &to);
    BI_IF_OK(local_status, ctx->backend->sync(ctx));
    return bi_comm_agree(ctx, comm, local_status);
}

static bosc_status check(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in, int64_t n,
                         void *out)
{
    BI_TRY(bi_check_op(ctx, op));
    BI_TRY(bi_check_scan_kind(ctx, kind));
    BI_TRY(bi_check_numeric_type(ctx, dtype));
    const size_t size = bosc_dtype_size(dtype), bytes = (size_t)n * size;
    BI_TRY(bi_check_count(ctx, "n", n, size));
    BI_TRY(bi_check_array(ctx, "in", in, n, size));
    BI_TRY(bi_check_array(ctx, "out", out, n, size));
    return bi_check_disjoint(ctx, "out", out, bytes, "in", in, bytes, true);
}

bosc_status bosc_ranks_scan(bosc_ctx *ctx, bosc_comm *comm, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype,
                            const void *in, int64_t n, void *out)
{
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    const struct bi_ranks_argument shared[] = {{"op", op}, {"kind", kind}, {"dtype", dtype}};
    BI_TRY(bi_ranks_check_same(ctx, comm, check(ctx, op, kind, dtype, in, n, out), shared, 3));
    bi_progress_set_total(ctx, 2.1 * (double)n);
    struct scan_call s = {.op = op,
                          .dtype = dtype,
                          .size = bosc_dtype_size(dtype),
                          .exclusive = kind == BOSC_EXCLUSIVE,
                          .in = in,
                          .n = n};
    BI_RETURN_WITH_SCRATCH(ctx, stage_and_scan(ctx, comm, &s, out));
}
