/* Rows of the caller in the form of searches: his own arrays where they have it. */
#include "base/bits.h"
#include "paths/drivers.h"

/* Offsets of 32 bits where they fit, as the searches of a graph read them. */
static bosc_status convert_offsets(struct bi_paths_call *c, const void *offsets)
{
    bosc_ctx *ctx = c->ctx;
    struct bi_paths_rows *r = &c->rows;
    const bool is_64bit = c->opts.offset_bits != 32;
    struct bi_graph_offsets_scan scan;
    int64_t *found;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *found, &found));
    BI_TRY(bi_graph_scan_offsets(ctx, offsets, is_64bit, r->n, found, &scan));
    if (scan.first != 0 || scan.bad != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA, "offsets: number %lld does not ascend from 0",
                       scan.first != 0 ? 0 : (long long)scan.bad);
    r->arcs = (int64_t)scan.last;
    if (scan.last >= (uint64_t)1 << 40)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "offsets: %llu arcs, not less than 2^40", (unsigned long long)scan.last);
    r->offsets_64bit = scan.last >= UINT32_MAX;
    r->offsets = offsets;
    if (r->offsets_64bit || !is_64bit) return BOSC_OK;
    uint32_t *words;
    BI_TRY(bi_scratch_of(ctx, r->n + 1, sizeof *words, &words));
    BI_TRY(bi_graph_convert_words(ctx, offsets, true, words, false, r->n + 1));
    r->offsets = words;
    return BOSC_OK;
}

/* Neighbours of 32 bits and weights as keys: the caller's arrays where they have that form. */
static bosc_status convert_arcs(struct bi_paths_call *c, const void *neighbours, const void *weights)
{
    bosc_ctx *ctx = c->ctx;
    struct bi_paths_rows *r = &c->rows;
    int64_t bad = INT64_MAX;
    bool staged = false;
    struct bi_paths_convert a = {.neighbours_64bit = c->id_bits == 64, .weight = r->weight, .n = (uint64_t)r->n};
    const size_t size = bosc_dtype_size(r->weight);
    if (r->arcs == 0) return BOSC_OK;
    if (!neighbours) return bi_fail(ctx, BOSC_ERR_ARG, "neighbours: NULL");
    /* 1. Choose the arrays to convert. */
    BI_TRY(bi_stage_in(ctx, neighbours, (size_t)r->arcs * (size_t)c->id_bits / 8, &a.neighbours, &staged));
    r->neighbours = a.neighbours;
    if (c->id_bits == 64) {
        BI_TRY(bi_scratch_of(ctx, r->arcs, sizeof *a.to, &a.to));
        r->neighbours = a.to;
    }
    if (!r->unweighted) {
        BI_TRY(bi_stage_in(ctx, weights, (size_t)r->arcs * size, &a.weights, &staged));
        r->keys = a.weights;
        r->raw = r->weight == BOSC_F64;
        if (r->weight != BOSC_U32 && r->weight != BOSC_U64 && !r->raw) {
            BI_TRY(bi_scratch_of(ctx, r->arcs, size, &a.keys));
            r->keys = a.keys;
        }
    }
    /* 2. Convert and check. */
    BI_TRY(bi_scratch_of(ctx, 1, sizeof bad, &a.bad));
    BI_TRY(ctx->backend->copy(ctx, a.bad, &bad, sizeof bad));
    if (a.to || a.keys) {
        BI_TRY(c->steps->paths_convert(ctx, r->arcs, &a));
    } else {
        const struct bi_paths_check_ends check = {r->neighbours, r->arcs, (uint32_t)r->n, a.bad};
        BI_TRY_WITH_COST(ctx, BI_PATHS_CHECK_ARCS,
                         c->steps->paths_check_ends(ctx, bi_div_up(r->arcs, BI_PATHS_CHECK_ARCS), &check));
    }
    BI_TRY(bi_read_back(ctx, &bad, a.bad, sizeof bad));
    if (bad == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA, "neighbours: number %lld is no vertex", (long long)bad);
}

bosc_status bi_paths_convert_rows(struct bi_paths_call *c, const void *offsets, const void *neighbours,
                                  const void *weights)
{
    const size_t bytes = (size_t)(c->rows.n + 1) * (c->opts.offset_bits == 32 ? 4 : 8);
    const void *reachable;
    bool staged = false;
    BI_TRY(bi_stage_in(c->ctx, offsets, bytes, &reachable, &staged));
    BI_TRY(convert_offsets(c, reachable));
    return convert_arcs(c, neighbours, weights);
}
