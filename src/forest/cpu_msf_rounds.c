/* The first round of Boruvka, and Kruskal's algorithm on what it leaves. */
#include <string.h>

#include "base/atomic.h"
#include "base/bits.h"
#include "forest/cpu_msf.h"

enum {
    GRAIN = 1 << 13,
    ROWS = 1024,     /* of one turn of a thread */
    SMALL = 1 << 14, /* edges that are sorted at once, */
    MANY = 4,        /* or where there are not more than so many a component; */
    PART = 2         /* else so many a component go first */
};

static uint32_t root_of(uint32_t *parent, uint32_t v)
{
    uint32_t above = bi_peek(&parent[v]), far;
    while ((far = bi_peek(&parent[above])) != above) {
        bi_poke(&parent[v], far); /* path halving */
        v = far;
        above = bi_peek(&parent[v]);
    }
    return above;
}

/* Of two vertices that chose the same edge the smaller becomes a root, and so does one without edges. The others' edges
 * join the forest, in the order of the vertices. Roots get numbers in their order. */
struct tally {
    int64_t edges, roots;
    uint64_t low, high;
};

static inline bool is_root(const uint32_t *next, uint32_t v)
{
    return next[v] == v || (v < next[v] && next[next[v]] == v);
}

static void take_edge(struct bi_cpu_msf *m, uint32_t v, int64_t at, struct tally *t)
{
    const struct bi_msf_rows *r = &m->rows;
    uint64_t key = bi_word(r->keys, r->wide_keys, m->choice[v]);
    bi_cpu_msf_note(m, at, ((const uint32_t *)r->edge_ids)[m->choice[v]], key);
    t->low += key & UINT32_MAX;
    t->high += key >> 32;
}

bosc_status bi_cpu_msf_first_round(struct bi_cpu_msf *m)
{
    int64_t n = m->rows.n;
    int parts = bi_parts(m->ctx, n, GRAIN);
    struct tally *tallies, all = {0};
    uint8_t *root;
    BI_TRY(bi_forest_scratch(m->ctx, parts, sizeof *tallies, (void **)&tallies));
    BI_TRY(bi_forest_scratch(m->ctx, n, 1, (void **)&root));
#pragma omp parallel for schedule(static) num_threads(parts)
    for (int p = 0; p < parts; p++) {
        int64_t roots = 0, begin = bi_part_begin(n, parts, p), end = bi_part_begin(n, parts, p + 1);
        for (int64_t v = begin; v < end; v++) roots += root[v] = is_root(m->next, (uint32_t)v);
        tallies[p] = (struct tally){.edges = end - begin - roots, .roots = roots};
    }
    for (int p = 0; p < parts; p++) {
        struct tally t = tallies[p];
        tallies[p] = all;
        all.edges += t.edges;
        all.roots += t.roots;
    }
#pragma omp parallel for schedule(static) num_threads(parts)
    for (int p = 0; p < parts; p++) {
        struct tally t = tallies[p];
        int64_t end = bi_part_begin(n, parts, p + 1);
        for (int64_t v = bi_part_begin(n, parts, p); v < end; v++)
            if (root[v]) {
                m->next[v] = (uint32_t)v;
                m->component[v] = (uint32_t)t.roots++;
            } else {
                take_edge(m, (uint32_t)v, t.edges++, &t);
            }
        tallies[p] = t;
    }
    for (int p = 0; p < parts; p++) {
        m->low += tallies[p].low;
        m->high += tallies[p].high;
    }
    m->found = all.edges;
    m->components = m->left = all.roots;
#pragma omp parallel for schedule(static) num_threads(parts)
    for (int64_t v = 0; v < n; v++) bi_poke(&m->next[v], bi_peek(&m->next[bi_peek(&m->next[v])]));
#pragma omp parallel for schedule(static) num_threads(parts)
    for (int64_t v = 0; v < n; v++)
        if (!root[v]) m->component[v] = m->component[root_of(m->next, (uint32_t)v)];
    BI_TRY(bi_forest_scratch(m->ctx, m->components, sizeof *m->joined, (void **)&m->joined));
    for (int64_t c = 0; c < m->components; c++) m->joined[c] = (uint32_t)c;
    return BOSC_OK;
}

static void move_edges(struct bi_edge_list *list, int64_t to, int64_t from, int64_t count)
{
    if (to == from) return;
    memmove(list->words + to, list->words + from, (size_t)count * sizeof *list->words);
    memmove(list->ends + to, list->ends + from, (size_t)count * sizeof *list->ends);
    if (list->ids) memmove(list->ids + to, list->ids + from, (size_t)count * sizeof *list->ids);
}

