/* Hashes of many rows at once on the CPU, compiled for each level. */
#ifndef BI_CELLGRAPH_CPU_ROW_HASH_H
#define BI_CELLGRAPH_CPU_ROW_HASH_H

#include "cellgraph/cellgraph.h"
#include "core/cpu/level.h"

enum {
    BI_CELL_PIECE = 64, /* words that are hashed side by side: of as many rows as they hold */
    BI_CELL_BLOCK = 256 /* rows whose hashes are asked for at once */
};

struct bi_cell_hashing {
    struct bi_cell_shape shape;
    const uint64_t *seeds; /* (words) */
    int32_t rows;          /* of a piece; 0: the words of one are too many */
    uint64_t piece_seeds[BI_CELL_PIECE], piece_masks[BI_CELL_PIECE];
};

/* Segments of a join whose outside is hashed: `lists` of them from number `first` on. */
struct bi_cell_outsides {
    int32_t span, first, lists;
    bool parity; /* the lowest bit of each hash is whether the segment has an odd number of ones */
};

void bi_cell_hashing_open(struct bi_cell_hashing *h, const struct bi_cell_shape *shape, const uint64_t *seeds);

/* rows: H of `count` rows. outside: hash k of list l, for vertex `first` + k, is hashes[l * BI_CELL_BLOCK + k]. */
#define BI_CELL_HASHING_DECLARE(level)                                                                    \
    void bi_cell_hash_rows_##level(const struct bi_cell_hashing *h, const uint64_t *rows, int64_t stride, \
                                   int64_t count, uint64_t *hashes);                                      \
    void bi_cell_hash_outside_##level(const struct bi_cell_hashing *h, const struct bi_cell_outsides *o,  \
                                      const struct bi_cell_view *v, int64_t first, int64_t count, uint64_t *hashes);
BI_CELL_HASHING_DECLARE(v1)
#if defined(__x86_64__)
BI_CELL_HASHING_DECLARE(v3)
BI_CELL_HASHING_DECLARE(v4)
#endif

#endif
