/* ZOBRIST: looks up each vector with a letter replaced, by its hash. */
#ifndef BI_CELLGRAPH_STEPS_ZOBRIST_H
#define BI_CELLGRAPH_STEPS_ZOBRIST_H

#include "cellgraph/steps/dictionary.h"

/* The majority letter at each position, if there is one, among evenly spaced vertices. Source: Boyer, Moore, MJRTY -
 * A Fast Majority Vote Algorithm (1991). */
struct bi_cellgraph_vote {
    struct bi_cellgraph_view view;
    int64_t samples;
    uint32_t *common; /* (words x 2), 0 before */
};

BI_FN void bi_step_cellgraph_vote(const struct bi_cellgraph_vote *a, int64_t k)
{
    const struct bi_letters *shape = &a->view.shape;
    const int32_t s = (int32_t)(k / shape->per_word), at = (int32_t)(k % shape->per_word) * shape->letter_bits;
    const uint64_t letters = (1ull << shape->letter_bits) - 1;
    uint64_t winner = 0;
    int64_t votes = 0;
    for (int64_t i = 0; i < a->samples; i++) {
        uint64_t letter = bi_cellgraph_row(&a->view, i * (a->view.count / a->samples))[s] >> at & letters;
        if (votes == 0) winner = letter;
        votes += letter == winner ? 1 : -1;
    }
    if (!(winner << at)) return;
    bi_atomic_or_u32(&a->common[2 * s], (uint32_t)(winner << at));
    bi_atomic_or_u32(&a->common[2 * s + 1], (uint32_t)(winner << at >> 32));
}

/* The bits in which word s of vertex i differs from the common letters. Letters are ordered by these: the common one
 * is 0, the least rare. */
BI_FN uint64_t bi_cellgraph_rare_bits(const struct bi_cellgraph_view *v, const uint32_t *common, int64_t i, int32_t s)
{
    return bi_cellgraph_row(v, i)[s] ^ (common[2 * s] | (uint64_t)common[2 * s + 1] << 32);
}

/* Letters of two bits: replaces those of word s of vertex i by all less rare ones, without a branch for each. */
BI_FN void bi_cellgraph_probe_letter_pairs(const struct bi_cellgraph_probe *a, int64_t i, int32_t s, uint64_t rest,
                                           uint64_t rare)
{
    const uint64_t lows = 0x5555555555555555ull, high = rare >> 1 & lows, low = rare & lows;
    const uint64_t above[3] = {high | low, high, high & low}; /* the letters above 0, 1, 2 */
    for (uint64_t letter = 0; letter < 3; letter++)
        for (uint64_t left = above[letter]; left; left &= left - 1) {
            const int at = bi_lowest_bit(left);
            const uint64_t differ = ((rare >> at & 3) ^ letter) << at;
            bi_cellgraph_probe_vector(a, i, s, rest, bi_cellgraph_row(&a->view, i)[s] ^ differ, a->view.count);
        }
}

/* Looks up vertex i with each letter replaced by all less rare ones, so that each edge is found from one end and
 * common letters need no lookup. */
BI_FN void bi_step_cellgraph_probe_neighbours(const struct bi_cellgraph_probe *a, int64_t i)
{
    const uint64_t *x = bi_cellgraph_row(&a->view, i), letters = (1ull << a->view.shape.letter_bits) - 1;
    const int32_t r = a->view.shape.letter_bits;
    for (int32_t s = 0; s < a->view.shape.words; s++) {
        uint64_t rare = bi_cellgraph_rare_bits(&a->view, a->common, i, s);
        if (!rare) continue;
        const uint64_t rest = a->view.hashes[i] - bi_cellgraph_hash(x[s], a->view.seeds[s]);
        /* Letters of one bit and of two: as below, without a division for each letter. */
        if (r == 1) {
            for (; rare; rare &= rare - 1)
                bi_cellgraph_probe_vector(a, i, s, rest, x[s] ^ (rare & -rare), a->view.count);
            continue;
        }
        if (r == 2) {
            bi_cellgraph_probe_letter_pairs(a, i, s, rest, rare);
            continue;
        }
        while (rare) {
            const int32_t at = bi_lowest_bit(rare) / r * r;
            const uint64_t own = rare >> at & letters;
            for (uint64_t letter = 0; letter < own; letter++)
                bi_cellgraph_probe_vector(a, i, s, rest, x[s] ^ (letter ^ own) << at, a->view.count);
            rare &= ~(letters << at);
        }
    }
}

#endif
