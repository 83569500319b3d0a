/* The saved form of a trie, little-endian:
 *
 *   header (64 bytes, below) | keys, reversed | values | multiplicities, uint32 | XXH3 64 of everything before
 *
 * Keys, values and multiplicities are the blocks of the trie (trie/trie.h); nodes follow from the keys and are not
 * saved. Each array ends with zeros up to a multiple of 64 bytes. The header ends with its own XXH3 64. */
#ifndef BI_TRIE_SAVE_H
#define BI_TRIE_SAVE_H

#include "core/save.h"
#include "trie/drivers.h"

enum { BI_TRIE_SAVE_VERSION = 1 };

#define BI_TRIE_SAVE_MAGIC "BOSCTRI\n"

struct bi_trie_header {
    char magic[8];
    uint32_t version, length, letter_bits, layout, duplicates, value_bits;
    int64_t keys, rows;
    uint32_t digit_bits, unused; /* 0: the widest digit; 0 */
    uint64_t hash;               /* of the bytes before */
};

_Static_assert(sizeof(struct bi_trie_header) == 64, "the header is 64 bytes");

/* Bytes of the saved arrays. */
static inline void bi_trie_saved_bytes(const bosc_trie *trie, size_t bytes[3])
{
    bytes[BI_TRIE_KEYS] = (size_t)trie->keys * (size_t)trie->shape.letters.words * 8;
    bytes[BI_TRIE_VALUES] = (size_t)trie->keys * (size_t)trie->opts.value_bits / 8;
    bytes[BI_TRIE_COUNTS] = (size_t)trie->keys * 4;
}

#endif
