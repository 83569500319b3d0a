/* The AUTO spanning forest on CUDA: scratch, the choice of levels, the order of launches, and the results. */
#include <math.h>
#include <stddef.h>

#include "core/call.h"
#include "forest/cuda/msf.cuh"
#include "forest/forest.h"
#include "graph/view.h"

/* ---- labels ---- */

/* Labels each vertex by the smallest vertex of its tree. pool1 may be NULL; smallest is scratch, n. */
struct bi_msf_label_args {
    const struct bi_msf_control *control; /* after an overflow the kernels do nothing */
    uint32_t n;
    const uint32_t *pointer, *pool0, *pool1;
    uint32_t *smallest, *labels;
};

/* The tree of a vertex by the pools of both levels; BI_MSF_NONE for a vertex without edges. */
static __device__ __forceinline__ uint32_t tree_of(const bi_msf_label_args &a, uint32_t v)
{
    uint32_t c = bi_msf_component(a.pointer[v], a.pool0);
    return a.pool1 && c != BI_MSF_NONE ? a.pool1[c] : c;
}

static __global__ void __launch_bounds__(256) bi_msf_smallest_vertices(const bi_msf_label_args a)
{
    uint32_t v = blockIdx.x * 256 + threadIdx.x;
    if (v >= a.n || a.control->overflow) return;
    uint32_t tree = tree_of(a, v);
    if (tree != BI_MSF_NONE && v < bi_load_hint(&a.smallest[tree])) atomicMin(&a.smallest[tree], v);
}

static __global__ void __launch_bounds__(256) bi_msf_label_vertices(const bi_msf_label_args a)
{
    uint32_t v = blockIdx.x * 256 + threadIdx.x;
    if (v >= a.n || a.control->overflow) return;
    uint32_t tree = tree_of(a, v);
    a.labels[v] = tree == BI_MSF_NONE ? v : a.smallest[tree];
}

static bosc_status launch_labels(bosc_ctx *ctx, const bi_msf_label_args &a)
{
    unsigned blocks = (unsigned)bi_div_up(a.n, 256);
    BI_TRY(ctx->backend->fill(ctx, a.smallest, 0xff, (size_t)a.n * sizeof *a.smallest));
    BI_TRY(BI_RUN(ctx, bi_msf_smallest_vertices, blocks, 256, 0, a));
    return BI_RUN(ctx, bi_msf_label_vertices, blocks, 256, 0, a);
}

/* ---- the list of edges ---- */

enum { THREADS = 256, MARKS_PER_THREAD = 16, TILE = THREADS * MARKS_PER_THREAD };

/* Bit k of the result is mark 16 * thread + k. Marks are bytes of 0 or 1, padded to whole tiles. */
static __device__ __forceinline__ unsigned marks_of(const uint8_t *marks, uint32_t thread)
{
    uint4 v = reinterpret_cast<const uint4 *>(marks)[thread];
    unsigned words[4] = {v.x, v.y, v.z, v.w}, bits = 0;
    for (int k = 0; k < 4; k++) {
        unsigned w = words[k]; /* bytes of 0 or 1 */
        /* bits 0, 8, 16 and 24 become bits 0 to 3 */
        bits |= ((w | w >> 7 | w >> 14 | w >> 21) & 15u) << (4 * k);
    }
    return bits;
}

/* Counts the marks of each tile: by thread, warp, then block. */
static __global__ void __launch_bounds__(THREADS) bi_msf_count_marks(const uint8_t *marks, uint32_t *counts)
{
    struct count_shared {
        uint32_t warp[THREADS / 32];
    };
    BI_SHARED(count_shared, sh);
    unsigned own = (unsigned)__popc(marks_of(marks, blockIdx.x * THREADS + threadIdx.x));
    unsigned sum = bi_warp_sum(own);
    if (threadIdx.x % 32 == 0) sh.warp[threadIdx.x / 32] = sum;
    __syncthreads(); /* all warps have counted */
    if (threadIdx.x > 0) return;
    for (int w = 1; w < THREADS / 32; w++) sum += sh.warp[w];
    counts[blockIdx.x] = sum;
}

/* Writes the marked ids of a tile, and their keys; the last block sets *number unless it is NULL. The ids pass through
 * shared memory, so that writes coalesce. */
