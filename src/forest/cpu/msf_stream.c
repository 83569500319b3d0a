/* The pass over a graph's rows: finds vertices' lightest edges and lists the light edges. Also the sampling of
 * thresholds. */
#include "forest/cpu/msf_state.h"

#include "base/bits.h"

enum {
    ROWS = BI_MSF_CPU_ROWS,
    CHUNK = BI_MSF_CPU_CHUNK,
    LONG_ROW = CHUNK / 16 /* arcs; a shorter row gets a new chunk if the present one may be too small, which loses at
                           * most LONG_ROW positions, a sixteenth; a longer one then checks the capacity arc by arc */
};

/* Shared by the threads. */
struct stream {
    struct bi_msf_cpu_state *m;
    struct chunk *chunks; /* (threads) kept between parts of the pass */
    int64_t used;         /* list positions allocated to threads; more than the capacity after an overflow */
};

/* A thread's range of list positions. */
struct chunk {
    int64_t at, end;
};

/* Fills the unused part of the chunk with non-edges, and allocates another of `size` positions (0: none). */
static void refill_chunk(struct stream *s, struct chunk *c, int64_t size)
{
    struct bi_msf_edge_list *list = &s->m->list;
    for (; c->at < c->end; c->at++) list->words[c->at] = list->ends[c->at] = 0;
    if (size == 0) return;
    c->at = __atomic_fetch_add(&s->used, size, __ATOMIC_RELAXED);
    c->end = c->at + size;
    if (c->end > list->capacity) c->end = c->at = 0;
}

BI_FN uint64_t rank_at(const struct bi_msf_rows *r, int64_t arc, bool long_keys, bool checked)
{
    uint64_t key = long_keys ? ((const uint64_t *)r->keys)[arc] : ((const uint32_t *)r->keys)[arc];
    return checked ? bi_msf_rank(&r->order, key) : key;
}

/* True if the arc does not count. id: of its edge in the part. */
BI_FN bool is_excluded(const struct bi_msf_rows *r, uint32_t u, uint32_t v, uint64_t rank, uint32_t id)
{
    const struct bi_msf_order *o = &r->order;
    if (u == v || rank > o->limit) return true;
    if (o->vertex_mask && !(o->vertex_mask[u] && o->vertex_mask[v])) return true;
    return o->edge_mask && !o->edge_mask[id];
}

/* Processes a vertex's rows in all parts: sets choice and next of u (BI_FOREST_NONE and u without an edge), and lists
 * its light edges to greater vertices. `checked`: loops, masks, a limit or a flipped order are possible.
 * `has_capacity`: the chunk has more positions than the rows have arcs. Otherwise each arc checks it: in long rows near
 * its end, and in all rows once no chunk is left. After such an overflow s->used exceeds the capacity of the list, and
 * the choices are still complete. Ids are below 2^32 - 1. */
