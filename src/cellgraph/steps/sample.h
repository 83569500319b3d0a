/* The sample of vertices from which the time of each method is estimated, and a step that looks at it. */
#ifndef BI_CELLGRAPH_STEPS_SAMPLE_H
#define BI_CELLGRAPH_STEPS_SAMPLE_H

#include "cellgraph/steps/zobrist.h"

enum { BI_CELL_SAMPLES = 1024, BI_CELL_DEVICE_SAMPLES = 512 /* a thread each */ };

/* What is seen of the sample. */
struct bi_cell_seen {
    uint32_t pairs[BI_CELL_SEGMENTS];   /* that agree outside a segment of the join, by their hashes */
    uint32_t largest[BI_CELL_SEGMENTS]; /* the most that all agree */
    uint32_t leading;                   /* words that a vertex and the next one begin with, both: the sum */
};

/* Vertices that are spread evenly. */
struct bi_cell_sample {
    struct bi_cell_view view;
    int64_t count;
    const uint32_t *common;
    uint32_t *looks; /* vectors that ZOBRIST would look up: the sum */
};

/* A sixteenth of the vertices, but not too few for it to show anything, nor more than `most`. */
BI_FN struct bi_cell_sample bi_cell_sample_of(const struct bi_cell_view *view, int64_t most)
{
    enum { PART = 16, LEAST = 24 };
    int64_t count = view->count / PART < LEAST ? LEAST : view->count / PART;
    if (count > view->count) count = view->count;
    if (count > most) count = most;
    struct bi_cell_sample sample = {*view, count, NULL, NULL};
    return sample;
}

BI_FN int64_t bi_cell_sampled(const struct bi_cell_sample *a, int64_t k) { return k * (a->view.count / a->count); }

/* The hash of vertex k of the sample outside a segment. */
BI_FN uint64_t bi_cell_sample_hash(const struct bi_cell_sample *a, int64_t k, int32_t segment)
{
    const int32_t words = a->view.shape.words, span = bi_cell_span(words), end = (segment + 1) * span;
    return bi_cell_outside(&a->view, bi_cell_sampled(a, k), segment * span, end < words ? end : words);
}

/* Words that vertices k and k + 1 of the sample both begin with. */
BI_FN uint32_t bi_cell_leading(const struct bi_cell_sample *a, int64_t k)
{
    const uint64_t *x = bi_cell_row(&a->view, bi_cell_sampled(a, k)),
                   *y = bi_cell_row(&a->view, bi_cell_sampled(a, (k + 1) % a->count));
    int32_t leading = 0;
    while (leading < a->view.shape.words && x[leading] == y[leading]) leading++;
    return (uint32_t)leading;
}

BI_FN void bi_step_cell_looks(const struct bi_cell_sample *a, int64_t k)
{
    const struct bi_cell_shape *shape = &a->view.shape;
    const uint64_t letters = (1ull << shape->letter_bits) - 1;
    uint32_t looks = 0;
    for (int32_t s = 0; s < shape->words; s++) {
        uint64_t rare = bi_cell_rare(&a->view, a->common, bi_cell_sampled(a, k), s);
        if (letters == 1) looks += (uint32_t)bi_popcount(rare);
        for (; letters > 1 && rare; rare >>= shape->letter_bits) looks += (uint32_t)(rare & letters);
    }
    bi_atomic_fetch_add_u32(a->looks, looks);
}

#endif