template <class K>
static __global__ void __launch_bounds__(THREADS)
    bi_msf_write_marked(const uint8_t *marks, const uint32_t *offsets, const K *keys_by_id, uint32_t *ids, K *keys,
                        unsigned *number)
{
    struct list_shared {
        uint32_t warp[THREADS / 32], ids[TILE];
    };
    BI_SHARED(list_shared, sh);
    unsigned bits = marks_of(marks, blockIdx.x * THREADS + threadIdx.x);
    uint32_t total, at = bi_block_exclusive_sum<THREADS / 32>((uint32_t)__popc(bits), sh.warp, &total);
    for (; bits; bits &= bits - 1)
        sh.ids[at++] = (blockIdx.x * THREADS + threadIdx.x) * MARKS_PER_THREAD + (uint32_t)__ffs((int)bits) - 1;
    __syncthreads(); /* all ids are in shared memory */
    uint32_t first = offsets[blockIdx.x];
    if (number && blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) *number = first + total;
    for (uint32_t i = threadIdx.x; i < total; i += THREADS) {
        ids[first + i] = sh.ids[i];
        if (keys) keys[first + i] = keys_by_id[sh.ids[i]];
    }
}

size_t bi_msf_marks_bytes(int64_t entries) { return (size_t)bi_div_up(entries, TILE) * TILE; }

template <class K>
bosc_status bi_msf_list_marked(bosc_ctx *ctx, const bi_msf_state<K> &s, int64_t entries, uint32_t *ids, K *keys,
                               unsigned *number)
{
    unsigned tiles = (unsigned)bi_div_up(entries, TILE);
    void *counts, *offsets;
    BI_TRY(bi_scratch(ctx, tiles * sizeof(uint32_t), &counts));
    BI_TRY(bi_scratch(ctx, tiles * sizeof(uint32_t), &offsets));
    BI_TRY(BI_RUN(ctx, bi_msf_count_marks, tiles, THREADS, 0, s.marks, (uint32_t *)counts));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, counts, tiles, offsets));
    return BI_RUN(ctx, bi_msf_write_marked<K>, tiles, THREADS, 0, s.marks, (const uint32_t *)offsets, s.keys_by_id, ids,
                  keys, number);
}

template bosc_status bi_msf_list_marked(bosc_ctx *, const bi_msf_state<uint32_t> &, int64_t, uint32_t *, uint32_t *,
                                        unsigned *);

/* ---- levels ---- */

/* The division of the edges into light and heavy ones, and the capacity of the list. */
struct level_plan {
    bool two_levels;
    float light_fraction;
    uint32_t capacity;
};

/* Up to this many edges one level is faster. Measured: 13 us less at 2^18, 55 us more at 2^20. */
#ifdef BI_EMULATE /* small inputs must reach every branch */
enum { ONE_LEVEL_EDGES = 300 };
#else
enum { ONE_LEVEL_EDGES = 1 << 18 };
#endif

/* Plans the levels. With few edges per vertex a filter saves nothing. Otherwise enough edges are light for most
 * vertices to be in one component after level 0: in a random graph of 1.1 edges per vertex five of six vertices are,
 * with 1.3 nine of ten (Erdos and Renyi, 1960). A graph needs fewer light edges than a list, since each vertex has
 * chosen its lightest edge before. Parallel edges indicate clusters, inside which light edges are spent; so the
 * fraction grows by m / pairs.
 *
 * The factors are measured. With 1.0, 1.2 and 1.5 light edges a vertex, a graph of 30 M random edges takes 1.61, 1.55
 * and 1.71 ms, an RMAT graph 1.50, 1.54 and 1.68. With 1.2, 1.3 and 1.5, a list of 30 M random edges takes 3.11, 3.16
 * and 3.30 ms; 1.3 leaves a margin, as with 1.1 the list overflowed. With 1.1, 1.25, 1.5, 1.75 and 2, 1 G edges of
 * 16.8 M vertices take 26.7, 24.7, 24.4, 25.0 and 25.7 ms, 268 M edges 9.19, 9.15, 9.58, 10.4 and 11.6.
 * So 1.1 stays up to 20 edges a vertex, and the logarithm gives 1.5 at 64. Lists and other shapes as dense were not
 * measured. */
