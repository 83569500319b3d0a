/* The CPU's search. Ranges of distances are processed in turn: vertices of the present range are near, others far. A
 * near vertex relaxes its arcs whenever its distance has fallen; so distances of a range are final when no near vertex
 * is left. Sources: Meyer, Sanders, Delta-Stepping (2003), by two sets as in Davidson, Baxter, Garland, Owens (2014);
 * queues of threads within a range: Zhang, Brahmakshatriya, Chen, Dhulipala, Kamil, Amarasinghe, Shun, Optimizing
 * Ordered Graph Algorithms with GraphIt (CGO 2020). Small graphs are searched by Dijkstra's algorithm. */
#include "base/bits.h"
#include "core/cpu/threads.h"
#include "core/carve.h"
#include "paths/cpu/search.h"

enum {
    QUEUE = 1 << 12,       /* vertices of a thread's queue; a power of two */
    CHUNK = 64,            /* vertices that a thread appends to a list at once */
    MOST_POPS = 1 << 14,   /* by a thread in a region: then other threads get a share of its queue */
    THREAD_POPS = 1 << 13, /* relaxations of a range for which another thread pays: docs/design/paths.md */
    FEW_LISTED = 32,       /* near vertices of the last rounds of a range, which one thread relaxes */
    BATCH = 32,            /* vertices relaxed together: arcs are requested one batch ahead, bounds of rows two */
    BATCH_ARCS = 512,      /* arcs of them: 12 KB of the first cache */
    ROW = 64,              /* arcs of a row added at once */
    MEAN_LENGTHS = 4       /* of arcs in a range, and one more for each thread; measured, see docs/design/paths.md */
};
/* Ranges grow from the first width, in mean lengths. They stay narrow while far vertices are many times those relaxed
 * in a range: graphs with many arcs a vertex relax vertices several times in wide ones. Measured: see
 * docs/design/paths.md. */
enum { MANY_FAR = 4 };
static const double FIRST_WIDTH = .5, GROWTH = 1.5;
enum { IN_NEAR = 1, IN_FAR = 2 }; /* flags of a vertex: it is listed. A far vertex that falls into the range is both */

/* Relaxation by one of several threads; by one, without and with predecessors. */
enum mode { SHARED, ALONE, ALONE_WITH_TREE };

/* A list that threads share. */
struct shared_list {
    uint32_t *vertices; /* n: a vertex is listed once at most */
    int64_t count;
};

struct queue {
    uint32_t *vertices; /* a ring */
    uint32_t mask;
    uint32_t begin, end; /* numbers that only grow; positions modulo the size */
    uint32_t far_count, next_count;
    int64_t pops; /* of the range */
    uint32_t far[CHUNK], next[CHUNK];
    /* Arcs of a batch, their rows, ends, and the distances along them. Arcs are written by fours: hence the slack. */
    int64_t arcs[BATCH_ARCS + 4];
    uint32_t rows[BATCH_ARCS + 4]; /* for trees, then BI_PATHS_NONE for arcs that add nothing; and for plateaus */
    uint64_t sums[BATCH_ARCS + 4];
    uint32_t ends[BATCH_ARCS];
};

struct state {
    bosc_ctx *ctx;
    struct bi_paths_rows rows;
    uint64_t *distances;
    uint32_t *predecessors; /* NULL: none are written */
    uint8_t *flags;         /* n */
    struct shared_list near, next, far;
    struct queue *queues; /* one a thread */
    uint64_t range_end;
    int64_t taken; /* of near, by the threads */
};

/* ---- lists ---- */

static void append(struct shared_list *list, const uint32_t *vertices, uint32_t count)
{
    const int64_t at = __atomic_fetch_add(&list->count, (int64_t)count, __ATOMIC_RELAXED);
    for (uint32_t k = 0; k < count; k++) list->vertices[at + k] = vertices[k];
}

static inline void push_far(struct state *s, struct queue *q, uint32_t v)
{
    q->far[q->far_count++] = v;
    if (q->far_count < CHUNK) return;
    append(&s->far, q->far, q->far_count);
    q->far_count = 0;
}