BI_FN void stream_row(struct stream *s, struct chunk *c, uint32_t u, bool long_keys, bool checked, bool has_capacity)
{
    struct bi_msf_cpu_state *m = s->m;
    struct bi_msf_edge_list *list = &m->list;
    uint64_t best = UINT64_MAX, threshold = m->threshold;
    uint32_t best_id = UINT32_MAX;
    int64_t at = c->at;
    m->choice[u] = BI_FOREST_NONE;
    m->next[u] = u;
    for (const struct bi_msf_cpu_part *p = m->parts, *last = p + m->part_count; p < last; p++) {
        const struct bi_msf_rows *r = &p->rows;
        const uint32_t *ids = r->edge_ids, *offsets = r->offsets, first = p->first, end = offsets[u + 1];
        uint32_t best_arc = BI_FOREST_NONE;
        /* Per arc: update the lightest (selects, no branches), then store the edge and advance only if it is light. */
        for (uint32_t arc = offsets[u]; arc < end; arc++) {
            uint32_t v = r->neighbours[arc], id = first + ids[arc];
            uint64_t rank = rank_at(r, arc, long_keys, checked);
            if (checked && is_excluded(r, u, v, rank, ids[arc])) continue;
            uint64_t word = long_keys ? rank : rank << 32 | id;
            bool less = long_keys ? word < best || (word == best && id < best_id) : word < best;
            best_id = less ? id : best_id;
            best = less ? word : best;
            best_arc = less ? arc : best_arc;
            bool light =
                long_keys ? word < threshold || (word == threshold && id <= m->threshold_id) : word <= threshold;
            light = light && v > u;
            /* A full chunk is renewed only for a light edge; after an overflow nothing is stored. */
            if (!has_capacity && at == c->end) {
                if (!light) continue;
                c->at = at;
                refill_chunk(s, c, CHUNK);
                at = c->at;
                if (c->end == 0) continue;
            }
            list->words[at] = word;
            list->ends[at] = (uint64_t)u << 32 | v;
            if (long_keys) list->ids[at] = id;
            at += light;
        }
        if (best_arc == BI_FOREST_NONE) continue;
        m->choice[u] = p->first_arc + best_arc;
        m->next[u] = r->neighbours[best_arc];
    }
    c->at = at;
}

/* Returns the number of arcs of a vertex in all parts. */
BI_FN int64_t count_row(const struct bi_msf_cpu_state *m, int64_t u)
{
    int64_t arcs = 0;
    for (int p = 0; p < m->part_count; p++) {
        const uint32_t *offsets = m->parts[p].rows.offsets;
        arcs += (int64_t)offsets[u + 1] - offsets[u];
    }
    return arcs;
}

/* Rows [begin, end): short rows get a chunk with capacity for all their arcs, unless the list is full. */
BI_FN void stream_rows(struct stream *s, struct chunk *c, int64_t begin, int64_t end, bool long_keys, bool checked)
{
    for (int64_t u = begin; u < end; u++) {
        const int64_t length = count_row(s->m, u);
        if (length < LONG_ROW && c->end - c->at <= length) refill_chunk(s, c, CHUNK);
        if (c->end - c->at > length)
            stream_row(s, c, (uint32_t)u, long_keys, checked, true);
        else
            stream_row(s, c, (uint32_t)u, long_keys, checked, false);
    }
}

/* Processes turns `begin` to `end` - 1. Chunks stay with the threads. */
static void stream_turns(struct stream *s, int64_t begin, int64_t end, bool checked)
{
    const int64_t n = s->m->rows.n;
    const bool is_64bit = s->m->rows.keys_64bit;
#pragma omp parallel num_threads(bi_thread_count(s->m->ctx, end - begin, 4))
    {
        struct chunk c = s->chunks[bi_thread_number()];
#pragma omp for schedule(dynamic, 1) nowait
        for (int64_t t = begin; t < end; t++) {
            int64_t first = t * ROWS, last = first + ROWS < n ? first + ROWS : n;
            if (is_64bit)
                checked ? stream_rows(s, &c, first, last, true, true) : stream_rows(s, &c, first, last, true, false);
            else
                checked ? stream_rows(s, &c, first, last, false, true) : stream_rows(s, &c, first, last, false, false);
        }
        s->chunks[bi_thread_number()] = c;
    }
}

bosc_status bi_msf_cpu_stream(struct bi_msf_cpu_state *m)
{
    struct stream s = {.m = m};
    const struct bi_msf_order *o = &m->rows.order;
    uint64_t all = m->rows.keys_64bit ? UINT64_MAX : UINT32_MAX;
    bool checked = m->loops || o->flip || o->limit != all || o->vertex_mask;
    for (int p = 0; p < m->part_count; p++) checked |= m->parts[p].rows.order.edge_mask != NULL;
    int64_t turns = bi_div_up(m->rows.n, ROWS);
    BI_TRY(bi_scratch_of(m->ctx, m->ctx->threads, sizeof *s.chunks, (void **)&s.chunks));
    for (int t = 0; t < m->ctx->threads; t++) s.chunks[t] = (struct chunk){0, 0};
    struct bi_batches p = bi_batches_of(m->ctx, turns, turns ? (double)m->rows.arcs / (double)turns : 1);
    while (bi_next_batch(m->ctx, &p)) stream_turns(&s, p.begin, p.end, checked);
    BI_TRY(p.status);
    for (int t = 0; t < m->ctx->threads; t++) refill_chunk(&s, &s.chunks[t], 0);
    m->list.count = s.used;
    return BOSC_OK;
}

