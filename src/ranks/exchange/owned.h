/* Items that move to and from the ranks that own them, by tiles of the rows. Each tile knows, for every rank, the
 * position of its first item in sending order: by rank, then by row. So every item's position follows from the tile's
 * items before it, in any pass over the rows, and no list of rows is stored. */
#ifndef BI_RANKS_EXCHANGE_OWNED_H
#define BI_RANKS_EXCHANGE_OWNED_H

#include "ranks/ranks.h"
#include "ranks/steps/exchange.h"

enum { BI_RANKS_TILE = 2048 }; /* rows of a tile for up to 128 ranks; for more, 16 a rank (route.c) */

/* Items and their owners: known, or computed from keys. The arrays are in the backend's memory. */
struct bi_ranks_owned {
    int64_t n;
    uint32_t rank_count;
    const uint32_t *owners; /* (n); NULL: the owners of the keys */
    const void *keys;       /* (n) */
    int32_t key_bits;       /* 32, 64 or 128; unused if `owners` is set */
    int64_t tile, tiles;    /* rows of a tile, and number of tiles */
    /* (rank_count, tiles). After count_owned: the tile's items of the rank. move_owned reads the exclusive scan: all
     * items before these in sending order. */
    int64_t *positions;
};

/* A column of items. Row i's item moves to its position in a block, or from there. The block of rank r has the items
 * that rank r owns, in the order of their rows. */
struct bi_ranks_owned_column {
    int64_t item_size;
    char *rows;    /* (n), in the backend's memory; NULL, if to_rows is false: row numbers of item_size (4, 8) bytes */
    char **blocks; /* (rank_count), host: first item of each block, in memory that the backend reaches */
};

struct bi_ranks_owned_move {
    bool to_rows; /* items are read from the blocks; else they are written there */
    int count;
    struct bi_ranks_owned_column columns[BI_MAX_WINDOWS];
};

/* Returns the owner of row i. key_bits: a constant in kernels: 0 if a->owners is set, else a->key_bits. */
BI_FN uint32_t bi_ranks_owner_at(const struct bi_ranks_owned *a, int32_t key_bits, int64_t i)
{
    return key_bits ? bi_ranks_owner_of(bosc_hash_word_at(a->keys, i, key_bits), a->rank_count) : a->owners[i];
}

/* Position of the tile's first item of the rank within the rank's block. a->positions: scanned. */
BI_FN int64_t bi_ranks_tile_begin(const struct bi_ranks_owned *a, int64_t rank, int64_t tile)
{
    return a->positions[rank * a->tiles + tile] - a->positions[rank * a->tiles];
}

#endif
