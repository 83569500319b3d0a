/* The AUTO minimum spanning forest on the CPU of an edge list without a graph: Kruskal's algorithm on the light
 * entries, then on the heavy entries whose ends are in different trees by then. Source: Osipov, Sanders, Singler, The
 * Filter-Kruskal Minimum Spanning Tree Algorithm (2009). */
#include "core/call.h"
#include "forest/cpu/msf_state.h"

enum {
    GRAIN = BI_THREAD_ITEMS / 4,
    BLOCK = 256,                      /* entries selected at once: 1 KB of numbers. Not measured */
    FILTERED = 2 * BI_MSF_CPU_SAMPLES /* fewer entries are sorted in the time of a sample */
};

/* A listing of the entries up to the threshold (`light`), or above it. */
struct listing {
    struct bi_msf_cpu_state *m;
    const struct bi_msf_entries *entries;
    bool light;
    int chunks;
    struct bi_span *positions; /* (chunks) in the list: next position of a chunk, and its first */
};

/* The word of entry i, and its key. */
BI_FN uint64_t entry_word(const struct listing *l, const struct bi_graph_entries *e, int64_t i, bool is_64bit,
                          uint64_t *key)
{
    *key = bi_graph_entry_weight(e, i);
    const uint64_t rank = bi_msf_rank(&l->entries->order, *key);
    return is_64bit ? rank : rank << 32 | (uint32_t)i;
}

/* Lists the entries on the listing's side of the threshold, among BLOCK entries from `begin` on. Returns their number.
 * Weights are in no order, so a branch would be unpredictable. */
BI_FN int select_entries(const struct listing *l, const struct bi_graph_entries *e, int64_t begin, int64_t end,
                         bool is_64bit, uint32_t *selected)
{
    const struct bi_msf_cpu_state *m = l->m;
    int count = 0;
    for (int64_t i = begin; i < end; i++) {
        uint64_t key;
        const uint64_t word = entry_word(l, e, i, is_64bit, &key);
        const bool last = is_64bit ? (uint32_t)i <= m->threshold_id : true,
                   light = (word < m->threshold) | ((word == m->threshold) & last);
        selected[count] = (uint32_t)i;
        count += light == l->light;
    }
    return count;
}

/* Prefetches the trees of the ends of selected entries. */
BI_FN void prefetch_trees(const struct listing *l, const struct bi_graph_entries *e, const uint32_t *selected,
                          int count)
{
    const uint32_t *tree = l->m->joined;
    for (int k = 0; k < count; k++) {
        __builtin_prefetch(tree + bi_word(e->u, e->u_is_64bit, selected[k]));
        __builtin_prefetch(tree + bi_word(e->v, e->v_is_64bit, selected[k]));
    }
}

/* Stores the selected entries that join different trees from position `at` on; returns the next position. */
BI_FN int64_t store_entries(const struct listing *l, const struct bi_graph_entries *e, const uint32_t *selected,
                            int count, bool is_64bit, int64_t at)
{
    const uint32_t *tree = l->m->joined;
    const struct bi_msf_edge_list list = l->m->list;
    for (int k = 0; k < count; k++) {
        const int64_t i = selected[k];
        const uint32_t u = (uint32_t)bi_word(e->u, e->u_is_64bit, i), v = (uint32_t)bi_word(e->v, e->v_is_64bit, i);
        uint64_t key;
        const uint64_t word = entry_word(l, e, i, is_64bit, &key);
        const uint32_t from = tree[u], to = tree[v];
        list.words[at] = word;
        list.ends[at] = (uint64_t)from << 32 | to;
        if (is_64bit) list.ids[at] = (uint32_t)i;
        at += from != to && bi_msf_entry_is_edge(l->entries, i, key, u, v);
    }
    return at;
}

/* Scans a part of the entries, block by block; returns the next position. Counting (!write): advances `at` by the
 * entries on the listing's side of the threshold, and reads no ends. Writing: stores from `at` on only the entries that
 * join different trees. The type parameters are constants, so that each type gets a loop without branches on it. */