/* A sampled edge. */
struct sample {
    uint64_t word;
    uint32_t id;
};

static bool sample_less(const struct sample *a, const struct sample *b)
{
    return a->word < b->word || (a->word == b->word && a->id < b->id);
}

/* Restores the heap of samples below `at`: the root is the largest of the smallest ones seen. */
static void sift_down(struct sample *heap, int64_t count, int64_t at)
{
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= count) return;
        if (child + 1 < count && sample_less(&heap[child], &heap[child + 1])) child++;
        if (!sample_less(&heap[at], &heap[child])) return;
        struct sample up = heap[child];
        heap[child] = heap[at];
        heap[at] = up;
        at = child;
    }
}

/* Reads the edge at a position of the rows, entries or list. */
typedef struct sample (*sample_fn)(const struct bi_msf_cpu_state *m, int64_t arc);

static struct sample sample_row(const struct bi_msf_cpu_state *m, int64_t arc)
{
    uint32_t own = (uint32_t)arc;
    const struct bi_msf_cpu_part *p = bi_msf_cpu_part_of(m, &own);
    struct sample x = {bi_msf_arc_rank(&p->rows, own), p->first + (uint32_t)bi_msf_arc_id(&p->rows, own)};
    if (!m->rows.keys_64bit) x.word = x.word << 32 | x.id;
    return x;
}

static struct sample sample_entry(const struct bi_msf_cpu_state *m, int64_t i)
{
    uint64_t rank = bi_msf_rank(&m->entries->order, bi_graph_entry_weight(&m->entries->list, i));
    return (struct sample){m->rows.keys_64bit ? rank : rank << 32 | (uint32_t)i, (uint32_t)i};
}

static struct sample sample_edge(const struct bi_msf_cpu_state *m, int64_t i)
{
    return (struct sample){m->list.words[i], m->list.ids ? m->list.ids[i] : 0};
}

/* Sets the threshold to the share-quantile of the samples: the largest of the `keep` smallest. */
static bosc_status choose_threshold(struct bi_msf_cpu_state *m, sample_fn at, int64_t count, double share)
{
    struct sample *heap;
    int64_t keep = (int64_t)(share * BI_MSF_CPU_SAMPLES) + 1;
    BI_TRY(bi_scratch_of(m->ctx, keep, sizeof *heap, (void **)&heap));
    for (int64_t i = 0; i < BI_MSF_CPU_SAMPLES; i++) {
        struct sample x = at(m, bi_msf_cpu_sample_index(i, count));
        if (i < keep) {
            heap[i] = x;
            for (int64_t k = i + 1 == keep ? keep / 2 : -1; k >= 0; k--) sift_down(heap, keep, k);
        } else if (sample_less(&x, &heap[0])) {
            heap[0] = x;
            sift_down(heap, keep, 0);
        }
    }
    m->threshold = heap[0].word;
    m->threshold_id = heap[0].id;
    return BOSC_OK;
}

bosc_status bi_msf_cpu_sample(struct bi_msf_cpu_state *m, double share)
{
    return choose_threshold(m, sample_row, m->rows.arcs, share);
}

bosc_status bi_msf_cpu_sample_entries(struct bi_msf_cpu_state *m, double share)
{
    return choose_threshold(m, sample_entry, m->entries->list.m, share);
}

bosc_status bi_msf_cpu_sample_list(struct bi_msf_cpu_state *m, double share)
{
    return choose_threshold(m, sample_edge, m->list.count, share);
}
