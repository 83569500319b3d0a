/* The driver of the CPU's searches: the index, the order of the queries, and chunks of them for threads. */
#include "kdtree/cpu/cpu.h"

#include "base/bits.h"
#include "base/search.h"
#include "core/call.h"
#include "core/cpu/threads.h"

/* Queries of a chunk, and cost of locating a query, in simple items: a step of 1 ns for each level of an index of 2^16
 * leaves. A chunk of searches is CHUNK * BI_KDTREE_SEARCH_ITEMS = BI_THREAD_ITEMS, the least work of a thread. */
enum { CHUNK = BI_THREAD_ITEMS / BI_KDTREE_SEARCH_ITEMS, LOCATE_ITEMS = 16 };

/* The offsets of the arrays of the index, in bytes. */
struct index_layout {
    int levels, floor_levels;
    size_t box, begins, floors, facts, axes, end;
};

/* Subtrees of the lowest 3 levels have no floor of their own: that of an ancestor bounds their ids. This leaves an
 * eighth of the floors: less memory, a later end of searches among equal distances. */
static struct index_layout index_layout(const bosc_kdtree_opts *opts, int64_t n)
{
    struct index_layout p = {.levels = bi_kdtree_cpu_index_levels(n)};
    p.floor_levels = p.levels > 3 ? p.levels - 3 : 0;
    p.box = (4 * bosc_dtype_size(opts->dtype)) << p.levels;
    p.begins = (size_t)bi_round_up(p.box + 2 * bosc_dtype_size(opts->dtype) * BI_KDTREE_MOST_LEVELS, 64);
    p.floors = p.begins + (((size_t)1 << p.levels) + 1) * sizeof(uint32_t);
    p.facts = p.floors + (sizeof(uint32_t) << (p.floor_levels + 1));
    p.axes = p.facts + sizeof(struct bi_kdtree_cpu_facts);
    p.end = p.axes + ((size_t)1 << p.levels);
    return p;
}

size_t bi_kdtree_cpu_index_bytes(const bosc_kdtree_opts *opts, int64_t n) { return index_layout(opts, n).end; }

struct bi_kdtree_cpu_index bi_kdtree_cpu_get_index(const bosc_kdtree *tree)
{
    static const struct bi_kdtree_cpu_facts none;
    struct index_layout p = index_layout(&tree->opts, tree->nodes);
    char *base = tree->index.data;
    return (struct bi_kdtree_cpu_index){.levels = p.levels,
                                        .floor_levels = p.floor_levels,
                                        .sides = base,
                                        .box = base + p.box,
                                        .begins = (const uint32_t *)(base + p.begins),
                                        .floors = (const uint32_t *)(base + p.floors),
                                        .facts = p.levels ? (struct bi_kdtree_cpu_facts *)(base + p.facts) : &none,
                                        .axes = (uint8_t *)base + p.axes};
}

static const struct bi_kdtree_query_hot *select_hot_loops(const bosc_ctx *ctx, bosc_dtype dtype)
{
    switch (dtype) {
    case BOSC_F32: return BI_LEVEL_PICK(ctx->level, bi_kdtree_query_f32);
    case BOSC_F64: return BI_LEVEL_PICK(ctx->level, bi_kdtree_query_f64);
    case BOSC_I32: return BI_LEVEL_PICK(ctx->level, bi_kdtree_query_i32);
    default: return BI_LEVEL_PICK(ctx->level, bi_kdtree_query_i64);
    }
}

