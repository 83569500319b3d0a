/* The AUTO spanning forest on the CPU (msf_state.h): the first round, the heavy edges, the results, and the order of
 * the passes. */
#include "forest/cpu/msf_state.h"

#include "base/bits.h"

enum {
    GRAIN = BI_THREAD_ITEMS / 4,
    SLACK = 2 * BI_MSF_CPU_CHUNK /* list capacity per thread: for its last chunk, and for the ends of others */
};

bosc_status bi_msf_cpu_allocate_scratch(struct bi_msf_cpu_state *m, int64_t edges)
{
    int64_t n = m->rows.n;
    int64_t most = n - 1 < edges ? n - 1 : edges;
    BI_TRY(bi_scratch_of(m->ctx, most, sizeof *m->ids, (void **)&m->ids));
    if (m->request->keys) BI_TRY(bi_scratch_of(m->ctx, most, m->rows.keys_64bit ? 8 : 4, &m->keys));
    BI_TRY(bi_scratch_of(m->ctx, n, sizeof *m->next, (void **)&m->next));
    return bi_scratch_of(m->ctx, n, sizeof *m->component, (void **)&m->component);
}

/* ---- the first round ---- */

/* Counts of a chunk of vertices, and the sums of its keys' halves. */
struct tally {
    int64_t edges, roots;
    uint64_t low, high;
};

/* True for the smaller of two vertices that chose the same edge, and for a vertex without edges. */
static inline bool is_root(const uint32_t *next, uint32_t v)
{
    return next[v] == v || (v < next[v] && next[next[v]] == v);
}

static void add_edge(struct bi_msf_cpu_state *m, uint32_t v, int64_t at, struct tally *t)
{
    uint32_t arc = m->choice[v];
    const struct bi_msf_cpu_part *p = bi_msf_cpu_part_of(m, &arc);
    const uint64_t key = bi_word(p->rows.keys, p->rows.keys_64bit, arc);
    bi_msf_cpu_add_edge(m, at, p->first + ((const uint32_t *)p->rows.edge_ids)[arc], key);
    t->low += key & UINT32_MAX;
    t->high += key >> 32;
}

/* The state of the round. A chunk's tally holds its own counts at first; after sum_tallies() the totals of all earlier
 * chunks, advanced as the chunk is processed. */
struct first_round {
    struct bi_msf_cpu_state *m;
    int chunks;
    struct tally *tallies; /* (chunks) */
    uint8_t *root;         /* (n) */
};

