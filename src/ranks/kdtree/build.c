/* The build of a k-d tree over ranks. 1. Duplicates are removed, if requested. 2. Every point finds its part of the
 * in-order array by selection of medians. 3. It moves to the part's rank and becomes a row of that rank's shard. */
#include <string.h>

#include "base/bits.h"
#include "base/clock.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

/* ---- removal of duplicates ----
 *
 * Equal points go to the rank of their hash, which answers each with the id of its representative. */

static bosc_status hash_points(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const struct bi_ranks_points *points,
                               uint32_t **bucket)
{
    BI_TRY(bi_scratch_of(ctx, points->rows.n, sizeof **bucket, bucket));
    const struct bi_ranks_kdtree_hash_owner hash = {points->rows, tree->opts.dtype, tree->opts.dim,
                                                    (uint32_t)tree->comm->rank_count, *bucket};
    return points->rows.n ? ctx->ops->ranks->steps->kdtree_hash_owner(ctx, points->rows.n, &hash) : BOSC_OK;
}

/* representative_ids[i] = the id of the first row equal to row i. Rows are in the order of their ids. */
static bosc_status find_representatives(bosc_ctx *ctx, bosc_kdtree *unique, const void *rows, const int64_t *ids,
                                        int64_t n, int64_t *representative_ids)
{
    bosc_kdtree_info info = {.size = sizeof info};
    uint32_t *inverse, *first_rows;
    BI_TRY(bosc_kdtree_build(ctx, unique, rows, n, 0));
    BI_TRY(bosc_kdtree_get_info(ctx, unique, &info));
    BI_TRY(bi_scratch_of(ctx, info.nodes, sizeof *first_rows, &first_rows));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *inverse, &inverse));
    BI_TRY(bosc_kdtree_get_nodes(ctx, unique, NULL, first_rows));
    BI_TRY(bosc_kdtree_get_duplicates(ctx, unique, inverse, NULL));
    const struct bi_ranks_kdtree_representative_ids step = {inverse, first_rows, ids, representative_ids};
    return ctx->ops->ranks->steps->kdtree_representative_ids(ctx, n, &step);
}

static bosc_status find_representatives_by_tree(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *rows,
                                                const int64_t *ids, int64_t n, int64_t *representative_ids)
{
    bosc_kdtree_opts opts = tree->opts;
    bosc_kdtree *unique;
    bosc_status status;
    if (n == 0) return BOSC_OK;
    opts.id_bits = 32;
    opts.assume_valid = 1;
    BI_TRY(bosc_kdtree_create(ctx, &opts, &unique));
    BI_WITH_SCRATCH(ctx, status = find_representatives(ctx, unique, rows, ids, n, representative_ids));
    BI_IF_OK(status, ctx->backend->sync(ctx)); /* before the tree is freed */
    bosc_kdtree_free(unique);
    return status;
}

/* Receives rows, and returns the id of each row's representative to its sender. */
static bosc_status answer_rows(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const struct bi_ranks_scatter *scatter,
                               const struct bi_ranks_points *points, const int64_t *ids, int64_t *answers)
{
    const int64_t received = scatter->x.received;
    const size_t size = bosc_dtype_size(tree->opts.dtype);
    const struct bi_kdtree_rows id_rows = {ids, points->rows.n, 1};
    void *rows = NULL;
    int64_t *received_ids = NULL, *representative_ids = NULL;
    bosc_status local_status = bi_scratch_of(ctx, received * tree->opts.dim, size, &rows);
    BI_IF_OK(local_status, bi_scratch_of(ctx, received, sizeof *received_ids, &received_ids));
    BI_IF_OK(local_status, bi_scratch_of(ctx, received, sizeof *representative_ids, &representative_ids));
    BI_TRY(bi_ranks_kdtree_scatter_rows(ctx, tree->comm, local_status, scatter, &points->rows, tree->opts.dim, size,
                                        rows));
    BI_TRY(bi_ranks_kdtree_scatter_rows(ctx, tree->comm, BOSC_OK, scatter, &id_rows, 1, sizeof *ids, received_ids));
    local_status = find_representatives_by_tree(ctx, tree, rows, received_ids, received, representative_ids);
    return bi_exchange_replies(ctx, tree->comm, local_status, &scatter->x, sizeof *representative_ids,
                               representative_ids, answers);
}