/* Selects the loops for a type of elements and an order of distances: 0 (squares), or 1 to infinity. */
static const struct bi_kdtree_search_loops *select_search_loops(const bosc_ctx *ctx, bosc_dtype dtype, double order)
{
    if (order == 0) return &select_hot_loops(ctx, dtype)->squares;
#define SELECT_BY_ORDER(type)                                                  \
    (order == 1          ? BI_LEVEL_PICK(ctx->level, bi_kdtree_sum_##type)     \
     : order == INFINITY ? BI_LEVEL_PICK(ctx->level, bi_kdtree_largest_##type) \
                         : BI_LEVEL_PICK(ctx->level, bi_kdtree_power_##type))
    switch (dtype) {
    case BOSC_F32: return SELECT_BY_ORDER(f32);
    case BOSC_F64: return SELECT_BY_ORDER(f64);
    case BOSC_I32: return SELECT_BY_ORDER(i32);
    default: return SELECT_BY_ORDER(i64);
    }
#undef SELECT_BY_ORDER
}

/* Returns the bytes of a distance. */
static size_t distance_size(bosc_dtype dtype, double order) { return dtype == BOSC_F32 && order == 0 ? 4 : 8; }

/* Finds the smallest id of subtree s of a level: of all its nodes at the lowest level, else of its two sides and the
 * node between them. */
static void make_floor(const bosc_kdtree_view *view, const struct bi_kdtree_cpu_index *index, int level, int64_t s)
{
    const int64_t nodes = (int64_t)1 << level;
    struct bi_kdtree_range r = bi_kdtree_subtree(view->nodes, level, (uint64_t)s);
    uint32_t least = BI_KDTREE_NONE, *floors = (uint32_t *)index->floors;
    if (level < index->floor_levels) {
        const uint32_t *below = floors + 2 * (nodes + s) - 1;
        least = below[0] < below[1] ? below[0] : below[1];
        r.begin = bi_kdtree_mid(r);
        r.end = r.begin + 1;
    }
    uint32_t part[4] = {least, least, least, least}; /* four independent chains */
    for (; r.end - r.begin >= 4; r.begin += 4)
        for (int j = 0; j < 4; j++) part[j] = view->ids[r.begin + j] < part[j] ? view->ids[r.begin + j] : part[j];
    for (; r.begin < r.end; r.begin++) part[0] = view->ids[r.begin] < part[0] ? view->ids[r.begin] : part[0];
    for (int j = 0; j < 4; j++) least = part[j] < least ? part[j] : least;
    floors[nodes - 1 + s] = least;
}

/* Finds the smallest ids of all subtrees, from the bottom up. */
static void make_floors(bosc_ctx *ctx, const bosc_kdtree_view *view, const struct bi_kdtree_cpu_index *index)
{
    for (int level = index->floor_levels; level >= 0; level--) {
        int64_t nodes = (int64_t)1 << level;
        BI_PARALLEL_FOR(nodes > 256 ? ctx->threads : 1, (static), s, 0, nodes, make_floor(view, index, level, s));
    }
    (void)ctx;
}

/* Numbers all coordinates but the flat ones. */
static void number_coordinates(int32_t dim, uint32_t flat, uint32_t odd_levels,
                               struct bi_kdtree_searched_coordinates *searched)
{
    searched->dim = 0;
    searched->odd_levels = odd_levels;
    for (int32_t c = 0; c < dim; c++) {
        const bool axis = c < BI_KDTREE_MOST_LEVELS;
        if (axis && flat >> c & 1) continue;
        if (axis) searched->of_axis[c] = (uint8_t)searched->dim;
        searched->coordinates[searched->dim++] = (uint16_t)c;
    }
    for (int level = 0; level < BI_KDTREE_MOST_LEVELS; level++) {
        int32_t c = level % dim;
        while (flat >> c & 1) c = bi_kdtree_cycle(c, dim);
        searched->usual[level] = searched->of_axis[c];
    }
}

/* Returns the levels, as bits, with a node that splits by another coordinate than the usual one. */
static uint32_t find_odd_levels(const struct bi_kdtree_cpu_index *index,
                                const struct bi_kdtree_searched_coordinates *searched)
{
    uint32_t levels = 0;
    for (int level = 0; level < index->levels; level++) {
        const uint8_t *axes = index->axes + ((int64_t)1 << level) - 1;
        uint32_t odd = 0;
        for (int64_t i = 0; i < (int64_t)1 << level; i++)
            odd |= axes[i] != searched->coordinates[searched->usual[level]];
        levels |= odd << level;
    }
    return levels;
}

static void find_facts(const bosc_kdtree_view *view, const struct bi_kdtree_query_hot *hot,
                       const struct bi_kdtree_cpu_index *index)
{
    struct bi_kdtree_cpu_facts *facts = (struct bi_kdtree_cpu_facts *)index->facts;
    struct bi_kdtree_searched_coordinates searched;
    if (index->levels == 0) return;
    facts->flat = hot->find_flat(view, index);
    number_coordinates(view->dim, facts->flat, 0, &searched);
    if (facts->flat) hot->replace_flat_sides(view, index, &searched);
    facts->flat_odd_levels = find_odd_levels(index, &searched);
    number_coordinates(view->dim, 0, 0, &searched);
    facts->odd_levels = find_odd_levels(index, &searched);
}

enum { PARALLEL_LEVELS = 10 }; /* of an index with more levels several threads make the sides; not measured */

/* Makes the sides of a level of the index; deeper levels exist already. */
static bosc_status make_level(bosc_ctx *ctx, const bosc_kdtree_view *view, const struct bi_kdtree_cpu_index *index,
                              int level)
{
    enum { CHUNK_NODES = 64 };
    const struct bi_kdtree_query_hot *hot = select_hot_loops(ctx, view->dtype);
    int64_t nodes = (int64_t)1 << level, chunk = nodes >= CHUNK_NODES * CHUNK_NODES ? CHUNK_NODES : 1;
    double items = 3 * (double)view->nodes / index->levels; /* cost of a level, at most */
    struct bi_batches p = bi_batches_of(ctx, nodes / chunk, items / (double)(nodes / chunk));
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_FOR(index->levels > PARALLEL_LEVELS ? ctx->threads : 1, (dynamic), s, p.begin, p.end,
                        hot->make_sides(view, index, level, s * chunk, (s + 1) * chunk));
    }
    return p.status;
}

/* Finds the first node of each leaf. */
static void make_begins(bosc_ctx *ctx, const struct bi_kdtree_cpu_index *index, int64_t nodes)
{
    uint32_t *begins = (uint32_t *)index->begins;
    int64_t leaves = (int64_t)1 << index->levels;
    BI_PARALLEL_FOR(leaves > 1024 ? ctx->threads : 1, (static), s, 0, leaves,
                    begins[s] = (uint32_t)bi_kdtree_subtree(nodes, index->levels, (uint64_t)s).begin);
    begins[leaves] = (uint32_t)nodes + 1; /* as if a node followed the last leaf */
    (void)ctx;
}

bosc_status bi_kdtree_cpu_make_index(bosc_ctx *ctx, bosc_kdtree *tree, const bosc_kdtree_view *view)
{
    struct bi_kdtree_cpu_index index = bi_kdtree_cpu_get_index(tree);
    const struct bi_kdtree_query_hot *hot = select_hot_loops(ctx, view->dtype);
    make_begins(ctx, &index, view->nodes);
    for (int level = index.levels - 1; level >= 0; level--) BI_TRY(make_level(ctx, view, &index, level));
    hot->make_box(view, &index);
    find_facts(view, hot, &index);
    make_floors(ctx, view, &index);
    return bi_progress_advance(ctx, (double)view->nodes);
}

bosc_status bi_kdtree_cpu_make_order_index(bosc_ctx *ctx, bosc_kdtree *order, const bosc_kdtree_view *view,
                                           const uint8_t *split_axes)
{
    struct bi_kdtree_cpu_index index = bi_kdtree_cpu_get_index(order);
    const struct bi_kdtree_query_hot *hot = select_hot_loops(ctx, view->dtype);
    struct bi_kdtree_cpu_order_sides sides = {.view = view,
                                              .index = &index,
                                              .split_axes = split_axes,
                                              .stop = index.levels < BI_KDTREE_ORDER_STOP ? index.levels
                                                                                          : BI_KDTREE_ORDER_STOP};
    const size_t size = 2 * (size_t)view->dim * bosc_dtype_size(view->dtype);
    make_begins(ctx, &index, view->nodes);
    /* 1. Subtrees by threads, then the levels above, which also make the box of all nodes. The index has it in all
     * coordinates: each has a level, as a tree with an order has thousands of nodes and few coordinates. */
    BI_TRY(bi_scratch(ctx, size << sides.stop, &sides.boxes));
    struct bi_batches p = bi_batches_of(ctx, (int64_t)1 << sides.stop, (double)(view->nodes >> sides.stop));
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_FOR(index.levels > PARALLEL_LEVELS ? ctx->threads : 1, (dynamic), s, p.begin, p.end,
                        hot->make_order_sides(&sides, sides.stop, s, (char *)sides.boxes + (size_t)s * size));
    }
    BI_TRY(p.status);
    sides.reads_boxes = true;
    hot->make_order_sides(&sides, 0, 0, (void *)index.box);
    /* 2. Facts and smallest ids for searches. */
    find_facts(view, hot, &index);
    make_floors(ctx, view, &index);
    return BOSC_OK;
}

size_t bi_kdtree_cpu_query_bytes(const bosc_ctx *ctx, const bosc_kdtree *tree, int64_t query_count, int64_t k)
{
    int64_t list_size = k < tree->nodes ? k : tree->nodes;
    size_t heaps = list_size > BI_KDTREE_SORTED_LIST ? (size_t)list_size * 16 * (size_t)ctx->max_threads : 0;
    return (size_t)query_count * 24 + heaps + 65536; /* leaves and order (8 bytes), and their sort */
}

/* Finds the leaves of a chunk of queries, in the caller's order. */
static void locate_chunk(const struct bi_kdtree_cpu_search *a, const struct bi_kdtree_query_hot *hot, int64_t i)
{
    int64_t end = (i + 1) * CHUNK < a->queries.n ? (i + 1) * CHUNK : a->queries.n;
    hot->locate(a, i * CHUNK, end, (uint32_t *)a->leaves);
    for (int64_t q = i * CHUNK; q < end; q++) ((uint32_t *)a->order)[q] = (uint32_t)q;
}

/* Moves the queries that share the flat coordinates (leaf < bit) to the front, in any order. */
static void move_flat_first(uint32_t *leaves, uint32_t *order, int64_t count, uint32_t bit)
{
    for (int64_t at = 0, end = count; at < end;) {
        uint32_t leaf = leaves[at], row = order[at];
        if (leaf < bit) {
            at++;
            continue;
        }
        end--;
        leaves[at] = leaves[end];
        order[at] = order[end];
        leaves[end] = leaf;
        order[end] = row;
    }
}

/* Finds the leaf of each query, and their order by leaf. */
static bosc_status sort_queries(bosc_ctx *ctx, const struct bi_kdtree_query_hot *hot, struct bi_kdtree_cpu_search *a)
{
    int64_t count = a->queries.n, chunks = bi_div_up(count, CHUNK);
    const bool flat = a->index.facts->flat != 0;
    const uint32_t bit = (uint32_t)1 << a->index.levels; /* set in leaves of queries that compare all coordinates */
    uint32_t *leaves, *order;
    BI_TRY(bi_scratch_of(ctx, count, sizeof *leaves, &leaves));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *order, &order));
    a->leaves = leaves;
    a->order = order;
    struct bi_batches p = bi_batches_of(ctx, chunks, 4 * (double)count / (double)chunks);
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_FOR(bi_thread_count_by_cost(ctx, p.end - p.begin, CHUNK * LOCATE_ITEMS), (static), i, p.begin,
                        p.end, locate_chunk(a, hot, i));
    }
    BI_TRY(p.status);
    if (a->index.levels == 0) return BOSC_OK;
    if (count >= 256)
        BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U32, leaves, sizeof *order, order, count, leaves, order, 0,
                                              a->index.levels + flat));
    else if (flat)
        move_flat_first(leaves, order, count, bit);
    if (flat) a->in_flat = bi_lower_bound_u32(leaves, count, bit);
    return BOSC_OK;
}