static struct level_plan plan_levels(const struct bi_graph_view *g, bool listed)
{
    const double least_light = listed ? 1.3 : 1.1; /* light edges per vertex */
    const double more_light = 0.35, dense = 20;    /* their growth above `dense` edges per vertex */
    const double least = 1.8, most_fraction = 0.9; /* limits of two levels: edges per vertex, share of light ones */
    const double margin = 1.4;                     /* capacity of the list over the expected light edges, */
    const double least_capacity = listed ? 0.35 : 0.25; /* and its minimum, as a share of all edges */
    double vertices = (double)(g->n - g->isolated), m = (double)g->m, pairs = m - (double)g->parallel;
    const double light = least_light + (pairs > dense * vertices ? more_light * log(pairs / (dense * vertices)) : 0);
    double fraction = pairs > 0 ? light * vertices / pairs * (m / pairs) : 1;
    if (g->m <= ONE_LEVEL_EDGES || pairs < least * vertices || fraction > most_fraction)
        return {false, 1, (uint32_t)(g->m > 0 ? g->m : 1)};
    double capacity = fraction * margin > least_capacity ? fraction * margin : least_capacity;
    return {true, (float)fraction, (uint32_t)((capacity < 1 ? capacity : 1) * m) + 1};
}

template <class T> static bosc_status allocate_array(bosc_ctx *ctx, int64_t count, T **p)
{
    void *memory;
    BI_TRY(bi_scratch(ctx, (size_t)count * sizeof(T), &memory));
    *p = (T *)memory;
    return BOSC_OK;
}

template <class K>
static bosc_status allocate_scratch(bosc_ctx *ctx, const struct bi_graph_view *g, const struct bi_msf_entries *entries,
                                    const struct bi_msf_request *request, const level_plan &p, bi_msf_state<K> *s)
{
    int64_t n = g->n, tiles = bi_div_up(g->arcs, BI_MSF_TILE), components = entries ? n : n / 2 + 1;
    BI_TRY(allocate_array(ctx, 1, &s->control));
    BI_TRY(allocate_array(ctx, tiles, &s->tile_row));
    BI_TRY(allocate_array(ctx, tiles, &s->tile_ends));
    BI_TRY(allocate_array(ctx, n, &s->next));
    BI_TRY(allocate_array(ctx, n, &s->row_key));
    BI_TRY(allocate_array(ctx, n, &s->pointer));
    /* The pools of all rounds fit twice the components, which at least halve each round. */
    BI_TRY(allocate_array(ctx, 2 * components, &s->pools[0]));
    if (p.two_levels) BI_TRY(allocate_array(ctx, 2 * components, &s->pools[1]));
    BI_TRY(allocate_array(ctx, components, &s->best));
    if (sizeof(K) == 8) BI_TRY(allocate_array(ctx, components, &s->best_id));
    BI_TRY(allocate_array(ctx, (int64_t)bi_msf_marks_bytes(g->entries), &s->marks));
    if (request->keys) BI_TRY(allocate_array(ctx, g->entries, &s->keys_by_id));
    s->capacity = p.capacity;
    return allocate_array(ctx, p.capacity, &s->list);
}

template <class K> bosc_status bi_msf_label_trees(bosc_ctx *ctx, uint32_t n, const bi_msf_state<K> &s, uint32_t *labels)
{
    if (!labels) return BOSC_OK;
    bi_msf_label_args a = {s.control, n, s.pointer, s.pools[0], s.pools[1], s.next, labels};
    return launch_labels(ctx, a);
}

template bosc_status bi_msf_label_trees(bosc_ctx *, uint32_t, const bi_msf_state<uint32_t> &, uint32_t *);

template <class K>
static bosc_status launch_levels(bosc_ctx *ctx, const struct bi_graph_view *g, const struct bi_msf_entries *entries,
                                 const struct bi_msf_order *order, const bi_msf_state<K> &s, const level_plan &p)
{
    bi_msf_csr<K> rows = bi_msf_rows_of_view<K>(g, order);
    const bool checked = bi_msf_is_checked<K>(g, entries, order);
    BI_TRY(ctx->backend->fill(ctx, s.control, 0, sizeof *s.control));
    BI_TRY(ctx->backend->fill(ctx, s.marks, 0, bi_msf_marks_bytes(g->entries)));
    /* Level 0: light edges. */
    if (entries) {
        BI_TRY(bi_msf_list_light_entries(ctx, *entries, s, checked, p.light_fraction));
    } else {
        BI_TRY(bi_msf_first_round(ctx, rows, s, checked, p.light_fraction));
        BI_TRY(bi_msf_relabel_light(ctx, s));
    }
    BI_TRY(bi_msf_level_rounds(ctx, rows, s, 0));
    if (!p.two_levels) return BOSC_OK;
    /* Level 1: heavy edges between the components of level 0. */
    if (entries)
        BI_TRY(bi_msf_list_heavy_entries(ctx, *entries, s, checked));
    else
        BI_TRY(bi_msf_list_heavy(ctx, rows, s, checked));
    return bi_msf_level_rounds(ctx, rows, s, 1);
}

