/* Tables for hashing many rows. */
#include "cellgraph/cpu/row_hash.h"

#include "cellgraph/steps/vectors.h"

void bi_cellgraph_row_hash_open(struct bi_cellgraph_row_hash *h, const struct bi_letters *shape, const uint64_t *seeds)
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