typedef void (*run_fn)(const struct bi_kdtree_cpu_search *a, int64_t begin, int64_t end, int thread);

struct searches {
    const struct bi_kdtree_cpu_search *in_flat, *all; /* for queries that share the flat coordinates; for the others */
    run_fn run;
};

static void run_chunk(const struct searches *s, int64_t begin, int64_t end, int thread)
{
    int64_t middle = s->in_flat->in_flat;
    middle = middle < begin ? begin : middle > end ? end : middle;
    if (begin < middle) s->run(s->in_flat, begin, middle, thread);
    if (middle < end) s->run(s->all, middle, end, thread);
}

/* Runs chunks of queries in parallel. */
static bosc_status run_chunks(bosc_ctx *ctx, const struct searches *s)
{
    const struct bi_kdtree_cpu_search *a = s->in_flat;
    /* Few queries: small chunks, so that all threads have some. Many: 32 large chunks at least. A chunk begins without
     * a limit from earlier answers, so fewer are faster. */
    int64_t count = a->queries.n, chunk = count > 128 * CHUNK ? 4 * CHUNK : CHUNK / 2;
    int64_t chunks = bi_div_up(count, chunk);
    const int cost = BI_KDTREE_SEARCH_ITEMS; /* and an item a neighbour */
    double items = (double)(cost + a->list_size) * (double)count;
    struct bi_batches p = bi_batches_of(ctx, chunks, items / (double)chunks);
    /* In many dimensions a query may cost a hundred times as much: the first batch measures it, so it is small. */
    if (p.is_reported && p.each > (int64_t)ctx->threads) p.each = ctx->threads;
    while (bi_next_batch(ctx, &p)) {
        const int64_t here = (p.end * chunk < count ? p.end * chunk : count) - p.begin * chunk;
        const int threads = bi_thread_count_by_cost(ctx, here, cost + a->list_size);
        BI_PARALLEL_FOR(
            threads, (dynamic, 1), i, p.begin, p.end,
            run_chunk(s, i * chunk, (i + 1) * chunk < count ? (i + 1) * chunk : count, bi_thread_of(threads)));
    }
    return p.status;
}

