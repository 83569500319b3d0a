/* The published method on the CPU (Brown 2015): lists without duplicates, and their partition by superkey.
 *
 * Upper levels are made breadth first: threads partition pieces of the segments where they stand, and a second pass
 * brings the pieces to their sides. Once there are enough segments a thread takes one and makes its subtree depth
 * first, as published, so that the rows it compares come to be in its cache. */
#include "kdtree/cpu/brown.h"

#include <string.h>

#include "core/call.h"
#include "core/cpu/threads.h"
#include "kdtree/order.h"
#include "kdtree/shape.h"

enum { PIECE = 1 << 12, SUBTREE = 1 << 16, MOST_LEVELS = 32 };

/* --- Duplicates --------------------------------------------------------------------------------------------------- */

static struct bi_kdtree_range piece_of(int64_t n, int64_t i)
{
    return (struct bi_kdtree_range){i * PIECE, (i + 1) * PIECE < n ? (i + 1) * PIECE : n};
}

static void close_gap(const struct bi_kdtree_removal *a, struct bi_kdtree_range piece, const int64_t *before)
{
    memcpy(a->to + before[0], a->spare + piece.begin, (size_t)(before[1] - before[0]) * sizeof *a->to);
    for (int64_t i = piece.begin; a->ranks && i < piece.end; i++) a->ranks[i] += (uint32_t)before[0];
}

bosc_status bi_kdtree_cpu_remove_duplicates(bosc_ctx *ctx, const struct bi_kdtree_removal *a)
{
    const struct bi_kdtree_brown_loops *loops = bi_kdtree_brown_loops(a->dtype);
    int64_t count = bi_div_up(a->n, PIECE), *before, *bad;
    BI_TRY(bi_scratch_of(ctx, count + 1, sizeof *before, &before));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *bad, &bad));
    struct bi_parts p = bi_parts_of(ctx, count, PIECE);
    before[0] = 0;
    while (bi_next_part(ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(bi_thread_count(ctx, p.end - p.begin, 1))
        for (int64_t i = p.begin; i < p.end; i++) {
            struct bi_kdtree_range piece = piece_of(a->n, i);
            bad[i] = INT64_MAX;
            before[i + 1] = loops->compact(a, piece.begin, piece.end, &bad[i]);
        }
    }
    BI_TRY(p.status);
    for (int64_t i = 0; i < count; i++) {
        if (bad[i] < *a->bad) *a->bad = bad[i];
        before[i + 1] += before[i];
    }
    *a->count = before[count];
    p = bi_parts_of(ctx, count, PIECE);
    while (bi_next_part(ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(bi_thread_count(ctx, p.end - p.begin, 1))
        for (int64_t i = p.begin; i < p.end; i++) close_gap(a, piece_of(a->n, i), before + i);
    }
    return p.status;
}

/* --- Partition ---------------------------------------------------------------------------------------------------- */

struct job {
    const struct bi_kdtree_references *given;
    const struct bi_kdtree_brown_loops *loops;
    int last, upper; /* the last level that has a list, and how many are made breadth first */
    uint32_t *order;
    /* Below the upper levels, where lists are: a level moves each of them to the spare one, in all segments alike. */
    struct {
        uint32_t *list[MOST_LEVELS], *spare;
    } at[MOST_LEVELS];
};

static int32_t own_list(const struct job *job, int level) { return level % job->given->dim; }

/* Whether the list is to be partitioned: a later level needs it. The level's own is partitioned, as it is sorted. */
static bool goes_on(const struct job *job, int level, int32_t list)
{
    return list != own_list(job, level) && level >= job->given->level &&
           bi_kdtree_next_use(list, level, job->given->dim) <= job->last;
}

static void take_medians(const struct job *job, int level)
{
    const uint32_t *own = job->given->list[own_list(job, level)];
    for (int64_t s = 0; s < (int64_t)1 << level; s++) {
        int64_t mid = bi_kdtree_mid(bi_kdtree_subtree(job->given->n, level, (uint64_t)s));
        job->order[mid] = own[mid];
    }
}

/* A list at an upper level, its segments in pieces. */
struct pieces {
    const struct job *job;
    int level;
    int64_t size, count; /* of a piece; in a segment */
    uint32_t *list;
    struct bi_kdtree_sides *on, *to; /* by piece: how many are on each side, and where they go */
};

struct piece {
    struct bi_kdtree_range segment, own;
};

static struct piece segment_piece(const struct pieces *p, int64_t i)
{
    struct bi_kdtree_range r = bi_kdtree_subtree(p->job->given->n, p->level, (uint64_t)(i / p->count));
    int64_t begin = r.begin + i % p->count * p->size, end = begin + p->size;
    return (struct piece){r, {begin < r.end ? begin : r.end, end < r.end ? end : r.end}};
}

/* Less from the front of the piece, greater from its back. */
static void partition_piece(const struct pieces *p, int64_t i)
{
    const struct bi_kdtree_references *given = p->job->given;
    struct piece at = segment_piece(p, i);
    int32_t first = own_list(p->job, p->level);
    p->on[i] = p->job->loops->partition(given, first, given->list[first][bi_kdtree_mid(at.segment)],
                                        p->list + at.own.begin, at.own.end - at.own.begin, given->spare + at.own.begin,
                                        given->spare + at.own.end - 1, -1);
}

static void place_pieces(const struct pieces *p, int64_t segment)
{
    struct bi_kdtree_range r = bi_kdtree_subtree(p->job->given->n, p->level, (uint64_t)segment);
    struct bi_kdtree_sides at = {r.begin, bi_kdtree_mid(r) + 1};
    for (int64_t i = segment * p->count; i < (segment + 1) * p->count; i++) {
        p->to[i] = at;
        at.less += p->on[i].less;
        at.greater += p->on[i].greater;
    }
}

static void join_piece(const struct pieces *p, int64_t i)
{
    struct bi_kdtree_range r = segment_piece(p, i).own;
    const uint32_t *spare = p->job->given->spare;
    memcpy(p->list + p->to[i].less, spare + r.begin, (size_t)p->on[i].less * sizeof *spare);
    for (int64_t k = 0; k < p->on[i].greater; k++) p->list[p->to[i].greater + k] = spare[r.end - 1 - k];
}

static int64_t pieces_of_segment(int64_t n, int level) { return bi_div_up(n >> level, PIECE); }

/* All pieces, each of which is passed over. */
static bosc_status pass(bosc_ctx *ctx, const struct pieces *p, void (*piece)(const struct pieces *p, int64_t i))
{
    struct bi_parts parts = bi_parts_of(ctx, p->count << p->level, PIECE);
    while (bi_next_part(ctx, &parts)) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(ctx->threads)
        for (int64_t i = parts.begin; i < parts.end; i++) piece(p, i);
    }
    return parts.status;
}

