/* The pass over a graph's rows: lightest edges of vertices, and the list of light edges. */
#include "forest/cpu/msf.h"

#include "base/bits.h"

enum {
    ROWS = 1024,     /* of one turn of a thread */
    CHUNK = 1 << 12, /* places of the list that a thread takes at a time */
    LONG_ROW = 256   /* arcs; longer rows look for room arc by arc */
};

/* What the threads share. */
struct stream {
    struct bi_msf_cpu *m;
    struct chunk *chunks; /* (threads) kept from one part of the pass to the next */
    int64_t used;         /* places of the list given to threads */
    bool overflow;
};

/* The places of the list that a thread has. */
struct chunk {
    int64_t at, end;
};

/* Gives the rest of the chunk back as no edges, and takes another. */
static void renew(struct stream *s, struct chunk *c, int64_t size)
{
    struct bi_msf_edge_list *list = &s->m->list;
    for (; c->at < c->end; c->at++) list->words[c->at] = list->ends[c->at] = 0;
    if (size == 0) return;
    c->at = __atomic_fetch_add(&s->used, size, __ATOMIC_RELAXED);
    c->end = c->at + size;
    if (c->end <= list->capacity) return;
    __atomic_store_n(&s->overflow, true, __ATOMIC_RELAXED);
    c->end = c->at = 0;
}

BI_FN uint64_t rank_at(const struct bi_msf_rows *r, int64_t place, bool long_keys, bool checked)
{
    uint64_t key = long_keys ? ((const uint64_t *)r->keys)[place] : ((const uint32_t *)r->keys)[place];
    return checked ? bi_msf_rank(&r->order, key) : key;
}

BI_FN bool missing(const struct bi_msf_rows *r, uint32_t u, uint32_t v, uint64_t rank, uint32_t id)
{
    const struct bi_msf_order *o = &r->order;
    if (u == v || rank > o->limit) return true;
    if (o->vertex_mask && !(o->vertex_mask[u] && o->vertex_mask[v])) return true;
    return o->edge_mask && !o->edge_mask[id];
}

/* One row. `has_capacity`: the chunk has a place for every arc of it. */
BI_FN void stream_row(struct stream *s, struct chunk *c, uint32_t u, bool long_keys, bool checked, bool has_capacity)
{
    struct bi_msf_cpu *m = s->m;
    const struct bi_msf_rows *r = &m->rows;
    const uint32_t *ids = r->edge_ids, *offsets = r->offsets;
    struct bi_msf_edge_list *list = &m->list;
    uint64_t best = UINT64_MAX, threshold = m->threshold;
    uint32_t best_id = UINT32_MAX, best_place = BI_FOREST_NONE, end = offsets[u + 1];
    int64_t at = c->at;
    for (uint32_t place = offsets[u]; place < end; place++) {
        uint32_t v = r->neighbours[place], id = ids[place];
        uint64_t rank = rank_at(r, place, long_keys, checked);
        if (checked && missing(r, u, v, rank, id)) continue;
        uint64_t word = long_keys ? rank : rank << 32 | id;
        bool less = long_keys ? word < best || (word == best && id < best_id) : word < best;
        best_id = less ? id : best_id;
        best = less ? word : best;
        best_place = less ? place : best_place;
        bool light = long_keys ? word < threshold || (word == threshold && id <= m->threshold_id) : word <= threshold;
        light = light && v > u;
        if (!has_capacity && at == c->end) {
            if (!light) continue;
            c->at = at;
            renew(s, c, CHUNK);
            at = c->at;
            if (c->end == 0) continue;
        }
        list->words[at] = word;
        list->ends[at] = (uint64_t)u << 32 | v;
        if (long_keys) list->ids[at] = id;
        at += light;
    }
    c->at = at;
    m->choice[u] = best_place;
    m->next[u] = best_place == BI_FOREST_NONE ? u : r->neighbours[best_place];
}

BI_FN void stream_rows(struct stream *s, struct chunk *c, int64_t begin, int64_t end, bool long_keys, bool checked)
{
    const uint32_t *offsets = s->m->rows.offsets;
    for (int64_t u = begin; u < end; u++) {
        int64_t length = (int64_t)offsets[u + 1] - offsets[u];
        if (length < LONG_ROW && c->end - c->at <= length) renew(s, c, CHUNK);
        if (c->end - c->at > length)
            stream_row(s, c, (uint32_t)u, long_keys, checked, true);
        else
            stream_row(s, c, (uint32_t)u, long_keys, checked, false);
    }
}