/* Queries that share the flat coordinates are searched without these, the others by all coordinates. */
static bosc_status run_search(bosc_ctx *ctx, const struct bi_kdtree_cpu_search *a, run_fn run)
{
    struct bi_kdtree_cpu_search all;
    if (a->in_flat == a->queries.n) return run_chunks(ctx, &(struct searches){a, a, run});
    all = *a;
    number_coordinates(a->view.dim, 0, a->index.facts->odd_levels, &all.searched);
    return run_chunks(ctx, &(struct searches){a, &all, run});
}

/* Sets the metric of a search by distances of order p. With q for p rounded up, the q-norm of gaps is at most their
 * p-norm, and at least dim^(1 / q - 1 / p) times it (Hoelder). */
static void set_power(double p, struct bi_kdtree_cpu_search *a)
{
    a->metric = bi_kdtree_power_metric(p);
    a->power = (int32_t)p + (p > (double)(int32_t)p);
    a->certain = bi_exp_f64((1 - a->power * a->metric.inverse) * bi_log_f64(a->view.dim)) * (1 - BI_KDTREE_CPU_SLACK);
}

/* Sets the leaf of each node of leaf s, and of the node behind it, which is above the leaves. */
static void set_own_leaves(const struct bi_kdtree_cpu_search *a, const struct bi_kdtree_query_hot *hot, int64_t s)
{
    const int64_t end = (int64_t)a->index.begins[s + 1] - 1;
    uint32_t *leaves = (uint32_t *)a->leaves;
    for (int64_t i = a->index.begins[s]; i < end; i++) leaves[i] = (uint32_t)s;
    if (end < a->view.nodes) hot->locate(a, end, end + 1, leaves);
}