static inline void push_next(struct state *s, struct queue *q, uint32_t v)
{
    q->next[q->next_count++] = v;
    if (q->next_count < CHUNK) return;
    append(&s->next, q->next, q->next_count);
    q->next_count = 0;
}

static inline void push_near(struct state *s, struct queue *q, uint32_t v)
{
    if (q->end - q->begin > q->mask)
        push_next(s, q, v);
    else
        q->vertices[q->end++ & q->mask] = v;
}

static void flush(struct state *s, struct queue *q)
{
    while (q->begin != q->end) push_next(s, q, q->vertices[q->begin++ & q->mask]);
    append(&s->far, q->far, q->far_count);
    append(&s->next, q->next, q->next_count);
    q->far_count = q->next_count = 0;
}

/* ---- relaxation ---- */

/* Flags v, beside other threads; true if it was not flagged. The flag is exchanged after the distance has fallen, and
 * cleared before it is read: so a vertex that has fallen is listed, or its distance is still to be read. */
BI_FN bool flag_vertex(uint8_t *flags, uint32_t v, uint8_t flag)
{
    return !(__atomic_fetch_or(&flags[v], flag, __ATOMIC_ACQ_REL) & flag);
}

BI_FN void clear_flag(uint8_t *flags, uint32_t v, uint8_t flag, bool shared)
{
    if (shared)
        __atomic_fetch_and(&flags[v], (uint8_t)~flag, __ATOMIC_ACQ_REL);
    else
        flags[v] &= (uint8_t)~flag;
}

/* Adds the arcs [arc, end) of row u to the k of a batch. Most rows have up to four, which cost no branch. */
BI_FN uint32_t add_arcs(struct queue *q, uint32_t k, uint32_t u, int64_t arc, int64_t end, uint64_t from, bool rows)
{
    const int64_t count = end - arc;
    for (int64_t t = 0; t < 4; t++) {
        q->arcs[k + t] = arc + t;
        q->sums[k + t] = from;
        if (rows) q->rows[k + t] = u;
    }
    for (int64_t t = 4; t < count; t++) {
        q->arcs[k + t] = arc + t;
        q->sums[k + t] = from;
        if (rows) q->rows[k + t] = u;
    }
    return k + (uint32_t)count;
}

/* Lists v, whose distance has fallen to `sum`, if it is not listed. For several threads. */
BI_FN void list_vertex(struct state *s, struct queue *q, uint32_t v, uint64_t sum)
{
    if (sum >= s->range_end) {
        if (flag_vertex(s->flags, v, IN_FAR)) push_far(s, q, v);
    } else if (flag_vertex(s->flags, v, IN_NEAR))
        push_near(s, q, v);
}

/* Relaxes the k arcs of a batch. Branches on distances are not predictable. So a thread alone writes every end behind
 * its lists, and counts it where it belongs. */
BI_FN void relax_arcs(struct state *s, const struct bi_paths_rows *r, struct queue *q, uint32_t k, enum mode mode)
{
    /* 1. Read the arcs, and request the distances of their ends. */
    for (uint32_t i = 0; i < k; i++) {
        const uint32_t v = r->neighbours[q->arcs[i]];
        q->ends[i] = v;
        __builtin_prefetch(&s->distances[v], 1);
        const uint64_t from = q->sums[i], sum = bi_paths_sum(r, from, r->plateau ? q->rows[i] : 0, q->arcs[i]);
        q->sums[i] = sum;
        if (mode != ALONE_WITH_TREE) continue;
        __builtin_prefetch(&s->predecessors[v], 1);
        q->rows[i] |= from < sum ? 0 : BI_PATHS_NONE;
    }
    /* 2. Lower distances. */
    if (mode == SHARED) {
        for (uint32_t i = 0; i < k; i++) {
            const uint32_t v = q->ends[i];
            const uint64_t sum = q->sums[i];
            if (sum >= r->bound || sum >= bi_atomic_load_u64(&s->distances[v])) continue;
            if (sum < bi_atomic_fetch_min_u64(&s->distances[v], sum)) list_vertex(s, q, v, sum);
        }
        return;
    }
    uint64_t *const distances = s->distances;
    uint32_t *const predecessors = s->predecessors;
    uint8_t *const all_flags = s->flags;
    uint32_t *far = s->far.vertices + s->far.count, *const near = q->vertices, end = q->end;
    const uint32_t mask = q->mask;
    const uint64_t range_end = s->range_end, bound = r->bound;
    for (uint32_t i = 0; i < k; i++) {
        const uint32_t v = q->ends[i];
        const uint64_t sum = q->sums[i], at = distances[v];
        const bool falls = (sum < at) & (sum < bound), beyond = sum >= range_end;
        const uint8_t flags = all_flags[v], flag = (uint8_t)(IN_NEAR << beyond);
        const bool lists = falls & !(flags & flag);
        distances[v] = at ^ ((at ^ sum) & -(uint64_t)falls);
        all_flags[v] = (uint8_t)(flags | (flag & -(unsigned)falls));
        near[end & mask] = v;
        *far = v;
        if (mode == ALONE_WITH_TREE) {
            const uint32_t before = predecessors[v], row = q->rows[i];
            const uint32_t rival = before | -(uint32_t)falls; /* none if the distance falls */
            const bool attains = falls | ((sum == at) & (sum < bound));
            predecessors[v] = before ^ ((before ^ (row < rival ? row : rival)) & -(uint32_t)attains);
        }
        end += lists & !beyond;
        far += lists & beyond;
    }
    q->end = end;
    s->far.count = far - s->far.vertices;
}

