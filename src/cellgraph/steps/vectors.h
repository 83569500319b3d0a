/* Vectors of letters packed into words: hashes, comparisons, and the list of edges between them. */
#ifndef BI_CELLGRAPH_STEPS_VECTORS_H
#define BI_CELLGRAPH_STEPS_VECTORS_H

#include <stdbool.h>

#include "base/atomic.h"
#include "base/bits.h"
#include "cellgraph/cellgraph.h"

BI_FN const uint64_t *bi_cellgraph_row(const struct bi_cellgraph_view *v, int64_t i)
{
    return v->vectors + i * v->shape.words;
}

/* Words of a segment of the join, at most BI_CELLGRAPH_SEGMENTS segments; and the number of segments. */
BI_FN int32_t bi_cellgraph_span(int32_t words)
{
    return words <= BI_CELLGRAPH_SEGMENTS ? 1 : (words + BI_CELLGRAPH_SEGMENTS - 1) / BI_CELLGRAPH_SEGMENTS;
}

BI_FN int32_t bi_cellgraph_segment_count(int32_t words)
{
    const int32_t span = bi_cellgraph_span(words);
    return (words + span - 1) / span;
}

/* The seed of words number s. */
BI_FN uint64_t bi_cellgraph_seed(int64_t s) { return bi_mix_u64((uint64_t)(s + 1) * 0x9e3779b97f4a7c15ull); }

