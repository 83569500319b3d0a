/* Shorter tours. Windows of a tour, which do not overlap, are searched side by side on the threads; then the whole tour
 * is searched by one thread, which only makes the moves between windows. The windows shift between rounds of random
 * changes. Their number depends on the points alone, so results do not depend on the number of threads. */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "core/arena.h"
#include "core/carve.h"
#include "core/check.h"
#include "tour/tour.h"

enum {
    NEAR = 10,      /* nearest points of a point that moves consider; other numbers not measured */
    WINDOW = 10000, /* vertices of a window, about; other numbers not measured */
    ROUNDS = 5      /* of random changes, between which windows shift; other numbers not measured */
};

struct improvement {
    bosc_ctx *ctx;
    bosc_tour_search_opts opts;
    int64_t given, n, windows;  /* given: rows; n: distinct points */
    struct bi_tour_space space; /* points in the order of the first tour */
    struct bi_tour_state state;
    uint32_t *rows;          /* (n): the row of each point */
    uint32_t *order, *first; /* (given): the first tour, and the point of each of its positions */
    uint32_t *spare;
};

static size_t carve_arrays(struct improvement *m, void *base)
{
    struct bi_carver c = {base, 0};
    BI_CARVE(&c, m->state.tour, m->given);
    BI_CARVE(&c, m->state.position, m->given);
    BI_CARVE(&c, m->state.queue, m->given);
    BI_CARVE(&c, m->rows, m->given);
    BI_CARVE(&c, m->order, m->given);
    BI_CARVE(&c, m->first, m->given);
    BI_CARVE(&c, m->spare, m->given);
    BI_CARVE(&c, m->state.is_queued, m->given);
    return c.used;
}

/* Reads the tour, and checks that it has every row once. */
static bosc_status read_order(struct improvement *m, const void *order)
{
    memset(m->state.is_queued, 0, (size_t)m->given); /* here: rows seen so far */
    for (int64_t i = 0; i < m->given; i++) {
        const int64_t row = m->opts.id_bits == 64 ? ((const int64_t *)order)[i] : ((const uint32_t *)order)[i];
        if (row < 0 || row >= m->given)
            return bi_fail(m->ctx, BOSC_ERR_DATA, "order: position %lld has %lld, not a row of %lld", (long long)i,
                           (long long)row, (long long)m->given);
        if (m->state.is_queued[row])
            return bi_fail(m->ctx, BOSC_ERR_DATA, "order: position %lld has row %lld again", (long long)i,
                           (long long)row);
        m->state.is_queued[row] = 1;
        m->rows[i] = m->order[i] = (uint32_t)row;
    }
    memset(m->state.is_queued, 0, (size_t)m->given);
    return BOSC_OK;
}

/* Begins with the tour of the distinct points, in the order of the first one. */
static void begin_tour(struct improvement *m)
{
    m->n = m->space.n;
    m->windows = m->n < 2 * WINDOW ? 1 : m->n / WINDOW;
    for (int64_t i = 0; i < m->n; i++) m->state.tour[i] = m->state.position[i] = (uint32_t)i;
}

/* Begins the tour with the vertex at position `shift`. */
static void rotate(struct improvement *m, int64_t shift)
{
    const size_t head = (size_t)shift * sizeof *m->spare, rest = (size_t)(m->n - shift) * sizeof *m->spare;
    memcpy(m->spare, m->state.tour + shift, rest);
    memcpy(m->spare + m->n - shift, m->state.tour, head);
    memcpy(m->state.tour, m->spare, head + rest);
    for (int64_t i = 0; i < m->n; i++) m->state.position[m->state.tour[i]] = (uint32_t)i;
}

/* Searches the whole tour. A search leaves the edge from the last vertex to the first alone, so the tour is rotated
 * until three searches in a row, with three such edges, make no move: one of them has neither edge of a 2-opt move. */