/* Relaxes the arcs of some vertices. */
BI_FN void relax_batch(struct state *s, const struct bi_paths_rows *r, struct queue *q, const uint32_t *vertices,
                       int64_t count, enum mode mode)
{
    const bool rows = r->plateau || mode == ALONE_WITH_TREE;
    uint32_t k = 0;
    for (int64_t i = 0; i < count; i++) {
        const uint32_t u = vertices[i];
        clear_flag(s->flags, u, IN_NEAR, mode == SHARED);
        const uint64_t from = bi_atomic_load_u64(&s->distances[u]);
        const int64_t end = bi_paths_row_begin(r, (int64_t)u + 1);
        for (int64_t arc = bi_paths_row_begin(r, u); arc < end; arc += ROW) {
            k = add_arcs(q, k, u, arc, arc + ROW < end ? arc + ROW : end, from, rows);
            if (k <= BATCH_ARCS - ROW) continue;
            relax_arcs(s, r, q, k, mode);
            k = 0;
        }
    }
    relax_arcs(s, r, q, k, mode);
}

/* Relaxes vertices of the shared list, then those of the thread's queue. */
BI_FN void relax_near(struct state *s, const struct bi_paths_rows *r, struct queue *q, enum mode mode)
{
    const bool shared = mode == SHARED;
    const int64_t count = s->near.count, most = shared ? MOST_POPS : INT64_MAX;
    int64_t pops = 0, begin = 0;
    /* 1. The list. */
    for (;;) {
        if (shared) begin = __atomic_fetch_add(&s->taken, (int64_t)BATCH, __ATOMIC_RELAXED);
        if (begin >= count) break;
        const int64_t end = begin + BATCH < count ? begin + BATCH : count;
        for (int64_t i = begin + BATCH; i < end + BATCH && i < count; i++)
            bi_paths_prefetch_bounds(r, s->near.vertices[i]);
        relax_batch(s, r, q, s->near.vertices + begin, end - begin, mode);
        pops += end - begin;
        begin = end;
    }
    /* 2. The queue. */
    while (q->begin != q->end && pops < most) {
        const uint32_t listed = q->end - q->begin, at = q->begin & q->mask, left = q->mask + 1 - at;
        const uint32_t taken = listed < BATCH ? listed : BATCH, batch = taken < left ? taken : left;
        for (uint32_t i = BATCH; i < 2 * BATCH && i < listed; i++)
            bi_paths_prefetch_arcs(r, q->vertices[(q->begin + i) & q->mask]);
        for (uint32_t i = 2 * BATCH; i < 3 * BATCH && i < listed; i++)
            bi_paths_prefetch_bounds(r, q->vertices[(q->begin + i) & q->mask]);
        relax_batch(s, r, q, q->vertices + at, batch, mode);
        q->begin += batch;
        pops += batch;
    }
    q->pops += pops;
    flush(s, q);
}

