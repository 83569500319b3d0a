/* Kruskal's algorithm on lists of edges between components; long lists in parts, lightest first, each followed by a
 * filter. */
#include "base/bits.h"
#include "core/call.h"
#include "forest/cpu/msf_state.h"

enum {
    GRAIN = BI_THREAD_ITEMS / 4,
    SORT_WHOLE = 1 << 14, /* lists up to this many edges are sorted whole: 256 KB of words and ends. Not measured */
    SPLIT_RATIO = 4,      /* so are lists up to this many edges a component: a split must save half the sort at least */
    LIGHT_RATIO = 2       /* otherwise this many of the lightest edges a component are processed first; a tree has one.
                           * More: longer sorts; less: more splits. Not measured */
};

bosc_status bi_msf_edge_list_allocate(bosc_ctx *ctx, bool long_keys, int64_t capacity, struct bi_msf_edge_list *list)
{
    *list = (struct bi_msf_edge_list){.capacity = capacity};
    BI_TRY(bi_scratch_of(ctx, capacity, sizeof *list->words, (void **)&list->words));
    BI_TRY(bi_scratch_of(ctx, capacity, sizeof *list->ends, (void **)&list->ends));
    return long_keys ? bi_scratch_of(ctx, capacity, sizeof *list->ids, (void **)&list->ids) : BOSC_OK;
}

/* Writes the edges of a part with new ends from position `at`, without those inside a component; returns the next
 * position. */
static int64_t relabel_part(struct bi_msf_edge_list *list, struct bi_span part, const uint32_t *table, int64_t at)
{
    for (int64_t i = part.begin; i < part.end; i++) {
        uint32_t u = table[list->ends[i] >> 32], v = table[(uint32_t)list->ends[i]];
        list->words[at] = list->words[i];
        list->ends[at] = (uint64_t)u << 32 | v;
        if (list->ids) list->ids[at] = list->ids[i];
        at += u != v;
    }
    return at;
}

/* Maps the ends through the table and removes edges inside a component, by chunk; then closes the gaps. */
static bosc_status relabel_list(struct bi_msf_cpu_state *m, const uint32_t *table)
{
    struct bi_msf_edge_list *list = &m->list;
    int chunks = bi_thread_count(m->ctx, list->count, GRAIN);
    int64_t *counts, count = 0;
    BI_TRY(bi_scratch_of(m->ctx, chunks, sizeof *counts, (void **)&counts));
    struct bi_batches parts = bi_chunk_batches(m->ctx, list->count, chunks, 1);
    for (int p = 0; p < chunks; p++) counts[p] = 0;
    while (bi_next_batch(m->ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(chunks)
        for (int p = 0; p < chunks; p++) {
            const struct bi_span part = bi_batch_of_chunk(list->count, chunks, p, &parts);
            const int64_t begin = bi_chunk_begin(list->count, chunks, p);
            counts[p] = relabel_part(list, part, table, begin + counts[p]) - begin;
        }
    }
    BI_TRY(parts.status);
    for (int p = 0; p < chunks; p++) {
        bi_msf_edge_list_move(list, count, bi_chunk_begin(list->count, chunks, p), counts[p]);
        count += counts[p];
    }
    list->count = count;
    return BOSC_OK;
}

/* Sorts edges with long keys (list->ids is not NULL): by id, then stably by rank. Fills the arrays of `out`, which have
 * room, but not its count. */
static bosc_status sort_long(struct bi_msf_cpu_state *m, const struct bi_msf_edge_list *list,
                             struct bi_msf_edge_list *out)
{
    const struct bi_core_ops *core = m->ctx->backend->core;
    int64_t count = list->count;
    uint32_t *order[2], *ids;
    uint64_t *words;
    for (int k = 0; k < 2; k++) BI_TRY(bi_scratch_of(m->ctx, count, sizeof(uint32_t), (void **)&order[k]));
    BI_TRY(bi_scratch_of(m->ctx, count, sizeof *ids, (void **)&ids));
    BI_TRY(bi_scratch_of(m->ctx, count, sizeof *words, (void **)&words));
    struct bi_batches p = bi_batches_of(m->ctx, count, 1);
    while (bi_next_batch(m->ctx, &p))
        for (int64_t i = p.begin; i < p.end; i++) order[0][i] = (uint32_t)i;
    BI_TRY(p.status);
    /* 1. The order by id. */
    if (list->in_order)
        order[1] = order[0];
    else
        BI_TRY(core->sort_pairs(m->ctx, BOSC_U32, list->ids, 4, order[0], count, ids, order[1], 0, 32));
    /* 2. The ranks in that order, sorted stably. */
    p = bi_batches_of(m->ctx, count, 1);
    while (!list->in_order && bi_next_batch(m->ctx, &p))
        for (int64_t i = p.begin; i < p.end; i++) words[i] = list->words[order[1][i]];
    BI_TRY(p.status);
    BI_TRY(core->sort_pairs(m->ctx, BOSC_U64, list->in_order ? list->words : words, 4, order[1], count, out->words,
                            order[0], 0, 64));
    /* 3. Ids and ends in the final order. */
    p = bi_batches_of(m->ctx, count, 2);
    while (bi_next_batch(m->ctx, &p))
        for (int64_t i = p.begin; i < p.end; i++) {
            out->ids[i] = list->ids[order[0][i]];
            out->ends[i] = list->ends[order[0][i]];
        }
    return p.status;
}

/* Adds the edges, lightest first, that join two components. The smaller component becomes the root. */
static void unite_edges(struct bi_msf_cpu_state *m, const struct bi_msf_edge_list *sorted, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end && m->left > 1; i++) {
        uint32_t u = bi_msf_cpu_root(m->joined, (uint32_t)(sorted->ends[i] >> 32)),
                 v = bi_msf_cpu_root(m->joined, (uint32_t)sorted->ends[i]);
        if (u == v) continue;
        m->joined[u > v ? u : v] = u > v ? v : u;
        uint64_t key = bi_msf_cpu_key(m, sorted->ids ? sorted->words[i] : sorted->words[i] >> 32);
        bi_msf_cpu_add_edge(m, m->found++, sorted->ids ? sorted->ids[i] : (uint32_t)sorted->words[i], key);
        m->low += key & UINT32_MAX;
        m->high += key >> 32;
        m->left--;
    }
}