/* *ids = scratch: the ids of rows that ascend by one. */
static bosc_status number_rows(bosc_ctx *ctx, const struct bi_ranks_points *points, int64_t **ids)
{
    BI_TRY(bi_scratch_of(ctx, points->rows.n, sizeof **ids, ids));
    const struct bi_ranks_global_ids number = {points->first, *ids};
    return points->rows.n ? ctx->ops->ranks->steps->global_ids(ctx, points->rows.n, &number) : BOSC_OK;
}

/* Fills points->representative_ids; is_kept[i] = 1 for rows that represent themselves. */
static bosc_status mark_kept(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                             const struct bi_ranks_points *points, uint8_t *is_kept)
{
    struct bi_ranks_scatter scatter;
    uint32_t *bucket = NULL;
    int64_t *answers = NULL, *ids = NULL;
    BI_IF_OK(local_status, bi_scratch_of(ctx, points->rows.n, sizeof *answers, &answers));
    BI_IF_OK(local_status, number_rows(ctx, points, &ids));
    BI_IF_OK(local_status, hash_points(ctx, tree, points, &bucket));
    bosc_status status =
        bi_ranks_kdtree_begin_scatter(ctx, tree->comm, local_status, bucket, NULL, points->rows.n, &scatter);
    BI_IF_OK(status, answer_rows(ctx, tree, &scatter, points, ids, answers));
    /* Write the answers to their rows. */
    const struct bi_ranks_kdtree_mark_representatives mark = {answers, scatter.order, points->first,
                                                              points->representative_ids, is_kept};
    local_status = BOSC_OK;
    if (status == BOSC_OK && scatter.x.sent)
        local_status = ctx->ops->ranks->steps->kdtree_mark_representatives(ctx, scatter.x.sent, &mark);
    bi_exchange_end(ctx, &scatter.x);
    return status == BOSC_OK ? bi_comm_agree(ctx, tree->comm, local_status) : status;
}

/* Makes rows dense, of `dim` elements each. */
static bosc_status make_dense(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, struct bi_kdtree_rows *rows)
{
    const int64_t dim = tree->opts.dim;
    const size_t size = bosc_dtype_size(tree->opts.dtype);
    void *dense;
    if (rows->stride == dim) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, rows->n * dim, size, &dense));
    const struct bi_ranks_kdtree_rows gather = {rows->data, dense, NULL, dim, rows->stride, 0, size == 8};
    *rows = (struct bi_kdtree_rows){dense, rows->n, dim};
    return ctx->ops->ranks->steps->kdtree_gather(ctx, rows->n * dim, &gather);
}

static bosc_status compact_points(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const struct bi_ranks_points *points,
                                  const uint8_t *is_kept, struct bi_ranks_points *kept, void *data, int64_t *kept_ids)
{
    const struct bi_core_ops *core = ctx->backend->core;
    const size_t row = (size_t)tree->opts.dim * bosc_dtype_size(tree->opts.dtype);
    struct bi_kdtree_rows rows = points->rows;
    int64_t *ids, *count;
    if (rows.n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count, &count));
    BI_TRY(number_rows(ctx, points, &ids));
    BI_TRY(make_dense(ctx, tree, &rows));
    BI_TRY(core->compact(ctx, row, rows.data, is_kept, rows.n, data, count));
    BI_TRY(core->compact(ctx, sizeof *ids, ids, is_kept, rows.n, kept_ids, count));
    return bi_read_back(ctx, &kept->rows.n, count, sizeof *count);
}

