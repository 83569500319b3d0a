/* The forest of several ranks by edges that every rank gathers, for 32-bit keys: the rounds of one device, behind a
 * round 0 that the ranks share (ranks/forest/gathered.c). */
#include <stddef.h>

#include "forest/cuda/msf.cuh"
#include "forest/forest.h"
#include "graph/view.h"

/* Entries of all ranks: one level up to ONE_LEVEL, gathered up to MOST (docs/design/ranks.md). On two H200s two levels
 * are faster than one from 2^21 entries on. Gathered edges are faster than rounds up to 2^28; at 2^29 both take
 * as long. */
#ifdef BI_EMULATE /* small inputs must reach every branch */
enum { ONE_LEVEL = 200, MOST = 4000 };
#else
enum { ONE_LEVEL = 1 << 20, MOST = 1 << 28 };
#endif

typedef uint32_t key; /* of an edge */

static int count_levels(int64_t n, int64_t entries)
{
    if (n >= BI_FOREST_MOST_LISTED || entries == 0 || entries > MOST) return 0;
    return entries <= ONE_LEVEL ? 1 : 2;
}

static bi_msf_state<key> state_of(const struct bi_msf_gathered *g)
{
    bi_msf_state<key> s = {};
    s.control = static_cast<bi_msf_control *>(g->control);
    s.next = g->next;
    s.pointer = g->pointer;
    for (int i = 0; i < BI_MSF_LEVELS; i++) s.pools[i] = g->pools[i];
    s.best = static_cast<unsigned long long *>(g->best);
    s.marks = g->marks;
    s.keys_by_id = g->keys_by_id;
    return s;
}

static bosc_status allocate(bosc_ctx *ctx, const struct bi_graph_view *view, struct bi_msf_gathered *g)
{
    const int64_t n = view->n, components = n / 2 + 1; /* after round 0 */
    BI_TRY(bi_scratch_of(ctx, 1, sizeof(struct bi_msf_control), &g->control));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *g->next, &g->next));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *g->pointer, &g->pointer));
    /* The pools of all rounds fit twice the components, which at least halve each round. */
    BI_TRY(bi_scratch_of(ctx, 2 * components, sizeof *g->pools[0], &g->pools[0]));
    if (g->two_levels) BI_TRY(bi_scratch_of(ctx, 2 * components, sizeof *g->pools[1], &g->pools[1]));
    BI_TRY(bi_scratch_of(ctx, components, sizeof(unsigned long long), &g->best));
    if (g->keys) BI_TRY(bi_scratch_of(ctx, g->entries, sizeof *g->keys_by_id, &g->keys_by_id));
    return bi_scratch_of(ctx, g->entries, 1, &g->marks);
}

/* ---- round 0 ---- */

/* Sets the choices of the vertices, and marks this rank's edges among them. */
static __global__ void __launch_bounds__(256) bi_msf_read_choices(bi_msf_csr<key> rows, bi_msf_gathered g)
{
    const uint32_t v = blockIdx.x * 256 + threadIdx.x;
    if (v >= rows.n) return;
    const uint32_t other = g.others[v];
    g.next[v] = other == BI_FOREST_NONE ? v : other;
    if (other == BI_FOREST_NONE || !g.is_own[v]) return;
    const ulonglong2 record = reinterpret_cast<const ulonglong2 *>(g.records)[v];
    const uint32_t id = (uint32_t)record.y; /* both ends may mark it, from different blocks */
    bi_store_relaxed(&g.marks[id], (uint8_t)1);
    if (g.keys_by_id) bi_store_relaxed(&g.keys_by_id[id], bi_msf_key_rank(rows, (key)(record.x >> 32)));
}

static bosc_status contract(bosc_ctx *ctx, const struct bi_graph_view *view, const struct bi_msf_order *order,
                            const struct bi_msf_gathered *g)
{
    const bi_msf_csr<key> rows = bi_msf_rows_of_view<key>(view, order);
    BI_TRY(ctx->backend->fill(ctx, g->control, 0, sizeof(struct bi_msf_control)));
    BI_TRY(ctx->backend->fill(ctx, g->marks, 0, (size_t)g->entries));
    BI_TRY(BI_RUN(ctx, bi_msf_read_choices, (unsigned)bi_div_up(rows.n, 256), 256, 0, rows, *g));
    return bi_msf_contract_choices(ctx, rows, state_of(g));
}

/* ---- a level ---- */

struct gather_args {
    int32_t ranks;
    const uint64_t *const *keys, *const *ends; /* of each rank */
    const int64_t *begins, *firsts;
    uint32_t count;
    int level;
};

/* Copies an edge from the list of its rank, names its ends by components, and proposes it. */
static __global__ void __launch_bounds__(256) bi_msf_gather_edges(bi_msf_state<key> s, gather_args a)
{
    const uint32_t i = blockIdx.x * 256 + threadIdx.x;
    if (i == 0) s.control->listed[a.level] = a.count;
    if (i >= a.count) return;
    int32_t rank = 0;
    while (i >= a.begins[rank + 1]) rank++;
    const int64_t at = i - a.begins[rank];
    const uint64_t word = a.keys[rank][at], ends = a.ends[rank][at];
    const uint32_t *pool = a.level ? s.pools[0] : nullptr;
    bi_msf_edge<key> e[1];
    e[0].u = bi_msf_component(s.pointer[ends >> 32], pool);
    e[0].v = bi_msf_component(s.pointer[(uint32_t)ends], pool);
    e[0].key = (key)(word >> 32);
    e[0].id = (uint32_t)((uint64_t)a.firsts[rank] + (uint32_t)word);
    s.list[i] = e[0];
    const bool differ[1] = {e[0].u != e[0].v};
    bi_msf_propose_edges(s, e, differ, differ);
}

