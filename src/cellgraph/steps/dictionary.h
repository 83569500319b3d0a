/* Lookup of vectors by their hashes, for ZOBRIST and the join. */
#ifndef BI_CELLGRAPH_STEPS_DICTIONARY_H
#define BI_CELLGRAPH_STEPS_DICTIONARY_H

#include "cellgraph/steps/edge_list.h"

/* Vertices sorted by the top bits of their hashes, with the begin of each value of those bits; and a Bloom filter,
 * two bits of one word a vertex, which fits a cache that the lists exceed. */
struct bi_cellgraph_dictionary {
    uint64_t *hashes;
    uint32_t *order, *starts, *filter;
    int64_t count;
    int32_t index_bits; /* of the index; 2^(index_bits - 1) words in the filter, at least one */
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

enum { BI_CELLGRAPH_PROBE_QUEUE = 64 }; /* chosen */

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

/* Looks up vertex i with each letter of word s replaced, where others differ in the bits of `varying`: by every
 * larger letter, or if `smaller` by every smaller one; among the vertices below `limit`. Returns the number of
 * lookups. */
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

#endif
