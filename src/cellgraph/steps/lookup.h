/* Lookup of vectors by their hashes, in a dictionary; and the steps that use it: of ZOBRIST and of additions. The join
 * uses it for long runs (steps/join.h). */
#ifndef BI_CELLGRAPH_STEPS_LOOKUP_H
#define BI_CELLGRAPH_STEPS_LOOKUP_H

#include "cellgraph/steps/vectors.h"

/* ---- the dictionary ---- */

/* The hashes of the vertices, sorted by their top bits, with an index of the first entry for each value of these
 * bits. A Bloom filter, two bits of one word a vertex, rejects most absent vectors; it is smaller than the lists, so it
 * fits a cache. */
struct bi_cellgraph_dictionary {
    uint64_t *hashes;
    uint32_t *order, *starts, *filter;
    int64_t count;
    int32_t index_bits; /* top bits of a hash that the index uses; the filter has 2^(index_bits - 1) words */
};

BI_FN uint32_t *bi_cellgraph_filter_word(const struct bi_cellgraph_dictionary *d, uint64_t hash)
{
    return d->filter + ((uint32_t)(hash >> 10) & ((1u << (d->index_bits - 1)) - 1));
}

BI_FN uint32_t bi_cellgraph_filter_bits(uint64_t hash) { return 1u << (hash & 31) | 1u << (hash >> 5 & 31); }

/* starts[e + 1] = end of the hashes of entry e, if it has any; a maximum scan fills in the others. */
BI_FN void bi_step_cellgraph_index_hash(const struct bi_cellgraph_dictionary *d, int64_t i)
{
    uint64_t entry = d->hashes[i] >> (64 - d->index_bits);
    bi_atomic_or_u32(bi_cellgraph_filter_word(d, d->hashes[i]), bi_cellgraph_filter_bits(d->hashes[i]));
    if (i + 1 < d->count && d->hashes[i + 1] >> (64 - d->index_bits) == entry) return;
    d->starts[entry + 1] = (uint32_t)(i + 1);
}

struct bi_cellgraph_probe {
    struct bi_cellgraph_view view;
    struct bi_cellgraph_edge_list found;
    struct bi_cellgraph_dictionary dictionary;
    const uint32_t *common;                   /* (words x 2) halves of words of the common letters */
    int64_t known;                            /* edges between vertices below it are known */
    struct bi_cellgraph_probe_queue *pending; /* CPU: the thread's queue; NULL: look up at once */
};

/* Measured, 100,000 vectors: at most 24 ms, without a queue at most 43. 64 are more than the misses that a core has in
 * flight; other lengths are not measured. */
enum { BI_CELLGRAPH_PROBE_QUEUE = 64 };

/* Vectors that passed the filter, looked up together, so that their memory accesses overlap. */
struct bi_cellgraph_probe_queue {
    int32_t count;
    void (*flush)(const struct bi_cellgraph_probe *a); /* looks up all */
    struct {
        uint64_t hash, word;
        int64_t vertex, limit;
        int32_t s;
    } probes[BI_CELLGRAPH_PROBE_QUEUE];
};

/* Appends a lookup to the thread's queue; false if there is none. */
BI_FN bool bi_cellgraph_defer_probe(const struct bi_cellgraph_probe *a, int64_t i, int32_t s, uint64_t hash,
                                    uint64_t word, int64_t limit)
{
#ifndef __CUDACC__
    struct bi_cellgraph_probe_queue *w = a->pending;
    if (!w) return false;
    w->probes[w->count].hash = hash;
    w->probes[w->count].word = word;
    w->probes[w->count].vertex = i;
    w->probes[w->count].limit = limit;
    w->probes[w->count].s = s;
    if (++w->count == BI_CELLGRAPH_PROBE_QUEUE) w->flush(a);
    return true;
#else
    (void)a, (void)i, (void)s, (void)hash, (void)word, (void)limit;
    return false;
#endif
}

/* Looks up vertex i with `word` as its word s, among the vertices below `limit`; `rest` is the hash of its other
 * words. */
