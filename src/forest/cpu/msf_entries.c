/* The AUTO minimum spanning forest on the CPU of an edge list without a graph: Kruskal's algorithm on the light
 * entries, then on the heavy entries whose ends are in different trees by then. Source: Osipov, Sanders, Singler, The
 * Filter-Kruskal Minimum Spanning Tree Algorithm (2009). */
#include "core/call.h"
#include "forest/cpu/msf_state.h"

enum { GRAIN = BI_THREAD_ITEMS / 4 };

/* A listing of the entries up to the threshold (`light`), or above it. */
struct listing {
    struct bi_msf_cpu_state *m;
    const struct bi_msf_entries *entries;
    bool light;
    int chunks;
    struct bi_span *positions; /* (chunks) in the list: next position of a chunk, and its first */
};

/* Scans a part of the entries; returns the next position. Counting (!write): advances `at` by the entries on the
 * listing's side of the threshold, and reads no ends. Writing: stores from `at` on only the entries that join different
 * trees. The type parameters are constants, so that each type gets a loop without branches on it. */
BI_FN int64_t scan_part(const struct listing *l, struct bi_span part, int64_t at, bool write, bosc_dtype dtype,
                        bool ids_64bit, bool is_64bit)
{
    struct bi_msf_cpu_state *m = l->m;
    const struct bi_msf_entries *given = l->entries;
    const uint32_t *tree = m->joined;
    struct bi_graph_entries e = given->list;
    e.dtype = dtype;
    e.u_is_64bit = e.v_is_64bit = ids_64bit;
    for (int64_t i = part.begin; i < part.end; i++) {
        uint64_t key = bi_graph_entry_weight(&e, i), rank = bi_msf_rank(&given->order, key);
        uint64_t word = is_64bit ? rank : rank << 32 | (uint32_t)i;
        bool light = word < m->threshold || (word == m->threshold && (!is_64bit || (uint32_t)i <= m->threshold_id));
        if (!write) at += light == l->light;
        if (!write || light != l->light) continue;
        uint32_t u = (uint32_t)bi_word(e.u, ids_64bit, i), v = (uint32_t)bi_word(e.v, ids_64bit, i);
        if (tree[u] == tree[v] || !bi_msf_entry_is_edge(given, i, key, u, v)) continue;
        m->list.words[at] = word;
        m->list.ends[at] = (uint64_t)tree[u] << 32 | tree[v];
        if (is_64bit) m->list.ids[at] = (uint32_t)i;
        at++;
    }
    return at;
}

static int64_t scan_part_of_type(const struct listing *l, struct bi_span part, int64_t at, bool write)
{
    const struct bi_graph_entries *e = &l->entries->list;
#define BI_SCAN(type, is_64bit)                                                         \
    case type:                                                                          \
        if (write)                                                                      \
            return e->u_is_64bit ? scan_part(l, part, at, true, type, true, is_64bit)   \
                                 : scan_part(l, part, at, true, type, false, is_64bit); \
        return scan_part(l, part, at, false, type, false, is_64bit);
    switch (e->dtype) {
        BI_SCAN(BOSC_F32, false)
        BI_SCAN(BOSC_F64, true)
        BI_SCAN(BOSC_I32, false)
        BI_SCAN(BOSC_I64, true)
        BI_SCAN(BOSC_U64, true)
        BI_SCAN(BOSC_U32, false)
    default: return at;
    }
#undef BI_SCAN
}