static bosc_status pack_kept(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const uint8_t *is_kept,
                             struct bi_ranks_points *points)
{
    const int64_t n = points->rows.n, dim = tree->opts.dim;
    struct bi_ranks_points kept = *points;
    void *data;
    int64_t *ids;
    BI_TRY(bi_scratch_of(ctx, n * dim, bosc_dtype_size(tree->opts.dtype), &data));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *ids, &ids));
    BI_TRY_WITH_SCRATCH(ctx, compact_points(ctx, tree, points, is_kept, &kept, data, ids));
    kept.rows.data = data;
    kept.rows.stride = dim;
    kept.ids = ids;
    *points = kept;
    return BOSC_OK;
}

/* Replaces *points by the representatives, the rows of the smallest ids; allocates representative_ids. *nodes: number
 * of representatives on all ranks. */
static bosc_status remove_duplicates(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                     struct bi_ranks_points *points, int64_t *nodes)
{
    uint8_t *is_kept = NULL;
    BI_IF_OK(local_status, bi_scratch_of(ctx, points->rows.n, 1, &is_kept));
    BI_IF_OK(local_status,
             bi_scratch_of(ctx, points->rows.n, sizeof *points->representative_ids, &points->representative_ids));
    /* 1. Find the representatives of all rows. 2. Keep each row that represents itself. */
    BI_TRY_WITH_SCRATCH(ctx, mark_kept(ctx, tree, local_status, points, is_kept));
    local_status = pack_kept(ctx, tree, is_kept, points);
    return bi_comm_offset(ctx, tree->comm, local_status, points->rows.n, NULL, nodes);
}

/* ---- selection of the medians above the subtrees, level by level ----
 *
 * All segments of a level are refined at once, digit by digit of the superkey that begins at the level's coordinate,
 * then of the id. A round counts the next digit of the remaining candidates on all ranks, and picks the digit at which
 * the median lies; points with other digits are on one of its sides. Where one point is left, it is the median. Source:
 * Blum, Floyd, Pratt, Rivest, Tarjan, Time Bounds for Selection (1973), for the problem; radix selection as in Alabi et
 * al., Fast k-Selection Algorithms for Graphics Processing Units (2012). */

/* Counters of a round over all segments: half a megabyte, summed over the ranks, unless there are very many
 * segments. */
enum { MAX_COUNTERS = 1 << 16, MAX_BITS = 11, MIN_BITS = 4 }; /* fewer bits: more rounds */

struct selection {
    bosc_ctx *ctx;
    const bosc_ranks_kdtree *tree;
    struct bi_ranks_kdtree_digit step;
    int64_t n; /* this rank's points */
    struct bi_ranks_kdtree_partition partition;
    bosc_status local_status;
    int64_t *counters;       /* in reach: those of a round and one more */
    uint32_t *median_digits; /* in reach, by segment */
    int64_t *sums;           /* host: the counters of all ranks */
    uint32_t *host_digits;   /* host: the median digits */
    int64_t *median_ranks;   /* host: the median's rank among the candidates of each segment; -1 once found */
    int64_t open_count;      /* segments whose median is not yet found */
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

/* s->sums = this rank's candidates by segment and digit; other points have the last bin. */
static bosc_status count_digits(struct selection *s, int64_t counters)
{
    bosc_ctx *ctx = s->ctx;
    uint32_t *bad;
    memset(s->sums, 0, (size_t)counters * sizeof *s->sums);
    if (s->n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, s->n, sizeof *s->step.bins, &s->step.bins));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *bad, &bad));
    BI_TRY(ctx->backend->fill(ctx, bad, 0, sizeof *bad));
    BI_TRY(ctx->ops->ranks->steps->kdtree_digit_bins(ctx, s->n, &s->step));
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
    BI_TRY(ctx->ops->ranks->steps->kdtree_compare_digits(ctx, s->n, &s->step));
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

