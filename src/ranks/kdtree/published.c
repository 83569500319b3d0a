/* The published build on two devices (Robinson, KdTreeGPU), and its extension to 2^d of them. Each rank sorts its
 * points by superkey 0. A binary search over two sorted runs finds the pivot, the median of both. Points on the wrong
 * side of it are exchanged, and each rank merges its two sorted runs. Two ranks are then sorted; a group of 2^d is
 * sorted by these steps of two ranks in the order of a sorting network. Duplicates are removed from the sorted points.
 * Each half of the group then owns a side of the root, and is the group of the next level, which sorts by the next
 * superkey. A rank alone builds its subtree without communication. The last rank of the lower half has the root too.
 * With full_coordinates each rank has the points of all ranks by id, and ranks exchange ids only.
 * Source of the network: Batcher, Sorting Networks and Their Applications (1968), odd-even merge sort, whose
 * comparators keep the least tuples on the lower rank.
 *
 * A group's tuples are in the order of (superkey, id) at the end of each level. So equal points ascend by id, which
 * stable sorts by the next superkey keep, and the list of the last superkey of a rank's subtree is 0, 1, 2, ... */
#include <string.h>

#include "base/clock.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

/* Points and their ids, in scratch of `capacity` tuples. */
struct tuples {
    void *rows;
    int64_t *ids;
};

struct published_build {
    bosc_ctx *ctx;
    bosc_ranks_kdtree *tree;
    bosc_comm *comm;
    const struct bi_ranks_steps *steps;
    int64_t dim;
    size_t size, row, entry; /* bytes of an element, of a point, and of a point with its id */
    int32_t group, level;    /* ranks of each group at the current level of the tree */
    int32_t superkey;        /* of the level */
    int64_t total, n, nodes; /* points of all ranks, and of this one; nodes of the tree: `total` at first */
    int64_t first_run;       /* tuples received from the lower rank of the last step */
    int64_t capacity;
    struct tuples held, other; /* each step reads one and fills the other */
    void *all_rows;            /* full_coordinates: scratch, (total x dim): all points by id; else NULL */
    struct tuples root;        /* of 1 tuple: the node above this rank's subtree, where its group was more than two */
    bool has_root;             /* this rank has such a node; while it is in `root` it does not count in n */
    uint32_t *order, *spare;   /* scratch (capacity) */
    /* Host: tuples of each rank; tuples to send to each; positions, in the order of all ranks, at which the tuples of
     * each begin, before and after an exchange (ranks + 1). */
    int64_t *counts, *sent, *begins, *targets;
    char *row_buffer; /* host: an entry of this rank, then one of each rank */
    size_t host_bytes;
    double since;
};

/* Adds the time since the last stage to *stage. */
static void end_stage(struct published_build *h, bosc_status *local_status, double *stage)
{
    BI_IF_OK(*local_status, bi_kdtree_end_stage(h->ctx, &h->since, stage));
}

static int32_t ranks_of(const struct published_build *h) { return h->comm->rank_count; }

static int32_t first_rank(const struct published_build *h, int32_t rank) { return rank - rank % h->group; }

static void swap_tuples(struct published_build *h)
{
    const struct tuples held = h->held;
    h->held = h->other;
    h->other = held;
}

static struct bi_kdtree_rows held_rows(const struct published_build *h)
{
    return (struct bi_kdtree_rows){h->held.rows, h->n, h->dim};
}

/* Replaces the tuples by the n that `order` lists. */
static bosc_status gather_tuples(struct published_build *h, const uint32_t *order, int64_t n)
{
    const struct bi_ranks_kdtree_rows rows = {h->held.rows, h->other.rows, order, h->dim, h->dim, 0, h->size == 8},
                                      ids = {h->held.ids, h->other.ids, order, 1, 1, 0, true};
    h->n = n;
    if (n) BI_TRY(h->steps->kdtree_gather(h->ctx, n * h->dim, &rows));
    if (n) BI_TRY(h->steps->kdtree_gather(h->ctx, n, &ids));
    swap_tuples(h);
    return BOSC_OK;
}

static bosc_status allocate_tuples(struct published_build *h, struct tuples *t, int64_t capacity)
{
    BI_TRY(bi_scratch_of(h->ctx, capacity * h->dim, h->size, &t->rows));
    return bi_scratch_of(h->ctx, capacity, sizeof *t->ids, &t->ids);
}

