/* Selects the medians above the subtrees, level by level. All segments of a level are refined at once, digit by digit
 * of the superkey that begins at the level's coordinate, then of the id. A round counts the next digit of the
 * remaining candidates on all ranks, and picks the digit at which the median lies; points with other digits are on one
 * of its sides. Where one point is left, it is the median. Source: Blum, Floyd, Pratt, Rivest, Tarjan, Time Bounds for
 * Selection (1973), for the problem; radix selection as in Alabi et al., Fast k-Selection Algorithms for Graphics
 * Processing Units (2012). */
#include <string.h>

#include "base/bits.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

/* Counters of a round over all segments: half a megabyte, summed over the ranks, unless there are very many segments.
 * */
enum { MAX_COUNTERS = 1 << 16, MAX_BITS = 11, MIN_BITS = 4 };

struct selection {
    bosc_ctx *ctx;
    const bosc_ranks_kdtree *tree;
    struct bi_ranks_kdtree_digit step;
    int64_t n; /* this rank's points */
    struct bi_ranks_kdtree_partition partition;
    bosc_status local_status;
    int64_t *counters;       /* in reach: those of a round and one more */
    uint32_t *median_digits; /* in reach, by segment */
    /* Host: the same. median_ranks: the median's rank among the candidates of each segment; -1 once found. */
    int64_t *sums, *median_ranks;
    uint32_t *host_digits;
    int64_t open_count; /* segments whose median is not yet found */
    size_t host_bytes;
};

static int bits_per_round(int level)
{
    int bits = MAX_BITS;
    while (bits > MIN_BITS && (int64_t)1 << (level + bits) > MAX_COUNTERS) bits--;
    return bits;
}

