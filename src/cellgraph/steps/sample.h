/* The sample of vertices from which AUTO estimates times. */
#ifndef BI_CELLGRAPH_STEPS_SAMPLE_H
#define BI_CELLGRAPH_STEPS_SAMPLE_H

#include "cellgraph/steps/lookup.h"

enum { BI_CELLGRAPH_CPU_SAMPLE = 1024, BI_CELLGRAPH_CUDA_SAMPLE = 512 /* a thread each */ };

/* Statistics of the sample. */
struct bi_cellgraph_sample_stats {
    uint32_t pairs[BI_CELLGRAPH_SEGMENTS];   /* pairs whose hashes outside a segment of the join agree */
    uint32_t largest[BI_CELLGRAPH_SEGMENTS]; /* largest group that agrees */
    uint32_t leading;                        /* sum of the leading words shared by consecutive sample vertices */
};

/* Evenly spaced vertices. */
struct bi_cellgraph_sample {
    struct bi_cellgraph_view view;
    int64_t count;
    const uint32_t *common;
    uint32_t *probes; /* sum of the lookups that ZOBRIST would make */
};

/* A sixteenth of the vertices, at least 24 and at most `most`: pairs of the sample are compared, so it costs its
 * square. Less misses groups. Not measured. */
BI_FN struct bi_cellgraph_sample bi_cellgraph_sample_of(const struct bi_cellgraph_view *view, int64_t most)
{
    enum { FRACTION = 16, LEAST = 24 };
    int64_t count = view->count / FRACTION < LEAST ? LEAST : view->count / FRACTION;
    if (count > view->count) count = view->count;
    if (count > most) count = most;
    struct bi_cellgraph_sample sample = {*view, count, NULL, NULL};
    return sample;
}

/* The vertex of number k of the sample. */
BI_FN int64_t bi_cellgraph_sample_vertex(const struct bi_cellgraph_sample *a, int64_t k)
{
    return k * (a->view.count / a->count);
}

/* Hash of vertex k of the sample outside a segment. */
BI_FN uint64_t bi_cellgraph_sample_hash(const struct bi_cellgraph_sample *a, int64_t k, int32_t segment)
{
    const int32_t words = a->view.shape.words, span = bi_cellgraph_span(words), end = (segment + 1) * span;
    return bi_cellgraph_complement_hash(&a->view, bi_cellgraph_sample_vertex(a, k), segment * span,
                                        end < words ? end : words);
}

/* Number of leading words that vertices k and k + 1 of the sample share. */
BI_FN uint32_t bi_cellgraph_common_prefix(const struct bi_cellgraph_sample *a, int64_t k)
{
    const uint64_t *x = bi_cellgraph_row(&a->view, bi_cellgraph_sample_vertex(a, k)),
                   *y = bi_cellgraph_row(&a->view, bi_cellgraph_sample_vertex(a, (k + 1) % a->count));
    int32_t leading = 0;
    while (leading < a->view.shape.words && x[leading] == y[leading]) leading++;
    return (uint32_t)leading;
}

/* Adds the lookups that ZOBRIST makes for vertex k of the sample. */
BI_FN void bi_step_cellgraph_count_probes(const struct bi_cellgraph_sample *a, int64_t k)
{
    const struct bi_letters *shape = &a->view.shape;
    const uint64_t letters = (1ull << shape->letter_bits) - 1;
    uint32_t probes = 0;
    for (int32_t s = 0; s < shape->words; s++) {
        uint64_t rare = bi_cellgraph_rare_bits(&a->view, a->common, bi_cellgraph_sample_vertex(a, k), s);
        /* A letter is replaced by each smaller one, so its value is the number of lookups. */
        if (letters == 1) probes += (uint32_t)bi_popcount(rare);
        for (; letters > 1 && rare; rare >>= shape->letter_bits) probes += (uint32_t)(rare & letters);
    }
    bi_atomic_fetch_add_u32(a->probes, probes);
}

#endif