/* h_s of a word, with the seed of its position s. */
BI_FN uint64_t bi_cellgraph_hash(uint64_t word, uint64_t seed)
{
    uint64_t z = (word ^ seed) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93ull;
    return (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9ull;
}

/* The parity of each letter, in its lowest bit. Words that differ in one letter differ in at most one parity. */
BI_FN uint64_t bi_cellgraph_parities(const struct bi_letters *s, uint64_t word)
{
    uint64_t parities = word;
    for (int32_t b = 1; b < s->letter_bits; b++) parities ^= word >> b;
    return parities & s->lows;
}

/* Parities of the rows and columns of a square of 8 by 8 bits. Source: Elias, Error-free Coding (1954). */
BI_FN uint32_t bi_cellgraph_parity_code(uint64_t square)
{
    uint64_t rows = square ^ square >> 4, columns = square ^ square >> 32;
    rows ^= rows >> 2;
    rows = (rows ^ rows >> 1) & 0x0101010101010101ull;
    columns ^= columns >> 16;
    columns ^= columns >> 8;
    return (uint32_t)(rows * 0x0102040810204080ull >> 56) << 8 | (uint32_t)(columns & 0xff);
}

/* False if squares whose parity codes differ by `bits` must differ in more than one bit. */
BI_FN bool bi_cellgraph_may_be_one_bit(uint32_t bits)
{
    const uint32_t columns = bits & 0xff, rows = bits >> 8;
    return ((columns & (columns - 1)) | (rows & (rows - 1))) == 0;
}

/* True if words that differ by `bits` (not 0) differ in one letter. */
BI_FN bool bi_cellgraph_is_one_letter(uint64_t bits, int32_t letter_bits)
{
    if (letter_bits == 1) return (bits & (bits - 1)) == 0;
    int32_t first = bi_lowest_bit(bits) / letter_bits * letter_bits;
    return bits >> first >> letter_bits == 0;
}

/* The position of the letter in which words number `word` differ. */
BI_FN uint32_t bi_cellgraph_position(const struct bi_letters *s, int32_t word, uint64_t bits)
{
    return (uint32_t)(word * s->per_word + bi_lowest_bit(bits) / s->letter_bits);
}

/* True if x and y agree in all words except `but`. */
BI_FN bool bi_cellgraph_equal_except(const uint64_t *x, const uint64_t *y, int32_t words, int32_t but)
{
    for (int32_t s = 0; s < words; s++)
        if (s != but && x[s] != y[s]) return false;
    return true;
}

/* The position of the one letter in which x and y differ, if its word is in [begin, end); otherwise -1. */
BI_FN int64_t bi_cellgraph_single_difference(const struct bi_letters *shape, const uint64_t *x, const uint64_t *y,
                                             int32_t begin, int32_t end)
{
    int64_t position = -1;
    for (int32_t s = 0; s < shape->words; s++) {
        uint64_t bits = x[s] ^ y[s];
        if (!bits) continue;
        if (position >= 0 || s < begin || s >= end || !bi_cellgraph_is_one_letter(bits, shape->letter_bits)) return -1;
        position = bi_cellgraph_position(shape, s, bits);
    }
    return position;
}

/* The hash of a vertex's words outside [begin, end). */
BI_FN uint64_t bi_cellgraph_complement_hash(const struct bi_cellgraph_view *v, int64_t i, int32_t begin, int32_t end)
{
    uint64_t hash = v->hashes[i];
    const uint64_t *x = bi_cellgraph_row(v, i);
    for (int32_t s = begin; s < end; s++) hash -= bi_cellgraph_hash(x[s], v->seeds[s]);
    return hash;
}

/* Number of letters in which words differ by `bits`. */
BI_FN uint32_t bi_cellgraph_distance(uint64_t bits, const struct bi_letters *s)
{
    uint64_t any = bits;
    for (int32_t b = 1; b < s->letter_bits; b++) any |= bits >> b;
    return (uint32_t)bi_popcount(any & s->lows);
}

/* ---- items of several rows ---- */

/* Number of rows or edges that an item of such a step visits, so that their loads overlap. They are
 * bi_cellgraph_items(n) apart. */
enum { BI_CELLGRAPH_AT_ONCE = 4 };

BI_FN int64_t bi_cellgraph_items(int64_t n) { return (n + BI_CELLGRAPH_AT_ONCE - 1) / BI_CELLGRAPH_AT_ONCE; }

#ifdef __CUDACC__
#define BI_CELLGRAPH_UNROLL _Pragma("unroll")
#else
#define BI_CELLGRAPH_UNROLL
#endif

/* ---- the list of edges ---- */

/* Writes edge number `at`, if the list has capacity. */
BI_FN void bi_cellgraph_write_edge(const struct bi_cellgraph_edge_list *f, uint64_t at, uint64_t low, uint64_t high,
                                   uint32_t position)
{
    if (at >= (uint64_t)f->capacity) return;
    if (f->ranks) f->ranks[at] = bi_atomic_fetch_add_u32(&f->counts[low], 1);
    f->edges[at] = low << f->vertex_bits | high;
    f->positions[at] = position;
}

/* Appends an edge. */
BI_FN void bi_cellgraph_append_edge(const struct bi_cellgraph_edge_list *f, int64_t a, int64_t b, uint32_t position)
{
    bi_cellgraph_write_edge(f, bi_atomic_fetch_add_u64(f->count, 1), (uint64_t)(a < b ? a : b),
                            (uint64_t)(a < b ? b : a), position);
}

/* Appends the edge between a and b if they differ in one letter, which is in word s. */
BI_FN void bi_cellgraph_compare_vertices(const struct bi_cellgraph_view *v, const struct bi_cellgraph_edge_list *f,
                                         int64_t a, int64_t b, int32_t s)
{
    const uint64_t *x = bi_cellgraph_row(v, a), *y = bi_cellgraph_row(v, b);
    uint64_t bits = x[s] ^ y[s];
    if (!bits || !bi_cellgraph_is_one_letter(bits, v->shape.letter_bits)) return;
    if (bi_cellgraph_equal_except(x, y, v->shape.words, s))
        bi_cellgraph_append_edge(f, a, b, bi_cellgraph_position(&v->shape, s, bits));
}

/* ---- pairs of a trie ---- */

struct bi_cellgraph_trie_pairs {
    struct bi_cellgraph_edge_list found;
    const uint32_t *vertices; /* (pairs x 2) */
    const uint32_t *positions;
};

BI_FN void bi_step_cellgraph_add_trie_pair(const struct bi_cellgraph_trie_pairs *a, int64_t e)
{
    bi_cellgraph_append_edge(&a->found, a->vertices[2 * e], a->vertices[2 * e + 1], a->positions[e]);
}

#endif