BI_FN void bi_cellgraph_probe_vector(const struct bi_cellgraph_probe *a, int64_t i, int32_t s, uint64_t rest,
                                     uint64_t word, int64_t limit)
{
    const struct bi_cellgraph_dictionary *d = &a->dictionary;
    uint64_t hash = rest + bi_cellgraph_hash(word, a->view.seeds[s]);
    uint32_t bits = bi_cellgraph_filter_bits(hash);
    if ((*bi_cellgraph_filter_word(d, hash) & bits) != bits || bi_cellgraph_defer_probe(a, i, s, hash, word, limit))
        return;
    uint64_t entry = hash >> (64 - d->index_bits);
    for (uint32_t q = d->starts[entry]; q < d->starts[entry + 1]; q++)
        if (d->hashes[q] == hash && (int64_t)d->order[q] < limit && bi_cellgraph_row(&a->view, d->order[q])[s] == word)
            bi_cellgraph_compare_vertices(&a->view, &a->found, i, d->order[q], s);
}

/* Looks up vertex i with each letter of word s replaced within the bits of `varying`: by every larger letter, or if
 * `smaller` by every smaller one; among the vertices below `limit`. Returns the number of lookups. */
BI_FN uint64_t bi_cellgraph_probe_letters(const struct bi_cellgraph_probe *a, int64_t i, int32_t s, uint64_t rest,
                                          uint64_t varying, bool smaller, int64_t limit)
{
    uint64_t word = bi_cellgraph_row(&a->view, i)[s], letters = (1ull << a->view.shape.letter_bits) - 1;
    /* Binary letters: as below, without a division for each letter. */
    if (letters == 1) {
        for (uint64_t bits = varying & (smaller ? word : ~word); bits; bits &= bits - 1)
            bi_cellgraph_probe_vector(a, i, s, rest, word ^ (bits & -bits), limit);
        return (uint64_t)bi_popcount(varying & (smaller ? word : ~word));
    }
    uint64_t probes = 0;
    while (varying) {
        int32_t r = a->view.shape.letter_bits, at = bi_lowest_bit(varying) / r * r;
        uint64_t own = word >> at & letters, fixed = ~(varying >> at) & letters;
        uint64_t first = smaller ? 0 : own + 1, end = smaller ? own : letters + 1;
        for (uint64_t letter = first; letter < end; letter++) {
            if (((letter ^ own) & fixed) != 0) continue;
            bi_cellgraph_probe_vector(a, i, s, rest, word ^ (letter ^ own) << at, limit);
            probes++;
        }
        varying &= ~(letters << at);
    }
    return probes;
}

/* ---- ZOBRIST ---- */

/* The majority letter at each position, if there is one, among evenly spaced vertices. Source: Boyer, Moore, MJRTY -
 * A Fast Majority Vote Algorithm (1991). */
struct bi_cellgraph_vote {
    struct bi_cellgraph_view view;
    int64_t samples;
    uint32_t *common; /* (words x 2), 0 before */
};

BI_FN void bi_step_cellgraph_vote(const struct bi_cellgraph_vote *a, int64_t k)
{
    const struct bi_letters *shape = &a->view.shape;
    const int32_t s = (int32_t)(k / shape->per_word), at = (int32_t)(k % shape->per_word) * shape->letter_bits;
    const uint64_t letters = (1ull << shape->letter_bits) - 1;
    uint64_t winner = 0;
    int64_t votes = 0;
    for (int64_t i = 0; i < a->samples; i++) {
        uint64_t letter = bi_cellgraph_row(&a->view, i * (a->view.count / a->samples))[s] >> at & letters;
        if (votes == 0) winner = letter;
        votes += letter == winner ? 1 : -1;
    }
    if (!(winner << at)) return;
    bi_atomic_or_u32(&a->common[2 * s], (uint32_t)(winner << at));
    bi_atomic_or_u32(&a->common[2 * s + 1], (uint32_t)(winner << at >> 32));
}

/* The bits in which word s of vertex i differs from the common letters. Letters are ordered by these: the common one
 * is 0, the least rare. */
BI_FN uint64_t bi_cellgraph_rare_bits(const struct bi_cellgraph_view *v, const uint32_t *common, int64_t i, int32_t s)
{
    return bi_cellgraph_row(v, i)[s] ^ (common[2 * s] | (uint64_t)common[2 * s + 1] << 32);
}

/* Letters of two bits: replaces those of word s of vertex i by all less rare ones, without a branch for each. */
BI_FN void bi_cellgraph_probe_letter_pairs(const struct bi_cellgraph_probe *a, int64_t i, int32_t s, uint64_t rest,
                                           uint64_t rare)
{
    const uint64_t lows = 0x5555555555555555ull, high = rare >> 1 & lows, low = rare & lows;
    const uint64_t above[3] = {high | low, high, high & low}; /* the letters above 0, 1, 2 */
    for (uint64_t letter = 0; letter < 3; letter++)
        for (uint64_t left = above[letter]; left; left &= left - 1) {
            const int at = bi_lowest_bit(left);
            const uint64_t differ = ((rare >> at & 3) ^ letter) << at;
            bi_cellgraph_probe_vector(a, i, s, rest, bi_cellgraph_row(&a->view, i)[s] ^ differ, a->view.count);
        }
}

