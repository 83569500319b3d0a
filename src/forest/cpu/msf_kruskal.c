/* Kruskal's algorithm on lists of edges between components. */
#include "base/bits.h"
#include "core/call.h"
#include "forest/cpu/msf.h"

enum {
    GRAIN = BI_THREAD_ITEMS / 4,
    SMALL = 1 << 14, /* edges that are sorted at once, */
    MANY = 4,        /* or where there are not more than so many a component; */
    PART = 2         /* else so many a component go first */
};

/* Edges of a part to the list's place `at` and those after it; where the next ones go. */
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

/* Ends become what the table says; edges inside a component go. */
static bosc_status relabel(struct bi_msf_cpu *m, const uint32_t *table)
{
    struct bi_msf_edge_list *list = &m->list;
    int chunks = bi_thread_count(m->ctx, list->count, GRAIN);
    int64_t *counts, count = 0;
    BI_TRY(bi_scratch_of(m->ctx, chunks, sizeof *counts, (void **)&counts));
    struct bi_parts parts = bi_chunk_parts(m->ctx, list->count, chunks, 1);
    for (int p = 0; p < chunks; p++) counts[p] = 0;
    while (bi_next_part(m->ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(chunks)
        for (int p = 0; p < chunks; p++) {
            const struct bi_span part = bi_chunk_part(list->count, chunks, p, &parts);
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

/* Sorts edges of long keys: by id, then stably by rank. */
static bosc_status sort_long(struct bi_msf_cpu *m, const struct bi_msf_edge_list *list, struct bi_msf_edge_list *out)
{
    const struct bi_core_ops *core = m->ctx->backend->core;
    int64_t count = list->count;
    uint32_t *order[2], *ids;
    uint64_t *words;
    for (int k = 0; k < 2; k++) BI_TRY(bi_scratch_of(m->ctx, count, sizeof(uint32_t), (void **)&order[k]));
    BI_TRY(bi_scratch_of(m->ctx, count, sizeof *ids, (void **)&ids));
    BI_TRY(bi_scratch_of(m->ctx, count, sizeof *words, (void **)&words));
    struct bi_parts p = bi_parts_of(m->ctx, count, 1);
    while (bi_next_part(m->ctx, &p))
        for (int64_t i = p.begin; i < p.end; i++) order[0][i] = (uint32_t)i;
    BI_TRY(p.status);
    if (list->in_order)
        order[1] = order[0];
    else
        BI_TRY(core->sort_pairs(m->ctx, BOSC_U32, list->ids, 4, order[0], count, ids, order[1], 0, 32));
    p = bi_parts_of(m->ctx, count, 1);
    while (bi_next_part(m->ctx, &p))
        for (int64_t i = p.begin; i < p.end; i++) words[i] = list->words[order[1][i]];
    BI_TRY(p.status);
    BI_TRY(core->sort_pairs(m->ctx, BOSC_U64, words, 4, order[1], count, out->words, order[0], 0, 64));
    p = bi_parts_of(m->ctx, count, 2);
    while (bi_next_part(m->ctx, &p))
        for (int64_t i = p.begin; i < p.end; i++) {
            out->ids[i] = list->ids[order[0][i]];
            out->ends[i] = list->ends[order[0][i]];
        }
    return p.status;
}

/* Takes the edges, lightest first, that join components. */
static void unite(struct bi_msf_cpu *m, const struct bi_msf_edge_list *sorted, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end && m->left > 1; i++) {
        uint32_t u = bi_msf_cpu_root(m->joined, (uint32_t)(sorted->ends[i] >> 32)),
                 v = bi_msf_cpu_root(m->joined, (uint32_t)sorted->ends[i]);
        if (u == v) continue;
        m->joined[u > v ? u : v] = u > v ? v : u;
        uint64_t key = bi_msf_cpu_key(m, sorted->ids ? sorted->words[i] : sorted->words[i] >> 32);
        bi_msf_cpu_note(m, m->found++, sorted->ids ? sorted->ids[i] : (uint32_t)sorted->words[i], key);
        m->low += key & UINT32_MAX;
        m->high += key >> 32;
        m->left--;
    }
}

/* Roots are smaller than what points to them. */
static void flatten(struct bi_msf_cpu *m)
{
    for (int64_t c = 0; c < m->components; c++) m->joined[c] = m->joined[m->joined[c]];
}

/* Kruskal's algorithm over a list that is not needed any more. */
static bosc_status take_all(struct bi_msf_cpu *m, const struct bi_msf_edge_list *list)
{
    struct bi_msf_edge_list sorted;
    BI_TRY(bi_msf_edge_list_take(m->ctx, list->ids != NULL, list->count, &sorted));
    if (list->ids)
        BI_TRY(sort_long(m, list, &sorted));
    else
        BI_TRY(m->ctx->backend->core->sort_pairs(m->ctx, BOSC_U64, list->words, 8, list->ends, list->count,
                                                 sorted.words, sorted.ends, list->in_order ? 32 : 0, 64));
    sorted.count = list->count;
    struct bi_parts p = bi_parts_of(m->ctx, sorted.count, 4);
    while (bi_next_part(m->ctx, &p)) unite(m, &sorted, p.begin, p.end);
    BI_TRY(p.status);
    flatten(m);
    return BOSC_OK;
}

static bool is_light(const struct bi_msf_cpu *m, const struct bi_msf_edge_list *list, int64_t i)
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

/* Where the next edges of a chunk go: light ones in the other list, the rest in the list itself. */
struct split {
    int64_t light, rest;
};

static bosc_status count_light(const struct bi_msf_cpu *m, int chunks, struct split *to)
{
    const struct bi_msf_edge_list *list = &m->list;
    struct bi_parts parts = bi_chunk_parts(m->ctx, list->count, chunks, 1);
    for (int p = 0; p < chunks; p++) to[p] = (struct split){0, bi_chunk_begin(list->count, chunks, p)};
    while (bi_next_part(m->ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(chunks)
        for (int p = 0; p < chunks; p++) {
            const struct bi_span part = bi_chunk_part(list->count, chunks, p, &parts);
            int64_t light = 0;
            for (int64_t i = part.begin; i < part.end; i++) light += is_light(m, list, i);
            to[p].light += light;
        }
    }
    return parts.status;
}

static bosc_status split_chunks(struct bi_msf_cpu *m, int chunks, struct split *to, struct bi_msf_edge_list *light)
{
    struct bi_msf_edge_list *list = &m->list;
    struct bi_parts parts = bi_chunk_parts(m->ctx, list->count, chunks, 1);
    while (bi_next_part(m->ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(chunks)
        for (int p = 0; p < chunks; p++) {
            const struct bi_span part = bi_chunk_part(list->count, chunks, p, &parts);
            struct split at = to[p];
            for (int64_t i = part.begin; i < part.end; i++)
                if (is_light(m, list, i))
                    copy_edge(list, i, light, at.light++);
                else
                    copy_edge(list, i, list, at.rest++);
            to[p] = at;
        }
    }
    return parts.status;
}

/* Moves the edges up to the threshold from the list to `light`. */
static bosc_status split(struct bi_msf_cpu *m, struct bi_msf_edge_list *light)
{
    struct bi_msf_edge_list *list = &m->list;
    int chunks = bi_thread_count(m->ctx, list->count, GRAIN);
    int64_t count = 0, rest = 0;
    struct split *to;
    BI_TRY(bi_scratch_of(m->ctx, chunks, sizeof *to, (void **)&to));
    BI_TRY(count_light(m, chunks, to));
    for (int p = 0; p < chunks; p++) {
        int64_t lights = to[p].light;
        to[p].light = count;
        count += lights;
    }
    BI_TRY(bi_msf_edge_list_take(m->ctx, list->ids != NULL, count, light));
    light->count = count;
    light->in_order = list->in_order;
    BI_TRY(split_chunks(m, chunks, to, light));
    for (int p = 0; p < chunks; p++) {
        int64_t begin = bi_chunk_begin(list->count, chunks, p);
        bi_msf_edge_list_move(list, rest, begin, to[p].rest - begin);
        rest += to[p].rest - begin;
    }
    list->count = rest;
    return BOSC_OK;
}

/* Takes the lightest edges of the list, and leaves the others that still join components. */
static bosc_status take_light(struct bi_msf_cpu *m)
{
    struct bi_msf_edge_list light;
    BI_TRY(bi_msf_cpu_sample_list(m, (double)m->left * PART / (double)m->list.count));
    BI_TRY(split(m, &light));
    BI_TRY_WITH_SCRATCH(m->ctx, take_all(m, &light));
    return relabel(m, m->joined);
}

bosc_status bi_msf_cpu_kruskal(struct bi_msf_cpu *m, const uint32_t *table)
{
    if (table) BI_TRY_WITH_SCRATCH(m->ctx, relabel(m, table));
    while (m->list.count > SMALL && m->list.count > MANY * m->left) BI_TRY_WITH_SCRATCH(m->ctx, take_light(m));
    BI_RETURN_WITH_SCRATCH(m->ctx, take_all(m, &m->list));
}
