/* The first round of Boruvka: every vertex takes its lightest edge. */
#include "base/bits.h"
#include "forest/cpu/msf.h"

enum { GRAIN = 1 << 13 };

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

/* The edges of those that are no roots join the forest in the order of the vertices; roots get numbers in their order.
 */
bosc_status bi_msf_cpu_first_round(struct bi_msf_cpu *m)
{
    int64_t n = m->rows.n;
    int chunks = bi_thread_count(m->ctx, n, GRAIN);
    struct tally *tallies, all = {0};
    uint8_t *root;
    BI_TRY(bi_scratch_of(m->ctx, chunks, sizeof *tallies, (void **)&tallies));
    BI_TRY(bi_scratch_of(m->ctx, n, 1, (void **)&root));
#pragma omp parallel for schedule(static) num_threads(chunks)
    for (int p = 0; p < chunks; p++) {
        int64_t roots = 0, begin = bi_chunk_begin(n, chunks, p), end = bi_chunk_begin(n, chunks, p + 1);
        for (int64_t v = begin; v < end; v++) roots += root[v] = is_root(m->next, (uint32_t)v);
        tallies[p] = (struct tally){.edges = end - begin - roots, .roots = roots};
    }
    for (int p = 0; p < chunks; p++) {
        struct tally t = tallies[p];
        tallies[p] = all;
        all.edges += t.edges;
        all.roots += t.roots;
    }
#pragma omp parallel for schedule(static) num_threads(chunks)
    for (int p = 0; p < chunks; p++) {
        struct tally t = tallies[p];
        int64_t end = bi_chunk_begin(n, chunks, p + 1);
        for (int64_t v = bi_chunk_begin(n, chunks, p); v < end; v++)
            if (root[v]) {
                m->next[v] = (uint32_t)v;
                m->component[v] = (uint32_t)t.roots++;
            } else {
                take_edge(m, (uint32_t)v, t.edges++, &t);
            }
        tallies[p] = t;
    }
    for (int p = 0; p < chunks; p++) {
        m->low += tallies[p].low;
        m->high += tallies[p].high;
    }
    m->found = all.edges;
    m->components = m->left = all.roots;
#pragma omp parallel for schedule(static) num_threads(chunks)
    for (int64_t v = 0; v < n; v++)
        bi_atomic_store_u32(&m->next[v], bi_atomic_load_u32(&m->next[bi_atomic_load_u32(&m->next[v])]));
#pragma omp parallel for schedule(static) num_threads(chunks)
    for (int64_t v = 0; v < n; v++)
        if (!root[v]) m->component[v] = m->component[bi_msf_cpu_root(m->next, (uint32_t)v)];
    BI_TRY(bi_scratch_of(m->ctx, m->components, sizeof *m->joined, (void **)&m->joined));
    for (int64_t c = 0; c < m->components; c++) m->joined[c] = (uint32_t)c;
    return bi_advance(m->ctx, 4 * (double)n);
}
