/* The edges that were not light and may still join components. */
#include "base/bits.h"
#include "forest/cpu/msf.h"

enum { ROWS = 1024 /* of one turn of a thread */ };

/* The tree that most of some sampled vertices are in. */
static uint32_t largest_tree(const uint32_t *tree, int64_t n)
{
    enum { SAMPLES = 256 };
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

/* The edges of row u that the heavy list gets: all to the largest tree, and those to larger vertices. */
struct heavy {
    const struct bi_msf_cpu *m;
    const uint32_t *tree;
    uint32_t largest;
};

static bool is_heavy(const struct heavy *h, uint32_t u, int64_t place, uint64_t *word, uint32_t *id)
{
    const struct bi_msf_cpu *m = h->m;
    const struct bi_msf_rows *r = &m->rows;
    uint32_t v = r->neighbours[place];
    if (h->tree[u] == h->tree[v] || (v < u && h->tree[v] != h->largest)) return false;
    uint64_t rank = bi_msf_arc_rank(r, place);
    *id = (uint32_t)bi_msf_arc_id(r, place);
    *word = r->wide_keys ? rank : rank << 32 | *id;
    if (*word < m->threshold || (*word == m->threshold && (!r->wide_keys || *id <= m->threshold_id))) return false;
    return bi_msf_there(r, u, place);
}

/* Lists the heavy edges of a turn's rows from place `at` of the list on; how many. */
static int64_t list_rows(const struct heavy *h, int64_t turn, struct bi_msf_edge_list *list, int64_t at)
{
    const uint32_t *offsets = h->m->rows.offsets;
    int64_t begin = at, end = turn * ROWS + ROWS < h->m->rows.n ? turn * ROWS + ROWS : h->m->rows.n;
    for (int64_t u = turn * ROWS; u < end; u++) {
        if (h->tree[u] == h->largest) continue;
        for (int64_t place = offsets[u]; place < offsets[u + 1]; place++) {
            uint64_t word;
            uint32_t id;
            if (!is_heavy(h, (uint32_t)u, place, &word, &id)) continue;
            list->words[at] = word;
            list->ends[at] = (uint64_t)h->tree[u] << 32 | h->tree[h->m->rows.neighbours[place]];
            if (list->ids) list->ids[at] = id;
            at++;
        }
    }
    return at - begin;
}

/* The arcs of a turn's rows outside the largest tree. */
static int64_t count_arcs(const struct heavy *h, int64_t turn)
{
    const uint32_t *offsets = h->m->rows.offsets;
    int64_t arcs = 0, end = turn * ROWS + ROWS < h->m->rows.n ? turn * ROWS + ROWS : h->m->rows.n;
    for (int64_t u = turn * ROWS; u < end; u++)
        if (h->tree[u] != h->largest) arcs += (int64_t)offsets[u + 1] - offsets[u];
    return arcs;
}

/* The tree of each vertex. */
static bosc_status find_trees(const struct bi_msf_cpu *m, uint32_t *tree)
{
    struct bi_parts p = bi_parts_of(m->ctx, m->rows.n, 1);
    while (bi_next_part(m->ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(bi_thread_count(m->ctx, p.end - p.begin, 4 * ROWS))
        for (int64_t v = p.begin; v < p.end; v++) tree[v] = m->joined[m->component[v]];
    }
    return p.status;
}

bosc_status bi_msf_cpu_list_heavy(struct bi_msf_cpu *m)
{
    int64_t n = m->rows.n, turns = bi_div_up(n, ROWS), *begins, *counts, capacity = 0, count = 0;
    uint32_t *tree = m->next; /* not needed any more */
    BI_TRY(bi_scratch_of(m->ctx, turns, sizeof *begins, (void **)&begins));
    BI_TRY(bi_scratch_of(m->ctx, turns, sizeof *counts, (void **)&counts));
    BI_TRY(find_trees(m, tree));
    struct heavy h = {m, tree, largest_tree(tree, n)};
    struct bi_parts p = bi_parts_of(m->ctx, turns, (double)n / (double)turns);
    while (bi_next_part(m->ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(bi_thread_count(m->ctx, p.end - p.begin, 4))
        for (int64_t t = p.begin; t < p.end; t++) counts[t] = count_arcs(&h, t);
    }
    BI_TRY(p.status);
    for (int64_t t = 0; t < turns; t++) {
        begins[t] = capacity;
        capacity += counts[t];
    }
    BI_TRY(bi_msf_edge_list_take(m->ctx, m->rows.wide_keys, capacity, &m->list));
    p = bi_parts_of(m->ctx, turns, 2 * (double)m->rows.arcs / (double)turns);
    while (bi_next_part(m->ctx, &p)) {
#pragma omp parallel for schedule(dynamic, 4) num_threads(bi_thread_count(m->ctx, p.end - p.begin, 4))
        for (int64_t t = p.begin; t < p.end; t++) counts[t] = list_rows(&h, t, &m->list, begins[t]);
    }
    BI_TRY(p.status);
    for (int64_t t = 0; t < turns; t++) {
        bi_msf_edge_list_move(&m->list, count, begins[t], counts[t]);
        count += counts[t];
    }
    m->list.count = count;
    return BOSC_OK;
}