/* Makes the nodes of the tree the queries, in their own order, which is that of leaves. */
static bosc_status set_own_queries(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query_hot *hot,
                                   struct bi_kdtree_cpu_search *a)
{
    const int64_t n = a->view.nodes, leaves = (int64_t)1 << a->index.levels;
    uint32_t *own_leaves;
    void *rows;
    BI_TRY(bi_scratch_of(ctx, n * a->view.dim, (int64_t)bosc_dtype_size(a->view.dtype), &rows));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *own_leaves, &own_leaves));
    BI_TRY(tree->ops->fetch(ctx, tree, rows, NULL));
    a->queries = (struct bi_kdtree_rows){rows, n, a->view.dim};
    a->leaves = own_leaves;
    a->order = a->view.ids;
    a->in_order = true;
    struct bi_batches p = bi_batches_of(ctx, leaves, (double)n / (double)leaves);
    while (bi_next_batch(ctx, &p)) {
        BI_PARALLEL_FOR(bi_thread_count_by_cost(ctx, p.end - p.begin, BI_KDTREE_CPU_LEAF), (static), s, p.begin, p.end,
                        set_own_leaves(a, hot, s));
    }
    return p.status;
}

/* Allocates the bits of long rows, and distances by id, if rows are long on average. Few rows have as many threads at
 * most. */