/* The turns `begin` to `end` - 1. */
static void stream_turns(struct stream *s, int64_t begin, int64_t end, bool checked)
{
    const int64_t n = s->m->rows.n;
    const bool wide = s->m->rows.wide_keys;
#pragma omp parallel num_threads(bi_thread_count(s->m->ctx, end - begin, 4))
    {
        struct chunk c = s->chunks[bi_thread_number()];
#pragma omp for schedule(dynamic, 1)
        for (int64_t t = begin; t < end; t++) {
            int64_t first = t * ROWS, last = first + ROWS < n ? first + ROWS : n;
            if (wide)
                checked ? stream_rows(s, &c, first, last, true, true) : stream_rows(s, &c, first, last, true, false);
            else
                checked ? stream_rows(s, &c, first, last, false, true) : stream_rows(s, &c, first, last, false, false);
        }
        s->chunks[bi_thread_number()] = c;
    }
}

bosc_status bi_msf_cpu_stream(struct bi_msf_cpu *m, bool *overflow)
{
    struct stream s = {.m = m};
    const struct bi_msf_order *o = &m->rows.order;
    uint64_t all = m->rows.wide_keys ? UINT64_MAX : UINT32_MAX;
    bool checked = m->loops || o->flip || o->limit != all || o->vertex_mask || o->edge_mask;
    int64_t turns = bi_div_up(m->rows.n, ROWS);
    BI_TRY(bi_scratch_of(m->ctx, m->ctx->threads, sizeof *s.chunks, (void **)&s.chunks));
    for (int t = 0; t < m->ctx->threads; t++) s.chunks[t] = (struct chunk){0, 0};
    struct bi_parts p = bi_parts_of(m->ctx, turns, turns ? (double)m->rows.arcs / (double)turns : 1);
    while (bi_next_part(m->ctx, &p)) stream_turns(&s, p.begin, p.end, checked);
    BI_TRY(p.status);
    for (int t = 0; t < m->ctx->threads; t++) renew(&s, &s.chunks[t], 0);
    m->list.count = s.used;
    *overflow = s.overflow;
    return BOSC_OK;
}

struct sample {
    uint64_t word;
    uint32_t id;
};

static bool sample_less(const struct sample *a, const struct sample *b)
{
    return a->word < b->word || (a->word == b->word && a->id < b->id);
}

/* The samples as a heap whose root is the largest of the `keep` smallest seen. */
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

/* The edge at a place of the rows or of the list. */
typedef struct sample (*sample_fn)(const struct bi_msf_cpu *m, int64_t place);

static struct sample sample_row(const struct bi_msf_cpu *m, int64_t place)
{
    const struct bi_msf_rows *r = &m->rows;
    struct sample x = {bi_msf_arc_rank(r, place), (uint32_t)bi_msf_arc_id(r, place)};
    if (!r->wide_keys) x.word = x.word << 32 | x.id;
    return x;
}

static struct sample sample_entry(const struct bi_msf_cpu *m, int64_t i)
{
    uint64_t rank = bi_msf_rank(&m->entries->order, bi_graph_entry_weight(&m->entries->of, i));
    return (struct sample){m->rows.wide_keys ? rank : rank << 32 | (uint32_t)i, (uint32_t)i};
}

static struct sample sample_edge(const struct bi_msf_cpu *m, int64_t i)
{
    return (struct sample){m->list.words[i], m->list.ids ? m->list.ids[i] : 0};
}

static bosc_status sample(struct bi_msf_cpu *m, sample_fn at, int64_t count, double share)
{
    struct sample *heap;
    int64_t keep = (int64_t)(share * BI_MSF_CPU_SAMPLES) + 1;
    BI_TRY(bi_scratch_of(m->ctx, keep, sizeof *heap, (void **)&heap));
    for (int64_t i = 0; i < BI_MSF_CPU_SAMPLES; i++) {
        struct sample x = at(m, bi_msf_cpu_sample_place(i, count));
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

bosc_status bi_msf_cpu_sample(struct bi_msf_cpu *m, double share) { return sample(m, sample_row, m->rows.arcs, share); }

bosc_status bi_msf_cpu_sample_entries(struct bi_msf_cpu *m, double share)
{
    return sample(m, sample_entry, m->entries->of.m, share);
}

bosc_status bi_msf_cpu_sample_list(struct bi_msf_cpu *m, double share)
{
    return sample(m, sample_edge, m->list.count, share);
}
