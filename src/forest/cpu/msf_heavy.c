/* Lists the heavy edges between components. */
#include "base/bits.h"
#include "forest/cpu/msf_state.h"

enum { ROWS = 1024 /* of one turn of a thread; chosen */ };

/* Returns the tree of most of some sampled vertices. */
static uint32_t largest_tree(const uint32_t *tree, int64_t n)
{
    enum { SAMPLES = 256 /* chosen */ };
    uint32_t best = 0;
    int most = 0;
    for (int64_t i = 0; i < SAMPLES; i++) {
        uint32_t candidate = tree[i * n / SAMPLES];
        int count = 0;
        for (int64_t k = 0; k < SAMPLES; k++) count += tree[k * n / SAMPLES] == candidate;
        if (count > most) {
            most = count;
            best = candidate;
        }
    }
    return best;
}

/* The state of the listing. A row outside the largest tree contributes its edges into the largest tree, and its other
 * edges to larger vertices; so each edge is listed once. */
struct heavy {
    const struct bi_msf_cpu_state *m;
    const uint32_t *tree;
    uint32_t largest;
};

/* True if the arc of row u is to be listed; its word and id. */
static bool is_heavy(const struct heavy *h, uint32_t u, int64_t arc, uint64_t *word, uint32_t *id)
{
    const struct bi_msf_cpu_state *m = h->m;
    const struct bi_msf_rows *r = &m->rows;
    uint32_t v = r->neighbours[arc];
    if (h->tree[u] == h->tree[v] || (v < u && h->tree[v] != h->largest)) return false;
    uint64_t rank = bi_msf_arc_rank(r, arc);
    *id = (uint32_t)bi_msf_arc_id(r, arc);
    *word = r->keys_64bit ? rank : rank << 32 | *id;
    if (*word < m->threshold || (*word == m->threshold && (!r->keys_64bit || *id <= m->threshold_id))) return false;
    return bi_msf_arc_is_edge(r, u, arc);
}

/* Lists the heavy edges of a turn's rows from position `at`; returns their number. */
static int64_t list_rows(const struct heavy *h, int64_t turn, struct bi_msf_edge_list *list, int64_t at)
{
    const uint32_t *offsets = h->m->rows.offsets;
    int64_t begin = at, end = turn * ROWS + ROWS < h->m->rows.n ? turn * ROWS + ROWS : h->m->rows.n;
    for (int64_t u = turn * ROWS; u < end; u++) {
        if (h->tree[u] == h->largest) continue;
        for (int64_t arc = offsets[u]; arc < offsets[u + 1]; arc++) {
            uint64_t word;
            uint32_t id;
            if (!is_heavy(h, (uint32_t)u, arc, &word, &id)) continue;
            list->words[at] = word;
            list->ends[at] = (uint64_t)h->tree[u] << 32 | h->tree[h->m->rows.neighbours[arc]];
            if (list->ids) list->ids[at] = id;
            at++;
        }
    }
    return at - begin;
}

/* Counts the arcs of a turn's rows outside the largest tree. */
static int64_t count_arcs(const struct heavy *h, int64_t turn)
{
    const uint32_t *offsets = h->m->rows.offsets;
    int64_t arcs = 0, end = turn * ROWS + ROWS < h->m->rows.n ? turn * ROWS + ROWS : h->m->rows.n;
    for (int64_t u = turn * ROWS; u < end; u++)
        if (h->tree[u] != h->largest) arcs += (int64_t)offsets[u + 1] - offsets[u];
    return arcs;
}

/* The tree of each vertex. */
static bosc_status find_trees(const struct bi_msf_cpu_state *m, uint32_t *tree)
{
    struct bi_batches p = bi_batches_of(m->ctx, m->rows.n, 1);
    while (bi_next_batch(m->ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(bi_thread_count(m->ctx, p.end - p.begin, 4 * ROWS))
        for (int64_t v = p.begin; v < p.end; v++) tree[v] = m->joined[m->component[v]];
    }
    return p.status;
}

bosc_status bi_msf_cpu_list_heavy(struct bi_msf_cpu_state *m)
{
    int64_t n = m->rows.n, turns = bi_div_up(n, ROWS), *begins, *counts, capacity = 0, count = 0;
    uint32_t *tree = m->next; /* free by now */
    BI_TRY(bi_scratch_of(m->ctx, turns, sizeof *begins, (void **)&begins));
    BI_TRY(bi_scratch_of(m->ctx, turns, sizeof *counts, (void **)&counts));
    /* 1. Count the arcs of each turn: an upper bound of its edges. */
    BI_TRY(find_trees(m, tree));
    struct heavy h = {m, tree, largest_tree(tree, n)};
    struct bi_batches p = bi_batches_of(m->ctx, turns, (double)n / (double)turns);
    while (bi_next_batch(m->ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(bi_thread_count(m->ctx, p.end - p.begin, 4))
        for (int64_t t = p.begin; t < p.end; t++) counts[t] = count_arcs(&h, t);
    }
    BI_TRY(p.status);
    for (int64_t t = 0; t < turns; t++) {
        begins[t] = capacity;
        capacity += counts[t];
    }
    /* 2. List the edges of each turn from its offset; rows differ in length, hence the dynamic schedule. */
    BI_TRY(bi_msf_edge_list_allocate(m->ctx, m->rows.keys_64bit, capacity, &m->list));
    p = bi_batches_of(m->ctx, turns, 2 * (double)m->rows.arcs / (double)turns);
    while (bi_next_batch(m->ctx, &p)) {
#pragma omp parallel for schedule(dynamic, 4) num_threads(bi_thread_count(m->ctx, p.end - p.begin, 4))
        for (int64_t t = p.begin; t < p.end; t++) counts[t] = list_rows(&h, t, &m->list, begins[t]);
    }
    BI_TRY(p.status);
    /* 3. Close the gaps between turns. */
    for (int64_t t = 0; t < turns; t++) {
        bi_msf_edge_list_move(&m->list, count, begins[t], counts[t]);
        count += counts[t];
    }
    m->list.count = count;
    return BOSC_OK;
}
