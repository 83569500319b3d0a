/* Argument checks shared by the calls, and the rows of a graph as searches read them. */
#include <math.h>

#include "base/bits.h"
#include "paths/drivers.h"

static bool is_float(bosc_dtype t) { return t == BOSC_F32 || t == BOSC_F64; }

bosc_status bi_paths_check_opts(struct bi_paths_call *c, const bosc_paths_opts *opts, bosc_dtype weight,
                                bool unweighted)
{
    bosc_paths_opts *o = &c->opts;
    struct bi_paths_rows *r = &c->rows;
    BI_TRY(bi_read_opts(c->ctx, "bosc_paths_opts", opts, o, sizeof *o));
    if (o->algorithm != BOSC_PATHS_AUTO && o->algorithm != BOSC_PATHS_ROUNDS)
        return bi_fail(c->ctx, BOSC_ERR_ARG, "opts: algorithm %d is neither AUTO nor ROUNDS", (int)o->algorithm);
    if (!(o->width >= 0)) return bi_fail(c->ctx, BOSC_ERR_ARG, "opts: width %g is not 0 or more", o->width);
    if (o->offset_bits != 0 && o->offset_bits != 32 && o->offset_bits != 64)
        return bi_fail(c->ctx, BOSC_ERR_ARG, "opts: offset_bits %d is neither 32 nor 64", (int)o->offset_bits);
    if ((uintptr_t)o->limit % 8) return bi_fail(c->ctx, BOSC_ERR_ARG, "opts: limit is not aligned to 8 bytes");
    r->unweighted = unweighted || o->unweighted;
    const bool floats = is_float(weight) && !r->unweighted;
    r->weight = weight;
    r->keys_64bit = bi_graph_has_64bit_keys(weight);
    r->zero_key = weight == BOSC_F32   ? bi_key_u32_of_f32(0)
                  : weight == BOSC_F64 ? bi_key_u64_of_f64(0)
                  : weight == BOSC_I32 ? bi_key_u32_of_i32(0)
                  : weight == BOSC_I64 ? bi_key_u64_of_i64(0)
                                       : 0;
    r->none = floats ? bi_f64_bits(INFINITY) : UINT64_MAX;
    r->bound = r->none;
    if (!o->limit) return BOSC_OK;
    if (floats && !(*(const double *)o->limit >= 0))
        return bi_fail(c->ctx, BOSC_ERR_ARG, "opts: limit %g is not 0 or more", *(const double *)o->limit);
    const uint64_t limit =
        floats ? bi_f64_bits(*(const double *)o->limit + 0.0) : *(const uint64_t *)o->limit; /* -0 becomes 0 */
    if (limit < r->none) r->bound = limit + 1;
    return BOSC_OK;
}

bosc_status bi_paths_check_array(bosc_ctx *ctx, const char *name, const void *array, int32_t bits)
{
    if ((uintptr_t)array % (uintptr_t)(bits / 8))
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: not aligned to elements of %d bits", name, (int)bits);
    return BOSC_OK;
}

bosc_status bi_paths_check_rows(struct bi_paths_call *c, const bosc_graph_opts *graph_opts, const bosc_paths_opts *opts,
                                const void *offsets, const void *neighbours, bool unweighted)
{
    const struct bi_graph_entries none = {.n = c->rows.n};
    struct bi_graph_entries staged;
    bosc_graph_opts full;
    BI_TRY(bi_graph_entries_of(c->ctx, graph_opts, &none, &full, &staged));
    c->id_bits = full.id_bits;
    BI_TRY(bi_paths_check_opts(c, opts, full.weight, unweighted));
    if (!offsets) return bi_fail(c->ctx, BOSC_ERR_ARG, "offsets: NULL");
    BI_TRY(bi_paths_check_array(c->ctx, "offsets", offsets, c->opts.offset_bits == 32 ? 32 : 64));
    return bi_paths_check_array(c->ctx, "neighbours", neighbours, c->id_bits);
}

