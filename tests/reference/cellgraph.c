#include "reference/cellgraph.h"

static int32_t per_word(const struct reference_cells *c) { return 64 / c->letter_bits; }

uint32_t reference_letter(const struct reference_cells *c, int64_t row, int32_t k)
{
    uint64_t word = c->rows[row * c->stride + k / per_word(c)];
    return (uint32_t)(word >> (k % per_word(c) * c->letter_bits)) & ((1u << c->letter_bits) - 1);
}

void reference_set_letter(struct reference_cells *c, int64_t row, int32_t k, uint32_t letter)
{
    uint64_t *word = &c->rows[row * c->stride + k / per_word(c)];
    int32_t at = k % per_word(c) * c->letter_bits;
    uint64_t letters = (1ull << c->letter_bits) - 1;
    *word = (*word & ~(letters << at)) | (letter & letters) << at;
}

int32_t reference_differ(const struct reference_cells *c, int64_t i, int64_t j, int32_t *position)
{
    int32_t count = 0, words = (c->length + per_word(c) - 1) / per_word(c);
    for (int32_t s = 0; s < words && count < 2; s++) {
        if (c->rows[i * c->stride + s] == c->rows[j * c->stride + s]) continue;
        for (int32_t k = s * per_word(c); k < c->length && k < (s + 1) * per_word(c) && count < 2; k++) {
            if (reference_letter(c, i, k) == reference_letter(c, j, k)) continue;
            if (count == 0) *position = k;
            count++;
        }
    }
    return count;
}

int64_t reference_vertices(const struct reference_cells *c, int64_t *representative_ids, int64_t *vertex_of,
                           int64_t *multiplicities)
{
    int64_t count = 0;
    for (int64_t i = 0; i < c->n; i++) {
        int64_t v = 0;
        int32_t position;
        while (v < count && reference_differ(c, representative_ids[v], i, &position) > 0) v++;
        if (v == count) {
            representative_ids[v] = i;
            multiplicities[v] = 0;
            count++;
        }
        vertex_of[i] = v;
        multiplicities[v]++;
    }
    return count;
}

int64_t reference_cell_pairs(const struct reference_cells *c, const int64_t *representative_ids, int64_t vertices,
                             int64_t *pairs, int32_t *positions)
{
    int64_t count = 0;
    for (int64_t a = 0; a < vertices; a++)
        for (int64_t b = a + 1; b < vertices; b++) {
            int32_t position;
            if (reference_differ(c, representative_ids[a], representative_ids[b], &position) != 1) continue;
            if (pairs) pairs[2 * count] = representative_ids[a];
            if (pairs) pairs[2 * count + 1] = representative_ids[b];
            if (positions) positions[count] = position;
            count++;
        }
    return count;
}
