/* Hashes of many rows at once on the CPU, compiled for each level. */
#ifndef BI_CELLGRAPH_CPU_ROW_HASH_H
#define BI_CELLGRAPH_CPU_ROW_HASH_H

#include "cellgraph/cellgraph.h"
#include "core/cpu/level.h"

enum {
    BI_CELLGRAPH_HASHED_WORDS = 64, /* words hashed by one vector loop: of as many whole rows as fit */
    BI_CELLGRAPH_BLOCK = 256        /* rows hashed by one call */
};

struct bi_cellgraph_row_hash {
    struct bi_letters shape;
    const uint64_t *seeds; /* (words) */
    int32_t rows;          /* rows hashed by one loop; 0: a row is too long */
    uint64_t word_seeds[BI_CELLGRAPH_HASHED_WORDS], word_masks[BI_CELLGRAPH_HASHED_WORDS];
};

/* Segments of a join whose complement is hashed: `lists` of them from number `first` on. */
struct bi_cellgraph_complements {
    int32_t span, first, lists;
    bool parity; /* the lowest bit of each hash is the parity of the segment */
};

/* Sets the seeds and masks of the words of the rows of one loop. */
static inline void bi_cellgraph_row_hash_open(struct bi_cellgraph_row_hash *h, const struct bi_letters *shape,
                                              const uint64_t *seeds)
{
    const int32_t words = shape->words;
    h->shape = *shape;
    h->seeds = seeds;
    h->rows = BI_CELLGRAPH_HASHED_WORDS / words;
    for (int32_t k = 0; k < BI_CELLGRAPH_HASHED_WORDS; k++) {
        const bool used = k < h->rows * words;
        h->word_seeds[k] = used ? seeds[k % words] : 0;
        h->word_masks[k] = used ? bi_letters_mask(shape, k % words) : 0;
    }
}

/* hash_rows: H of `count` rows. hash_complements: hashes[l * BI_CELLGRAPH_BLOCK + k] for list l and vertex `first` +
 * k. */
#define BI_CELLGRAPH_HASHING_DECLARE(level)                                                                          \
    void bi_cellgraph_hash_rows_##level(const struct bi_cellgraph_row_hash *h, const uint64_t *rows, int64_t stride, \
                                        int64_t count, uint64_t *hashes);                                            \
    void bi_cellgraph_hash_complements_##level(                                                                      \
        const struct bi_cellgraph_row_hash *h, const struct bi_cellgraph_complements *o,                             \
        const struct bi_cellgraph_view *v, int64_t first, int64_t count, uint64_t *hashes);
BI_CELLGRAPH_HASHING_DECLARE(v1)
#if defined(__x86_64__)
BI_CELLGRAPH_HASHING_DECLARE(v3)
BI_CELLGRAPH_HASHING_DECLARE(v4)
#endif

#endif