/* Scans all parts of all chunks; positions[p].begin advances. */
static bosc_status scan_all(const struct listing *l, bool write)
{
    const int64_t count = l->entries->list.m;
    struct bi_batches parts = bi_chunk_batches(l->m->ctx, count, l->chunks, write ? 2 : 1);
    while (bi_next_batch(l->m->ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(l->chunks)
        for (int p = 0; p < l->chunks; p++)
            l->positions[p].begin =
                scan_part_of_type(l, bi_batch_of_chunk(count, l->chunks, p, &parts), l->positions[p].begin, write);
    }
    return parts.status;
}

/* Lists the light or the heavy entries that join trees, in their order: counts an upper bound per chunk, scans again
 * to write, then closes the gaps between chunks. */
static bosc_status list_entries(struct bi_msf_cpu_state *m, bool light)
{
    struct listing l = {m, m->entries, light, bi_thread_count(m->ctx, m->entries->list.m, GRAIN), NULL};
    int64_t capacity = 0, count = 0;
    BI_TRY(bi_scratch_of(m->ctx, l.chunks, sizeof *l.positions, (void **)&l.positions));
    for (int p = 0; p < l.chunks; p++) l.positions[p].begin = 0;
    BI_TRY(scan_all(&l, false));
    for (int p = 0; p < l.chunks; p++) {
        int64_t most = l.positions[p].begin;
        l.positions[p] = (struct bi_span){capacity, capacity};
        capacity += most;
    }
    BI_TRY(bi_msf_edge_list_allocate(m->ctx, m->rows.keys_64bit, capacity, &m->list));
    BI_TRY(scan_all(&l, true));
    for (int p = 0; p < l.chunks; p++) {
        int64_t found = l.positions[p].begin - l.positions[p].end;
        bi_msf_edge_list_move(&m->list, count, l.positions[p].end, found);
        count += found;
    }
    m->list.count = count;
    m->list.in_order = true;
    return BOSC_OK;
}

/* Adds the light or the heavy entries that belong to the forest. */
static bosc_status unite_entries(struct bi_msf_cpu_state *m, bool light)
{
    BI_TRY(list_entries(m, light));
    return bi_msf_cpu_kruskal(m, NULL);
}

/* Makes every vertex a tree. */
static bosc_status init_trees(struct bi_msf_cpu_state *m)
{
    const int64_t n = m->rows.n;
    BI_TRY(bi_scratch_of(m->ctx, n, sizeof *m->joined, (void **)&m->joined));
    struct bi_batches p = bi_batches_of(m->ctx, n, 1);
    while (bi_next_batch(m->ctx, &p))
        for (int64_t v = p.begin; v < p.end; v++) m->component[v] = m->joined[v] = (uint32_t)v;
    m->components = m->left = n;
    return p.status;
}

static bosc_status find_forest(struct bi_msf_cpu_state *m, struct bi_msf_found *found)
{
    const int64_t edges = m->entries->list.m;
    const double light = BI_MSF_CPU_LIGHT * (double)m->rows.n;
    bool filter = (double)edges > BI_MSF_CPU_DENSE * (double)m->rows.n;
    BI_TRY(bi_msf_cpu_allocate_scratch(m, edges));
    BI_TRY(init_trees(m));
    m->threshold = UINT64_MAX;
    m->threshold_id = UINT32_MAX;
    if (filter) BI_TRY(bi_msf_cpu_sample_entries(m, light / (double)edges));
    BI_TRY_WITH_SCRATCH(m->ctx, unite_entries(m, true));
    if (filter) BI_TRY_WITH_SCRATCH(m->ctx, unite_entries(m, false));
    return bi_msf_cpu_write_result(m, edges, found);
}

bosc_status bi_msf_cpu_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries,
                               const struct bi_msf_request *request, struct bi_msf_found *found, int32_t *rounds)
{
    struct bi_msf_cpu_state m = {.ctx = ctx, .request = request, .entries = entries};
    m.rows.n = entries->list.n;
    m.rows.keys_64bit = bi_graph_has_64bit_keys(entries->list.dtype);
    m.rows.order = entries->order;
    *rounds = 0;
    BI_TRY(bi_graph_check_entries(ctx, entries->check_opts, &entries->list));
    return m.rows.n > 0 ? find_forest(&m, found) : BOSC_OK;
}
