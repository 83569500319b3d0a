/* The first round of Boruvka: adds every vertex's lightest edge. */
#include "base/bits.h"
#include "forest/cpu/msf_state.h"

enum { GRAIN = BI_THREAD_ITEMS / 4 };

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
    const struct bi_msf_rows *r = &m->rows;
    uint64_t key = bi_word(r->keys, r->keys_64bit, m->choice[v]);
    bi_msf_cpu_add_edge(m, at, ((const uint32_t *)r->edge_ids)[m->choice[v]], key);
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

bosc_status bi_msf_cpu_first_round(struct bi_msf_cpu_state *m)
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
