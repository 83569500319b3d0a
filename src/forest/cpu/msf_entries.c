/* The fast minimum spanning forest on the CPU of entries that are in no graph: Kruskal's algorithm on the light ones,
 * then on those of the others whose ends are in different trees by then.
 * Source: Osipov, Sanders, Singler, The Filter-Kruskal Minimum Spanning Tree Algorithm (2009). */
#include "core/call.h"
#include "forest/cpu/msf.h"

/* Of a list with more than DENSE entries a vertex, LIGHT a vertex go first. */
static const double LIGHT = 1.8, DENSE = 2.5;
enum { GRAIN = BI_THREAD_ITEMS / 4 };

/* What is listed: entries up to the threshold, or those above it. */
struct listing {
    struct bi_msf_cpu *m;
    const struct bi_msf_entries *entries;
    bool light;
    int chunks;
    struct bi_span *places; /* (chunks) in the list: where the next edge of a chunk goes, and where it began */
};

/* A pass over a part of the entries from place `at` of the list on (`write`), or counting alone; where it ends. Counted
 * are those on this side of the threshold, written those that join trees too. */
BI_FN int64_t pass(const struct listing *l, struct bi_span part, int64_t at, bool write, bosc_dtype dtype,
                   bool wide_ids, bool wide)
{
    struct bi_msf_cpu *m = l->m;
    const struct bi_msf_entries *given = l->entries;
    const uint32_t *tree = m->joined;
    struct bi_graph_entries e = given->of;
    e.dtype = dtype;
    e.wide_u = e.wide_v = wide_ids;
    for (int64_t i = part.begin; i < part.end; i++) {
        uint64_t key = bi_graph_entry_weight(&e, i), rank = bi_msf_rank(&given->order, key);
        uint64_t word = wide ? rank : rank << 32 | (uint32_t)i;
        bool light = word < m->threshold || (word == m->threshold && (!wide || (uint32_t)i <= m->threshold_id));
        if (!write) at += light == l->light;
        if (!write || light != l->light) continue;
        uint32_t u = (uint32_t)bi_word(e.u, wide_ids, i), v = (uint32_t)bi_word(e.v, wide_ids, i);
        if (tree[u] == tree[v] || !bi_msf_entry_there(given, i, key, u, v)) continue;
        m->list.words[at] = word;
        m->list.ends[at] = (uint64_t)tree[u] << 32 | tree[v];
        if (wide) m->list.ids[at] = (uint32_t)i;
        at++;
    }
    return at;
}

static int64_t pass_of(const struct listing *l, struct bi_span part, int64_t at, bool write)
{
    const struct bi_graph_entries *e = &l->entries->of;
#define BI_PASS(type, wide)                                                                                            \
    case type:                                                                                                         \
        if (write)                                                                                                     \
            return e->wide_u ? pass(l, part, at, true, type, true, wide) : pass(l, part, at, true, type, false, wide); \
        return pass(l, part, at, false, type, false, wide);
    switch (e->dtype) {
        BI_PASS(BOSC_F32, false)
        BI_PASS(BOSC_F64, true)
        BI_PASS(BOSC_I32, false)
        BI_PASS(BOSC_I64, true)
        BI_PASS(BOSC_U64, true)
        BI_PASS(BOSC_U32, false)
    default: return at;
    }
#undef BI_PASS
}

/* All parts of all chunks; `places` says where each has come. */
static bosc_status pass_all(const struct listing *l, bool write)
{
    const int64_t count = l->entries->of.m;
    struct bi_parts parts = bi_chunk_parts(l->m->ctx, count, l->chunks, write ? 2 : 1);
    while (bi_next_part(l->m->ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(l->chunks)
        for (int p = 0; p < l->chunks; p++)
            l->places[p].begin = pass_of(l, bi_chunk_part(count, l->chunks, p, &parts), l->places[p].begin, write);
    }
    return parts.status;
}

/* Lists the light or the other entries that join trees, in their order. */
static bosc_status list(struct bi_msf_cpu *m, bool light)
{
    struct listing l = {m, m->entries, light, bi_thread_count(m->ctx, m->entries->of.m, GRAIN), NULL};
    int64_t capacity = 0, count = 0;
    BI_TRY(bi_scratch_of(m->ctx, l.chunks, sizeof *l.places, (void **)&l.places));
    for (int p = 0; p < l.chunks; p++) l.places[p].begin = 0;
    BI_TRY(pass_all(&l, false));
    for (int p = 0; p < l.chunks; p++) {
        int64_t most = l.places[p].begin;
        l.places[p] = (struct bi_span){capacity, capacity};
        capacity += most;
    }
    BI_TRY(bi_msf_edge_list_take(m->ctx, m->rows.wide_keys, capacity, &m->list));
    BI_TRY(pass_all(&l, true));
    for (int p = 0; p < l.chunks; p++) {
        int64_t found = l.places[p].begin - l.places[p].end;
        bi_msf_edge_list_move(&m->list, count, l.places[p].end, found);
        count += found;
    }
    m->list.count = count;
    m->list.in_order = true;
    return BOSC_OK;
}

/* Takes those of the light or of the other entries that belong to the forest. */
static bosc_status take(struct bi_msf_cpu *m, bool light)
{
    BI_TRY(list(m, light));
    return bi_msf_cpu_kruskal(m, NULL);
}

/* Every vertex is a tree of its own. */
static bosc_status begin(struct bi_msf_cpu *m)
{
    const int64_t n = m->rows.n;
    BI_TRY(bi_scratch_of(m->ctx, n, sizeof *m->joined, (void **)&m->joined));
    struct bi_parts p = bi_parts_of(m->ctx, n, 1);
    while (bi_next_part(m->ctx, &p))
        for (int64_t v = p.begin; v < p.end; v++) m->component[v] = m->joined[v] = (uint32_t)v;
    m->components = m->left = n;
    return p.status;
}

static bosc_status run(struct bi_msf_cpu *m, struct bi_msf_found *found)
{
    const int64_t edges = m->entries->of.m;
    const double light = LIGHT * (double)m->rows.n;
    bool filter = (double)edges > DENSE * (double)m->rows.n;
    BI_TRY(bi_msf_cpu_take_scratch(m, edges));
    BI_TRY(begin(m));
    m->threshold = UINT64_MAX;
    m->threshold_id = UINT32_MAX;
    if (filter) BI_TRY(bi_msf_cpu_sample_entries(m, light / (double)edges));
    BI_TRY_WITH_SCRATCH(m->ctx, take(m, true));
    if (filter) BI_TRY_WITH_SCRATCH(m->ctx, take(m, false));
    return bi_msf_cpu_give(m, edges, found);
}

bosc_status bi_msf_cpu_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries, const struct bi_msf_want *want,
                               struct bi_msf_found *found, int32_t *rounds)
{
    struct bi_msf_cpu m = {.ctx = ctx, .want = want, .entries = entries};
    m.rows.n = entries->of.n;
    m.rows.wide_keys = bi_graph_has_wide_keys(entries->of.dtype);
    m.rows.order = entries->order;
    *rounds = 0;
    BI_TRY(bi_graph_check_entries(ctx, entries->unchecked, &entries->of));
    return m.rows.n > 0 ? run(&m, found) : BOSC_OK;
}