int64_t bi_ranks_kdtree_max_counters(int levels)
{
    int64_t most = 0;
    for (int level = 0; level < levels; level++) {
        const int64_t counters = (int64_t)1 << (level + bits_per_round(level));
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
    BI_TRY(ctx->ops->dist->steps->kdtree_digit_bins(ctx, s->n, &s->step));
    BI_TRY(ctx->backend->core->histogram(ctx, s->step.bins, s->n, counters + 1, s->counters, bad));
    BI_TRY(ctx->backend->copy(ctx, s->sums, s->counters, (size_t)counters * sizeof *s->sums));
    return ctx->backend->sync(ctx);
}

/* Chooses the median's digit in each segment from the summed counters. */
static void choose_median_digits(struct selection *s)
{
    const int64_t digits = (int64_t)1 << s->step.bits;
    for (int64_t segment = 0; segment < (int64_t)1 << s->step.level; segment++) {
        const int64_t *counts = s->sums + segment * digits;
        int64_t median_rank = s->median_ranks[segment], digit = 0;
        s->host_digits[segment] = 0;
        if (median_rank < 0) continue;
        while (median_rank >= counts[digit]) median_rank -= counts[digit++];
        const bool is_alone = counts[digit] == 1;
        s->host_digits[segment] = (uint32_t)digit | (is_alone ? BI_RANKS_ALONE : 0);
        s->median_ranks[segment] = is_alone ? -1 : median_rank;
        s->open_count -= is_alone;
    }
}

static bosc_status compare_digits(struct selection *s)
{
    bosc_ctx *ctx = s->ctx;
    if (s->n == 0) return BOSC_OK;
    BI_TRY(ctx->backend->copy(ctx, s->median_digits, s->host_digits, sizeof *s->median_digits << s->step.level));
    BI_TRY(ctx->ops->dist->steps->kdtree_compare_digits(ctx, s->n, &s->step));
    return ctx->backend->sync(ctx); /* s->host_digits may be reused afterwards */
}

/* Selects one digit. A local failure is reported in the next round. */
static bosc_status select_digit(struct selection *s)
{
    const int64_t counters = (int64_t)1 << (s->step.level + s->step.bits);
    if (s->local_status == BOSC_OK) BI_WITH_SCRATCH(s->ctx, s->local_status = count_digits(s, counters));
    BI_TRY(bi_comm_sum(s->ctx, s->tree->comm, s->local_status, s->sums, counters));
    choose_median_digits(s);
    s->local_status = compare_digits(s);
    return BOSC_OK;
}

/* ---- levels ---- */

static void open_level(struct selection *s)
{
    s->open_count = 0;
    for (int64_t segment = 0; segment < (int64_t)1 << s->step.level; segment++) {
        const struct bi_kdtree_range r = bi_ranks_kdtree_subtree_range(s->partition.nodes, s->step.level, segment);
        s->median_ranks[segment] = r.begin < r.end ? bi_kdtree_mid(r) - r.begin : -1;
        s->open_count += r.begin < r.end;
    }
}

/* Selects by all digits of a coordinate, or of the id, of `width` bits. */
static bosc_status select_by(struct selection *s, int32_t coordinate, int width)
{
    const int most = bits_per_round(s->step.level);
    s->step.coordinate = coordinate;
    for (int remaining = width; remaining > 0 && s->open_count > 0;) {
        s->step.bits = remaining < most ? remaining : most;
        remaining -= s->step.bits;
        s->step.shift = remaining;
        BI_TRY(select_digit(s));
    }
    return BOSC_OK;
}

static bosc_status select_level(struct selection *s, int level, int64_t total)
{
    const int32_t dim = s->tree->opts.dim;
    const int width = 8 * (int)bosc_dtype_size(s->tree->opts.dtype);
    s->step.level = level;
    open_level(s);
    for (int32_t t = 0; t < dim; t++) BI_TRY(select_by(s, (int32_t)(((int64_t)level + t) % dim), width));
    return select_by(s, dim, bi_bit_length((uint64_t)total));
}

static bosc_status allocate_memory(struct selection *s, uint32_t **parts)
{
    bosc_ctx *ctx = s->ctx;
    const int64_t counters = bi_ranks_kdtree_max_counters(s->partition.level),
                  segments = (int64_t)1 << s->partition.level;
    BI_TRY(bi_scratch_of(ctx, s->n, sizeof **parts, parts));
    BI_TRY(bi_scratch_of(ctx, counters + 1, sizeof *s->counters, &s->counters));
    BI_TRY(bi_scratch_of(ctx, segments, sizeof *s->median_digits, &s->median_digits));
    s->host_bytes = (size_t)(counters + segments) * sizeof *s->sums + (size_t)segments * sizeof *s->host_digits;
    s->sums = bi_host_alloc(ctx, s->host_bytes);
    if (!s->sums) return BOSC_ERR_NOMEM;
    s->median_ranks = s->sums + counters;
    s->host_digits = (uint32_t *)(s->median_ranks + segments);
    s->step.state = *parts;
    s->step.median_digits = s->median_digits;
    return s->n ? ctx->ops->dist->steps->kdtree_init_state(ctx, s->n, &s->step) : BOSC_OK;
}

static bosc_status select_levels(struct selection *s, int64_t total)
{
    BI_TRY(bi_comm_agree(s->ctx, s->tree->comm, s->local_status)); /* all ranks have memory for the sums */
    for (int level = 0; level < s->partition.level; level++) BI_TRY(select_level(s, level, total));
    if (s->local_status == BOSC_OK && s->n)
        s->local_status = s->ctx->ops->dist->steps->kdtree_write_parts(s->ctx, s->n, &s->step);
    return bi_comm_agree(s->ctx, s->tree->comm, s->local_status);
}

bosc_status bi_ranks_kdtree_select(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                   const struct bi_ranks_points *points, int64_t nodes, uint32_t **parts)
{
    struct selection s = {.ctx = ctx,
                          .tree = tree,
                          .n = points->rows.n,
                          .partition = bi_ranks_kdtree_make_partition(nodes, tree->comm->rank_count),
                          .local_status = local_status,
                          .step = {.rows = points->rows,
                                   .dtype = tree->opts.dtype,
                                   .dim = tree->opts.dim,
                                   .first = points->first,
                                   .ids = points->ids}};
    s.step.levels = s.partition.level;
    if (local_status == BOSC_OK) s.local_status = allocate_memory(&s, parts);
    bosc_status status = select_levels(&s, points->total);
    bi_memory_release(&ctx->host, s.sums, s.host_bytes);
    return status;
}
