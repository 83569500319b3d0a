/* Hashes of many rows at once on the CPU, compiled for each level. */
#ifndef BI_CELLGRAPH_CPU_ROW_HASH_H
#define BI_CELLGRAPH_CPU_ROW_HASH_H

#include "cellgraph/cellgraph.h"
#include "core/cpu/level.h"

enum {
    BI_CELLGRAPH_PIECE = 64, /* words that are hashed side by side: of as many rows as they hold */
    BI_CELLGRAPH_BLOCK = 256 /* rows whose hashes are asked for at once */
};

struct bi_cellgraph_row_hash {
    struct bi_letters shape;
    const uint64_t *seeds; /* (words) */
    int32_t rows;          /* of a piece; 0: the words of one are too many */
    uint64_t piece_seeds[BI_CELLGRAPH_PIECE], piece_masks[BI_CELLGRAPH_PIECE];
};

/* Segments of a join whose outside is hashed: `lists` of them from number `first` on. */
struct bi_cellgraph_complements {
    int32_t span, first, lists;
    bool parity; /* the lowest bit of each hash is whether the segment has an odd number of ones */
};

void bi_cellgraph_row_hash_open(struct bi_cellgraph_row_hash *h, const struct bi_letters *shape, const uint64_t *seeds);

/* rows: H of `count` rows. outside: hash k of list l, for vertex `first` + k, is hashes[l * BI_CELLGRAPH_BLOCK + k]. */
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
