/* The published method on the CPU (Brown 2015): removes duplicates from lists, and partitions lists by superkey.
 *
 * Upper levels are made breadth first: threads partition pieces of the segments in place, and a second pass moves the
 * pieces to their sides. Once there are enough segments, a thread makes the subtree of one depth first, as published,
 * so that the rows it compares fit its cache. */
#include <string.h>

#include "core/call.h"
#include "core/cpu/threads.h"
#include "kdtree/cpu/cpu.h"
#include "kdtree/order.h"
#include "kdtree/shape.h"

/* --- Loops by superkey -------------------------------------------------------------------------------------------- */

/* Number of references on each side of a median; or the next position of each side. */
struct sides {
    int64_t less, greater;
};

struct superkey_loops {
    /* Removes duplicates from the piece [begin, end) of a list, to the same positions of the spare list. Returns the
     * number of kept references. Lowers *bad to the smallest position that is out of order. */
    int64_t (*compact)(const struct bi_kdtree_removal *a, int64_t begin, int64_t end, int64_t *bad);

    /* Partitions the references list[0, n) around the median by superkey `first`: to_less[0], [1], ... and
     * to_greater[0], [step], [2 step], ... The median itself is dropped. */
    struct sides (*partition)(const struct bi_kdtree_references *r, int32_t first, uint32_t median,
                              const uint32_t *list, int64_t n, uint32_t *to_less, uint32_t *to_greater, int64_t step);
};

enum {
    PREFETCH_DISTANCE = 16, /* references ahead, as their rows are in random positions; not measured */
    PIECE = 1 << 12,        /* references of a piece: 16 KB. Less: more counts; more: fewer threads at small segments */
    SUBTREE = 1 << 16,      /* references of a subtree between two progress reports: about 10 ms of work */
    MOST_LEVELS = 32
};

#define LOOPS_SUFFIX f32
#define LOOPS_COORDINATE float
#define LOOPS_KEY uint32_t
#define LOOPS_KEY_OF(x) bi_key_u32_of_f32(x)
#include "kdtree/cpu/published/superkey_loops.inc"

#define LOOPS_SUFFIX f64
#define LOOPS_COORDINATE double
#define LOOPS_KEY uint64_t
#define LOOPS_KEY_OF(x) bi_key_u64_of_f64(x)
#include "kdtree/cpu/published/superkey_loops.inc"

#define LOOPS_SUFFIX i32
#define LOOPS_COORDINATE int32_t
#define LOOPS_KEY uint32_t
#define LOOPS_KEY_OF(x) bi_key_u32_of_i32(x)
#include "kdtree/cpu/published/superkey_loops.inc"

#define LOOPS_SUFFIX i64
#define LOOPS_COORDINATE int64_t
#define LOOPS_KEY uint64_t
#define LOOPS_KEY_OF(x) bi_key_u64_of_i64(x)
#include "kdtree/cpu/published/superkey_loops.inc"

static const struct superkey_loops *loops_of(bosc_dtype dtype)
{
    switch (dtype) {
    case BOSC_F32: return &loops_f32;
    case BOSC_F64: return &loops_f64;
    case BOSC_I32: return &loops_i32;
    default: return &loops_i64;
    }
}

/* --- Duplicates --------------------------------------------------------------------------------------------------- */

static struct bi_kdtree_range piece_of(int64_t n, int64_t i)
{
    return (struct bi_kdtree_range){i * PIECE, (i + 1) * PIECE < n ? (i + 1) * PIECE : n};
}

static void close_gap(const struct bi_kdtree_removal *a, struct bi_kdtree_range piece, const int64_t *exclusive_prefix)
{
    memcpy(a->to + exclusive_prefix[0], a->spare + piece.begin,
           (size_t)(exclusive_prefix[1] - exclusive_prefix[0]) * sizeof *a->to);
    for (int64_t i = piece.begin; a->ranks && i < piece.end; i++) a->ranks[i] += (uint32_t)exclusive_prefix[0];
}

/* Keeps the first of equal references in a sorted list, by pieces that threads compact side by side. *bad: lowered to
 * the smallest position out of order, which means that the sort failed; the call still returns BOSC_OK. ranks[i]:
 * number of kept references up to and including position i; ranks may be NULL. */