static bosc_status make_upper_level(bosc_ctx *ctx, const struct job *job, int level, struct pieces p)
{
    const struct bi_kdtree_references *given = job->given;
    p.level = level;
    p.count = pieces_of_segment(given->n, level);
    take_medians(job, level);
    for (int32_t q = 0; q < given->used; q++) {
        if (!goes_on(job, level, q)) continue;
        p.list = given->list[q];
        BI_TRY(pass(ctx, &p, partition_piece));
        for (int64_t s = 0; s < (int64_t)1 << level; s++) place_pieces(&p, s);
        BI_TRY(pass(ctx, &p, join_piece));
    }
    return BOSC_OK;
}

static bosc_status make_upper_levels(bosc_ctx *ctx, const struct job *job)
{
    int64_t most = 0;
    struct pieces p = {.job = job, .size = PIECE};
    for (int level = 0; level < job->upper; level++) {
        int64_t count = pieces_of_segment(job->given->n, level) << level;
        most = count > most ? count : most;
    }
    BI_TRY(bi_scratch_of(ctx, most, sizeof *p.on, &p.on));
    BI_TRY(bi_scratch_of(ctx, most, sizeof *p.to, &p.to));
    for (int level = 0; level < job->upper; level++) BI_TRY(make_upper_level(ctx, job, level, p));
    return BOSC_OK;
}

/* Makes a subtree. Its ordered list is in the order of its nodes once it has at most 3. */
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
    for (int32_t q = 0; q < job->given->used; q++) {
        if (!goes_on(job, level, q)) continue;
        uint32_t *to = job->at[level + 1].list[q];
        job->loops->partition(job->given, first, own[mid], job->at[level].list[q] + r.begin, r.end - r.begin,
                              to + r.begin, to + mid + 1, 1);
    }
    make_subtree(job, bi_kdtree_less(r), level + 1);
    make_subtree(job, bi_kdtree_greater(r), level + 1);
}

static bosc_status make_subtrees(bosc_ctx *ctx, struct job *job)
{
    const struct bi_kdtree_references *given = job->given;
    for (int32_t q = 0; q < given->used; q++) job->at[job->upper].list[q] = given->list[q];
    job->at[job->upper].spare = given->spare;
    for (int level = job->upper; level < job->last; level++) {
        job->at[level + 1] = job->at[level];
        for (int32_t q = 0; q < given->used; q++) {
            if (!goes_on(job, level, q)) continue;
            uint32_t *from = job->at[level + 1].list[q];
            job->at[level + 1].list[q] = job->at[level + 1].spare;
            job->at[level + 1].spare = from;
        }
    }
    int64_t subtrees = (int64_t)1 << job->upper;
    double weight = 2.0 * given->used * (job->last - job->upper + 1) * (double)given->n / (double)subtrees;
    struct bi_parts p = bi_parts_of(ctx, subtrees, weight);
    while (bi_next_part(ctx, &p)) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(bi_thread_count(ctx, p.end - p.begin, 1))
        for (int64_t s = p.begin; s < p.end; s++)
            make_subtree(job, bi_kdtree_subtree(given->n, job->upper, (uint64_t)s), job->upper);
    }
    return p.status;
}

/* As many as give each thread some subtrees; or small ones where someone listens, as between them the call can end. */
static int upper_levels(const bosc_ctx *ctx, int64_t n, int last)
{
    int levels = 0;
    while (levels < last && ctx->threads > 1 && 1 << levels < 4 * ctx->threads && n >> levels > PIECE) levels++;
    while (levels < last && ctx->progress.listens && n >> levels > SUBTREE) levels++;
    return levels;
}

static bosc_status partition(bosc_ctx *ctx, struct job *job)
{
    BI_TRY(make_upper_levels(ctx, job));
    return make_subtrees(ctx, job);
}

bosc_status bi_kdtree_cpu_partition_by_superkey(bosc_ctx *ctx, struct bi_kdtree_references *references, uint32_t *order)
{
    references->nodes = NULL;
    int last = bi_kdtree_last_list_level(references->n);
    struct job job = {.given = references,
                      .loops = bi_kdtree_brown_loops(references->dtype),
                      .last = last,
                      .upper = upper_levels(ctx, references->n, last),
                      .order = order};
    BI_RETURN_WITH_SCRATCH(ctx, partition(ctx, &job));
}