/* Points every component at its root; one pass in ascending order is enough, as roots are smaller. */
static void flatten_components(struct bi_msf_cpu_state *m)
{
    for (int64_t c = 0; c < m->components; c++) m->joined[c] = m->joined[m->joined[c]];
}

/* True if edges are in the order (rank, id) already, as in lists whose weights are equal or ascend. Others mostly
 * differ from it within the first few edges. */
static bool is_sorted(const struct bi_msf_edge_list *list)
{
    for (int64_t i = 1; i < list->count; i++) {
        const uint64_t before = list->words[i - 1], word = list->words[i];
        if (before > word || (before == word && list->ids && list->ids[i - 1] > list->ids[i])) return false;
    }
    return true;
}

/* Sorts a list by (rank, id). If ids ascend, sorting the ranks alone is stable. */
static bosc_status sort_list(struct bi_msf_cpu_state *m, const struct bi_msf_edge_list *list,
                             struct bi_msf_edge_list *sorted)
{
    BI_TRY(bi_msf_edge_list_allocate(m->ctx, list->ids != NULL, list->count, sorted));
    sorted->count = list->count;
    if (list->ids) return sort_long(m, list, sorted);
    return m->ctx->backend->core->sort_pairs(m->ctx, BOSC_U64, list->words, 8, list->ends, list->count, sorted->words,
                                             sorted->ends, list->in_order ? 32 : 0, 64);
}

/* Kruskal's algorithm over a list, which is consumed. */
static bosc_status unite_list(struct bi_msf_cpu_state *m, const struct bi_msf_edge_list *list)
{
    struct bi_msf_edge_list sorted = *list;
    if (!is_sorted(list)) BI_TRY(sort_list(m, list, &sorted));
    struct bi_batches p = bi_batches_of(m->ctx, sorted.count, 4);
    while (bi_next_batch(m->ctx, &p)) unite_edges(m, &sorted, p.begin, p.end);
    BI_TRY(p.status);
    flatten_components(m);
    return BOSC_OK;
}

static bool is_light(const struct bi_msf_cpu_state *m, const struct bi_msf_edge_list *list, int64_t i)
{
    if (list->words[i] != m->threshold || !list->ids) return list->words[i] <= m->threshold;
    return list->ids[i] <= m->threshold_id;
}

