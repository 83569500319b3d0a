/* The fast spanning forest on CUDA: scratch, sizes and the order of launches. */
#include <stddef.h>

#include "core/call.h"
#include "forest/cuda/msf.cuh"
#include "forest/forest.h"
#include "graph/view.h"

/* How the edges are divided into light and heavy ones, and the capacity of the list. */
struct plan {
    bool two_levels;
    float light_fraction;
    uint32_t capacity;
};

/* Up to so many edges the launches of a second level take longer than what it saves. */
#ifdef BI_EMULATE /* small graphs should take all ways */
enum { FEW_EDGES = 300 };
#else
enum { FEW_EDGES = 1 << 18 };
#endif

/* With few edges a vertex a filter saves nothing. Otherwise there are enough light edges for most vertices to be in one
 * component after level 0: a random graph with 1.1 edges a vertex has five of six vertices in it, with 1.3 nine of ten
 * (Erdos and Renyi, 1960). Fewer do in a graph, where each vertex has taken its lightest edge before. Parallel edges
 * come with clusters, within which light edges are spent. */
static struct plan plan_levels(const struct bi_graph_view *g, bool listed, bool one_level)
{
    const double light = listed ? 1.3 : 1.1, least = 1.8, most_fraction = 0.9, margin = 1.4,
                 least_capacity = listed ? 0.35 : 0.25;
    double vertices = (double)(g->n - g->isolated), m = (double)g->m, pairs = m - (double)g->parallel;
    double fraction = pairs > 0 ? light * vertices / pairs * (m / pairs) : 1;
    if (one_level || g->m <= FEW_EDGES || pairs < least * vertices || fraction > most_fraction)
        return {false, 1, (uint32_t)(g->m > 0 ? g->m : 1)};
    double capacity = fraction * margin > least_capacity ? fraction * margin : least_capacity;
    return {true, (float)fraction, (uint32_t)((capacity < 1 ? capacity : 1) * m) + 1};
}

template <class T> static bosc_status take(bosc_ctx *ctx, int64_t count, T **p)
{
    void *memory;
    BI_TRY(bi_scratch(ctx, (size_t)count * sizeof(T), &memory));
    *p = (T *)memory;
    return BOSC_OK;
}