static bosc_status allocate_bits(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_cpu_search *a)
{
    const int64_t rows = a->queries.n, least = tree->n / BI_KDTREE_BITS_PER_ID;
    const int64_t threads = rows < ctx->threads ? rows : ctx->threads;
    a->least_bits = least > BI_KDTREE_BITS_ROW ? least : BI_KDTREE_BITS_ROW;
    if (!a->offsets || (a->offsets[rows] - a->offsets[0]) / rows < a->least_bits) return BOSC_OK;
    if (a->dist2 && tree->n > BI_KDTREE_VALUES) return BOSC_OK;
    a->bit_words = tree->n / 64 + 1;
    BI_TRY(bi_scratch_of(ctx, a->bit_words * threads, sizeof *a->bits, &a->bits));
    if (a->dist2) BI_TRY(bi_scratch_of(ctx, 64 * a->bit_words * threads, sizeof *a->values, &a->values));
    return ctx->backend->fill(ctx, a->bits, 0, (size_t)(a->bit_words * threads) * sizeof *a->bits);
}

/* Fills the arguments of a search, and sorts its queries. */
static bosc_status prepare_search(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree_view *view,
                                  const struct bi_kdtree_query *query, struct bi_kdtree_cpu_search *a)
{
    int64_t nodes = tree->nodes;
    *a = (struct bi_kdtree_cpu_search){.view = *view,
                                       .index = bi_kdtree_cpu_get_index(tree),
                                       .queries = query->rows,
                                       .in_flat = query->rows.n,
                                       .k = query->k,
                                       .list_size = query->k < nodes ? query->k : nodes,
                                       .limit = query->within ? query->r2 : (double)INFINITY,
                                       .limits = query->limits,
                                       .counts = query->counts,
                                       .bad = query->bad,
                                       .offsets = query->offsets,
                                       .ids = query->ids,
                                       .dist2 = query->dist2,
                                       .wide_ids = tree->opts.id_bits == 64,
                                       .later = query->later,
                                       .first_row = query->first_row};
    if (query->order > 1 && query->order < INFINITY) set_power(query->order, a);
    number_coordinates(view->dim, a->index.facts->flat, a->index.facts->flat_odd_levels, &a->searched);
    if (a->list_size > BI_KDTREE_SORTED_LIST)
        BI_TRY(bi_scratch(ctx, (size_t)a->list_size * 16 * (size_t)ctx->threads, &a->heaps));
    BI_TRY(allocate_bits(ctx, tree, a));
    const struct bi_kdtree_query_hot *hot = select_hot_loops(ctx, view->dtype);
    return query->self ? set_own_queries(ctx, tree, hot, a) : sort_queries(ctx, hot, a);
}

/* Touches the pages of an array, without changing it. Queries sorted by leaf write to rows anywhere, so the first batch
 * would fault in nearly all pages of new memory. With a progress callback, pages are touched first, batch by batch. */
