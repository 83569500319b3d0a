/* Hashes of many rows at once: the words of some rows side by side, in a loop over constants, which compilers make
 * vectors of; and then the sums of each row. */
#include <string.h>

#include "cellgraph/cpu/row_hash.h"
#include "cellgraph/steps/vectors.h"

/* Hashes of the words of rows that lie beside each other. Of `all` words from `words` on, the first rows are asked for;
 * what lies behind all is not read. */
static void hash_piece(const struct bi_cellgraph_row_hash *restrict h, const uint64_t *restrict words, int64_t all,
                       uint64_t *restrict hashes)
{
    uint64_t copy[BI_CELLGRAPH_PIECE];
    if (all < BI_CELLGRAPH_PIECE) {
        memset(copy, 0, sizeof copy);
        memcpy(copy, words, (size_t)all * sizeof *copy);
        words = copy;
    }
    for (int k = 0; k < BI_CELLGRAPH_PIECE; k++)
        hashes[k] = bi_cellgraph_hash(words[k] & h->piece_masks[k], h->piece_seeds[k]);
}

BI_FN void sum_rows(const uint64_t *of_words, int32_t words, int64_t count, uint64_t *hashes)
{
    for (int64_t k = 0; k < count; k++) {
        uint64_t sum = 0;
        for (int32_t s = 0; s < words; s++) sum += of_words[k * words + s];
        hashes[k] = sum;
    }
}

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
    uint64_t of_words[BI_CELLGRAPH_PIECE], beside[BI_CELLGRAPH_PIECE];
    for (int64_t k = 0; k < count && h->rows == 0; k++) hashes[k] = hash_long(h, rows + k * stride, 0, words);
    if (h->rows == 0) return;
    for (int64_t k = 0, some; k < count; k += some) {
        const uint64_t *from = rows + k * stride;
        some = count - k < h->rows ? count - k : h->rows;
        int64_t all = (count - k) * words;
        if (stride != words) {
            for (int64_t r = 0; r < some; r++) memcpy(beside + r * words, from + r * stride, (size_t)words * 8);
            from = beside;
            all = some * words;
        }
        hash_piece(h, from, all, of_words);
        if (words == 4)
            sum_rows(of_words, 4, some, hashes + k);
        else
            sum_rows(of_words, words, some, hashes + k);
    }
}

/* The hashes of some vertices outside words `begin` to `end` - 1, given those of their words. */
BI_FN void leave_out(const uint64_t *of_words, int32_t words, int32_t begin, int32_t end, const uint64_t *whole,
                     int64_t count, uint64_t *hashes)
{
    for (int64_t k = 0; k < count; k++) {
        uint64_t hash = whole[k];
        for (int32_t s = begin; s < end; s++) hash -= of_words[k * words + s];
        hashes[k] = hash;
    }
}

BI_FN void mark_parity(const uint64_t *rows, int32_t words, int32_t begin, int32_t end, int64_t count, uint64_t *hashes)
{
    for (int64_t k = 0; k < count; k++) {
        uint64_t odd = 0;
        for (int32_t s = begin; s < end; s++) odd ^= rows[k * words + s];
        hashes[k] = (hashes[k] & ~1ull) | (uint64_t)__builtin_parityll(odd);
    }
}

BI_FN void complement_list(const struct bi_cellgraph_complements *o, const uint64_t *of_words, const uint64_t *rows,
                           int32_t words, int32_t begin, int32_t end, const uint64_t *whole, int64_t count,
                           uint64_t *hashes)
{
    leave_out(of_words, words, begin, end, whole, count, hashes);
    if (o->parity) mark_parity(rows, words, begin, end, count, hashes);
}

void BI_LEVEL_NAME(bi_cellgraph_hash_complements)(const struct bi_cellgraph_row_hash *h,
                                                  const struct bi_cellgraph_complements *o,
                                                  const struct bi_cellgraph_view *v, int64_t first, int64_t count,
                                                  uint64_t *hashes)
{
    const int32_t words = h->shape.words;
    uint64_t of_words[BI_CELLGRAPH_PIECE];
    for (int64_t k = 0, some; k < count; k += some) {
        const uint64_t *rows = bi_cellgraph_row(v, first + k), *whole = v->hashes + first + k;
        some = h->rows == 0 ? 1 : count - k < h->rows ? count - k : h->rows;
        if (h->rows > 0) hash_piece(h, rows, (count - k) * words, of_words);
        for (int32_t l = 0; l < o->lists; l++) {
            const int32_t begin = (o->first + l) * o->span, end = begin + o->span < words ? begin + o->span : words;
            uint64_t *to = hashes + l * BI_CELLGRAPH_BLOCK + k;
            if (h->rows == 0) {
                *to = *whole - hash_long(h, rows, begin, end);
                if (o->parity) mark_parity(rows, words, begin, end, 1, to);
            } else if (words == 4) {
                complement_list(o, of_words, rows, 4, begin, begin + 1, whole, some, to);
            } else {
                complement_list(o, of_words, rows, words, begin, end, whole, some, to);
            }
        }
    }
}