static void copy_edge(const struct bi_msf_edge_list *from, int64_t i, struct bi_msf_edge_list *to, int64_t at)
{
    to->words[at] = from->words[i];
    to->ends[at] = from->ends[i];
    if (from->ids) to->ids[at] = from->ids[i];
}

/* A chunk's next output positions: light edges in the other list, the remainder in the list itself. */
struct split_cursor {
    int64_t light, remainder;
};

/* Counts the light edges of each chunk. */
static bosc_status count_light(const struct bi_msf_cpu_state *m, int chunks, struct split_cursor *to)
{
    const struct bi_msf_edge_list *list = &m->list;
    struct bi_batches parts = bi_chunk_batches(m->ctx, list->count, chunks, 1);
    for (int p = 0; p < chunks; p++) to[p] = (struct split_cursor){0, bi_chunk_begin(list->count, chunks, p)};
    while (bi_next_batch(m->ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(chunks)
        for (int p = 0; p < chunks; p++) {
            const struct bi_span part = bi_batch_of_chunk(list->count, chunks, p, &parts);
            int64_t light = 0;
            for (int64_t i = part.begin; i < part.end; i++) light += is_light(m, list, i);
            to[p].light += light;
        }
    }
    return parts.status;
}

/* Moves each chunk's light edges to `light`, the remainder to the chunk's front. */
static bosc_status split_chunks(struct bi_msf_cpu_state *m, int chunks, struct split_cursor *to,
                                struct bi_msf_edge_list *light)
{
    struct bi_msf_edge_list *list = &m->list;
    struct bi_batches parts = bi_chunk_batches(m->ctx, list->count, chunks, 1);
    while (bi_next_batch(m->ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(chunks)
        for (int p = 0; p < chunks; p++) {
            const struct bi_span part = bi_batch_of_chunk(list->count, chunks, p, &parts);
            struct split_cursor at = to[p];
            for (int64_t i = part.begin; i < part.end; i++)
                if (is_light(m, list, i))
                    copy_edge(list, i, light, at.light++);
                else
                    copy_edge(list, i, list, at.remainder++);
            to[p] = at;
        }
    }
    return parts.status;
}

/* Moves the edges up to the threshold from the list to `light`, both in their order. */
static bosc_status split_list(struct bi_msf_cpu_state *m, struct bi_msf_edge_list *light)
{
    struct bi_msf_edge_list *list = &m->list;
    int chunks = bi_thread_count(m->ctx, list->count, GRAIN);
    int64_t count = 0, remainder = 0;
    struct split_cursor *to;
    BI_TRY(bi_scratch_of(m->ctx, chunks, sizeof *to, (void **)&to));
    BI_TRY(count_light(m, chunks, to));
    for (int p = 0; p < chunks; p++) {
        int64_t lights = to[p].light;
        to[p].light = count;
        count += lights;
    }
    BI_TRY(bi_msf_edge_list_allocate(m->ctx, list->ids != NULL, count, light));
    light->count = count;
    light->in_order = list->in_order;
    BI_TRY(split_chunks(m, chunks, to, light));
    for (int p = 0; p < chunks; p++) {
        int64_t begin = bi_chunk_begin(list->count, chunks, p);
        bi_msf_edge_list_move(list, remainder, begin, to[p].remainder - begin);
        remainder += to[p].remainder - begin;
    }
    list->count = remainder;
    return BOSC_OK;
}

/* Processes the lightest edges of the list, and filters the others. */
static bosc_status unite_light(struct bi_msf_cpu_state *m)
{
    struct bi_msf_edge_list light;
    BI_TRY(bi_msf_cpu_sample_list(m, (double)m->left * LIGHT_RATIO / (double)m->list.count));
    BI_TRY(split_list(m, &light));
    BI_TRY_WITH_SCRATCH(m->ctx, unite_list(m, &light));
    return relabel_list(m, m->joined);
}

bosc_status bi_msf_cpu_kruskal(struct bi_msf_cpu_state *m, const uint32_t *table)
{
    if (table) BI_TRY_WITH_SCRATCH(m->ctx, relabel_list(m, table));
    while (m->list.count > SORT_WHOLE && m->list.count > SPLIT_RATIO * m->left)
        BI_TRY_WITH_SCRATCH(m->ctx, unite_light(m));
    BI_RETURN_WITH_SCRATCH(m->ctx, unite_list(m, &m->list));
}