static bosc_status gather(bosc_ctx *ctx, const struct bi_msf_gathered *g, const struct bi_msf_gathered_lists *lists,
                          int level, void *edges)
{
    const size_t words = 3 * (size_t)lists->ranks + 1;
    uint64_t *table;
    bi_msf_state<key> s = state_of(g);
    if (lists->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, (int64_t)words + lists->ranks, sizeof *table, &table));
    BI_TRY(ctx->backend->copy(ctx, table, lists->table, words * sizeof *table));
    BI_TRY(ctx->backend->copy(ctx, table + words, lists->firsts, (size_t)lists->ranks * sizeof *table));
    const uint64_t *const *arrays = reinterpret_cast<const uint64_t *const *>(table);
    const int64_t *begins = reinterpret_cast<const int64_t *>(table) + 2 * lists->ranks;
    const gather_args a = {lists->ranks,           arrays, arrays + lists->ranks, begins, begins + lists->ranks + 1,
                           (uint32_t)lists->count, level};
    s.list = static_cast<bi_msf_edge<key> *>(edges);
    return BI_RUN(ctx, bi_msf_gather_edges, (unsigned)bi_div_up(lists->count, 256), 256, 0, s, a);
}

static bosc_status run_rounds(bosc_ctx *ctx, const struct bi_graph_view *view, const struct bi_msf_order *order,
                              const struct bi_msf_gathered *g, int level, int64_t count, void *edges)
{
    bi_msf_state<key> s = state_of(g);
    s.list = static_cast<bi_msf_edge<key> *>(edges);
    s.capacity = (uint32_t)(count > 0 ? count : 1);
    return bi_msf_level_rounds(ctx, bi_msf_rows_of_view<key>(view, order), s, level);
}

static __global__ void __launch_bounds__(256) bi_msf_list_components(bi_msf_state<key> s, uint32_t n, uint32_t *labels)
{
    const uint32_t v = blockIdx.x * 256 + threadIdx.x;
    if (v < n) labels[v] = bi_msf_component(s.pointer[v], s.pools[0]);
}

static bosc_status list_components(bosc_ctx *ctx, const struct bi_graph_view *view, const struct bi_msf_gathered *g,
                                   uint32_t *labels)
{
    return BI_RUN(ctx, bi_msf_list_components, (unsigned)bi_div_up(view->n, 256), 256, 0, state_of(g),
                  (uint32_t)view->n, labels);
}

/* ---- results ---- */

static __global__ void __launch_bounds__(256)
    bi_msf_number_ids(const uint32_t *entries, uint32_t count, uint64_t first, uint64_t *ids)
{
    const uint32_t i = blockIdx.x * 256 + threadIdx.x;
    if (i < count) ids[i] = first + entries[i];
}

/* Lists this rank's marked entries, and reads the counters. */
static bosc_status list_own(bosc_ctx *ctx, const struct bi_graph_view *view, const struct bi_msf_gathered *g,
                            uint32_t *ids, key *keys, struct bi_msf_control *result)
{
    const size_t bytes = bi_msf_marks_bytes(view->entries);
    bi_msf_state<key> s = state_of(g);
    if (view->entries > 0) {
        BI_TRY(bi_scratch(ctx, bytes, (void **)&s.marks));
        BI_TRY(ctx->backend->copy(ctx, s.marks, g->marks + g->first, (size_t)view->entries));
        BI_TRY(ctx->backend->fill(ctx, s.marks + view->entries, 0, bytes - (size_t)view->entries));
        if (s.keys_by_id) s.keys_by_id += g->first;
        BI_TRY(bi_msf_list_marked(ctx, s, view->entries, ids, keys, &s.control->own_edges));
    }
    return bi_read_back(ctx, result, g->control, offsetof(struct bi_msf_control, threshold_key));
}

static bosc_status finish(bosc_ctx *ctx, const struct bi_graph_view *view, const struct bi_msf_order *,
                          const struct bi_msf_gathered *g, struct bi_msf_found *found, uint32_t *labels,
                          int32_t *rounds)
{
    const int64_t most = view->n - 1 < view->entries ? view->n - 1 : view->entries;
    struct bi_msf_control result;
    uint32_t *entries;
    uint64_t *ids;
    key *keys = nullptr;
    /* 1. The labels. 2. This rank's entries. 3. Their ids over all ranks. */
    BI_TRY(bi_msf_label_trees(ctx, (uint32_t)view->n, state_of(g), labels));
    BI_TRY(bi_scratch_of(ctx, most, sizeof *ids, &ids));
    if (g->keys) BI_TRY(bi_scratch_of(ctx, most, sizeof *keys, &keys));
    BI_TRY(bi_scratch_of(ctx, most, sizeof *entries, &entries));
    BI_TRY_WITH_SCRATCH(ctx, list_own(ctx, view, g, entries, keys, &result));
    *found = {};
    found->count = result.own_edges;
    found->ids = ids;
    found->keys = keys;
    found->ascending = true;
    *rounds = 1 + (int32_t)(result.rounds[0] + result.rounds[1]);
    if (found->count == 0) return BOSC_OK;
    return BI_RUN(ctx, bi_msf_number_ids, (unsigned)bi_div_up(found->count, 256), 256, 0, entries,
                  (uint32_t)found->count, g->first, ids);
}

extern "C" const struct bi_msf_gathered_ops bi_msf_gathered_ops_cuda = {count_levels, allocate,        contract, gather,
                                                                        run_rounds,   list_components, finish};