/* The rows with the members that select code as constants, for the usual types. */
BI_FN struct bi_paths_rows rows_of(const struct state *s, bosc_dtype weight, bool is_64bit)
{
    struct bi_paths_rows r = s->rows;
    r.weight = weight;
    r.keys_64bit = is_64bit;
    r.offsets_64bit = r.unweighted = false;
    r.plateau = NULL;
    return r;
}

BI_FN void relax_rows(struct state *s, const struct bi_paths_rows *r, struct queue *q, enum mode mode)
{
    mode == SHARED  ? relax_near(s, r, q, SHARED)
    : mode == ALONE ? relax_near(s, r, q, ALONE)
                    : relax_near(s, r, q, ALONE_WITH_TREE);
}

static void relax_u32(struct state *s, struct queue *q, enum mode mode)
{
    const struct bi_paths_rows r = rows_of(s, BOSC_U32, false);
    relax_rows(s, &r, q, mode);
}

static void relax_f64(struct state *s, struct queue *q, enum mode mode)
{
    struct bi_paths_rows r = rows_of(s, BOSC_F64, true);
    r.raw = false;
    relax_rows(s, &r, q, mode);
}

static void relax_raw(struct state *s, struct queue *q, enum mode mode)
{
    struct bi_paths_rows r = rows_of(s, BOSC_F64, true);
    r.raw = true;
    relax_rows(s, &r, q, mode);
}

static void relax_any(struct state *s, struct queue *q, enum mode mode) { relax_rows(s, &s->rows, q, mode); }

/* Relaxes all vertices of the near list. New near vertices go to the queues, then to the next list. */
static void relax_list(struct state *s, int threads)
{
    const struct bi_paths_rows *r = &s->rows;
    const bool plain = !r->plateau && !r->offsets_64bit && !r->unweighted;
    const enum mode mode = threads > 1 ? SHARED : s->predecessors ? ALONE_WITH_TREE : ALONE;
    void (*const work)(struct state *, struct queue *, enum mode) = !plain                  ? relax_any
                                                                    : r->weight == BOSC_U32 ? relax_u32
                                                                    : r->weight != BOSC_F64 ? relax_any
                                                                    : r->raw                ? relax_raw
                                                                                            : relax_f64;
    s->taken = s->next.count = 0;
    BI_PARALLEL_FOR(threads, (static, 1), t, 0, threads, work(s, &s->queues[t], mode));
    const struct shared_list done = s->near;
    s->near = s->next;
    s->next = done;
}

/* ---- ranges ---- */

/* Moves far vertices at distances in [from, to) to the near list, and drops those below `from`: ranges before have
 * relaxed them. Returns the least distance of the others, or UINT64_MAX. */
static uint64_t split_far(struct state *s, uint64_t from, uint64_t to)
{
    uint64_t least = UINT64_MAX;
    int64_t left = 0;
    for (int64_t i = 0; i < s->far.count; i++) {
        const uint32_t v = s->far.vertices[i];
        const uint64_t at = s->distances[v];
        if (at >= to) {
            s->far.vertices[left++] = v;
            least = at < least ? at : least;
            continue;
        }
        s->flags[v] = 0;
        if (at < from) continue;
        s->flags[v] = IN_NEAR;
        s->near.vertices[s->near.count++] = v;
    }
    s->far.count = left;
    return least;
}

/* Advances to the next range that has vertices; false if there is none. */
static bool next_range(struct state *s, double width)
{
    s->near.count = 0;
    while (s->near.count == 0 && s->far.count > 0) {
        const uint64_t from = s->range_end, to = bi_paths_range_end(&s->rows, from, width);
        const uint64_t least = split_far(s, from, to);
        s->range_end = to;
        /* The next range begins at the least distance: no vertex lies between. */
        if (s->near.count == 0 && least != UINT64_MAX) s->range_end = least;
    }
    return s->near.count > 0;
}

