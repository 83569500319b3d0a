/* Selection of the medians above the cut, level by level: all segments of a level at once, digit by digit of the
 * superkey that begins at the level's coordinate, and then of the id. A round counts the next digit of the points that
 * have the median's digits so far, on all ranks, and picks the one at which the median lies; the others are on one of
 * its sides. Where one point is left it is the median. Source: Blum, Floyd, Pratt, Rivest, Tarjan, Time Bounds for
 * Selection (1973), for the problem; radix selection as in Alabi et al., Fast k-Selection Algorithms for Graphics
 * Processing Units (2012). */
#include <string.h>

#include "base/bits.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

/* Counters of a round, of all segments: half a megabyte that all ranks sum, unless there are very many segments. */
enum { MOST_COUNTERS = 1 << 16, MOST_BITS = 11, LEAST_BITS = 4 };

struct selection {
    bosc_ctx *ctx;
    const bosc_ranks_kdtree *tree;
    struct bi_ranks_kdtree_digit step;
    int64_t n; /* this rank's points */
    struct bi_ranks_cuts cuts;
    bosc_status local_status;
    int64_t *counters; /* in reach, those of a round and one more */
    uint32_t *choice;  /* in reach, by segment */
    /* Host: the same, and the median's place among the candidates of each segment, -1 where it has been found. */
    int64_t *sums, *places;
    uint32_t *chosen;
    int64_t open; /* segments whose median has not been found */
    size_t host_bytes;
};

static int bits_of_level(int level)
{
    int bits = MOST_BITS;
    while (bits > LEAST_BITS && (int64_t)1 << (level + bits) > MOST_COUNTERS) bits--;
    return bits;
}

int64_t bi_ranks_kdtree_counters(int levels)
{
    int64_t most = 0;
    for (int level = 0; level < levels; level++) {
        const int64_t counters = (int64_t)1 << (level + bits_of_level(level));
        if (counters > most) most = counters;
    }
    return most;
}

/* ---- a round ---- */

static bosc_status count_digits(struct selection *s, int64_t counters)
{
    bosc_ctx *ctx = s->ctx;
    uint32_t *bad;
    memset(s->sums, 0, (size_t)counters * sizeof *s->sums);
    if (s->n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, s->n, sizeof *s->step.bins, &s->step.bins));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *bad, &bad));
    BI_TRY(ctx->backend->fill(ctx, bad, 0, sizeof *bad));
    BI_TRY(ctx->ops->dist->steps->kdtree_bins(ctx, s->n, &s->step));
    BI_TRY(ctx->backend->core->histogram(ctx, s->step.bins, s->n, counters + 1, s->counters, bad));
    BI_TRY(ctx->backend->copy(ctx, s->sums, s->counters, (size_t)counters * sizeof *s->sums));
    return ctx->backend->sync(ctx);
}

/* From the sums: the median's digit in each segment. */
static void choose_digits(struct selection *s)
{
    const int64_t digits = (int64_t)1 << s->step.bits;
    for (int64_t segment = 0; segment < (int64_t)1 << s->step.level; segment++) {
        const int64_t *counts = s->sums + segment * digits;
        int64_t place = s->places[segment], digit = 0;
        s->chosen[segment] = 0;
        if (place < 0) continue;
        while (place >= counts[digit]) place -= counts[digit++];
        const bool alone = counts[digit] == 1;
        s->chosen[segment] = (uint32_t)digit | (alone ? BI_RANKS_ALONE : 0);
        s->places[segment] = alone ? -1 : place;
        s->open -= alone;
    }
}

static bosc_status compare_digits(struct selection *s)
{
    bosc_ctx *ctx = s->ctx;
    if (s->n == 0) return BOSC_OK;
    BI_TRY(ctx->backend->copy(ctx, s->choice, s->chosen, sizeof *s->choice << s->step.level));
    BI_TRY(ctx->ops->dist->steps->kdtree_choose(ctx, s->n, &s->step));
    return ctx->backend->sync(ctx); /* which has read s->chosen then */
}