/* A rank's share of its group's points, and the root. */
static bosc_status allocate_arrays(struct published_build *h, const struct bi_ranks_points *points)
{
    const int64_t share = (h->total + ranks_of(h) - 1) / ranks_of(h) + 1;
    h->n = points->rows.n;
    h->capacity = share > h->n ? share : h->n;
    BI_TRY(allocate_tuples(h, &h->held, h->capacity));
    BI_TRY(allocate_tuples(h, &h->other, h->capacity));
    if (ranks_of(h) > 2) BI_TRY(allocate_tuples(h, &h->root, 1));
    if (h->tree->opts.full_coordinates) BI_TRY(bi_scratch_of(h->ctx, h->total * h->dim, h->size, &h->all_rows));
    BI_TRY(bi_scratch_of(h->ctx, h->capacity, sizeof *h->order, &h->order));
    return bi_scratch_of(h->ctx, h->capacity, sizeof *h->spare, &h->spare);
}

/* ---- moves between ranks ---- */

/* Copies this rank's slice to h->all_rows, and replicates the slices. h->counts: points of each rank. */
static bosc_status gather_slices(struct published_build *h, const struct bi_ranks_points *points)
{
    const int32_t ranks = ranks_of(h), rank = h->comm->rank;
    const struct bi_kdtree_rows *from = &points->rows;
    char *all = h->all_rows;
    /* 1. This rank's slice. */
    for (int32_t r = 0; r < ranks; r++) h->begins[r + 1] = h->begins[r] + h->counts[r];
    char *own = all + (size_t)h->begins[rank] * h->row;
    const struct bi_ranks_kdtree_rows rows = {from->data, own, NULL, h->dim, from->stride, 0, h->size == 8};
    bosc_status local_status = from->n ? h->steps->kdtree_gather(h->ctx, from->n * h->dim, &rows) : BOSC_OK;
    /* 2. The slices of all ranks. */
    return bi_comm_all_gather_blocks(h->ctx, h->comm, local_status, h->begins, h->row, all);
}

/* Reads the coordinates of n received ids from those of all points. */
static bosc_status read_coordinates(struct published_build *h, int64_t n)
{
    const struct bi_ranks_resize_ids narrow = {h->other.ids, h->spare, false};
    const struct bi_ranks_kdtree_rows rows = {h->all_rows, h->other.rows, h->spare, h->dim, h->dim, 0, h->size == 8};
    if (n == 0) return BOSC_OK;
    BI_TRY(h->steps->resize_ids(h->ctx, n, &narrow));
    return h->steps->kdtree_gather(h->ctx, n * h->dim, &rows);
}

/* Sends h->sent[r] tuples to each rank r, in order, and receives n: from lower ranks first. */
static bosc_status exchange_tuples(struct published_build *h, bosc_status local_status, struct bi_exchange *x)
{
    BI_TRY(bi_exchange_begin(h->ctx, h->comm, local_status, h->sent, x));
    BI_TRY(bi_exchange_items(h->ctx, h->comm, BOSC_OK, x, sizeof *h->held.ids, h->held.ids, h->other.ids));
    if (h->all_rows) return bi_comm_agree(h->ctx, h->comm, read_coordinates(h, x->received));
    return bi_exchange_items(h->ctx, h->comm, BOSC_OK, x, h->row, h->held.rows, h->other.rows);
}

/* Positions at which the tuples of each rank begin after the sort of a level: the root's lower side in equal shares,
 * the root, which the last rank of the lower half has too, and the upper side in equal shares. */
static void share_sides(const struct published_build *h, int32_t first, int64_t begin, int64_t n)
{
    const int64_t half = h->group / 2, lower = n / 2, upper = n ? n - lower - 1 : 0;
    for (int32_t i = 0; i < half; i++) {
        h->targets[first + i] = begin + lower * i / half;
        h->targets[first + half + i] = begin + (n - upper) + upper * i / half;
    }
}

/* Moves tuples, in order, so that each rank has equal shares of its group's: of the sides of the root, or of all if
 * `is_input`. Nothing is exchanged if no rank's share differs. */