static bosc_status touch_pages(bosc_ctx *ctx, void *array, size_t bytes)
{
    enum {
        PAGE = 4096,
        PAGE_ITEMS = 128 /* cost of a page fault, in simple items: 0.1 to 0.25 us; sizes the batches only */
    };
    volatile char *at = array;
    if (!ctx->progress.active || !array) return BOSC_OK;
    struct bi_batches p = bi_batches_of(ctx, (int64_t)(bytes / PAGE), PAGE_ITEMS);
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(ctx->threads) if (p.end - p.begin > 64)
        for (int64_t i = p.begin; i < p.end; i++) {
            const char held = at[i * PAGE];
            at[i * PAGE] = held;
        }
    }
    return p.status;
}

static bosc_status touch_outputs(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    size_t entries = (size_t)(query->rows.n * query->k);
    BI_TRY(touch_pages(ctx, query->ids, entries * (size_t)tree->opts.id_bits / 8));
    return touch_pages(ctx, query->dist2, entries * distance_size(tree->opts.dtype, query->order));
}

/* Returns the loop of a kind of search. order: of the distances, as in struct bi_kdtree_query. */
static run_fn select_loop(const bosc_ctx *ctx, bosc_dtype dtype, double order, enum bi_kdtree_cpu_kind kind)
{
    switch (kind) {
    case BI_KDTREE_CPU_KNN: return select_search_loops(ctx, dtype, order)->knn;
    case BI_KDTREE_CPU_RADIUS_COUNT: return select_search_loops(ctx, dtype, order)->radius_count;
    case BI_KDTREE_CPU_RADIUS_FILL: return select_search_loops(ctx, dtype, order)->radius_fill;
    case BI_KDTREE_CPU_BOX_COUNT: return select_hot_loops(ctx, dtype)->box_count;
    default: return select_hot_loops(ctx, dtype)->box_fill;
    }
}

static bosc_status search_chunk(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree_view *view,
                                const struct bi_kdtree_query *query, enum bi_kdtree_cpu_kind kind)
{
    struct bi_kdtree_cpu_search a;
    BI_TRY(prepare_search(ctx, tree, view, query, &a));
    if (kind == BI_KDTREE_CPU_KNN) BI_TRY(touch_outputs(ctx, tree, query));
    return run_search(ctx, &a, select_loop(ctx, view->dtype, query->order, kind));
}

/* Queries of a chunk: numbers fit 32 bits. */
enum { MOST_QUERIES = 1 << 30 };

/* Searches chunk by chunk, each with its own part of the outputs. The nodes of the tree are one chunk, as their numbers
 * fit 32 bits. */
bosc_status bi_kdtree_cpu_search(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree_view *view,
                                 const struct bi_kdtree_query *query, enum bi_kdtree_cpu_kind kind)
{
    int64_t count = query->rows.n, size = (int64_t)bosc_dtype_size(view->dtype);
    if (query->self) BI_RETURN_WITH_SCRATCH(ctx, search_chunk(ctx, tree, view, query, kind));
    for (int64_t at = 0; at < count; at += MOST_QUERIES) {
        struct bi_kdtree_query chunk = *query;
        chunk.first_row = query->first_row + at;
        chunk.rows.n = count - at < MOST_QUERIES ? count - at : MOST_QUERIES;
        chunk.rows.data = (const char *)query->rows.data + at * query->rows.stride * size;
        if (kind == BI_KDTREE_CPU_KNN) {
            chunk.ids = (char *)query->ids + at * query->k * tree->opts.id_bits / 8;
            const size_t bytes = (size_t)(at * query->k) * distance_size(view->dtype, query->order);
            if (query->dist2) chunk.dist2 = (char *)query->dist2 + bytes;
        }
        if (query->limits) chunk.limits = query->limits + at;
        if (query->counts) chunk.counts = query->counts + at;
        if (query->offsets) chunk.offsets = query->offsets + at;
        BI_TRY_WITH_SCRATCH(ctx, search_chunk(ctx, tree, view, &chunk, kind));
    }
    return BOSC_OK;
}
