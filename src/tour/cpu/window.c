/* Local search in a window of a tour: 2-opt and Or-opt moves between near points, and random changes, undone unless
 * they pay. Every change is a sequence of reversals of consecutive vertices, which undo themselves.
 * Sources: Croes (1958), 2-opt; Or (1976), Or-opt; Bentley, Fast Algorithms for Geometric Traveling Salesman Problems
 * (1992), lists of near points and don't-look bits, here a queue; Martin, Otto, Felten (1991), double bridges; Johnson
 * and McGeoch, The Traveling Salesman Problem: A Case Study in Local Optimization (1997). */
#include <math.h>

#include "base/atomic.h"
#include "base/philox.h"
#include "core/cpu/threads.h"
#include "tour/tour.h"

enum {
    MOST_MOVED = 3,   /* vertices of a segment that an Or-opt move moves */
    KICK_SPAN = 50,   /* most vertices of each of the two segments that a kick exchanges */
    REVERSED = 50000, /* most vertices that a move reverses */
    LOG = 1024        /* most reversals after a kick */
};

/* A move must gain more than this part of the edges that it removes, so that rounding cannot make it endless. */
static const double LEAST_GAIN = 1e-12;

/* A range of positions of a tour. */
struct window {
    int64_t begin, end;
};

struct search {
    const struct bi_tour_space *s;
    uint32_t *tour, *position, *queue;
    uint8_t *is_queued;
    int64_t begin, end; /* of the window */
    int64_t head, waiting;
    struct window *log; /* reversals since the last kick; NULL: not recorded */
    int64_t logged;
};

static double distance(const struct search *f, uint32_t a, uint32_t b)
{
    const double *p = f->s->x + (int64_t)a * f->s->dim, *q = f->s->x + (int64_t)b * f->s->dim;
    if (f->s->dim == 2) return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]));
    return bi_tour_distance(f->s, a, b);
}

/* Returns the distance of the vertices at two positions. */
static double leg(const struct search *f, int64_t i, int64_t j) { return distance(f, f->tour[i], f->tour[j]); }

static bool is_inside(const struct search *f, int64_t i) { return i >= f->begin && i < f->end; }

/* ---- the queue ---- */

static void push(struct search *f, int64_t i)
{
    const uint32_t v = f->tour[i];
    const int64_t size = f->end - f->begin;
    if (f->is_queued[v]) return;
    f->is_queued[v] = 1;
    f->queue[f->begin + (f->head + f->waiting++) % size] = v;
}

static uint32_t pop(struct search *f)
{
    const int64_t size = f->end - f->begin;
    const uint32_t v = f->queue[f->begin + f->head];
    f->head = f->head + 1 == size ? 0 : f->head + 1;
    f->waiting--;
    f->is_queued[v] = 0;
    return v;
}

/* ---- moves ---- */

/* Reverses the vertices at positions i to j. */
static void reverse(struct search *f, int64_t i, int64_t j)
{
    if (f->log) f->log[f->logged++] = (struct window){i, j};
    for (; i < j; i++, j--) {
        const uint32_t a = f->tour[i], b = f->tour[j];
        f->tour[i] = b;
        f->tour[j] = a;
        bi_atomic_store_u32(&f->position[b], (uint32_t)i);
        bi_atomic_store_u32(&f->position[a], (uint32_t)j);
    }
}

/* Exchanges the adjacent segments at positions i to j - 1 and j to k, and reverses either. */
static void exchange(struct search *f, int64_t i, int64_t j, int64_t k, bool reverse_first, bool reverse_second)
{
    const int64_t second = k - j + 1;
    reverse(f, i, k);
    if (!reverse_second) reverse(f, i, i + second - 1);
    if (!reverse_first) reverse(f, i + second, k);
}

/* True if a move that reverses n vertices is allowed, and its reversals, at most three, fit the log. */
static bool admits(const struct search *f, int64_t n) { return n <= REVERSED && (!f->log || f->logged + 3 <= LOG); }