static bosc_status share_tuples(struct published_build *h, bosc_status *local_status, bool is_input)
{
    const int32_t ranks = ranks_of(h), rank = h->comm->rank;
    struct bi_exchange x;
    /* 1. Where tuples are, and where they belong. */
    h->begins[0] = 0;
    for (int32_t r = 0; r < ranks; r++) h->begins[r + 1] = h->begins[r] + h->counts[r];
    h->targets[ranks] = h->begins[ranks];
    for (int32_t r = 0; r < ranks; r += h->group) {
        const int64_t n = h->begins[r + h->group] - h->begins[r];
        if (!is_input) share_sides(h, r, h->begins[r], n);
        for (int32_t i = 0; is_input && i < h->group; i++) h->targets[r + i] = h->begins[r] + n * i / h->group;
    }
    if (memcmp(h->begins, h->targets, (size_t)(ranks + 1) * sizeof *h->begins) == 0) return BOSC_OK;
    /* 2. The overlaps of these ranges with this rank's. */
    for (int32_t r = 0; r < ranks; r++) {
        const int64_t begin = h->targets[r] > h->begins[rank] ? h->targets[r] : h->begins[rank];
        const int64_t end = h->targets[r + 1] < h->begins[rank + 1] ? h->targets[r + 1] : h->begins[rank + 1];
        h->sent[r] = end > begin ? end - begin : 0;
        h->counts[r] = h->targets[r + 1] - h->targets[r];
    }
    /* 3. The exchange. */
    const bosc_status status = exchange_tuples(h, *local_status, &x);
    if (status == BOSC_OK) {
        h->n = x.received;
        swap_tuples(h);
    }
    bi_exchange_end(h->ctx, &x);
    return status;
}

/* ---- sort ---- */

/* Copies this rank's slice to the tuples: sorted by superkey 0 if `is_sorted`, else in the order of its rows. */
static bosc_status load_slice(struct published_build *h, const struct bi_ranks_points *points, bool is_sorted)
{
    const struct bi_kdtree_rows *from = &points->rows;
    if (from->n == 0) return BOSC_OK;
    if (is_sorted)
        BI_TRY_WITH_SCRATCH(h->ctx,
                            h->ctx->backend->core->sort_superkey(h->ctx, h->tree->opts.dtype, from->data, from->n,
                                                                 (int32_t)h->dim, from->stride, 0, h->order, NULL));
    else
        BI_TRY(h->ctx->backend->core->iota(h->ctx, 4, h->order, from->n));
    const struct bi_ranks_kdtree_rows rows = {from->data, h->held.rows, h->order, h->dim, from->stride,
                                              0,          h->size == 8};
    const struct bi_ranks_offset_ids number = {h->order, points->first, h->held.ids};
    BI_TRY(h->steps->kdtree_gather(h->ctx, from->n * h->dim, &rows));
    return h->steps->offset_ids(h->ctx, from->n, &number);
}

/* Sorts the tuples by the level's superkey; equal points keep their order. */
static bosc_status sort_tuples(struct published_build *h)
{
    if (h->n == 0) return BOSC_OK;
    BI_TRY_WITH_SCRATCH(h->ctx,
                        h->ctx->backend->core->sort_superkey(h->ctx, h->tree->opts.dtype, h->held.rows, h->n,
                                                             (int32_t)h->dim, h->dim, h->superkey, h->order, NULL));
    return gather_tuples(h, h->order, h->n);
}

/* ---- pivot and swap ---- */

/* Reads held tuple i, if there is one, to the host. */
static bosc_status read_tuple(struct published_build *h, int64_t i)
{
    if (i < 0 || i >= h->n) return BOSC_OK;
    BI_TRY(bi_read_back(h->ctx, h->row_buffer, (const char *)h->held.rows + (size_t)i * h->row, h->row));
    if (h->group == 2) return BOSC_OK; /* ties go to the lower rank, which has the lower ids */
    return bi_read_back(h->ctx, h->row_buffer + h->row, h->held.ids + i, sizeof *h->held.ids);
}

/* Gathers held tuple i of each rank in the entries 1 to `ranks` of row_buffer. A local failure does not end the
 * search, since the other ranks continue. */
static bosc_status gather_entries(struct published_build *h, bosc_status *local_status, int64_t i)
{
    BI_IF_OK(*local_status, read_tuple(h, i));
    return bi_comm_all_gather(h->ctx, h->comm, h->row_buffer, h->entry, h->row_buffer + h->entry);
}

/* Compares entries a and b of row_buffer by the level's superkey. */
static int compare_entries(const struct published_build *h, int64_t a, int64_t b)
{
    const struct bi_kdtree_rows all = {h->row_buffer, 1 + ranks_of(h), (int64_t)(h->entry / h->size)};
    return bi_kdtree_compare_rows(&all, h->tree->opts.dtype, (int32_t)h->dim, a, b, h->superkey);
}

