/* The AUTO spanning forest on the CPU: the order of its passes, and the results. */
#include "forest/cpu/msf_state.h"

#include "base/bits.h"

/* With more than DENSE edges per vertex, the lightest LIGHT per vertex are processed first. Chosen. */
static const double LIGHT = 1.8, DENSE = 2.5;
enum { GRAIN = BI_THREAD_ITEMS / 4, SLACK = 1 << 13 /* list capacity per thread for partly filled chunks; chosen */ };

bosc_status bi_msf_cpu_allocate_scratch(struct bi_msf_cpu_state *m, int64_t edges)
{
    int64_t n = m->rows.n;
    int64_t most = n - 1 < edges ? n - 1 : edges;
    BI_TRY(bi_scratch_of(m->ctx, most, sizeof *m->ids, (void **)&m->ids));
    if (m->request->keys) BI_TRY(bi_scratch_of(m->ctx, most, m->rows.keys_64bit ? 8 : 4, &m->keys));
    BI_TRY(bi_scratch_of(m->ctx, n, sizeof *m->next, (void **)&m->next));
    return bi_scratch_of(m->ctx, n, sizeof *m->component, (void **)&m->component);
}

/* Runs the first round with a list for about `light` edges and a quarter more (chosen); if the sample was far off,
 * again
 * with a list for all. */
static bosc_status run_first_round(struct bi_msf_cpu_state *m, int64_t light, int64_t edges)
{
    int64_t slack = (int64_t)m->ctx->threads * SLACK;
    struct bi_mark mark = bi_arena_mark(m->ctx);
    bool overflow;
    BI_TRY(bi_msf_edge_list_allocate(m->ctx, m->rows.keys_64bit, light + light / 4 + slack, &m->list));
    BI_TRY(bi_msf_cpu_stream(m, &overflow));
    if (overflow) {
        bi_arena_rewind(m->ctx, mark);
        BI_TRY(bi_msf_edge_list_allocate(m->ctx, m->rows.keys_64bit, edges + edges / 8 + slack, &m->list));
        BI_TRY(bi_msf_cpu_stream(m, &overflow));
    }
    return bi_msf_cpu_first_round(m);
}

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
    if (m->found == 0) return BOSC_OK;
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

static bosc_status find_forest(struct bi_msf_cpu_state *m, const struct bi_graph_view *graph,
                               struct bi_msf_found *found)
{
    int64_t edges = graph->m, light = edges;
    bool filter = (double)edges > DENSE * (double)graph->n;
    if (filter) light = (int64_t)(LIGHT * (double)graph->n);
    BI_TRY(bi_msf_cpu_allocate_scratch(m, edges));
    BI_TRY(bi_scratch_of(m->ctx, m->rows.n, sizeof *m->choice, (void **)&m->choice));
    m->threshold = UINT64_MAX;
    m->threshold_id = UINT32_MAX;
    if (filter) BI_TRY(bi_msf_cpu_sample(m, (double)light / (double)edges));
    BI_TRY(run_first_round(m, light, edges));
    BI_TRY(bi_msf_cpu_kruskal(m, m->component));
    if (filter) {
        BI_TRY(bi_msf_cpu_list_heavy(m));
        BI_TRY(bi_msf_cpu_kruskal(m, NULL));
    }
    return bi_msf_cpu_write_result(m, graph->entries, found);
}

bosc_status bi_msf_cpu(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_order *order,
                       const struct bi_msf_request *request, struct bi_msf_found *found, int32_t *rounds, bool *handled)
{
    struct bi_msf_cpu_state m = {
        .ctx = ctx, .rows = bi_msf_rows_in(graph, order), .loops = graph->loops > 0, .request = request};
    *handled = !graph->is_64bit && graph->n > 0;
    if (!*handled) return BOSC_OK;
    *rounds = 1;
    return find_forest(&m, graph, found);
}