template <class K>
static bosc_status run_levels(bosc_ctx *ctx, const struct bi_graph_view *g, const struct bi_msf_entries *entries,
                              const struct bi_msf_order *order, const struct bi_msf_request *request,
                              uint32_t least_capacity, struct bi_msf_found *found, struct bi_msf_control *result)
{
    struct level_plan p = plan_levels(g, entries);
    bi_msf_state<K> s = {};
    if (p.capacity < least_capacity) p.capacity = least_capacity;
    BI_TRY(allocate_scratch(ctx, g, entries, request, p, &s));
    BI_TRY(launch_levels(ctx, g, entries, order, s, p));
    if (found->ids)
        BI_TRY(bi_msf_list_marked(ctx, s, g->entries, (uint32_t *)found->ids, (K *)found->keys, (unsigned *)nullptr));
    BI_TRY(bi_msf_label_trees(ctx, (uint32_t)g->n, s, found->labels));
    return bi_read_back(ctx, result, s.control, offsetof(struct bi_msf_control, components));
}

/* Allocates the results, in the caller's scratch and so below the scratch of the work. */
template <class K>
static bosc_status allocate_outputs(bosc_ctx *ctx, const struct bi_graph_view *g, const struct bi_msf_request *request,
                                    struct bi_msf_found *found)
{
    int64_t most = g->n - 1 < g->m ? g->n - 1 : g->m;
    uint32_t *ids = nullptr, *labels = nullptr;
    K *keys = nullptr;
    if (request->edges)
        ids = request->edges;
    else if (request->ids || request->keys)
        BI_TRY(allocate_array(ctx, most, &ids));
    if (request->keys) BI_TRY(allocate_array(ctx, most, &keys));
    if (request->labels) BI_TRY(allocate_array(ctx, g->n, &labels));
    found->ids = ids;
    found->keys = keys;
    found->labels = labels;
    found->ascending = true;
    return BOSC_OK;
}

/* Finds the forest of a graph, or of entries if they are not NULL; there is at least one arc or entry. *found is 0
 * before. Its arrays are in the caller's scratch, but for request->edges; NULL if not requested. Fails if an entry is
 * not an edge: the small methods decline it, and the levels report NO_EDGE. *rounds: of all levels, and round 0 if a
 * graph needed levels. */
template <class K>
static bosc_status find_forest(bosc_ctx *ctx, const struct bi_graph_view *g, const struct bi_msf_entries *entries,
                               const struct bi_msf_order *order, const struct bi_msf_request *request,
                               struct bi_msf_found *found, int32_t *rounds)
{
    struct bi_msf_control result;
    const bool checked = bi_msf_is_checked<K>(g, entries, order);
    const bi_msf_csr<K> rows = bi_msf_rows_of_view<K>(g, order);
    enum bi_forest_outcome outcome;
    /* 1. By size: one block, one cooperative launch, or levels. */
    BI_TRY(allocate_outputs<K>(ctx, g, request, found));
    BI_TRY_WITH_SCRATCH(ctx, bi_msf_launch_single_block(ctx, g, rows, entries, checked, found, &result, &outcome));
    if (outcome != BI_FOREST_FOUND)
        BI_TRY_WITH_SCRATCH(ctx, bi_msf_launch_cooperative(ctx, g, rows, entries, checked, found, &result, &outcome));
    const bool done = outcome == BI_FOREST_FOUND;
    uint32_t capacity = 0;
    while (!done) {
        BI_TRY_WITH_SCRATCH(ctx, run_levels<K>(ctx, g, entries, order, request, capacity, found, &result));
        if (result.overflow != BI_MSF_NO_ROOM) break;
        /* The sample misled: run again with room for the list that was full. */
        capacity = result.listed[0] > result.listed[1] ? result.listed[0] : result.listed[1];
    }
    if (!done && result.overflow)
        return bi_graph_check_entries(ctx, entries->check_opts, &entries->list); /* reports it */
    /* 2. The kernels sum ranks. For a flipped order (a maximum forest), half of key = 2^32 - 1 - half of rank. The
     * driver reads sums of integer keys only; these have no NaN. */
    bool flipped = order->flip != 0, is_64bit = sizeof(K) == 8;
    found->count = (int64_t)result.edges;
    found->summed = true;
    found->low = flipped ? result.edges * UINT32_MAX - result.low : result.low;
    found->high = flipped && is_64bit ? result.edges * UINT32_MAX - result.high : result.high;
    *rounds = (entries || done ? 0 : 1) + (int32_t)(result.rounds[0] + result.rounds[1]);
    return BOSC_OK;
}