static int64_t id_of_entry(const struct published_build *h, int64_t i)
{
    int64_t id;
    memcpy(&id, h->row_buffer + (size_t)i * h->entry + h->row, sizeof id);
    return id;
}

/* True if the tuple of rank b precedes that of the lower rank a. */
static bool higher_precedes(const struct published_build *h, int32_t a, int32_t b)
{
    const int order = compare_entries(h, 1 + b, 1 + a);
    return order ? order < 0 : h->group > 2 && id_of_entry(h, 1 + b) < id_of_entry(h, 1 + a);
}

/* A step of the network: comparators of ranks `distance` apart, in blocks of 2 `run` ranks. */
struct network_step {
    int32_t run, distance;
};

/* Returns the rank that `rank` is compared with; -1: none. */
static int32_t partner_of(const struct published_build *h, struct network_step s, int32_t rank)
{
    const int32_t r = rank % h->group, shift = s.distance % s.run;
    for (int32_t low = r; low >= 0 && low >= r - s.distance; low -= s.distance) {
        const int32_t high = low + s.distance;
        if (low < shift || (low - shift) / s.distance % 2 || high >= h->group) continue;
        if (low / (2 * s.run) == high / (2 * s.run)) return first_rank(h, rank) + (low == r ? high : low);
    }
    return -1;
}

/* Returns the number of tuples that the lower rank of a comparator has afterwards: of two ranks the lower side and the
 * root, else as many as any rank has. */
static int64_t lower_count(const struct published_build *h, int32_t low, int32_t high)
{
    const int64_t both = h->counts[low] + h->counts[high];
    int64_t most = h->group == 2 ? both / 2 + 1 : 0;
    for (int32_t r = first_rank(h, low); h->group > 2 && r < first_rank(h, low) + h->group; r++)
        if (h->counts[r] > most) most = h->counts[r];
    return both < most ? both : most;
}

/* The binary search of a comparator on a diagonal of the two ranks' merge matrix; each has one side. */
struct pivot_search {
    int32_t low, high; /* ranks */
    int64_t diagonal;  /* tuples of the lower part; `begin` to `end` of them may be the lower rank's */
    int64_t begin, end;
};

static struct pivot_search begin_search(const struct published_build *h, struct network_step s, int32_t rank)
{
    const int32_t partner = partner_of(h, s, rank);
    if (partner < 0) return (struct pivot_search){.low = -1};
    struct pivot_search p = {rank < partner ? rank : partner, rank < partner ? partner : rank, 0, 0, 0};
    const int64_t na = h->counts[p.low], nb = h->counts[p.high];
    p.diagonal = lower_count(h, p.low, p.high);
    p.begin = p.diagonal > nb ? p.diagonal - nb : 0;
    p.end = p.diagonal < na ? p.diagonal : na;
    return p;
}

/* Searches the pivots of all comparators of a step at once, so that all ranks take part in as many exchanges.
 * p->begin: tuples of the lower rank up to the pivot. */
static bosc_status find_pivot(struct published_build *h, bosc_status *local_status, struct network_step s,
                              struct pivot_search *p)
{
    int64_t widest = 0;
    *p = begin_search(h, s, h->comm->rank);
    for (int32_t r = 0; r < ranks_of(h); r++) {
        const struct pivot_search other = begin_search(h, s, r);
        if (other.low >= 0 && other.end - other.begin > widest) widest = other.end - other.begin;
    }
    for (; widest > 0; widest /= 2) {
        const bool is_open = p->low >= 0 && p->begin < p->end;
        const int64_t a = p->begin + (p->end - p->begin) / 2, b = p->diagonal - 1 - a;
        BI_TRY(gather_entries(h, local_status, !is_open ? -1 : h->comm->rank == p->low ? a : b));
        if (!is_open) continue;
        if (higher_precedes(h, p->low, p->high))
            p->end = a;
        else
            p->begin = a + 1;
    }
    return BOSC_OK;
}