static bosc_status find_roots(const struct first_round *r)
{
    const int64_t n = r->m->rows.n;
    struct bi_batches parts = bi_chunk_batches(r->m->ctx, n, r->chunks, 1);
    for (int p = 0; p < r->chunks; p++) r->tallies[p] = (struct tally){0};
    while (bi_next_batch(r->m->ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(r->chunks)
        for (int p = 0; p < r->chunks; p++) {
            struct bi_span part = bi_batch_of_chunk(n, r->chunks, p, &parts);
            int64_t roots = 0;
            for (int64_t v = part.begin; v < part.end; v++) roots += r->root[v] = is_root(r->m->next, (uint32_t)v);
            r->tallies[p].edges += part.end - part.begin - roots;
            r->tallies[p].roots += roots;
        }
    }
    return parts.status;
}

/* Replaces the tallies by exclusive prefix sums; returns the totals. */
static struct tally sum_tallies(const struct first_round *r)
{
    struct tally all = {0};
    for (int p = 0; p < r->chunks; p++) {
        struct tally t = r->tallies[p];
        r->tallies[p] = all;
        all.edges += t.edges;
        all.roots += t.roots;
    }
    return all;
}

/* Adds the edges of all but the roots, in the order of the vertices, and numbers the roots in their order. */
static bosc_status add_edges(const struct first_round *r)
{
    struct bi_msf_cpu_state *m = r->m;
    struct bi_batches parts = bi_chunk_batches(m->ctx, m->rows.n, r->chunks, 1);
    while (bi_next_batch(m->ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(r->chunks)
        for (int p = 0; p < r->chunks; p++) {
            struct bi_span part = bi_batch_of_chunk(m->rows.n, r->chunks, p, &parts);
            struct tally t = r->tallies[p];
            for (int64_t v = part.begin; v < part.end; v++)
                if (r->root[v]) {
                    m->next[v] = (uint32_t)v;
                    m->component[v] = (uint32_t)t.roots++;
                } else {
                    add_edge(m, (uint32_t)v, t.edges++, &t);
                }
            r->tallies[p] = t;
        }
    }
    return parts.status;
}

/* Shortens the paths once, in parallel; number_vertices() then follows the rest. */
static bosc_status halve_paths(const struct first_round *r)
{
    uint32_t *next = r->m->next;
    struct bi_batches p = bi_batches_of(r->m->ctx, r->m->rows.n, 1);
    while (bi_next_batch(r->m->ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(r->chunks)
        for (int64_t v = p.begin; v < p.end; v++)
            bi_atomic_store_u32(&next[v], bi_atomic_load_u32(&next[bi_atomic_load_u32(&next[v])]));
    }
    return p.status;
}

static bosc_status number_vertices(const struct first_round *r)
{
    struct bi_msf_cpu_state *m = r->m;
    struct bi_batches p = bi_batches_of(m->ctx, m->rows.n, 1);
    while (bi_next_batch(m->ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(r->chunks)
        for (int64_t v = p.begin; v < p.end; v++)
            if (!r->root[v]) m->component[v] = m->component[bi_msf_cpu_root(m->next, (uint32_t)v)];
    }
    return p.status;
}

/* The first round of Boruvka: adds every vertex's lightest edge to the forest, and numbers the components. */
static bosc_status add_lightest_edges(struct bi_msf_cpu_state *m)
{
    struct first_round r = {.m = m, .chunks = bi_thread_count(m->ctx, m->rows.n, GRAIN)};
    BI_TRY(bi_scratch_of(m->ctx, r.chunks, sizeof *r.tallies, (void **)&r.tallies));
    BI_TRY(bi_scratch_of(m->ctx, m->rows.n, 1, (void **)&r.root));
    /* 1. Count roots and edges of each chunk. */
    BI_TRY(find_roots(&r));
    const struct tally all = sum_tallies(&r);
    /* 2. Add edges and number roots at the chunks' offsets. */
    BI_TRY(add_edges(&r));
    for (int p = 0; p < r.chunks; p++) {
        m->low += r.tallies[p].low;
        m->high += r.tallies[p].high;
    }
    m->found = all.edges;
    m->components = m->left = all.roots;
    /* 3. Give every vertex the number of its root. */
    BI_TRY(halve_paths(&r));
    BI_TRY(number_vertices(&r));
    BI_TRY(bi_scratch_of(m->ctx, m->components, sizeof *m->joined, (void **)&m->joined));
    for (int64_t c = 0; c < m->components; c++) m->joined[c] = (uint32_t)c;
    return BOSC_OK;
}

/* ---- heavy edges ---- */

enum {
    ROWS = BI_MSF_CPU_ROWS,
    TREE_SAMPLES = 256 /* vertices sampled for the largest tree, compared in pairs; a wrong tree costs time only */
};

/* The state of the listing. A row outside the largest tree contributes its edges into the largest tree, and its other
 * edges to larger vertices; so each edge is listed once. */
struct heavy {
    const struct bi_msf_cpu_state *m;
    const uint32_t *tree;
    uint32_t largest;
};

/* True if the arc of a part's row u is to be listed; its word and id. Masks and the limit of keys may exclude arcs. */
static bool is_heavy(const struct heavy *h, const struct bi_msf_cpu_part *p, uint32_t u, int64_t arc, uint64_t *word,
                     uint32_t *id)
{
    const struct bi_msf_cpu_state *m = h->m;
    const struct bi_msf_rows *r = &p->rows;
    uint32_t v = r->neighbours[arc];
    if (h->tree[u] == h->tree[v] || (v < u && h->tree[v] != h->largest)) return false;
    uint64_t rank = bi_msf_arc_rank(r, arc);
    *id = p->first + (uint32_t)bi_msf_arc_id(r, arc);
    *word = r->keys_64bit ? rank : rank << 32 | *id;
    if (*word < m->threshold || (*word == m->threshold && (!r->keys_64bit || *id <= m->threshold_id))) return false;
    return bi_msf_arc_is_edge(r, u, arc);
}

static int64_t turn_end(const struct heavy *h, int64_t turn)
{
    return turn * ROWS + ROWS < h->m->rows.n ? turn * ROWS + ROWS : h->m->rows.n;
}

/* Lists the heavy edges of a turn's rows in a part from position `at`; returns the next position. */
static int64_t list_rows(const struct heavy *h, const struct bi_msf_cpu_part *p, int64_t turn,
                         struct bi_msf_edge_list *list, int64_t at)
{
    const uint32_t *offsets = p->rows.offsets;
    const int64_t end = turn_end(h, turn);
    for (int64_t u = turn * ROWS; u < end; u++) {
        if (h->tree[u] == h->largest) continue;
        for (int64_t arc = offsets[u]; arc < offsets[u + 1]; arc++) {
            uint64_t word;
            uint32_t id;
            if (!is_heavy(h, p, (uint32_t)u, arc, &word, &id)) continue;
            list->words[at] = word;
            list->ends[at] = (uint64_t)h->tree[u] << 32 | h->tree[p->rows.neighbours[arc]];
            if (list->ids) list->ids[at] = id;
            at++;
        }
    }
    return at;
}

/* Lists the heavy edges of a turn's rows from position `begin`; returns their number. */
static int64_t list_turn(const struct heavy *h, int64_t turn, struct bi_msf_edge_list *list, int64_t begin)
{
    int64_t at = begin;
    for (int p = 0; p < h->m->part_count; p++) at = list_rows(h, &h->m->parts[p], turn, list, at);
    return at - begin;
}

/* Counts the arcs of a turn's rows outside the largest tree. */
static int64_t count_arcs(const struct heavy *h, int64_t turn)
{
    const int64_t end = turn_end(h, turn);
    int64_t arcs = 0;
    for (int p = 0; p < h->m->part_count; p++) {
        const uint32_t *offsets = h->m->parts[p].rows.offsets;
        for (int64_t u = turn * ROWS; u < end; u++)
            if (h->tree[u] != h->largest) arcs += (int64_t)offsets[u + 1] - offsets[u];
    }
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

/* Lists the edges above the threshold that join components, for Kruskal's algorithm. n > 0. Overwrites `next`, which
 * nothing reads after number_vertices(). */
static bosc_status list_heavy(struct bi_msf_cpu_state *m)
{
    int64_t n = m->rows.n, turns = bi_div_up(n, ROWS), *begins, *counts, capacity = 0, count = 0;
    uint32_t *tree = m->next; /* free by now */
    BI_TRY(bi_scratch_of(m->ctx, turns, sizeof *begins, (void **)&begins));
    BI_TRY(bi_scratch_of(m->ctx, turns, sizeof *counts, (void **)&counts));
    /* 1. Count the arcs of each turn: an upper bound of its edges. */
    BI_TRY(find_trees(m, tree));
    struct heavy h = {m, tree, bi_forest_cpu_sampled_majority(tree, n, TREE_SAMPLES)};
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
        for (int64_t t = p.begin; t < p.end; t++) counts[t] = list_turn(&h, t, &m->list, begins[t]);
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

/* ---- results ---- */

/* Sorts the forest's ids by marks: chunks of marks are counted, then read. */
struct marks {
    uint8_t *at; /* (entries) 1: the id is in the forest */
    int64_t entries;
    int chunks;
    struct bi_span *ids; /* (chunks) the output range left to each chunk */
};

static bosc_status mark_ids(const struct bi_msf_cpu_state *m, const struct marks *k)
{
    BI_TRY(m->ctx->backend->fill(m->ctx, k->at, 0, (size_t)k->entries));
    struct bi_batches p = bi_batches_of(m->ctx, m->found, 1);
    while (bi_next_batch(m->ctx, &p))
        for (int64_t i = p.begin; i < p.end; i++) k->at[m->ids[i]] = 1;
    return p.status;
}

static bosc_status count_marks(const struct bi_msf_cpu_state *m, const struct marks *k)
{
    struct bi_batches parts = bi_chunk_batches(m->ctx, k->entries, k->chunks, 1);
    for (int p = 0; p < k->chunks; p++) k->ids[p] = (struct bi_span){0, 0};
    while (bi_next_batch(m->ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(k->chunks)
        for (int p = 0; p < k->chunks; p++) {
            struct bi_span part = bi_batch_of_chunk(k->entries, k->chunks, p, &parts);
            int64_t count = 0;
            for (int64_t id = part.begin; id < part.end; id++) count += k->at[id];
            k->ids[p].end += count;
        }
    }
    for (int64_t p = 0, at = 0; p < k->chunks; p++) {
        k->ids[p] = (struct bi_span){at, at + k->ids[p].end};
        at = k->ids[p].end;
    }
    return parts.status;
}

/* Writes the marked ids of each chunk to its range; the write is branch-free. */
static bosc_status read_marks(const struct bi_msf_cpu_state *m, const struct marks *k)
{
    struct bi_batches parts = bi_chunk_batches(m->ctx, k->entries, k->chunks, 1);
    while (bi_next_batch(m->ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(k->chunks)
        for (int p = 0; p < k->chunks; p++) {
            struct bi_span part = bi_batch_of_chunk(k->entries, k->chunks, p, &parts), to = k->ids[p];
            for (int64_t id = part.begin; id < part.end && to.begin < to.end; id++) {
                m->ids[to.begin] = (uint32_t)id;
                to.begin += k->at[id];
            }
            k->ids[p] = to;
        }
    }
    return parts.status;
}

static bosc_status order_ids(const struct bi_msf_cpu_state *m, int64_t entries)
{
    struct marks k = {.entries = entries, .chunks = bi_thread_count(m->ctx, entries, GRAIN)};
    int64_t ordered = 1;
    while (ordered < m->found && m->ids[ordered - 1] < m->ids[ordered]) ordered++;
    if (ordered >= m->found) return BOSC_OK;
    BI_TRY(bi_scratch_of(m->ctx, entries, 1, (void **)&k.at));
    BI_TRY(bi_scratch_of(m->ctx, k.chunks, sizeof *k.ids, (void **)&k.ids));
    BI_TRY(mark_ids(m, &k));
    BI_TRY(count_marks(m, &k));
    return read_marks(m, &k);
}

/* Finds the smallest vertex of each tree by atomic minima. */
static bosc_status find_smallest(const struct bi_msf_cpu_state *m, uint32_t *smallest)
{
    struct bi_batches p = bi_batches_of(m->ctx, m->rows.n, 2);
    while (bi_next_batch(m->ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(bi_thread_count(m->ctx, p.end - p.begin, GRAIN))
        for (int64_t v = p.begin; v < p.end; v++) {
            uint32_t tree = m->joined[m->component[v]];
            if ((uint32_t)v < bi_atomic_load_u32(&smallest[tree])) bi_atomic_min_u32(&smallest[tree], (uint32_t)v);
        }
    }
    return p.status;
}

/* Labels each vertex by the smallest vertex of its tree. */
static bosc_status label_trees(struct bi_msf_cpu_state *m, uint32_t **labels)
{
    int64_t n = m->rows.n;
    uint32_t *smallest = m->next, *out; /* next is free by now */
    BI_TRY(bi_scratch_of(m->ctx, n, sizeof *out, (void **)&out));
    BI_TRY(m->ctx->backend->fill(m->ctx, smallest, 0xff, (size_t)m->components * sizeof *smallest));
    BI_TRY(find_smallest(m, smallest));
    struct bi_batches p = bi_batches_of(m->ctx, n, 2);
    while (bi_next_batch(m->ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(bi_thread_count(m->ctx, p.end - p.begin, GRAIN))
        for (int64_t v = p.begin; v < p.end; v++) out[v] = smallest[m->joined[m->component[v]]];
    }
    *labels = out;
    return p.status;
}

bosc_status bi_msf_cpu_write_result(struct bi_msf_cpu_state *m, int64_t ids, struct bi_msf_found *found)
{
    uint32_t *labels = NULL;
    if (m->request->labels) BI_TRY(label_trees(m, &labels));
    if (m->request->ids && !m->keys) BI_TRY(order_ids(m, ids));
    *found = (struct bi_msf_found){.count = m->found,
                                   .ids = m->ids,
                                   .keys = m->keys,
                                   .ascending = !m->keys,
                                   .summed = true,
                                   .low = m->low,
                                   .high = m->high,
                                   .labels = labels};
    return BOSC_OK;
}

/* ---- the order of the passes ---- */

/* Runs the first round with a list for about `light` edges and a quarter more, many times the error of the sample; if
 * the sample was still further off, again with a list for all. */
static bosc_status run_first_round(struct bi_msf_cpu_state *m, int64_t light, int64_t edges)
{
    int64_t slack = (int64_t)m->ctx->threads * SLACK;
    struct bi_mark mark = bi_arena_mark(m->ctx);
    BI_TRY(bi_msf_edge_list_allocate(m->ctx, m->rows.keys_64bit, light + light / 4 + slack, &m->list));
    BI_TRY(bi_msf_cpu_stream(m));
    if (m->list.count > m->list.capacity) {
        bi_arena_rewind(m->ctx, mark);
        BI_TRY(bi_msf_edge_list_allocate(m->ctx, m->rows.keys_64bit, edges + edges / 8 + slack, &m->list));
        BI_TRY(bi_msf_cpu_stream(m));
    }
    return add_lightest_edges(m);
}

/* edges, entries: of all parts. */
static bosc_status find_forest(struct bi_msf_cpu_state *m, int64_t edges, int64_t entries, struct bi_msf_found *found)
{
    int64_t light = edges;
    bool filter = (double)edges > BI_MSF_CPU_DENSE * (double)m->rows.n;
    if (filter) light = (int64_t)(BI_MSF_CPU_LIGHT * (double)m->rows.n);
    BI_TRY(bi_msf_cpu_allocate_scratch(m, edges));
    BI_TRY(bi_scratch_of(m->ctx, m->rows.n, sizeof *m->choice, (void **)&m->choice));
    m->threshold = UINT64_MAX;
    m->threshold_id = UINT32_MAX;
    if (filter) BI_TRY(bi_msf_cpu_sample(m, (double)light / (double)edges));
    BI_TRY(run_first_round(m, light, edges));
    BI_TRY(bi_msf_cpu_kruskal(m, m->component));
    if (filter) {
        BI_TRY(list_heavy(m));
        BI_TRY(bi_msf_cpu_kruskal(m, NULL));
    }
    return bi_msf_cpu_write_result(m, entries, found);
}

bool bi_msf_cpu_admits(const struct bi_graph_view *graph) { return !graph->is_64bit && graph->n > 0; }

bosc_status bi_msf_cpu(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_order *order,
                       const struct bi_msf_request *request, struct bi_msf_found *found, int32_t *rounds)
{
    const struct bi_msf_part part = {*graph, *order, 0};
    const struct bi_msf_parts parts = {&part, 1, graph->entries};
    *rounds = 1;
    return bi_msf_cpu_parts(ctx, &parts, request, found);
}

bosc_status bi_msf_cpu_parts(bosc_ctx *ctx, const struct bi_msf_parts *parts, const struct bi_msf_request *request,
                             struct bi_msf_found *found)
{
    struct bi_msf_cpu_state m = {.ctx = ctx,
                                 .rows = bi_msf_rows_in(&parts->of[0].view, &parts->of[0].order),
                                 .part_count = parts->count,
                                 .request = request};
    struct bi_msf_cpu_part *rows;
    int64_t edges = 0, arcs = 0;
    BI_TRY(bi_scratch_of(ctx, parts->count, sizeof *rows, (void **)&rows));
    for (int32_t p = 0; p < parts->count; p++) {
        const struct bi_msf_part *part = &parts->of[p];
        rows[p] = (struct bi_msf_cpu_part){bi_msf_rows_in(&part->view, &part->order), part->first, (uint32_t)arcs};
        m.loops |= part->view.loops > 0;
        edges += part->view.m;
        arcs += part->view.arcs;
    }
    m.parts = rows;
    m.rows.arcs = arcs;
    return find_forest(&m, edges, parts->entries, found);
}