static void carve_state(struct bi_carver *c, struct state *s, int64_t n, int threads)
{
    const int64_t size = (int64_t)1 << bi_bit_length((uint64_t)n); /* of the first ring: one thread never fills it */
    uint32_t *rings;
    BI_CARVE(c, s->flags, n);
    BI_CARVE(c, s->near.vertices, n);
    BI_CARVE(c, s->next.vertices, n);
    BI_CARVE(c, s->far.vertices, n + 1);
    BI_CARVE(c, s->queues, threads);
    BI_CARVE(c, rings, size + (int64_t)QUEUE * (threads - 1));
    if (!c->base) return;
    for (int t = 0; t < threads; t++) {
        struct queue *q = &s->queues[t];
        q->vertices = t ? rings + size + (int64_t)QUEUE * (t - 1) : rings;
        q->mask = (uint32_t)(t ? QUEUE : size) - 1;
        q->begin = q->end = q->far_count = q->next_count = 0;
        q->pops = 0;
    }
}

/* Sums the relaxations of the range that ends. */
static int64_t sum_pops(struct state *s, int threads)
{
    int64_t pops = 0;
    for (int t = 0; t < threads; t++) {
        pops += s->queues[t].pops;
        s->queues[t].pops = 0;
    }
    return pops;
}

/* Threads for a range, by the relaxations of the last one. */
static int threads_of(const bosc_ctx *ctx, int64_t relaxed, int threads)
{
    const int64_t useful = 1 + relaxed / (ctx->thread_items < THREAD_POPS ? ctx->thread_items : THREAD_POPS);
    return useful < threads ? (int)useful : threads;
}

static bosc_status search_ranges(bosc_ctx *ctx, struct bi_paths_search *search)
{
    const int64_t n = search->rows.n;
    const int threads = bi_paths_cpu_threads(ctx, &search->rows);
    const double mean = search->mean_length > 0 ? search->mean_length : 1;
    const double most = search->width > 0 ? search->width : mean * (MEAN_LENGTHS + threads);
    double width = search->width > 0 ? search->width : mean * FIRST_WIDTH;
    struct state s = {
        .ctx = ctx, .rows = search->rows, .distances = search->distances, .predecessors = search->predecessors};
    /* 1. Lists and queues. */
    struct bi_carver c = {0};
    carve_state(&c, &s, n, threads);
    BI_TRY(bi_scratch(ctx, c.used, (void **)&c.base));
    c.used = 0;
    carve_state(&c, &s, n, threads);
    /* 2. The first vertices, then one range after the other. */
    BI_TRY(ctx->backend->fill(ctx, s.flags, 0, (size_t)n));
    for (int64_t i = 0; i < search->count; i++) {
        s.near.vertices[i] = search->list[i];
        s.flags[search->list[i]] = IN_NEAR;
    }
    s.near.count = search->count;
    s.range_end = bi_paths_range_end(&s.rows, 0, width);
    search->has_tree = search->predecessors != NULL;
    int64_t relaxed = s.near.count; /* in the last range; at first the sources */
    do {
        const int useful = threads_of(ctx, relaxed, threads);
        while (s.near.count > 0) {
            const int sharing = s.near.count < FEW_LISTED ? 1 : useful;
            if (sharing > 1) search->has_tree = false;
            relax_list(&s, sharing);
        }
        relaxed = sum_pops(&s, threads);
        if (s.far.count < MANY_FAR * relaxed && width < most) width *= GROWTH;
        BI_TRY(bi_progress_advance(ctx, (double)relaxed));
    } while (next_range(&s, width));
    return BOSC_OK;
}

bosc_status bi_paths_cpu_search(bosc_ctx *ctx, struct bi_paths_search *search)
{
    if (search->rows.unweighted && !search->rows.plateau) return bi_paths_cpu_breadth_first(ctx, search);
    if (search->rows.n <= BI_PATHS_HEAP_VERTICES && !search->width) return bi_paths_cpu_dijkstra(ctx, search);
    return search_ranges(ctx, search);
}

int64_t bi_paths_cpu_search_bytes(const bosc_ctx *ctx, int64_t n, int64_t arcs)
{
    struct state s = {.ctx = NULL};
    struct bi_carver one = {0}, all = {0};
    (void)arcs;
    carve_state(&one, &s, n, 1);
    carve_state(&all, &s, n, ctx->max_threads);
    return (int64_t)(one.used > all.used ? one.used : all.used);
}
