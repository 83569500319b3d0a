/* The first round of Boruvka: every vertex takes its lightest edge. */
#include "base/bits.h"
#include "forest/cpu/msf.h"

enum { GRAIN = BI_THREAD_ITEMS / 4 };

/* What comes of some vertices. */
struct tally {
    int64_t edges, roots;
    uint64_t low, high;
};

/* Of two vertices that chose the same edge the smaller becomes a root, and so does one without edges. */
static inline bool is_root(const uint32_t *next, uint32_t v)
{
    return next[v] == v || (v < next[v] && next[next[v]] == v);
}

static void take_edge(struct bi_msf_cpu *m, uint32_t v, int64_t at, struct tally *t)
{
    const struct bi_msf_rows *r = &m->rows;
    uint64_t key = bi_word(r->keys, r->wide_keys, m->choice[v]);
    bi_msf_cpu_note(m, at, ((const uint32_t *)r->edge_ids)[m->choice[v]], key);
    t->low += key & UINT32_MAX;
    t->high += key >> 32;
}

/* The passes of the round. Chunks of vertices have tallies: at first of their own, then of all before what was
 * passed. */
struct passes {
    struct bi_msf_cpu *m;
    int chunks;
    struct tally *tallies; /* (chunks) */
    uint8_t *root;         /* (n) */
};

static bosc_status find_roots(const struct passes *r)
{
    const int64_t n = r->m->rows.n;
    struct bi_parts parts = bi_chunk_parts(r->m->ctx, n, r->chunks, 1);
    for (int p = 0; p < r->chunks; p++) r->tallies[p] = (struct tally){0};
    while (bi_next_part(r->m->ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(r->chunks)
        for (int p = 0; p < r->chunks; p++) {
            struct bi_span part = bi_chunk_part(n, r->chunks, p, &parts);
            int64_t roots = 0;
            for (int64_t v = part.begin; v < part.end; v++) roots += r->root[v] = is_root(r->m->next, (uint32_t)v);
            r->tallies[p].edges += part.end - part.begin - roots;
            r->tallies[p].roots += roots;
        }
    }
    return parts.status;
}

static struct tally add_up(const struct passes *r)
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

/* The edges of those that are no roots join the forest in the order of the vertices; roots get numbers in their order.
 */
static bosc_status take_edges(const struct passes *r)
{
    struct bi_msf_cpu *m = r->m;
    struct bi_parts parts = bi_chunk_parts(m->ctx, m->rows.n, r->chunks, 1);
    while (bi_next_part(m->ctx, &parts)) {
#pragma omp parallel for schedule(static) num_threads(r->chunks)
        for (int p = 0; p < r->chunks; p++) {
            struct bi_span part = bi_chunk_part(m->rows.n, r->chunks, p, &parts);
            struct tally t = r->tallies[p];
            for (int64_t v = part.begin; v < part.end; v++)
                if (r->root[v]) {
                    m->next[v] = (uint32_t)v;
                    m->component[v] = (uint32_t)t.roots++;
                } else {
                    take_edge(m, (uint32_t)v, t.edges++, &t);
                }
            r->tallies[p] = t;
        }
    }
    return parts.status;
}

static bosc_status halve_paths(const struct passes *r)
{
    uint32_t *next = r->m->next;
    struct bi_parts p = bi_parts_of(r->m->ctx, r->m->rows.n, 1);
    while (bi_next_part(r->m->ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(r->chunks)
        for (int64_t v = p.begin; v < p.end; v++)
            bi_atomic_store_u32(&next[v], bi_atomic_load_u32(&next[bi_atomic_load_u32(&next[v])]));
    }
    return p.status;
}

static bosc_status number_vertices(const struct passes *r)
{
    struct bi_msf_cpu *m = r->m;
    struct bi_parts p = bi_parts_of(m->ctx, m->rows.n, 1);
    while (bi_next_part(m->ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(r->chunks)
        for (int64_t v = p.begin; v < p.end; v++)
            if (!r->root[v]) m->component[v] = m->component[bi_msf_cpu_root(m->next, (uint32_t)v)];
    }
    return p.status;
}

bosc_status bi_msf_cpu_first_round(struct bi_msf_cpu *m)
{
    struct passes r = {.m = m, .chunks = bi_thread_count(m->ctx, m->rows.n, GRAIN)};
    BI_TRY(bi_scratch_of(m->ctx, r.chunks, sizeof *r.tallies, (void **)&r.tallies));
    BI_TRY(bi_scratch_of(m->ctx, m->rows.n, 1, (void **)&r.root));
    BI_TRY(find_roots(&r));
    const struct tally all = add_up(&r);
    BI_TRY(take_edges(&r));
    for (int p = 0; p < r.chunks; p++) {
        m->low += r.tallies[p].low;
        m->high += r.tallies[p].high;
    }
    m->found = all.edges;
    m->components = m->left = all.roots;
    BI_TRY(halve_paths(&r));
    BI_TRY(number_vertices(&r));
    BI_TRY(bi_scratch_of(m->ctx, m->components, sizeof *m->joined, (void **)&m->joined));
    for (int64_t c = 0; c < m->components; c++) m->joined[c] = (uint32_t)c;
    return BOSC_OK;
}