static void descend_tour(struct improvement *m)
{
    for (int idle = 0; idle < 3; idle++) {
        rotate(m, m->n / 3);
        if (bi_tour_descend(&m->space, &m->state)) idle = -1;
    }
}

/* Random changes of all windows: of a round's share of `kicks` a vertex. */
static void kick_windows(struct improvement *m, int64_t kicks, int round)
{
    const struct bi_tour_kicks k = {kicks, round, ROUNDS, m->opts.seed};
    rotate(m, m->n / m->windows / 2);
    bi_tour_kick_windows(m->ctx, &m->space, &m->state, m->windows, &k);
}

static bosc_status search_tour(struct improvement *m)
{
    const int64_t kicks = m->opts.kicks > 0 ? m->opts.kicks : 0;
    bi_progress_set_total(m->ctx, (double)(m->n * (1 + kicks)));
    bi_tour_descend_windows(m->ctx, &m->space, &m->state, m->windows);
    descend_tour(m);
    BI_TRY(bi_progress_advance(m->ctx, (double)m->n));
    for (int round = 0; round < ROUNDS && kicks > 0; round++) {
        kick_windows(m, kicks, round);
        BI_TRY(bi_progress_advance(m->ctx, (double)(m->n * kicks) / ROUNDS));
    }
    if (kicks > 0) descend_tour(m);
    return BOSC_OK;
}

/* Writes the tour from its first row on, the copies of each point after it, and its length. */
static void write_tour(struct improvement *m, void *order, double *length)
{
    double sum = 0;
    int64_t at = 0;
    rotate(m, m->state.position[0]);
    /* 1. Chains of positions of the first tour with the same point: the first one of each point, and the next. */
    uint32_t *begin = m->spare, *next = m->state.queue;
    memset(begin, 0xff, (size_t)m->n * sizeof *begin);
    for (int64_t i = m->given; i-- > 0;) {
        next[i] = begin[m->first[i]];
        begin[m->first[i]] = (uint32_t)i;
    }
    /* 2. The rows. */
    for (int64_t i = 0; i < m->n; i++) {
        const uint32_t v = m->state.tour[i];
        for (uint32_t p = begin[v]; p != UINT32_MAX; p = next[p], at++) {
            if (m->opts.id_bits == 64)
                ((int64_t *)order)[at] = m->order[p];
            else
                ((uint32_t *)order)[at] = m->order[p];
        }
        sum += bi_tour_distance(&m->space, v, m->state.tour[i + 1 < m->n ? i + 1 : 0]);
    }
    if (length) *length = ldexp(sum, m->space.exponent);
}

bosc_status bosc_tour_improve(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                              const bosc_tour_search_opts *opts, void *order, double *length)
{
    struct improvement m = {.ctx = ctx, .given = n};
    BI_ENTER(ctx);
    /* 1. Arguments. */
    BI_TRY(bi_tour_check(ctx, points, n, &stride, opts, &m.opts));
    if (n > 0 && !order) return bi_fail(ctx, BOSC_ERR_ARG, "order: NULL");
    BI_TRY(bi_check_aligned(ctx, "order", order, (size_t)m.opts.id_bits / 8));
    if (n == 0) {
        if (length) *length = 0;
        return BOSC_OK;
    }
    /* 2. The tour and its points. */
    const size_t bytes = carve_arrays(&m, NULL);
    void *block = bi_host_alloc(ctx, bytes);
    if (!block) return BOSC_ERR_NOMEM;
    carve_arrays(&m, block);
    bosc_status status = read_order(&m, order);
    if (status == BOSC_OK)
        status = bi_tour_open_space(ctx, points, n, stride, &m.opts, m.rows, m.first, NEAR, &m.space);
    /* 3. The search. */
    if (status == BOSC_OK) begin_tour(&m);
    if (status == BOSC_OK) status = search_tour(&m);
    if (status == BOSC_OK) write_tour(&m, order, length);
    bi_tour_free_space(ctx, &m.space);
    bi_memory_release(&ctx->host, block, bytes);
    return status;
}