/* Exchanges tuples across the pivot of each comparator. */
static bosc_status swap_at_pivot(struct published_build *h, bosc_status local_status, struct network_step s)
{
    struct pivot_search p;
    struct bi_exchange x;
    /* 1. The pivot. Ranks without a partner keep their tuples. */
    BI_TRY(find_pivot(h, &local_status, s, &p));
    memset(h->sent, 0, (size_t)ranks_of(h) * sizeof *h->sent);
    if (p.low >= 0) {
        h->sent[p.low] = h->comm->rank == p.low ? p.begin : p.diagonal - p.begin;
        h->sent[p.high] = h->n - h->sent[p.low];
    }
    /* 2. The exchange. */
    const bosc_status status = exchange_tuples(h, local_status, &x);
    if (status == BOSC_OK && p.low >= 0) {
        h->n = x.received;
        h->first_run = x.received_offsets[p.high];
        swap_tuples(h);
    } else {
        h->first_run = h->n;
    }
    bi_exchange_end(h->ctx, &x);
    /* 3. The numbers of tuples of all ranks. The lower rank of a comparator then has as many as any rank had, or all of
     * both. So the greatest number of a group, which lower_count reads, stays as it was while they change. */
    for (int32_t r = 0; r < ranks_of(h); r++) {
        const struct pivot_search other = begin_search(h, s, r);
        if (other.low != r) continue;
        h->counts[other.high] += h->counts[r] - other.diagonal;
        h->counts[r] = other.diagonal;
    }
    return status;
}

/* ---- merge ---- */

/* Merges the runs received from both ranks. */
static bosc_status merge_runs(struct published_build *h)
{
    const struct bi_ranks_kdtree_merge_path merge = {held_rows(h),
                                                     h->tree->opts.dtype,
                                                     (int32_t)h->dim,
                                                     h->superkey,
                                                     h->group > 2 ? h->held.ids : NULL,
                                                     h->first_run,
                                                     h->order};
    if (h->first_run == h->n) return BOSC_OK;
    BI_TRY(h->steps->kdtree_merge_path(h->ctx, (h->n + BI_RANKS_MERGED - 1) / BI_RANKS_MERGED, &merge));
    return gather_tuples(h, h->order, h->n);
}

/* Sorts the tuples of each group, whose ranks have sorted theirs. */
static bosc_status merge_ranks(struct published_build *h, bosc_status *local_status, bosc_ranks_kdtree_times *t)
{
    for (int32_t run = 1; run < h->group; run *= 2)
        for (int32_t distance = run; distance > 0; distance /= 2) {
            BI_TRY(swap_at_pivot(h, *local_status, (struct network_step){run, distance}));
            *local_status = BOSC_OK;
            end_stage(h, local_status, &t->pivot);
            BI_IF_OK(*local_status, merge_runs(h));
            end_stage(h, local_status, &t->merge);
        }
    return BOSC_OK;
}

/* ---- duplicates ---- */

/* Keeps the first of equal held tuples. *count: number kept; h->order: their rows. */
static bosc_status compact_tuples(struct published_build *h, int64_t *count)
{
    int64_t found[2] = {INT64_MAX, 0}, *results;
    *count = 0;
    if (h->n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(h->ctx, 2, sizeof *results, &results));
    BI_TRY(h->ctx->backend->copy(h->ctx, results, found, sizeof found));
    BI_TRY(h->ctx->backend->core->iota(h->ctx, 4, h->order, h->n));
    struct bi_kdtree_removal removal = {.rows = held_rows(h),
                                        .dtype = h->tree->opts.dtype,
                                        .dim = (int32_t)h->dim,
                                        .n = h->n,
                                        .from = h->order,
                                        .to = h->order,
                                        .spare = h->spare,
                                        .count = results + 1,
                                        .bad = results};
    BI_TRY(h->ctx->ops->kdtree->remove_duplicates(h->ctx, &removal));
    BI_TRY(bi_read_back(h->ctx, found, results, sizeof found));
    *count = found[1];
    if (found[0] == INT64_MAX) return BOSC_OK;
    return bi_fail(h->ctx, BOSC_ERR_INTERNAL, "merge: unsorted at %lld", (long long)found[0]); /* unreachable */
}