/* The kernels index vertices and arcs by 32 bits, with two bits of a component's number as flags. */
extern "C" bool bi_msf_cuda_admits(const struct bi_graph_view *g)
{
    return !g->is_64bit && g->arcs > 0 && g->n <= INT32_MAX && g->arcs < (int64_t)UINT32_MAX;
}

extern "C" bosc_status bi_msf_cuda(bosc_ctx *ctx, const struct bi_graph_view *g, const struct bi_msf_order *order,
                                   const struct bi_msf_request *request, struct bi_msf_found *found, int32_t *rounds)
{
    struct bi_msf_found output = {};
    if (bosc_dtype_size(g->weight) == 4)
        BI_TRY(find_forest<uint32_t>(ctx, g, nullptr, order, request, &output, rounds));
    else
        BI_TRY(find_forest<uint64_t>(ctx, g, nullptr, order, request, &output, rounds));
    *found = output;
    return BOSC_OK;
}

extern "C" bosc_status bi_msf_cuda_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries,
                                           const struct bi_msf_request *request, struct bi_msf_found *found,
                                           int32_t *rounds)
{
    struct bi_graph_view view = {}; /* counts and types, without rows */
    view.n = entries->list.n;
    view.m = view.entries = entries->list.m;
    struct bi_msf_found output = {};
    if (view.n == 0 || view.m == 0) {
        BI_TRY(bi_graph_check_entries(ctx, entries->check_opts, &entries->list));
        output.summed = output.ascending = true;
        *rounds = 0;
        *found = output;
        return BOSC_OK;
    }
    if (bosc_dtype_size(entries->list.dtype) == 4)
        BI_TRY(find_forest<uint32_t>(ctx, &view, entries, &entries->order, request, &output, rounds));
    else
        BI_TRY(find_forest<uint64_t>(ctx, &view, entries, &entries->order, request, &output, rounds));
    *found = output;
    return BOSC_OK;
}

/* ---- one rank's share ---- */

/* Runs a share's kernels: the round at the vertices, or the list of heavy edges. */
template <class K>
static bosc_status run_share(bosc_ctx *ctx, const struct bi_graph_view *g, const struct bi_msf_order *order,
                             struct bi_msf_share *share)
{
    const bi_msf_csr<K> rows = bi_msf_rows_of_view<K>(g, order);
    const bool checked = bi_msf_is_checked<K>(g, nullptr, order);
    const int64_t tiles = bi_div_up(g->arcs, BI_MSF_TILE);
    const int level = share->labels ? 1 : 0;
    struct bi_msf_control control = {};
    bi_msf_state<K> s = {};
    s.share = *share;
    s.capacity = (uint32_t)share->capacity;
    control.threshold_key = (K)share->rank;
    control.threshold_id = share->id;
    control.components[1] = 1; /* the heavy edges are listed */
    BI_TRY(allocate_array(ctx, 1, &s.control));
    BI_TRY(ctx->backend->copy(ctx, s.control, &control, sizeof control));
    if (share->labels) {
        s.pointer = const_cast<uint32_t *>(share->labels); /* kernels read it */
        BI_TRY(bi_msf_list_heavy(ctx, rows, s, checked));
    } else {
        BI_TRY(allocate_array(ctx, tiles, &s.tile_row));
        BI_TRY(allocate_array(ctx, tiles, &s.tile_ends));
        BI_TRY(bi_msf_choose_at_vertices(ctx, rows, s, checked, -1));
    }
    BI_TRY(bi_read_back(ctx, &control, s.control, sizeof control));
    share->listed = control.listed[level];
    return BOSC_OK;
}

extern "C" bosc_status bi_msf_cuda_share(bosc_ctx *ctx, const struct bi_graph_view *g, const struct bi_msf_order *order,
                                         struct bi_msf_share *share)
{
    return bosc_dtype_size(g->weight) == 4 ? run_share<uint32_t>(ctx, g, order, share)
                                           : run_share<uint64_t>(ctx, g, order, share);
}