bosc_status bi_paths_check_sources(struct bi_paths_call *c, const void *sources, int64_t count, int64_t n)
{
    if (count < 0) return bi_fail(c->ctx, BOSC_ERR_ARG, "source_count: %lld is less than 0", (long long)count);
    if (count >= (int64_t)UINT32_MAX)
        return bi_fail(c->ctx, BOSC_ERR_LIMIT, "source_count: %lld is not less than 2^32 - 1", (long long)count);
    if (count > 0 && !sources) return bi_fail(c->ctx, BOSC_ERR_ARG, "sources: NULL");
    if (count > 0 && n == 0) return bi_fail(c->ctx, BOSC_ERR_DATA, "sources: there are no vertices");
    BI_TRY(bi_paths_check_array(c->ctx, "sources", sources, c->id_bits));
    c->sources = sources;
    c->source_count = count;
    return BOSC_OK;
}

void bi_paths_set_rows(struct bi_paths_call *c, const struct bi_graph_view *graph)
{
    struct bi_paths_rows *r = &c->rows;
    r->n = graph->n;
    r->arcs = graph->arcs;
    r->offsets = graph->offsets;
    r->edge_ids = graph->edge_ids;
    r->neighbours = graph->neighbours;
    r->keys = graph->keys;
    r->offsets_64bit = r->ids_64bit = graph->is_64bit;
}

/* ---- data ---- */

/* Sampled arcs. Estimate: their mean is within a few percent of the mean of all, unless few are very long. */
enum { SAMPLES = 1024 };

/* Refuses negative and NaN weights; c->mean_length = the mean of a sample of the finite lengths. Sets
 * c->may_overflow. */
static bosc_status check_weights(struct bi_paths_call *c)
{
    bosc_ctx *ctx = c->ctx;
    const struct bi_paths_rows *r = &c->rows;
    struct {
        int64_t bad, large;
        double lengths[SAMPLES];
    } host, *device;
    if (r->unweighted || r->arcs == 0) return BOSC_OK;
    const bool is_unsigned = r->weight == BOSC_U32 || r->weight == BOSC_U64; /* then all weights are lengths */
    /* 1. Check all weights, and sample their lengths. */
    host.bad = host.large = INT64_MAX;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *device, &device));
    BI_TRY(ctx->backend->copy(ctx, &device->bad, &host.bad, 2 * sizeof host.bad)); /* and large */
    struct bi_paths_check check = {*r, &device->bad, &device->large};
    struct bi_paths_sample sample = {*r, device->lengths, SAMPLES};
    if (!is_unsigned)
        BI_TRY_WITH_COST(ctx, BI_PATHS_CHECK_ARCS,
                         c->steps->paths_check(ctx, bi_div_up(r->arcs, BI_PATHS_CHECK_ARCS), &check));
    BI_TRY(c->steps->paths_sample(ctx, SAMPLES, &sample));
    BI_TRY(bi_read_back(ctx, &host, device, sizeof host));
    if (host.bad != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA, "edge %lld: its weight is negative or NaN", (long long)host.bad);
    c->may_overflow = is_float(r->weight) ? host.large == 0 : r->keys_64bit;
    /* 2. The mean of the finite lengths. */
    double sum = 0;
    int64_t finite = 0;
    for (int i = 0; i < SAMPLES; i++) {
        if (!(host.lengths[i] < 0x1p1000)) continue;
        sum += host.lengths[i];
        finite++;
    }
    c->mean_length = finite ? sum / (double)finite : 0;
    return BOSC_OK;
}

bosc_status bi_paths_check_data(struct bi_paths_call *c)
{
    bool staged = false;
    if (c->rows.unweighted) c->mean_length = 1;
    BI_TRY(bi_stage_in(c->ctx, c->sources, (size_t)c->source_count * (size_t)c->id_bits / 8, &c->sources, &staged));
    BI_RETURN_WITH_SCRATCH(c->ctx, check_weights(c));
}