BI_FN int64_t scan_part(const struct listing *l, struct bi_span part, int64_t at, bool write, bosc_dtype dtype,
                        bool ids_64bit, bool is_64bit)
{
    struct bi_graph_entries e = l->entries->list;
    uint32_t selected[BLOCK];
    e.dtype = dtype;
    e.u_is_64bit = e.v_is_64bit = ids_64bit;
    for (int64_t begin = part.begin; begin < part.end; begin += BLOCK) {
        const int64_t end = begin + BLOCK < part.end ? begin + BLOCK : part.end;
        const int count = select_entries(l, &e, begin, end, is_64bit, selected);
        if (!write) {
            at += count;
            continue;
        }
        prefetch_trees(l, &e, selected, count);
        at = store_entries(l, &e, selected, count, is_64bit, at);
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

/* --- Entries in order --------------------------------------------------------------------------------------------- */

/* Returns 1 if no entry is lighter than the one before, as where weights are equal; -1 if each is; else 0. Most lists
 * break both orders within the first few entries (an estimate). */
BI_FN int find_direction(const struct bi_msf_cpu_state *m, bosc_dtype dtype)
{
    struct bi_graph_entries e = m->entries->list;
    uint64_t before = 0;
    bool ascend = true, descend = true;
    e.dtype = dtype;
    for (int64_t i = 0; i < e.m && (ascend || descend); i++) {
        const uint64_t rank = bi_msf_rank(&m->entries->order, bi_graph_entry_weight(&e, i));
        ascend &= rank >= before;
        descend &= i == 0 || rank < before;
        before = rank;
    }
    return ascend ? 1 : descend ? -1 : 0;
}

/* Adds the entries from number `begin` on, lightest first, that join two trees. The smaller root stays one. */
BI_FN void unite_in_order(struct bi_msf_cpu_state *m, int64_t begin, int64_t end, int direction, bosc_dtype dtype)
{
    struct bi_graph_entries e = m->entries->list;
    e.dtype = dtype;
    for (int64_t k = begin; k < end && m->left > 1; k++) {
        const int64_t i = direction > 0 ? k : e.m - 1 - k;
        const uint32_t from = (uint32_t)bi_word(e.u, e.u_is_64bit, i), to = (uint32_t)bi_word(e.v, e.v_is_64bit, i);
        const uint64_t key = bi_graph_entry_weight(&e, i);
        if (!bi_msf_entry_is_edge(m->entries, i, key, from, to)) continue;
        const uint32_t u = bi_msf_cpu_root(m->joined, from), v = bi_msf_cpu_root(m->joined, to);
        if (u == v) continue;
        m->joined[u > v ? u : v] = u > v ? v : u;
        bi_msf_cpu_add_edge(m, m->found++, (uint32_t)i, key);
        m->low += key & UINT32_MAX;
        m->high += key >> 32;
        m->left--;
    }
}

/* Finds the forest of entries in order, or in the reverse one, without a list or a sort; *ordered: false if they are in
 * another. One thread: not measured beside the rounds of several threads on long lists. */
static bosc_status unite_ordered(struct bi_msf_cpu_state *m, bool *ordered)
{
    struct bi_batches p = bi_batches_of(m->ctx, m->entries->list.m, 4);
    int direction = 0;
#define BI_OF_TYPE(type)                                                                                        \
    case type:                                                                                                  \
        direction = find_direction(m, type);                                                                    \
        while (direction != 0 && bi_next_batch(m->ctx, &p)) unite_in_order(m, p.begin, p.end, direction, type); \
        break;
    switch (m->entries->list.dtype) {
        BI_OF_TYPE(BOSC_F32)
        BI_OF_TYPE(BOSC_F64)
        BI_OF_TYPE(BOSC_I32)
        BI_OF_TYPE(BOSC_I64)
        BI_OF_TYPE(BOSC_U64)
        BI_OF_TYPE(BOSC_U32)
    default: break;
    }
#undef BI_OF_TYPE
    *ordered = direction != 0;
    /* Point every vertex at its root; one pass in ascending order is enough, as roots are smaller. */
    for (int64_t v = 0; *ordered && v < m->rows.n; v++) m->joined[v] = m->joined[m->joined[v]];
    return p.status;
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
    bool filter = edges > FILTERED && (double)edges > BI_MSF_CPU_DENSE * (double)m->rows.n, ordered;
    BI_TRY(bi_msf_cpu_allocate_scratch(m, edges));
    BI_TRY(init_trees(m));
    BI_TRY(unite_ordered(m, &ordered));
    if (ordered) return bi_msf_cpu_write_result(m, edges, found);
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