/* Ends become what the table says; edges inside a component go. */
static bosc_status relabel(struct bi_cpu_msf *m, const uint32_t *table)
{
    struct bi_edge_list *list = &m->list;
    int parts = bi_parts(m->ctx, list->count, GRAIN);
    int64_t *counts, count = 0;
    BI_TRY(bi_forest_scratch(m->ctx, parts, sizeof *counts, (void **)&counts));
#pragma omp parallel for schedule(static) num_threads(parts)
    for (int p = 0; p < parts; p++) {
        int64_t begin = bi_part_begin(list->count, parts, p), end = bi_part_begin(list->count, parts, p + 1);
        int64_t at = begin;
        for (int64_t i = begin; i < end; i++) {
            uint32_t u = table[list->ends[i] >> 32], v = table[(uint32_t)list->ends[i]];
            list->words[at] = list->words[i];
            list->ends[at] = (uint64_t)u << 32 | v;
            if (list->ids) list->ids[at] = list->ids[i];
            at += u != v;
        }
        counts[p] = at - begin;
    }
    for (int p = 0; p < parts; p++) {
        move_edges(list, count, bi_part_begin(list->count, parts, p), counts[p]);
        count += counts[p];
    }
    list->count = count;
    return BOSC_OK;
}

/* Sorts edges of long keys: by id, then stably by rank. */
static bosc_status sort_long(struct bi_cpu_msf *m, const struct bi_edge_list *list, struct bi_edge_list *out)
{
    const struct bi_core_ops *core = m->ctx->backend->core;
    int64_t count = list->count;
    uint32_t *order[2], *ids;
    uint64_t *words;
    for (int k = 0; k < 2; k++) BI_TRY(bi_forest_scratch(m->ctx, count, sizeof(uint32_t), (void **)&order[k]));
    BI_TRY(bi_forest_scratch(m->ctx, count, sizeof *ids, (void **)&ids));
    BI_TRY(bi_forest_scratch(m->ctx, count, sizeof *words, (void **)&words));
    for (int64_t i = 0; i < count; i++) order[0][i] = (uint32_t)i;
    BI_TRY(core->sort_pairs(m->ctx, BOSC_U32, list->ids, 4, order[0], count, ids, order[1], 0, 32));
    for (int64_t i = 0; i < count; i++) words[i] = list->words[order[1][i]];
    BI_TRY(core->sort_pairs(m->ctx, BOSC_U64, words, 4, order[1], count, out->words, order[0], 0, 64));
    for (int64_t i = 0; i < count; i++) {
        out->ids[i] = list->ids[order[0][i]];
        out->ends[i] = list->ends[order[0][i]];
    }
    return BOSC_OK;
}

/* Takes the edges, lightest first, that join components. */
static void unite(struct bi_cpu_msf *m, const struct bi_edge_list *sorted)
{
    for (int64_t i = 0; i < sorted->count && m->left > 1; i++) {
        uint32_t u = root_of(m->joined, (uint32_t)(sorted->ends[i] >> 32)),
                 v = root_of(m->joined, (uint32_t)sorted->ends[i]);
        if (u == v) continue;
        m->joined[u > v ? u : v] = u > v ? v : u;
        uint64_t key = bi_cpu_msf_key(m, sorted->ids ? sorted->words[i] : sorted->words[i] >> 32);
        bi_cpu_msf_note(m, m->found++, sorted->ids ? sorted->ids[i] : (uint32_t)sorted->words[i], key);
        m->low += key & UINT32_MAX;
        m->high += key >> 32;
        m->left--;
    }
}

/* Roots are smaller than what points to them. */
static void flatten(struct bi_cpu_msf *m)
{
    for (int64_t c = 0; c < m->components; c++) m->joined[c] = m->joined[m->joined[c]];
}

/* Kruskal's algorithm over a list that is not needed any more. */
static bosc_status take_all(struct bi_cpu_msf *m, const struct bi_edge_list *list)
{
    struct bi_edge_list sorted;
    struct bi_mark mark = bi_arena_mark(m->ctx);
    BI_TRY(bi_edge_list_take(m->ctx, list->ids != NULL, list->count, &sorted));
    if (list->ids)
        BI_TRY(sort_long(m, list, &sorted));
    else
        BI_TRY(m->ctx->backend->core->sort_pairs(m->ctx, BOSC_U64, list->words, 8, list->ends, list->count,
                                                 sorted.words, sorted.ends, 0, 64));
    sorted.count = list->count;
    unite(m, &sorted);
    flatten(m);
    bi_arena_rewind(m->ctx, mark);
    return BOSC_OK;
}

static bool is_light(const struct bi_cpu_msf *m, const struct bi_edge_list *list, int64_t i)
{
    if (list->words[i] != m->threshold || !list->ids) return list->words[i] <= m->threshold;
    return list->ids[i] <= m->threshold_id;
}