/* Looks up vertex i with each letter replaced by all less rare ones, so that each edge is found from one end and
 * common letters need no lookup. */
BI_FN void bi_step_cellgraph_probe_neighbours(const struct bi_cellgraph_probe *a, int64_t i)
{
    const uint64_t *x = bi_cellgraph_row(&a->view, i), letters = (1ull << a->view.shape.letter_bits) - 1;
    const int32_t r = a->view.shape.letter_bits;
    for (int32_t s = 0; s < a->view.shape.words; s++) {
        uint64_t rare = bi_cellgraph_rare_bits(&a->view, a->common, i, s);
        if (!rare) continue;
        const uint64_t rest = a->view.hashes[i] - bi_cellgraph_hash(x[s], a->view.seeds[s]);
        /* Letters of one bit and of two: as below, without a division for each letter. */
        if (r == 1) {
            for (; rare; rare &= rare - 1)
                bi_cellgraph_probe_vector(a, i, s, rest, x[s] ^ (rare & -rare), a->view.count);
            continue;
        }
        if (r == 2) {
            bi_cellgraph_probe_letter_pairs(a, i, s, rest, rare);
            continue;
        }
        while (rare) {
            const int32_t at = bi_lowest_bit(rare) / r * r;
            const uint64_t own = rare >> at & letters;
            for (uint64_t letter = 0; letter < own; letter++)
                bi_cellgraph_probe_vector(a, i, s, rest, x[s] ^ (letter ^ own) << at, a->view.count);
            rare &= ~(letters << at);
        }
    }
}

/* ---- additions ---- */

/* Copies rows densely, without bits beyond the letters. */
struct bi_cellgraph_gather {
    struct bi_cellgraph_rows rows;
    struct bi_letters shape;
    uint64_t *vectors;
};

BI_FN void bi_step_cellgraph_gather(const struct bi_cellgraph_gather *a, int64_t i)
{
    const uint64_t *row = a->rows.data + i * a->rows.stride;
    uint64_t *to = a->vectors + i * a->shape.words;
    for (int32_t s = 0; s < a->shape.words; s++) to[s] = row[s] & bi_letters_mask(&a->shape, s);
}

/* Turns the vertices of (old vertices, new rows) into those of all rows. */
struct bi_cellgraph_merge {
    int64_t known;  /* number of old vertices, which come first */
    uint32_t moved; /* rows less vertices of the old graph */
    const uint32_t *old_representatives, *old_multiplicities;
    uint32_t *representatives, *multiplicities;
};

BI_FN void bi_step_cellgraph_merge(const struct bi_cellgraph_merge *a, int64_t v)
{
    if (v < a->known) {
        a->representatives[v] = a->old_representatives[v];
        a->multiplicities[v] += a->old_multiplicities[v] - 1;
    } else {
        a->representatives[v] += a->moved;
    }
}

/* Looks up all letters of the i-th new vertex. An edge to a known vertex is found from this end alone. */
BI_FN void bi_step_cellgraph_probe_new(const struct bi_cellgraph_probe *a, int64_t i)
{
    const uint64_t *x = bi_cellgraph_row(&a->view, a->known + i);
    for (int32_t s = 0; s < a->view.shape.words; s++) {
        uint64_t rest = a->view.hashes[a->known + i] - bi_cellgraph_hash(x[s], a->view.seeds[s]);
        bi_cellgraph_probe_letters(a, a->known + i, s, rest, bi_letters_mask(&a->view.shape, s), false, a->view.count);
        bi_cellgraph_probe_letters(a, a->known + i, s, rest, bi_letters_mask(&a->view.shape, s), true, a->known);
    }
}

/* Copies the known edges to keys with another vertex_bits. */
struct bi_cellgraph_recode {
    const uint64_t *edges;
    const uint32_t *positions;
    int32_t vertex_bits;
    struct bi_cellgraph_edge_list found;
};

BI_FN void bi_step_cellgraph_recode(const struct bi_cellgraph_recode *a, int64_t e)
{
    uint64_t low = a->edges[e] >> a->vertex_bits, high = a->edges[e] ^ low << a->vertex_bits;
    bi_cellgraph_write_edge(&a->found, (uint64_t)e, low, high, a->positions[e]);
}

#endif
