/* Lookup of vectors by their hashes, which ZOBRIST and the join share. */
#ifndef BI_CELLGRAPH_STEPS_DICTIONARY_H
#define BI_CELLGRAPH_STEPS_DICTIONARY_H

#include "cellgraph/steps/edge_list.h"

/* Vertices in the order of the top bits of their hashes, where each value of those bits begins, and a filter with two
 * bits of a word for each vertex, which fits into a cache that the lists do not fit into. */
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

/* starts[e + 1] = the end of the hashes of entry e, for entries that have any; a maximum scan fills in the others. */
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
    const uint32_t *common;                   /* (words x 2) halves of the words of letters that are common */
    int64_t known;                            /* edges between vertices below it are there already */
    struct bi_cellgraph_probe_queue *waiting; /* on the CPU: a thread's; NULL: all is looked up at once */
};

enum { BI_CELLGRAPH_PROBE_QUEUE = 64 };

/* Vectors that passed the filter, which are looked up together, so that what one asks for arrives while the others do.
 */
struct bi_cellgraph_probe_queue {
    int32_t count;
    void (*look_up)(const struct bi_cellgraph_probe *a); /* all that wait */
    struct {
        uint64_t hash, word;
        int64_t vertex, limit;
        int32_t s;
    } probes[BI_CELLGRAPH_PROBE_QUEUE];
};

BI_FN bool bi_cellgraph_defer_probe(const struct bi_cellgraph_probe *a, int64_t i, int32_t s, uint64_t hash,
                                    uint64_t word, int64_t limit)
{
#ifndef __CUDACC__
    struct bi_cellgraph_probe_queue *w = a->waiting;
    if (!w) return false;
    w->probes[w->count].hash = hash;
    w->probes[w->count].word = word;
    w->probes[w->count].vertex = i;
    w->probes[w->count].limit = limit;
    w->probes[w->count].s = s;
    if (++w->count == BI_CELLGRAPH_PROBE_QUEUE) w->look_up(a);
    return true;
#else
    (void)a, (void)i, (void)s, (void)hash, (void)word, (void)limit;
    return false;
#endif
}

/* Looks for vertex i, below `limit`, with `word` in place of its word s; `rest` is the hash of its other words. */
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
            bi_cellgraph_compare(&a->view, &a->found, i, d->order[q], s);
}

/* Replaces each letter of word s of vertex i, where others differ from it in the bits of `vary`: by each larger one, or
 * each smaller one, and then of vertices below `limit` only. Returns how many vectors were looked up. */
BI_FN uint64_t bi_cellgraph_probe_letters(const struct bi_cellgraph_probe *a, int64_t i, int32_t s, uint64_t rest,
                                          uint64_t vary, bool smaller, int64_t limit)
{
    uint64_t word = bi_cellgraph_row(&a->view, i)[s], letters = (1ull << a->view.shape.letter_bits) - 1;
    if (letters == 1) { /* as below, without a division for each letter */
        for (uint64_t bits = vary & (smaller ? word : ~word); bits; bits &= bits - 1)
            bi_cellgraph_probe_vector(a, i, s, rest, word ^ (bits & -bits), limit);
        return (uint64_t)bi_popcount(vary & (smaller ? word : ~word));
    }
    uint64_t probes = 0;
    while (vary) {
        int32_t r = a->view.shape.letter_bits, at = bi_lowest_bit(vary) / r * r;
        uint64_t own = word >> at & letters, fixed = ~(vary >> at) & letters;
        uint64_t first = smaller ? 0 : own + 1, end = smaller ? own : letters + 1;
        for (uint64_t letter = first; letter < end; letter++) {
            if (((letter ^ own) & fixed) != 0) continue;
            bi_cellgraph_probe_vector(a, i, s, rest, word ^ (letter ^ own) << at, limit);
            probes++;
        }
        vary &= ~(letters << at);
    }
    return probes;
}

#endif
