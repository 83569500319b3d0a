/* Hashes of many rows: all words of some rows in one loop with constant bounds, which compilers vectorise; then the
 * sums of each row. */
#include <string.h>

#include "cellgraph/cpu/row_hash.h"
#include "cellgraph/steps/vectors.h"

/* Hashes the words of consecutive rows. Only `readable` words can be read. */
static void hash_words(const struct bi_cellgraph_row_hash *restrict h, const uint64_t *restrict words, int64_t readable,
                       uint64_t *restrict hashes)
{
    uint64_t copy[BI_CELLGRAPH_HASHED_WORDS];
    if (readable < BI_CELLGRAPH_HASHED_WORDS) {
        memset(copy, 0, sizeof copy);
        memcpy(copy, words, (size_t)readable * sizeof *copy);
        words = copy;
    }
    for (int k = 0; k < BI_CELLGRAPH_HASHED_WORDS; k++)
        hashes[k] = bi_cellgraph_hash(words[k] & h->word_masks[k], h->word_seeds[k]);
}

BI_FN void sum_rows(const uint64_t *word_hashes, int32_t words, int64_t count, uint64_t *hashes)
{
    for (int64_t k = 0; k < count; k++) {
        uint64_t sum = 0;
        for (int32_t s = 0; s < words; s++) sum += word_hashes[k * words + s];
        hashes[k] = sum;
    }
}

/* Hash of some words of a long row. */
static uint64_t hash_long(const struct bi_cellgraph_row_hash *h, const uint64_t *row, int32_t begin, int32_t end)
{
    uint64_t sum = 0;
    for (int32_t s = begin; s < end; s++) sum += bi_cellgraph_hash(row[s] & bi_letters_mask(&h->shape, s), h->seeds[s]);
    return sum;
}

void BI_LEVEL_NAME(bi_cellgraph_hash_rows)(const struct bi_cellgraph_row_hash *h, const uint64_t *rows, int64_t stride,
                                           int64_t count, uint64_t *hashes)
{
    const int32_t words = h->shape.words;
    uint64_t word_hashes[BI_CELLGRAPH_HASHED_WORDS], packed[BI_CELLGRAPH_HASHED_WORDS];
    for (int64_t k = 0; k < count && h->rows == 0; k++) hashes[k] = hash_long(h, rows + k * stride, 0, words);
    if (h->rows == 0) return;
    for (int64_t k = 0, batch; k < count; k += batch) {
        const uint64_t *from = rows + k * stride;
        batch = count - k < h->rows ? count - k : h->rows;
        int64_t readable = (count - k) * words;
        if (stride != words) {
            for (int64_t r = 0; r < batch; r++) memcpy(packed + r * words, from + r * stride, (size_t)words * 8);
            from = packed;
            readable = batch * words;
        }
        hash_words(h, from, readable, word_hashes);
        if (words == 4) /* constant bounds */
            sum_rows(word_hashes, 4, batch, hashes + k);
        else
            sum_rows(word_hashes, words, batch, hashes + k);
    }
}

/* Hashes of some vertices outside words `begin` to `end` - 1, from those of their words. */
BI_FN void leave_out(const uint64_t *word_hashes, int32_t words, int32_t begin, int32_t end, const uint64_t *whole,
                     int64_t count, uint64_t *hashes)
{
    for (int64_t k = 0; k < count; k++) {
        uint64_t hash = whole[k];
        for (int32_t s = begin; s < end; s++) hash -= word_hashes[k * words + s];
        hashes[k] = hash;
    }
}

/* Sets the lowest bit of each hash to the parity of words `begin` to `end` - 1. */
BI_FN void mark_parity(const uint64_t *rows, int32_t words, int32_t begin, int32_t end, int64_t count, uint64_t *hashes)
{
    for (int64_t k = 0; k < count; k++) {
        uint64_t odd = 0;
        for (int32_t s = begin; s < end; s++) odd ^= rows[k * words + s];
        hashes[k] = (hashes[k] & ~1ull) | (uint64_t)__builtin_parityll(odd);
    }
}

BI_FN void complement_list(const struct bi_cellgraph_complements *o, const uint64_t *word_hashes, const uint64_t *rows,
                           int32_t words, int32_t begin, int32_t end, const uint64_t *whole, int64_t count,
                           uint64_t *hashes)
{
    leave_out(word_hashes, words, begin, end, whole, count, hashes);
    if (o->parity) mark_parity(rows, words, begin, end, count, hashes);
}

void BI_LEVEL_NAME(bi_cellgraph_hash_complements)(const struct bi_cellgraph_row_hash *h,
                                                  const struct bi_cellgraph_complements *o,
                                                  const struct bi_cellgraph_view *v, int64_t first, int64_t count,
                                                  uint64_t *hashes)
{
    const int32_t words = h->shape.words;
    uint64_t word_hashes[BI_CELLGRAPH_HASHED_WORDS];
    for (int64_t k = 0, batch; k < count; k += batch) {
        const uint64_t *rows = bi_cellgraph_row(v, first + k), *whole = v->hashes + first + k;
        batch = h->rows == 0 ? 1 : count - k < h->rows ? count - k : h->rows;
        if (h->rows > 0) hash_words(h, rows, (count - k) * words, word_hashes);
        for (int32_t l = 0; l < o->lists; l++) {
            const int32_t begin = (o->first + l) * o->span, end = begin + o->span < words ? begin + o->span : words;
            uint64_t *to = hashes + l * BI_CELLGRAPH_BLOCK + k;
            if (h->rows == 0) {
                *to = *whole - hash_long(h, rows, begin, end);
                if (o->parity) mark_parity(rows, words, begin, end, 1, to);
            } else if (words == 4) {
                complement_list(o, word_hashes, rows, 4, begin, begin + 1, whole, batch, to);
            } else {
                complement_list(o, word_hashes, rows, words, begin, end, whole, batch, to);
            }
        }
    }
}