template <class K>
static bosc_status take_scratch(bosc_ctx *ctx, const struct bi_graph_view *g, const struct bi_msf_entries *entries,
                                const struct bi_msf_want *want, const plan &p, bi_msf_state<K> *s)
{
    int64_t n = g->n, tiles = bi_div_up(g->arcs, BI_MSF_TILE), components = entries ? n : n / 2 + 1;
    BI_TRY(take(ctx, 1, &s->control));
    BI_TRY(take(ctx, tiles, &s->tile_row));
    BI_TRY(take(ctx, tiles, &s->tile_ends));
    BI_TRY(take(ctx, n, &s->next));
    BI_TRY(take(ctx, n, &s->row_key));
    BI_TRY(take(ctx, n, &s->pointer));
    /* Components at least halve from round to round. */
    BI_TRY(take(ctx, 2 * components, &s->pools[0]));
    if (p.two_levels) BI_TRY(take(ctx, 2 * components, &s->pools[1]));
    BI_TRY(take(ctx, components, &s->best));
    if (sizeof(K) == 8) BI_TRY(take(ctx, components, &s->best_id));
    BI_TRY(take(ctx, (int64_t)bi_msf_marks_bytes(g->entries), &s->marks));
    if (want->keys) BI_TRY(take(ctx, g->entries, &s->keys_by_id));
    s->capacity = p.capacity;
    return take(ctx, p.capacity, &s->list);
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

/* The labels take memory that the rounds no longer need. */
template <class K> static bosc_status label(bosc_ctx *ctx, uint32_t n, const bi_msf_state<K> &s, uint32_t *labels)
{
    if (!labels) return BOSC_OK;
    bi_msf_label_args a = {s.control, n, s.pointer, s.pools[0], s.pools[1], s.next, labels};
    return bi_msf_label_trees(ctx, a);
}

template <class K>
static bool is_checked(const struct bi_graph_view *g, const struct bi_msf_entries *entries,
                       const struct bi_msf_order *order)
{
    if (g->loops || order->vertex_mask || order->edge_mask || (K)order->limit != (K) ~(K)0) return true;
    return entries && entries->drop_nan;
}

template <class K>
static bosc_status launch(bosc_ctx *ctx, const struct bi_graph_view *g, const struct bi_msf_entries *entries,
                          const struct bi_msf_order *order, const bi_msf_state<K> &s, const plan &p)
{
    bi_msf_csr<K> rows = rows_of<K>(g, order);
    const bool checked = is_checked<K>(g, entries, order);
    BI_TRY(ctx->backend->fill(ctx, s.control, 0, sizeof *s.control));
    BI_TRY(ctx->backend->fill(ctx, s.marks, 0, bi_msf_marks_bytes(g->entries)));
    if (entries) {
        BI_TRY(bi_msf_list_light_entries(ctx, *entries, s, checked, p.light_fraction));
    } else {
        BI_TRY(bi_msf_first_round(ctx, rows, s, checked, p.light_fraction));
        BI_TRY(bi_msf_relabel_light(ctx, s));
    }
    BI_TRY(bi_msf_level_rounds(ctx, rows, s, 0));
    if (!p.two_levels) return BOSC_OK;
    if (entries)
        BI_TRY(bi_msf_list_heavy_entries(ctx, *entries, s, checked));
    else
        BI_TRY(bi_msf_list_heavy(ctx, rows, s, checked));
    return bi_msf_level_rounds(ctx, rows, s, 1);
}

template <class K>
static bosc_status run(bosc_ctx *ctx, const struct bi_graph_view *g, const struct bi_msf_entries *entries,
                       const struct bi_msf_order *order, const struct bi_msf_want *want, bool one_level,
                       struct bi_msf_found *found, struct bi_msf_control *told)
{
    struct plan p = plan_levels(g, entries, one_level);
    bi_msf_state<K> s = {};
    BI_TRY(take_scratch(ctx, g, entries, want, p, &s));
    BI_TRY(launch(ctx, g, entries, order, s, p));
    if (found->ids) BI_TRY(bi_msf_list_marked(ctx, s, g->entries, (uint32_t *)found->ids, (K *)found->keys));
    BI_TRY(label(ctx, (uint32_t)g->n, s, found->labels));
    return bi_read_back(ctx, told, s.control, offsetof(struct bi_msf_control, threshold_key));
}

/* Memory for the answers: in the caller's scratch, before that of the work. */
template <class K>
static bosc_status take_answers(bosc_ctx *ctx, const struct bi_graph_view *g, const struct bi_msf_want *want,
                                struct bi_msf_found *found)
{
    int64_t most = g->n - 1 < g->m ? g->n - 1 : g->m;
    uint32_t *ids = nullptr, *labels = nullptr;
    K *keys = nullptr;
    if (want->edges)
        ids = want->edges;
    else if (want->ids || want->keys)
        BI_TRY(take(ctx, most, &ids));
    if (want->keys) BI_TRY(take(ctx, most, &keys));
    if (want->labels) BI_TRY(take(ctx, g->n, &labels));
    found->ids = ids;
    found->keys = keys;
    found->labels = labels;
    found->ascending = true;
    return BOSC_OK;
}

template <class K>
static bosc_status find(bosc_ctx *ctx, const struct bi_graph_view *g, const struct bi_msf_entries *entries,
                        const struct bi_msf_order *order, const struct bi_msf_want *want, struct bi_msf_found *found,
                        int32_t *rounds)
{
    struct bi_msf_control told;
    const bool checked = is_checked<K>(g, entries, order);
    const bi_msf_csr<K> rows = rows_of<K>(g, order);
    bool done;
    BI_TRY(take_answers<K>(ctx, g, want, found));
    BI_TRY_WITH_SCRATCH(ctx, bi_msf_small(ctx, g, rows, entries, checked, found, &told, &done));
    if (!done) BI_TRY_WITH_SCRATCH(ctx, bi_msf_joint(ctx, g, rows, entries, checked, found, &told, &done));
    for (int one_level = 0; one_level < 2 && !done; one_level++) {
        BI_TRY_WITH_SCRATCH(ctx, run<K>(ctx, g, entries, order, want, one_level, found, &told));
        if (told.overflow != BI_MSF_NO_ROOM) break; /* else the sample misled: again with a list for all edges */
    }
    if (!done && told.overflow) return bi_graph_check_entries(ctx, entries->unchecked, &entries->of); /* names it */
    /* A sum of flipped halves, told back: half = 2^32 - 1 - flipped half. Keys beyond `number` are in no sum. */
    bool flipped = order->flip != 0, wide = sizeof(K) == 8;
    found->count = (int64_t)told.edges;
    found->summed = true;
    found->low = flipped ? told.edges * UINT32_MAX - told.low : told.low;
    found->high = flipped && wide ? told.edges * UINT32_MAX - told.high : told.high;
    *rounds = (entries || done ? 0 : 1) + (int32_t)(told.rounds[0] + told.rounds[1]);
    return BOSC_OK;
}

extern "C" bosc_status bi_msf_cuda(bosc_ctx *ctx, const struct bi_graph_view *g, const struct bi_msf_order *order,
                                   const struct bi_msf_want *want, struct bi_msf_found *found, int32_t *rounds,
                                   bool *served)
{
    *served = !g->wide && g->arcs > 0 && g->n <= INT32_MAX && g->arcs < (int64_t)UINT32_MAX;
    if (!*served) return BOSC_OK;
    struct bi_msf_found answer = {};
    if (bosc_dtype_size(g->weight) == 4)
        BI_TRY(find<uint32_t>(ctx, g, nullptr, order, want, &answer, rounds));
    else
        BI_TRY(find<uint64_t>(ctx, g, nullptr, order, want, &answer, rounds));
    *found = answer;
    return BOSC_OK;
}

extern "C" bosc_status bi_msf_cuda_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries,
                                           const struct bi_msf_want *want, struct bi_msf_found *found, int32_t *rounds)
{
    struct bi_graph_view view = {}; /* numbers and types, without rows */
    view.n = entries->of.n;
    view.m = view.entries = entries->of.m;
    struct bi_msf_found answer = {};
    if (view.n == 0 || view.m == 0) {
        BI_TRY(bi_graph_check_entries(ctx, entries->unchecked, &entries->of));
        answer.summed = answer.ascending = true;
        *rounds = 0;
        *found = answer;
        return BOSC_OK;
    }
    if (bosc_dtype_size(entries->of.dtype) == 4)
        BI_TRY(find<uint32_t>(ctx, &view, entries, &entries->order, want, &answer, rounds));
    else
        BI_TRY(find<uint64_t>(ctx, &view, entries, &entries->order, want, &answer, rounds));
    *found = answer;
    return BOSC_OK;
}