/* Removes duplicates on each rank and across ranks: the last tuple of the rank below precedes the first one. */
static bosc_status remove_duplicates(struct published_build *h, bosc_status local_status)
{
    const int32_t rank = h->comm->rank;
    int64_t count = 0, skipped = 0;
    /* 1. Each rank alone. */
    if (local_status == BOSC_OK) BI_WITH_SCRATCH(h->ctx, local_status = compact_tuples(h, &count));
    /* 2. The last tuples of all ranks, then this rank's first one. No rank below one with tuples is empty. */
    BI_TRY(gather_entries(h, &local_status, h->n - 1));
    BI_IF_OK(local_status, read_tuple(h, 0));
    if (rank > 0 && count > 0 && compare_entries(h, 0, rank) == 0) skipped = 1;
    BI_IF_OK(local_status, gather_tuples(h, h->order + skipped, count - skipped));
    /* 3. The numbers of the remaining ones. */
    BI_TRY(bi_comm_agree(h->ctx, h->comm, local_status));
    BI_TRY(bi_comm_all_gather(h->ctx, h->comm, &h->n, sizeof h->n, h->counts));
    h->nodes = 0;
    for (int32_t r = 0; r < ranks_of(h); r++) h->nodes += h->counts[r];
    return BOSC_OK;
}

/* ---- levels ---- */

/* Copies the tuple to[i] = from[k]. */
static bosc_status copy_tuple(struct published_build *h, struct tuples to, int64_t i, struct tuples from, int64_t k)
{
    BI_TRY(h->ctx->backend->copy(h->ctx, (char *)to.rows + (size_t)i * h->row,
                                 (const char *)from.rows + (size_t)k * h->row, h->row));
    return h->ctx->backend->copy(h->ctx, to.ids + i, from.ids + k, sizeof *to.ids);
}

/* The last tuple of each lower half is the root of its group. While further levels follow it is set aside. The counts
 * of all ranks change alike, also on a rank that has failed. */
static bosc_status set_root_aside(struct published_build *h, bosc_status local_status)
{
    for (int32_t r = h->group / 2 - 1; r < ranks_of(h); r += h->group) {
        const bool is_aside = h->group > 2, exists = h->counts[r] > 0;
        if (!exists) continue;
        if (r == h->comm->rank) {
            h->has_root = true;
            h->n -= is_aside;
            if (is_aside) BI_IF_OK(local_status, copy_tuple(h, h->root, 0, h->held, h->n));
        }
        h->counts[r] -= is_aside;
    }
    return local_status;
}

/* Sorts the points of each group, and gives its halves the sides of the root. */
static bosc_status split_groups(struct published_build *h, bosc_status *local_status, bosc_ranks_kdtree_times *t)
{
    BI_TRY(merge_ranks(h, local_status, t));
    if (h->level == 0 && h->tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE) {
        BI_TRY(remove_duplicates(h, *local_status));
        *local_status = BOSC_OK;
    }
    if (h->level == 0) end_stage(h, local_status, &t->deduplicate);
    BI_TRY(share_tuples(h, local_status, false));
    *local_status = set_root_aside(h, *local_status);
    end_stage(h, local_status, &t->pivot);
    return BOSC_OK;
}

/* Splits the points until each rank has a subtree: those of level log2 P. */
static bosc_status split_levels(struct published_build *h, bosc_status *local_status, bosc_ranks_kdtree_times *t)
{
    for (h->group = ranks_of(h); h->group > 1; h->group /= 2) {
        h->superkey = (int32_t)(h->level % h->dim);
        if (h->level > 0) BI_IF_OK(*local_status, sort_tuples(h));
        end_stage(h, local_status, &t->sort);
        BI_TRY(split_groups(h, local_status, t));
        h->level++;
    }
    return BOSC_OK;
}

/* ---- build ---- */

/* Builds the subtree of this rank's points, with coordinates rotated to begin with the one that splits its root. */
static bosc_status build_side(struct published_build *h)
{
    const int64_t n = h->n - h->has_root, rotate = h->level % h->dim;
    void *rotated;
    BI_TRY(bi_scratch_of(h->ctx, n * h->dim, h->size, &rotated));
    const struct bi_ranks_kdtree_rows gather = {h->held.rows, rotated, NULL, h->dim, h->dim, rotate, h->size == 8};
    if (n) BI_TRY(h->steps->kdtree_gather(h->ctx, n * h->dim, &gather));
    BI_TRY(bi_kdtree_build_side(h->ctx, h->tree->side, rotated, n));
    return h->ctx->backend->sync(h->ctx);
}

/* The side's own sorts count as sorts, the remainder of the time as build. */
static void add_side_times(struct published_build *h, bosc_ranks_kdtree_times *t)
{
    const bosc_kdtree_times *side = &h->tree->side->times;
    const double all = bi_now() - h->since;
    h->since += all;
    t->sort += side->sort;
    t->build += all - side->sort;
}

/* ---- the shard ---- */