bosc_status bi_kdtree_cpu_remove_duplicates(bosc_ctx *ctx, const struct bi_kdtree_removal *a)
{
    const struct superkey_loops *loops = loops_of(a->dtype);
    int64_t count = bi_div_up(a->n, PIECE), *exclusive_prefix, *bad;
    BI_TRY(bi_scratch_of(ctx, count + 1, sizeof *exclusive_prefix, &exclusive_prefix));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *bad, &bad));
    struct bi_batches p = bi_batches_of(ctx, count, PIECE);
    /* 1. Compact each piece within the spare list. */
    exclusive_prefix[0] = 0;
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(bi_thread_count(ctx, p.end - p.begin, 1))
        for (int64_t i = p.begin; i < p.end; i++) {
            struct bi_kdtree_range piece = piece_of(a->n, i);
            bad[i] = INT64_MAX;
            exclusive_prefix[i + 1] = loops->compact(a, piece.begin, piece.end, &bad[i]);
        }
    }
    BI_TRY(p.status);
    /* 2. Scan the counts. */
    for (int64_t i = 0; i < count; i++) {
        if (bad[i] < *a->bad) *a->bad = bad[i];
        exclusive_prefix[i + 1] += exclusive_prefix[i];
    }
    *a->count = exclusive_prefix[count];
    /* 3. Close the gaps between pieces. */
    p = bi_batches_of(ctx, count, PIECE);
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(bi_thread_count(ctx, p.end - p.begin, 1))
        for (int64_t i = p.begin; i < p.end; i++) close_gap(a, piece_of(a->n, i), exclusive_prefix + i);
    }
    return p.status;
}

/* --- Partition ---------------------------------------------------------------------------------------------------- */

struct job {
    const struct bi_kdtree_references *input;
    const struct superkey_loops *loops;
    int last, upper; /* the last level with a list; number of levels made breadth first */
    uint32_t *order;
    /* The arrays of the lists, by level below the upper ones: a level partitions each list into the spare array, in all
     * segments alike. */
    struct {
        uint32_t *list[MOST_LEVELS], *spare;
    } at[MOST_LEVELS];
};

static int32_t own_list(const struct job *job, int level) { return level % job->input->dim; }

/* True if the list is to be partitioned because a later level uses it. The level's own list is sorted, so its median
 * partitions it already. */
static bool has_more_levels(const struct job *job, int level, int32_t list)
{
    return list != own_list(job, level) && level >= job->input->level &&
           bi_kdtree_next_use(list, level, job->input->dim) <= job->last;
}

static void write_medians(const struct job *job, int level)
{
    const uint32_t *own = job->input->list[own_list(job, level)];
    for (int64_t s = 0; s < (int64_t)1 << level; s++) {
        int64_t mid = bi_kdtree_mid(bi_kdtree_subtree(job->input->n, level, (uint64_t)s));
        job->order[mid] = own[mid];
    }
}

/* A list at an upper level; its segments are divided into pieces. */
struct pieces {
    const struct job *job;
    int level;
    int64_t size, count; /* size of a piece; pieces per segment */
    uint32_t *list;
    struct sides *counts, *targets; /* by piece: number of references on each side, and their positions */
};

struct piece {
    struct bi_kdtree_range segment, own;
};

static struct piece segment_piece(const struct pieces *p, int64_t i)
{
    struct bi_kdtree_range r = bi_kdtree_subtree(p->job->input->n, p->level, (uint64_t)(i / p->count));
    int64_t begin = r.begin + i % p->count * p->size, end = begin + p->size;
    return (struct piece){r, {begin < r.end ? begin : r.end, end < r.end ? end : r.end}};
}

/* Partitions a piece into the spare list: the less side from the front, the greater side from the back. */
static void partition_piece(const struct pieces *p, int64_t i)
{
    const struct bi_kdtree_references *input = p->job->input;
    struct piece at = segment_piece(p, i);
    int32_t first = own_list(p->job, p->level);
    p->counts[i] = p->job->loops->partition(input, first, input->list[first][bi_kdtree_mid(at.segment)],
                                            p->list + at.own.begin, at.own.end - at.own.begin,
                                            input->spare + at.own.begin, input->spare + at.own.end - 1, -1);
}

/* Scans the counts of a segment's pieces. */
static void assign_positions(const struct pieces *p, int64_t segment)
{
    struct bi_kdtree_range r = bi_kdtree_subtree(p->job->input->n, p->level, (uint64_t)segment);
    struct sides at = {r.begin, bi_kdtree_mid(r) + 1};
    for (int64_t i = segment * p->count; i < (segment + 1) * p->count; i++) {
        p->targets[i] = at;
        at.less += p->counts[i].less;
        at.greater += p->counts[i].greater;
    }
}

static void move_piece(const struct pieces *p, int64_t i)
{
    struct bi_kdtree_range r = segment_piece(p, i).own;
    const uint32_t *spare = p->job->input->spare;
    memcpy(p->list + p->targets[i].less, spare + r.begin, (size_t)p->counts[i].less * sizeof *spare);
    for (int64_t k = 0; k < p->counts[i].greater; k++) p->list[p->targets[i].greater + k] = spare[r.end - 1 - k];
}

static int64_t pieces_of_segment(int64_t n, int level) { return bi_div_up(n >> level, PIECE); }

/* Calls a function for every piece. */
static bosc_status for_each_piece(bosc_ctx *ctx, const struct pieces *p,
                                  void (*piece)(const struct pieces *p, int64_t i))
{
    struct bi_batches batches = bi_batches_of(ctx, p->count << p->level, PIECE);
    while (bi_next_batch(ctx, &batches)) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(ctx->threads)
        for (int64_t i = batches.begin; i < batches.end; i++) piece(p, i);
    }
    return batches.status;
}