static void copy_edge(const struct bi_edge_list *from, int64_t i, struct bi_edge_list *to, int64_t at)
{
    to->words[at] = from->words[i];
    to->ends[at] = from->ends[i];
    if (from->ids) to->ids[at] = from->ids[i];
}

/* Moves the edges up to the threshold from the list to `light`. */
static bosc_status split(struct bi_cpu_msf *m, struct bi_edge_list *light)
{
    struct bi_edge_list *list = &m->list;
    int parts = bi_parts(m->ctx, list->count, GRAIN);
    int64_t *begins, count = 0, rest = 0;
    BI_TRY(bi_forest_scratch(m->ctx, parts + 1, sizeof *begins, (void **)&begins));
#pragma omp parallel for schedule(static) num_threads(parts)
    for (int p = 0; p < parts; p++) {
        int64_t lights = 0, end = bi_part_begin(list->count, parts, p + 1);
        for (int64_t i = bi_part_begin(list->count, parts, p); i < end; i++) lights += is_light(m, list, i);
        begins[p] = lights;
    }
    for (int p = 0; p < parts; p++) {
        int64_t lights = begins[p];
        begins[p] = count;
        count += lights;
    }
    begins[parts] = count;
    BI_TRY(bi_edge_list_take(m->ctx, list->ids != NULL, count, light));
    light->count = count;
#pragma omp parallel for schedule(static) num_threads(parts)
    for (int p = 0; p < parts; p++) {
        int64_t begin = bi_part_begin(list->count, parts, p), end = bi_part_begin(list->count, parts, p + 1);
        int64_t at = begins[p], keep = begin;
        for (int64_t i = begin; i < end; i++)
            if (is_light(m, list, i))
                copy_edge(list, i, light, at++);
            else
                copy_edge(list, i, list, keep++);
    }
    for (int p = 0; p < parts; p++) {
        int64_t begin = bi_part_begin(list->count, parts, p), end = bi_part_begin(list->count, parts, p + 1);
        int64_t keep = end - begin - (begins[p + 1] - begins[p]);
        move_edges(list, rest, begin, keep);
        rest += keep;
    }
    list->count = rest;
    return BOSC_OK;
}

bosc_status bi_cpu_msf_kruskal(struct bi_cpu_msf *m, const uint32_t *table)
{
    struct bi_mark mark = bi_arena_mark(m->ctx);
    if (table) BI_TRY(relabel(m, table));
    while (m->list.count > SMALL && m->list.count > MANY * m->left) {
        struct bi_edge_list light;
        BI_TRY(bi_cpu_msf_sample_list(m, (double)m->left * PART / (double)m->list.count));
        BI_TRY(split(m, &light));
        BI_TRY(take_all(m, &light));
        BI_TRY(relabel(m, m->joined));
        bi_arena_rewind(m->ctx, mark);
    }
    BI_TRY(take_all(m, &m->list));
    bi_arena_rewind(m->ctx, mark);
    return BOSC_OK;
}

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
    const struct bi_cpu_msf *m;
    const uint32_t *tree;
    uint32_t largest;
};

static bool is_heavy(const struct heavy *h, uint32_t u, int64_t place, uint64_t *word, uint32_t *id)
{
    const struct bi_cpu_msf *m = h->m;
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
static int64_t list_rows(const struct heavy *h, int64_t turn, struct bi_edge_list *list, int64_t at)
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

bosc_status bi_cpu_msf_list_heavy(struct bi_cpu_msf *m)
{
    int64_t n = m->rows.n, turns = bi_div_up(n, ROWS), *begins, *counts, room = 0, count = 0;
    int parts = bi_parts(m->ctx, turns, 4);
    uint32_t *tree = m->next; /* not needed any more */
    BI_TRY(bi_forest_scratch(m->ctx, turns, sizeof *begins, (void **)&begins));
    BI_TRY(bi_forest_scratch(m->ctx, turns, sizeof *counts, (void **)&counts));
#pragma omp parallel for schedule(static) num_threads(parts)
    for (int64_t v = 0; v < n; v++) tree[v] = m->joined[m->component[v]];
    struct heavy h = {m, tree, largest_tree(tree, n)};
#pragma omp parallel for schedule(static) num_threads(parts)
    for (int64_t t = 0; t < turns; t++) counts[t] = count_arcs(&h, t);
    for (int64_t t = 0; t < turns; t++) {
        begins[t] = room;
        room += counts[t];
    }
    BI_TRY(bi_edge_list_take(m->ctx, m->rows.wide_keys, room, &m->list));
#pragma omp parallel for schedule(dynamic, 4) num_threads(parts)
    for (int64_t t = 0; t < turns; t++) counts[t] = list_rows(&h, t, &m->list, begins[t]);
    for (int64_t t = 0; t < turns; t++) {
        move_edges(&m->list, count, begins[t], counts[t]);
        count += counts[t];
    }
    m->list.count = count;
    return BOSC_OK;
}