/* The node above the subtree is the last tuple; one that was set aside returns there. */
static bosc_status restore_root(struct published_build *h)
{
    const bool is_last = h->comm->rank % 2 == 0; /* the last level split it off */
    return h->has_root && !is_last ? copy_tuple(h, h->held, h->n++, h->root, 0) : BOSC_OK;
}

static bosc_status build_root(struct published_build *h)
{
    if (!h->has_root) return BOSC_OK;
    return bosc_kdtree_build(h->ctx, h->tree->root, (const char *)h->held.rows + (size_t)(h->n - 1) * h->row, 1, 0);
}

/* Returns the heap index of the cut that part 2 * rank + 1 is (steps/kdtree_build.h). */
static int64_t cut_above(int levels, int32_t rank)
{
    int below = 0;
    while (!((rank + 1) >> below & 1)) below++;
    const int level = levels - 1 - below;
    return ((int64_t)1 << level) + ((rank + 1) >> below >> 1);
}

/* Writes the words of the node above this rank's subtree. */
static bosc_status write_root_words(struct published_build *h, int64_t *words)
{
    const char *row = (const char *)h->held.rows + (size_t)(h->n - 1) * h->row;
    BI_TRY(bi_read_back(h->ctx, words + h->dim, h->held.ids + h->n - 1, sizeof *words));
    BI_TRY(bi_read_back(h->ctx, h->row_buffer, row, h->row));
    for (int32_t c = 0; c < h->dim; c++) words[c] = (int64_t)bi_kdtree_key(h->row_buffer, c, h->tree->opts.dtype);
    return BOSC_OK;
}

/* *cuts = scratch: the nodes above the subtrees. All ranks call it; the last exchange before the shards are built. */
static bosc_status gather_cuts(struct published_build *h, bosc_status local_status,
                               const struct bi_ranks_kdtree_partition *partition, uint64_t **cuts)
{
    const size_t bytes = bi_ranks_kdtree_cut_bytes(&h->tree->opts, partition);
    int64_t *words = local_status == BOSC_OK ? bi_host_alloc(h->ctx, bytes) : NULL;
    if (local_status == BOSC_OK && !words) local_status = BOSC_ERR_NOMEM;
    if (words) memset(words, 0, bytes);
    BI_IF_OK(local_status, bi_scratch(h->ctx, bytes, (void **)cuts));
    if (h->has_root)
        BI_IF_OK(local_status, write_root_words(h, words + cut_above(partition->level, h->comm->rank) * (h->dim + 1)));
    bosc_status status = bi_comm_sum(h->ctx, h->comm, local_status, words, (int64_t)(bytes / sizeof *words));
    if (status == BOSC_OK) {
        local_status = h->ctx->backend->copy(h->ctx, *cuts, words, bytes);
        BI_IF_OK(local_status, h->ctx->backend->sync(h->ctx)); /* before `words` is freed */
        status = bi_comm_agree(h->ctx, h->comm, local_status);
    }
    bi_memory_release(&h->ctx->host, words, bytes);
    return status;
}

/* Orders tuples and ids by id, stores the cuts, and translates the ids of the side's nodes. */
static bosc_status order_by_id(struct published_build *h, const struct bi_ranks_kdtree_partition *partition,
                               const uint64_t *cuts)
{
    bosc_ctx *ctx = h->ctx;
    const bool has_root = h->has_root;
    const bosc_kdtree_view view = ctx->ops->kdtree->view(h->tree->side);
    struct bi_ranks_kdtree_side side = {.by_id = h->order,
                                        .n = h->n,
                                        .has_root = has_root,
                                        .position_of = h->spare,
                                        .ids = (uint32_t *)(uintptr_t)view.ids,
                                        .id_stride = view.id_stride};
    if (h->n == 0) return bi_ranks_kdtree_store_cuts(ctx, h->tree, cuts, 0, partition);
    BI_TRY(ctx->backend->core->iota(ctx, 4, h->spare, h->n));
    BI_TRY_WITH_SCRATCH(ctx, ctx->backend->core->sort_pairs(ctx, BOSC_I64, h->held.ids, sizeof *h->spare, h->spare,
                                                            h->n, h->other.ids, h->order, 0, 64));
    BI_TRY(bi_ranks_kdtree_store_ids(ctx, h->tree, h->other.ids, h->n));
    BI_TRY(h->steps->kdtree_side_positions(ctx, h->n, &side));
    if (h->n > has_root) BI_TRY(h->steps->kdtree_side_ids(ctx, h->n - has_root, &side));
    BI_TRY(bi_ranks_kdtree_store_cuts(ctx, h->tree, cuts, h->n, partition));
    return gather_tuples(h, h->order, h->n);
}