/* Replaces the edges after (before, if not `forward`) the vertices at positions i and j. */
static bool try_two_opt(struct search *f, int64_t i, int64_t j, bool forward, double near, double removed, double *gain)
{
    const int64_t step = forward ? 1 : -1, low = i < j ? i : j, high = i < j ? j : i;
    if (!is_inside(f, j + step) || !admits(f, high - low)) return false;
    const double other = leg(f, j, j + step), won = removed + other - near - leg(f, i + step, j + step);
    if (!(won > LEAST_GAIN * (removed + other))) return false;
    *gain += won;
    push(f, i);
    push(f, j);
    push(f, i + step);
    push(f, j + step);
    reverse(f, forward ? low + 1 : low, forward ? high : high - 1);
    return true;
}

/* Moves the segment at positions first to last into the gap after position g. `is_reversed`: in reverse. */
static void move_segment(struct search *f, int64_t first, int64_t last, int64_t g, bool is_reversed)
{
    const int64_t ends[] = {first - 1, first, last, last + 1, g, g + 1};
    for (int k = 0; k < 6; k++) push(f, ends[k]);
    if (g > last)
        exchange(f, first, last + 1, g, is_reversed, false);
    else
        exchange(f, g + 1, first, last, false, is_reversed);
}

/* Moves a segment of up to three vertices, which begins or ends at position i, next to the vertex at j. */
static bool try_or_opt(struct search *f, int64_t i, int64_t j, double near, double *gain)
{
    for (int length = 1; length <= MOST_MOVED; length++)
        for (int side = 0; side < (length > 1 ? 2 : 1); side++) {
            const int64_t first = side ? i - length + 1 : i, last = first + length - 1;
            if (first <= f->begin || last >= f->end - 1 || (j >= first && j <= last)) continue;
            const double removed = leg(f, first - 1, first) + leg(f, last, last + 1),
                         closing = leg(f, first - 1, last + 1);
            if (!(removed - closing > near)) continue;
            const int64_t other = i == first ? last : first; /* the far end of the segment */
            for (int after = 0; after < 2; after++) {        /* the gap after or before j */
                const int64_t g = after ? j : j - 1;
                if (g < f->begin || g + 1 >= f->end || g == last || g + 1 == first) continue;
                if (!admits(f, g > last ? g - first + 1 : last - g)) continue;
                const double open = leg(f, g, g + 1),
                             won = removed + open - closing - near - leg(f, other, after ? g + 1 : g);
                if (!(won > LEAST_GAIN * (removed + open))) continue;
                *gain += won;
                move_segment(f, first, last, g, after ? i != first : i != last);
                return true;
            }
        }
    return false;
}

/* Applies the first move found that brings vertex v beside a near point and gains; *gain grows by it. */
static bool improve_vertex(struct search *f, uint32_t v, double *gain)
{
    const int64_t i = f->position[v];
    const double next = i + 1 < f->end ? leg(f, i, i + 1) : 0, before = i > f->begin ? leg(f, i - 1, i) : 0;
    const uint32_t *near = f->s->near + (int64_t)v * f->s->k;
    for (int32_t c = 0; c < f->s->k; c++) {
        /* Another window's search may move this point, within that window. */
        const int64_t j = bi_atomic_load_u32(&f->position[near[c]]);
        if (!is_inside(f, j)) continue;
        const double d = distance(f, v, near[c]);
        if (d >= next + before) break;
        if (d < next && try_two_opt(f, i, j, true, d, next, gain)) return true;
        if (d < before && try_two_opt(f, i, j, false, d, before, gain)) return true;
        if (try_or_opt(f, i, j, d, gain)) return true;
    }
    return false;
}

/* Improves the vertices in the queue until it is empty. Returns the length gained. */
static double drain_queue(struct search *f)
{
    double gain = 0;
    while (f->waiting > 0) {
        const uint32_t v = pop(f);
        while (improve_vertex(f, v, &gain)) continue;
    }
    return gain;
}

static struct search begin_search(const struct bi_tour_space *s, const struct bi_tour_state *t, struct window w)
{
    return (struct search){.s = s,
                           .tour = t->tour,
                           .position = t->position,
                           .queue = t->queue,
                           .is_queued = t->is_queued,
                           .begin = w.begin,
                           .end = w.end};
}

