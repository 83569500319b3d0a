/* The AUTO spanning forest on CUDA: scratch, the choice of levels, and the order of launches. */
#include <stddef.h>

#include "core/call.h"
#include "forest/cuda/msf.cuh"
#include "forest/forest.h"
#include "graph/view.h"

/* The division of the edges into light and heavy ones, and the capacity of the list. */
struct level_plan {
    bool two_levels;
    float light_fraction;
    uint32_t capacity;
};

/* Up to this many edges one level is faster: 13 us less at 2^18, 55 us more at 2^20 (measured,
 * git log bench/results). */
#ifdef BI_EMULATE /* small inputs must reach every branch */
enum { ONE_LEVEL_EDGES = 300 };
#else
enum { ONE_LEVEL_EDGES = 1 << 18 };
#endif

/* Plans the levels. With few edges per vertex a filter saves nothing. Otherwise enough edges are light for most
 * vertices to be in one component after level 0: in a random graph of 1.1 edges per vertex five of six vertices are,
 * with 1.3 nine of ten (Erdos and Renyi, 1960). A graph needs fewer light edges than a list, since each vertex has
 * chosen its lightest edge before. Parallel edges indicate clusters, inside which light edges are spent; so the
 * fraction grows by m / pairs. The factors are measured (git log bench/results). */
static struct level_plan plan_levels(const struct bi_graph_view *g, bool listed, bool one_level)
{
    const double light = listed ? 1.3 : 1.1;       /* light edges per vertex */
    const double least = 1.8, most_fraction = 0.9; /* limits of two levels: edges per vertex, share of light ones */
    const double margin = 1.4;                     /* capacity of the list over the expected light edges, */
    const double least_capacity = listed ? 0.35 : 0.25; /* and its minimum, as a share of all edges */
    double vertices = (double)(g->n - g->isolated), m = (double)g->m, pairs = m - (double)g->parallel;
    double fraction = pairs > 0 ? light * vertices / pairs * (m / pairs) : 1;
    if (one_level || g->m <= ONE_LEVEL_EDGES || pairs < least * vertices || fraction > most_fraction)
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

template <class K> static bi_msf_csr<K> rows_of(const struct bi_graph_view *g, const struct bi_msf_order *order)
{
    bi_msf_csr<K> r = {};
    r.offsets = (const uint32_t *)g->offsets;
    r.neighbours = (const uint32_t *)g->neighbours;
    r.ids = (const uint32_t *)g->edge_ids;
    r.keys = (const K *)g->keys;
    r.n = (uint32_t)g->n;
    r.arcs = (uint32_t)g->arcs;
    r.flip = (K)order->flip;
    r.number = (K)order->number;
    r.limit = (K)order->limit;
    r.vertex_mask = order->vertex_mask;
    r.edge_mask = order->edge_mask;
    return r;
}

/* Labels the vertices; the smallest vertices go to s.next, free after the rounds. */
template <class K> static bosc_status label_trees(bosc_ctx *ctx, uint32_t n, const bi_msf_state<K> &s, uint32_t *labels)
{
    if (!labels) return BOSC_OK;
    bi_msf_label_args a = {s.control, n, s.pointer, s.pools[0], s.pools[1], s.next, labels};
    return bi_msf_label_trees(ctx, a);
}

/* True if some arcs or entries do not count, so that kernels must check each. */
template <class K>
static bool is_checked(const struct bi_graph_view *g, const struct bi_msf_entries *entries,
                       const struct bi_msf_order *order)
{
    if (g->loops || order->vertex_mask || order->edge_mask || (K)order->limit != (K) ~(K)0) return true;
    return entries && entries->drop_nan;
}

template <class K>
static bosc_status launch_levels(bosc_ctx *ctx, const struct bi_graph_view *g, const struct bi_msf_entries *entries,
                                 const struct bi_msf_order *order, const bi_msf_state<K> &s, const level_plan &p)
{
    bi_msf_csr<K> rows = rows_of<K>(g, order);
    const bool checked = is_checked<K>(g, entries, order);
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
                              const struct bi_msf_order *order, const struct bi_msf_request *request, bool one_level,
                              struct bi_msf_found *found, struct bi_msf_control *result)
{
    struct level_plan p = plan_levels(g, entries, one_level);
    bi_msf_state<K> s = {};
    BI_TRY(allocate_scratch(ctx, g, entries, request, p, &s));
    BI_TRY(launch_levels(ctx, g, entries, order, s, p));
    if (found->ids) BI_TRY(bi_msf_list_marked(ctx, s, g->entries, (uint32_t *)found->ids, (K *)found->keys));
    BI_TRY(label_trees(ctx, (uint32_t)g->n, s, found->labels));
    return bi_read_back(ctx, result, s.control, offsetof(struct bi_msf_control, threshold_key));
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

template <class K>
static bosc_status find_forest(bosc_ctx *ctx, const struct bi_graph_view *g, const struct bi_msf_entries *entries,
                               const struct bi_msf_order *order, const struct bi_msf_request *request,
                               struct bi_msf_found *found, int32_t *rounds)
{
    struct bi_msf_control result;
    const bool checked = is_checked<K>(g, entries, order);
    const bi_msf_csr<K> rows = rows_of<K>(g, order);
    bool done;
    /* 1. By size: one block, one cooperative launch, or levels. */
    BI_TRY(allocate_outputs<K>(ctx, g, request, found));
    BI_TRY_WITH_SCRATCH(ctx, bi_msf_launch_single_block(ctx, g, rows, entries, checked, found, &result, &done));
    if (!done)
        BI_TRY_WITH_SCRATCH(ctx, bi_msf_launch_cooperative(ctx, g, rows, entries, checked, found, &result, &done));
    for (int one_level = 0; one_level < 2 && !done; one_level++) {
        BI_TRY_WITH_SCRATCH(ctx, run_levels<K>(ctx, g, entries, order, request, one_level, found, &result));
        if (result.overflow != BI_MSF_NO_ROOM) break;
        /* The sample misled: run again with a list for all edges. */
    }
    if (!done && result.overflow)
        return bi_graph_check_entries(ctx, entries->check_opts, &entries->list); /* reports it */
    /* 2. The kernels sum ranks. For a flipped order, half of key = 2^32 - 1 - half of rank. NaN ranks are in no sum. */
    bool flipped = order->flip != 0, is_64bit = sizeof(K) == 8;
    found->count = (int64_t)result.edges;
    found->summed = true;
    found->low = flipped ? result.edges * UINT32_MAX - result.low : result.low;
    found->high = flipped && is_64bit ? result.edges * UINT32_MAX - result.high : result.high;
    *rounds = (entries || done ? 0 : 1) + (int32_t)(result.rounds[0] + result.rounds[1]);
    return BOSC_OK;
}

extern "C" bosc_status bi_msf_cuda(bosc_ctx *ctx, const struct bi_graph_view *g, const struct bi_msf_order *order,
                                   const struct bi_msf_request *request, struct bi_msf_found *found, int32_t *rounds,
                                   bool *handled)
{
    /* The kernels index vertices and arcs by 32 bits, with two bits of a component's number as flags. */
    *handled = !g->is_64bit && g->arcs > 0 && g->n <= INT32_MAX && g->arcs < (int64_t)UINT32_MAX;
    if (!*handled) return BOSC_OK;
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