/* Sets the rank of the median in each segment; an empty segment has none. */
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
    return select_by(s, dim, bi_bit_length((uint64_t)total)); /* equal points differ by id */
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
    return s->n ? ctx->ops->ranks->steps->kdtree_init_state(ctx, s->n, &s->step) : BOSC_OK;
}

/* A failure of this rank alone is in s->local_status, which joins the next round. */
static bosc_status select_levels(struct selection *s, int64_t total)
{
    BI_TRY(bi_comm_agree(s->ctx, s->tree->comm, s->local_status)); /* all ranks have memory for the sums */
    for (int level = 0; level < s->partition.level; level++) BI_TRY(select_level(s, level, total));
    if (s->local_status == BOSC_OK && s->n)
        s->local_status = s->ctx->ops->ranks->steps->kdtree_write_parts(s->ctx, s->n, &s->step);
    return bi_comm_agree(s->ctx, s->tree->comm, s->local_status);
}

/* *parts = scratch: the part of each point in a tree of `nodes`. */
static bosc_status select_parts(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
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

/* ---- points to their shards ---- */

static bosc_status store_representatives(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const struct bi_ranks_points *points)
{
    const size_t bytes = (size_t)points->input_count * sizeof *points->representative_ids;
    BI_TRY(bi_block_reserve(ctx, &tree->memory, &tree->representative_ids, bytes));
    return bytes ? ctx->backend->copy(ctx, tree->representative_ids.data, points->representative_ids, bytes) : BOSC_OK;
}

/* Sends points, ids and parts to their ranks, and builds the shards. */
static bosc_status scatter_points(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const struct bi_ranks_points *points,
                                  const uint32_t *parts, int64_t nodes, const struct bi_ranks_scatter *scatter)
{
    const int64_t dim = tree->opts.dim, received = scatter->x.received;
    const size_t size = bosc_dtype_size(tree->opts.dtype);
    const struct bi_kdtree_rows part_rows = {parts, points->rows.n, 1};
    struct bi_kdtree_rows id_rows = {points->ids, points->rows.n, 1};
    void *rows = NULL;
    int64_t *ids = NULL;
    bosc_status local_status = bi_scratch_of(ctx, received * dim, size, &rows);
    BI_TRY(bi_ranks_kdtree_scatter_rows(ctx, tree->comm, local_status, scatter, &points->rows, dim, size, rows));
    local_status = bi_ranks_kdtree_reserve_shard(ctx, tree, received);
    if (local_status == BOSC_OK && points->representative_ids) local_status = store_representatives(ctx, tree, points);
    if (local_status == BOSC_OK && !points->ids) {
        local_status = number_rows(ctx, points, &ids);
        id_rows.data = ids;
    }
    BI_TRY(
        bi_ranks_kdtree_scatter_rows(ctx, tree->comm, local_status, scatter, &id_rows, 1, sizeof *ids, tree->ids.data));
    BI_TRY(bi_ranks_kdtree_scatter_rows(ctx, tree->comm, BOSC_OK, scatter, &part_rows, 1, sizeof *parts,
                                        tree->parts.data));
    return bi_ranks_kdtree_build_shard(ctx, tree, BOSC_OK, rows, points, nodes);
}

/* *bucket = the rank of each point. */
static bosc_status find_owners(bosc_ctx *ctx, const struct bi_ranks_kdtree_partition *partition, const uint32_t *parts,
                               int64_t n, uint32_t *host, uint32_t **bucket)
{
    const int64_t subtrees = (int64_t)1 << partition->level;
    uint32_t *rank_of;
    for (int64_t r = 0, j = 0; r < partition->rank_count; r++)
        while (j < bi_ranks_kdtree_first_subtree(partition, r + 1)) host[j++] = (uint32_t)r;
    BI_TRY(bi_scratch_of(ctx, n, sizeof **bucket, bucket));
    BI_TRY(bi_scratch_of(ctx, subtrees, sizeof *rank_of, &rank_of));
    BI_TRY(ctx->backend->copy(ctx, rank_of, host, (size_t)subtrees * sizeof *rank_of));
    const struct bi_ranks_kdtree_part_owner owner = {parts, rank_of, *bucket};
    if (n) BI_TRY(ctx->ops->ranks->steps->kdtree_part_owner(ctx, n, &owner));
    return ctx->backend->sync(ctx); /* `host` may be freed afterwards */
}

/* Begins the scatter of points to the ranks of their parts. */
static bosc_status begin_point_scatter(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, int64_t n, int64_t nodes,
                                       const uint32_t *parts, struct bi_ranks_scatter *scatter)
{
    const struct bi_ranks_kdtree_partition partition = bi_ranks_kdtree_make_partition(nodes, tree->comm->rank_count);
    const size_t bytes = sizeof(uint32_t) << partition.level;
    uint32_t *host = bi_host_alloc(ctx, bytes), *bucket = NULL;
    bosc_status local_status = host ? find_owners(ctx, &partition, parts, n, host, &bucket) : BOSC_ERR_NOMEM;
    bi_memory_release(&ctx->host, host, bytes);
    return bi_ranks_kdtree_begin_scatter(ctx, tree->comm, local_status, bucket, NULL, n, scatter);
}

/* ---- the call ---- */

bosc_status bi_ranks_kdtree_build_distinct(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                           const struct bi_ranks_points *points, int64_t nodes)
{
    uint32_t *parts = NULL;
    struct bi_ranks_scatter scatter;
    BI_TRY(select_parts(ctx, tree, local_status, points, nodes, &parts));
    bosc_status status = begin_point_scatter(ctx, tree, points->rows.n, nodes, parts, &scatter);
    BI_IF_OK(status, scatter_points(ctx, tree, points, parts, nodes, &scatter));
    bi_exchange_end(ctx, &scatter.x);
    return status;
}

static bosc_status build_tree(bosc_ctx *ctx, bosc_ranks_kdtree *tree, struct bi_ranks_points *points,
                              bosc_status local_status)
{
    int64_t nodes = points->total;
    if (tree->side) return bi_ranks_kdtree_build_published(ctx, tree, local_status, points);
    if (tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE) {
        BI_TRY(remove_duplicates(ctx, tree, local_status, points, &nodes));
        local_status = BOSC_OK;
    }
    return bi_ranks_kdtree_build_distinct(ctx, tree, local_status, points, nodes);
}

static bosc_status build_staged(bosc_ctx *ctx, bosc_ranks_kdtree *tree, struct bi_ranks_points *points,
                                bosc_status local_status)
{
    const int64_t n = local_status == BOSC_OK ? points->rows.n : 0;
    BI_TRY(bi_comm_offset(ctx, tree->comm, local_status, n, &points->first, &points->total));
    if (tree->opts.id_bits == 32 && points->total >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld points of all ranks; ids of 32 bits name less than 2^32 - 1",
                       (long long)points->total);
    points->input_count = n;
    local_status = bi_ranks_kdtree_stage(ctx, tree, "points", points->first, &points->rows);
    return build_tree(ctx, tree, points, local_status);
}

static bosc_status check_build(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *points, int64_t n,
                               int64_t stride, struct bi_kdtree_rows *rows)
{
    BI_TRY(bi_ranks_kdtree_check(ctx, tree));
    BI_TRY(bi_kdtree_check_size(ctx, n));
    return bi_kdtree_check_rows(ctx, tree->shard, "points", points, "n", n, stride, rows);
}

bosc_status bosc_ranks_kdtree_build(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const void *points, int64_t n,
                                    int64_t stride)
{
    struct bi_ranks_points input = {.since = bi_now()};
    BI_ENTER(ctx);
    if (!tree) return bi_ranks_kdtree_check(ctx, tree);
    bosc_status local_status = check_build(ctx, tree, points, n, stride, &input.rows);
    bi_progress_set_total(ctx, 80 * (double)input.rows.n);
    BI_RETURN_WITH_SCRATCH(ctx, build_staged(ctx, tree, &input, local_status));
}