/* Returns true if it made a move. */
static bool descend_window(const struct bi_tour_space *s, const struct bi_tour_state *t, struct window w)
{
    struct search f = begin_search(s, t, w);
    for (int64_t i = w.begin; i < w.end; i++) push(&f, i);
    return drain_queue(&f) > 0;
}

bool bi_tour_descend(const struct bi_tour_space *s, const struct bi_tour_state *t)
{
    return descend_window(s, t, (struct window){0, s->n});
}

/* ---- kicks ---- */

/* Exchanges two segments after position i, of lengths 1 to KICK_SPAN: a double bridge. Returns the length gained. */
static double exchange_segments(struct search *f, int64_t i, struct bi_philox random)
{
    int64_t first = 1 + random.v[1] % KICK_SPAN, second = 1 + random.v[2] % KICK_SPAN;
    const int64_t room = f->end - 2 - i; /* vertices after i, but for the last */
    if (first + second > room) first = second = room / 2;
    const int64_t j = i + first, k = j + second; /* the last of each */
    const double gain =
        leg(f, i, i + 1) + leg(f, j, j + 1) + leg(f, k, k + 1) - leg(f, i, j + 1) - leg(f, k, i + 1) - leg(f, j, k + 1);
    const int64_t ends[] = {i, i + 1, j, j + 1, k, k + 1};
    for (int e = 0; e < 6; e++) push(f, ends[e]);
    exchange(f, i + 1, j + 1, k, false, false);
    return gain;
}

/* stream: number of the sequence of random numbers under `seed`. */
static void kick_window(const struct bi_tour_space *s, const struct bi_tour_state *t, struct window w, int64_t kicks,
                        uint64_t seed, uint64_t stream)
{
    struct window log[LOG];
    struct search f = begin_search(s, t, w);
    const int64_t places = w.end - w.begin - 4; /* positions that two segments can follow */
    if (places < 1) return;
    f.log = log;
    /* Positions ascend, so that successive kicks read the same memory. */
    for (int64_t kick = 0; kick < kicks; kick++) {
        const struct bi_philox random = bi_philox_at(seed, stream, (uint64_t)kick);
        const int64_t sweep = (int64_t)((double)kick / (double)kicks * (double)places);
        f.logged = 0;
        const int64_t i = w.begin + (sweep + (int64_t)(random.v[0] % KICK_SPAN)) % places;
        const double gain = exchange_segments(&f, i, random);
        if (gain + drain_queue(&f) >= 0) continue;
        struct window *const end = log + f.logged;
        f.log = NULL;
        for (struct window *r = end; r-- > log;) reverse(&f, r->begin, r->end);
        f.log = log;
    }
}

/* ---- all windows ---- */

static struct window window_of(int64_t n, int64_t windows, int64_t w)
{
    return (struct window){n * w / windows, n * (w + 1) / windows};
}

static int threads_of(const bosc_ctx *ctx, int64_t windows)
{
    return windows < ctx->threads ? (int)windows : ctx->threads;
}

void bi_tour_descend_windows(const bosc_ctx *ctx, const struct bi_tour_space *s, const struct bi_tour_state *t,
                             int64_t windows)
{
    BI_PARALLEL_FOR(threads_of(ctx, windows), (dynamic, 1), w, 0, windows,
                    (void)descend_window(s, t, window_of(s->n, windows, w)));
}

void bi_tour_kick_windows(const bosc_ctx *ctx, const struct bi_tour_space *s, const struct bi_tour_state *t,
                          int64_t windows, const struct bi_tour_kicks *k)
{
    BI_PARALLEL_FOR(threads_of(ctx, windows), (dynamic, 1), w, 0, windows, {
        const struct window window = window_of(s->n, windows, w);
        const int64_t all = (window.end - window.begin) * k->each;
        kick_window(s, t, window, all * (k->round + 1) / k->rounds - all * k->round / k->rounds, k->seed,
                    (uint64_t)(k->round * windows + w));
    });
}