/* One digit. A failure of this rank alone is told in the next round. */
static bosc_status select_digit(struct selection *s)
{
    const int64_t counters = (int64_t)1 << (s->step.level + s->step.bits);
    if (s->local_status == BOSC_OK) BI_WITH_SCRATCH(s->ctx, s->local_status = count_digits(s, counters));
    BI_TRY(bi_comm_sum(s->ctx, s->tree->comm, s->local_status, s->sums, counters));
    choose_digits(s);
    s->local_status = compare_digits(s);
    return BOSC_OK;
}

/* ---- levels ---- */

static void open_segments(struct selection *s)
{
    s->open = 0;
    for (int64_t segment = 0; segment < (int64_t)1 << s->step.level; segment++) {
        const struct bi_kdtree_range r = bi_ranks_kdtree_subtree(s->cuts.nodes, s->step.level, segment);
        s->places[segment] = r.begin < r.end ? bi_kdtree_mid(r) - r.begin : -1;
        s->open += r.begin < r.end;
    }
}

/* All digits of a coordinate, or of the id, of `width` bits. */
static bosc_status select_by(struct selection *s, int32_t coordinate, int width)
{
    const int most = bits_of_level(s->step.level);
    s->step.coordinate = coordinate;
    for (int left = width; left > 0 && s->open > 0;) {
        s->step.bits = left < most ? left : most;
        left -= s->step.bits;
        s->step.shift = left;
        BI_TRY(select_digit(s));
    }
    return BOSC_OK;
}

static bosc_status select_level(struct selection *s, int level, int64_t total)
{
    const int32_t dim = s->tree->opts.dim;
    const int width = 8 * (int)bosc_dtype_size(s->tree->opts.dtype);
    s->step.level = level;
    open_segments(s);
    for (int32_t t = 0; t < dim; t++) BI_TRY(select_by(s, (int32_t)(((int64_t)level + t) % dim), width));
    return select_by(s, dim, bi_bit_length((uint64_t)total));
}

static bosc_status take_memory(struct selection *s, uint32_t **pieces)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t counters = bi_ranks_kdtree_counters(s->cuts.level), segments = (int64_t)1 << s->cuts.level;
    BI_TRY(bi_scratch_of(ctx, s->n, sizeof **pieces, pieces));
    BI_TRY(bi_scratch_of(ctx, counters + 1, sizeof *s->counters, &s->counters));
    BI_TRY(bi_scratch_of(ctx, segments, sizeof *s->choice, &s->choice));
    s->host_bytes = (size_t)(counters + segments) * sizeof *s->sums + (size_t)segments * sizeof *s->chosen;
    s->sums = bi_host_alloc(ctx, s->host_bytes);
    if (!s->sums) return BOSC_ERR_NOMEM;
    s->places = s->sums + counters;
    s->chosen = (uint32_t *)(s->places + segments);
    s->step.state = *pieces;
    s->step.choice = s->choice;
    return s->n ? ctx->ops->dist->steps->kdtree_begin(ctx, s->n, &s->step) : BOSC_OK;
}

static bosc_status select_levels(struct selection *s, int64_t total)
{
    BI_TRY(bi_comm_agree(s->ctx, s->tree->comm, s->local_status)); /* all have memory for the sums */
    for (int level = 0; level < s->cuts.level; level++) BI_TRY(select_level(s, level, total));
    if (s->local_status == BOSC_OK && s->n)
        s->local_status = s->ctx->ops->dist->steps->kdtree_pieces(s->ctx, s->n, &s->step);
    return bi_comm_agree(s->ctx, s->tree->comm, s->local_status);
}

bosc_status bi_ranks_kdtree_select(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                   const struct bi_ranks_points *points, int64_t nodes, uint32_t **pieces)
{
    struct selection s = {.ctx = ctx,
                          .tree = tree,
                          .n = points->rows.n,
                          .cuts = bi_ranks_kdtree_cuts(nodes, tree->comm->rank_count),
                          .local_status = local_status,
                          .step = {.rows = points->rows,
                                   .dtype = tree->opts.dtype,
                                   .dim = tree->opts.dim,
                                   .first = points->first,
                                   .ids = points->ids}};
    s.step.levels = s.cuts.level;
    if (local_status == BOSC_OK) s.local_status = take_memory(&s, pieces);
    bosc_status status = select_levels(&s, points->total);
    bi_memory_release(&ctx->host, s.sums, s.host_bytes);
    return status;
}