/* ---- the build ---- */

/* Runs the stages; all ranks call it. The next step with communication returns a failure in local_status on all
 * ranks. The handle stores the number of input points and the first row, from `points`. h->total: points of all
 * ranks. */
static bosc_status build_tree(struct published_build *h, bosc_status local_status, const struct bi_ranks_points *points)
{
    bosc_ranks_kdtree_times t = {.size = sizeof t};
    uint64_t *cuts = NULL;
    const int32_t ranks = h->group = ranks_of(h);
    bool is_shared = true;
    /* 1. The slices, sorted; those of more than two ranks become equal shares, so that no rank lacks memory. */
    BI_IF_OK(local_status, allocate_arrays(h, points));
    BI_TRY(bi_comm_agree(h->ctx, h->comm, local_status));
    BI_TRY(bi_comm_all_gather(h->ctx, h->comm, &points->rows.n, sizeof points->rows.n, h->counts));
    for (int32_t r = 0; r < ranks && ranks > 2; r++)
        is_shared = is_shared && h->counts[r] <= (h->total + ranks - 1) / ranks;
    if (h->all_rows) BI_TRY(gather_slices(h, points));
    end_stage(h, &local_status, &t.init);
    BI_IF_OK(local_status, load_slice(h, points, is_shared));
    if (!is_shared) {
        BI_TRY(share_tuples(h, &local_status, true));
        BI_IF_OK(local_status, sort_tuples(h));
    }
    /* 2. Levels with communication. */
    if (h->total > 0) BI_TRY(split_levels(h, &local_status, &t));
    BI_IF_OK(local_status, restore_root(h));
    const struct bi_ranks_kdtree_partition partition = bi_ranks_kdtree_make_partition(h->nodes, ranks);
    BI_TRY(gather_cuts(h, local_status, &partition, &cuts));
    /* 3. From here on without communication: the subtree, the node above it, and the tuples by id. */
    local_status = bi_ranks_kdtree_reserve_shard(h->ctx, h->tree, h->n, &partition);
    if (local_status == BOSC_OK && h->nodes > 0) local_status = build_side(h);
    if (h->nodes > 0) add_side_times(h, &t);
    BI_IF_OK(local_status, build_root(h));
    BI_IF_OK(local_status, order_by_id(h, &partition, cuts));
    /* 4. The shard to be queried, and the boxes of all shards. */
    BI_TRY(bi_ranks_kdtree_build_shard(h->ctx, h->tree, local_status, h->held.rows, points, h->nodes));
    t.shard = bi_now() - h->since;
    h->tree->times = t;
    return BOSC_OK;
}

/* Allocates the lists of numbers, and the entries behind them. */
static bosc_status allocate_host(struct published_build *h)
{
    const size_t ranks = (size_t)ranks_of(h), numbers = 4 * ranks + 2;
    h->host_bytes = numbers * sizeof *h->counts + (ranks + 1) * h->entry;
    h->counts = bi_host_alloc(h->ctx, h->host_bytes);
    if (!h->counts) return BOSC_ERR_NOMEM;
    memset(h->counts, 0, h->host_bytes);
    h->sent = h->counts + ranks;
    h->begins = h->sent + ranks;
    h->targets = h->begins + ranks + 1;
    h->row_buffer = (char *)(h->counts + numbers);
    return BOSC_OK;
}

bosc_status bi_ranks_kdtree_build_published(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                            const struct bi_ranks_points *points)
{
    const size_t size = bosc_dtype_size(tree->opts.dtype), row = size * (size_t)tree->opts.dim;
    struct published_build h = {.ctx = ctx,
                                .tree = tree,
                                .comm = tree->comm,
                                .steps = ctx->ops->ranks->steps,
                                .dim = tree->opts.dim,
                                .size = size,
                                .row = row,
                                .entry = row + sizeof(int64_t),
                                .total = points->total,
                                .nodes = points->total,
                                .since = points->since};
    BI_IF_OK(local_status, allocate_host(&h));
    bosc_status status = bi_comm_agree(ctx, tree->comm, local_status);
    BI_IF_OK(status, build_tree(&h, BOSC_OK, points));
    bi_memory_release(&ctx->host, h.counts, h.host_bytes);
    return status;
}