/* Makes a level breadth first: writes its medians, then partitions the lists that later levels use. */
static bosc_status make_upper_level(bosc_ctx *ctx, const struct job *job, int level, struct pieces p)
{
    const struct bi_kdtree_references *input = job->input;
    p.level = level;
    p.count = pieces_of_segment(input->n, level);
    write_medians(job, level);
    for (int32_t q = 0; q < input->used; q++) {
        if (!has_more_levels(job, level, q)) continue;
        p.list = input->list[q];
        BI_TRY(for_each_piece(ctx, &p, partition_piece));
        for (int64_t s = 0; s < (int64_t)1 << level; s++) assign_positions(&p, s);
        BI_TRY(for_each_piece(ctx, &p, move_piece));
    }
    return BOSC_OK;
}

static bosc_status make_upper_levels(bosc_ctx *ctx, const struct job *job)
{
    int64_t most = 0;
    struct pieces p = {.job = job, .size = PIECE};
    for (int level = 0; level < job->upper; level++) {
        int64_t count = pieces_of_segment(job->input->n, level) << level;
        most = count > most ? count : most;
    }
    BI_TRY(bi_scratch_of(ctx, most, sizeof *p.counts, &p.counts));
    BI_TRY(bi_scratch_of(ctx, most, sizeof *p.targets, &p.targets));
    for (int level = 0; level < job->upper; level++) BI_TRY(make_upper_level(ctx, job, level, p));
    return BOSC_OK;
}

/* Makes a subtree, depth first. With at most 3 nodes, its sorted list has the order of its nodes. */
static void make_subtree(const struct job *job, struct bi_kdtree_range r, int level)
{
    int32_t first = own_list(job, level);
    const uint32_t *own = job->at[level].list[first];
    int64_t mid = bi_kdtree_mid(r);
    if (r.end - r.begin <= 3) {
        for (int64_t i = r.begin; i < r.end; i++) job->order[i] = own[i];
        return;
    }
    job->order[mid] = own[mid];
    for (int32_t q = 0; q < job->input->used; q++) {
        if (!has_more_levels(job, level, q)) continue;
        uint32_t *to = job->at[level + 1].list[q];
        job->loops->partition(job->input, first, own[mid], job->at[level].list[q] + r.begin, r.end - r.begin,
                              to + r.begin, to + mid + 1, 1);
    }
    make_subtree(job, bi_kdtree_less(r), level + 1);
    make_subtree(job, bi_kdtree_greater(r), level + 1);
}

static bosc_status make_subtrees(bosc_ctx *ctx, struct job *job)
{
    const struct bi_kdtree_references *input = job->input;
    /* 1. Assign an array to each list at each level. */
    for (int32_t q = 0; q < input->used; q++) job->at[job->upper].list[q] = input->list[q];
    job->at[job->upper].spare = input->spare;
    for (int level = job->upper; level < job->last; level++) {
        job->at[level + 1] = job->at[level];
        for (int32_t q = 0; q < input->used; q++) {
            if (!has_more_levels(job, level, q)) continue;
            uint32_t *from = job->at[level + 1].list[q];
            job->at[level + 1].list[q] = job->at[level + 1].spare;
            job->at[level + 1].spare = from;
        }
    }
    /* 2. Make the subtrees, a thread each. */
    int64_t subtrees = (int64_t)1 << job->upper;
    double weight = 2.0 * input->used * (job->last - job->upper + 1) * (double)input->n / (double)subtrees;
    struct bi_batches p = bi_batches_of(ctx, subtrees, weight);
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(bi_thread_count(ctx, p.end - p.begin, 1))
        for (int64_t s = p.begin; s < p.end; s++)
            make_subtree(job, bi_kdtree_subtree(input->n, job->upper, (uint64_t)s), job->upper);
    }
    return p.status;
}

/* Returns the number of levels made breadth first: enough that each thread has some subtrees. If there is a progress
 * callback, subtrees are small too, as a call can be cancelled between them. */
static int upper_levels(const bosc_ctx *ctx, int64_t n, int last)
{
    int levels = 0;
    while (levels < last && ctx->threads > 1 && 1 << levels < 4 * ctx->threads && n >> levels > PIECE) levels++;
    while (levels < last && ctx->progress.active && n >> levels > SUBTREE) levels++;
    return levels;
}

static bosc_status make_tree(bosc_ctx *ctx, struct job *job)
{
    BI_TRY(make_upper_levels(ctx, job));
    return make_subtrees(ctx, job);
}

bosc_status bi_kdtree_cpu_partition_by_superkey(bosc_ctx *ctx, struct bi_kdtree_references *references, uint32_t *order)
{
    references->nodes = NULL;
    int last = bi_kdtree_last_list_level(references->n);
    struct job job = {.input = references,
                      .loops = loops_of(references->dtype),
                      .last = last,
                      .upper = upper_levels(ctx, references->n, last),
                      .order = order};
    BI_RETURN_WITH_SCRATCH(ctx, make_tree(ctx, &job));
}
