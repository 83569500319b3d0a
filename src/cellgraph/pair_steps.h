/* Steps that find the pairs of vertices that differ in one letter. */
#ifndef BI_CELLGRAPH_PAIR_STEPS_H
#define BI_CELLGRAPH_PAIR_STEPS_H

#include "base/atomic.h"
#include "cellgraph/letters.h"

/* *to += more; what it was before. */
BI_FN uint32_t bi_cell_take(uint32_t *to, uint32_t more)
{
#ifdef __CUDA_ARCH__
    return atomicAdd(to, more);
#else
    return __atomic_fetch_add(to, more, __ATOMIC_RELAXED);
#endif
}

/* Edges in the order in which they happen to be found; they are sorted afterwards. */
struct bi_cell_found {
    uint64_t *edges;
    uint32_t *positions;
    uint32_t *ranks;    /* of each edge among those of its lower vertex, as they are found; NULL: not now */
    uint32_t *counts;   /* (vertices + 1) of those of each vertex, and 0 */
    uint64_t *count;    /* of the edges found, which may be more than the room */
    uint64_t *compared; /* by the join: pairs of vertices, and vectors that were looked up */
    int64_t room;
    int32_t vertex_bits;
};

/* Writes edge number `at` if there is room. */
BI_FN void bi_cell_put(const struct bi_cell_found *f, uint64_t at, uint64_t low, uint64_t high, uint32_t position)
{
    if (at >= (uint64_t)f->room) return;
    if (f->ranks) f->ranks[at] = bi_cell_take(&f->counts[low], 1);
    f->edges[at] = low << f->vertex_bits | high;
    f->positions[at] = position;
}

BI_FN void bi_cell_emit(const struct bi_cell_found *f, int64_t a, int64_t b, uint32_t position)
{
    bi_cell_put(f, bi_atomic_fetch_add_u64(f->count, 1), (uint64_t)(a < b ? a : b), (uint64_t)(a < b ? b : a), position);
}

/* An edge between a and b if they differ in one letter, and that letter is in word s. */
BI_FN void bi_cell_try(const struct bi_cell_view *v, const struct bi_cell_found *f, int64_t a, int64_t b, int32_t s)
{
    const uint64_t *x = bi_cell_row(v, a), *y = bi_cell_row(v, b);
    uint64_t bits = x[s] ^ y[s];
    if (!bits || !bi_cell_one_letter(bits, v->shape.letter_bits)) return;
    if (bi_cell_agree(x, y, v->shape.words, s)) bi_cell_emit(f, a, b, bi_cell_position(&v->shape, s, bits));
}

/* ---- heuristic: all pairs ---- */

struct bi_cell_all {
    struct bi_cell_view view;
    struct bi_cell_found found;
    int32_t pivots;
    uint32_t *distances; /* (vertices x pivots) */
};

/* Pivots are spread evenly over the vertices. */
BI_FN void bi_step_cell_pivot(const struct bi_cell_all *a, int64_t i)
{
    const struct bi_cell_view *v = &a->view;
    for (int32_t k = 0; k < a->pivots; k++) {
        const uint64_t *x = bi_cell_row(v, i), *y = bi_cell_row(v, k * (v->count / a->pivots));
        uint32_t distance = 0;
        for (int32_t s = 0; s < v->shape.words; s++) distance += bi_cell_distance(x[s] ^ y[s], &v->shape);
        a->distances[i * a->pivots + k] = distance;
    }
}

BI_FN void bi_cell_compare_row(const struct bi_cell_all *a, int64_t i)
{
    const struct bi_cell_view *v = &a->view;
    const uint64_t *x = bi_cell_row(v, i);
    const int64_t of_x = i * a->pivots;
    for (int64_t j = i + 1; j < v->count; j++) {
        const uint64_t *y = bi_cell_row(v, j);
        const int64_t of_y = j * a->pivots;
        int32_t k = 0, s = 0;
        while (k < a->pivots && a->distances[of_x + k] - a->distances[of_y + k] + 1 <= 2) k++;
        if (k < a->pivots) continue;
        while (x[s] == y[s]) s++; /* vertices differ */
        bi_cell_try(v, &a->found, i, j, s);
    }
}

/* Rows i and count - 1 - i have the same number of pairs together, whatever i. */
BI_FN void bi_step_cell_compare(const struct bi_cell_all *a, int64_t i)
{
    bi_cell_compare_row(a, i);
    if (a->view.count - 1 - i != i) bi_cell_compare_row(a, a->view.count - 1 - i);
}

/* ---- lookup of vectors by their hashes ---- */

/* Vertices in the order of the top bits of their hashes, where each value of those bits begins, and a filter with two
 * bits of a word for each vertex, which fits into a cache that the lists do not fit into. */
struct bi_cell_dictionary {
    uint64_t *hashes;
    uint32_t *order, *starts, *filter;
    int64_t count;
    int32_t index_bits; /* of the index; 2^(index_bits - 1) words in the filter, at least one */
};

BI_FN uint32_t *bi_cell_filter_word(const struct bi_cell_dictionary *d, uint64_t hash)
{
    return d->filter + ((uint32_t)(hash >> 10) & ((1u << (d->index_bits - 1)) - 1));
}

BI_FN uint32_t bi_cell_filter_bits(uint64_t hash) { return 1u << (hash & 31) | 1u << (hash >> 5 & 31); }

struct bi_cell_iota {
    uint32_t *numbers;
};

BI_FN void bi_step_cell_iota(const struct bi_cell_iota *a, int64_t i) { a->numbers[i] = (uint32_t)i; }

/* starts[e + 1] = the end of the hashes of entry e, for entries that have any; a maximum scan fills in the others. */
BI_FN void bi_step_cell_index(const struct bi_cell_dictionary *d, int64_t i)
{
    uint64_t entry = d->hashes[i] >> (64 - d->index_bits);
    bi_atomic_or_u32(bi_cell_filter_word(d, d->hashes[i]), bi_cell_filter_bits(d->hashes[i]));
    if (i + 1 < d->count && d->hashes[i + 1] >> (64 - d->index_bits) == entry) return;
    d->starts[entry + 1] = (uint32_t)(i + 1);
}

struct bi_cell_probe {
    struct bi_cell_view view;
    struct bi_cell_found found;
    struct bi_cell_dictionary dictionary;
    const uint32_t *common;          /* (words x 2) halves of the words of letters that are common */
    int64_t known;                   /* edges between vertices below it are there already */
    struct bi_cell_waiting *waiting; /* on the CPU: a thread's; NULL: all is looked up at once */
};

enum { BI_CELL_WAITING = 64 };

/* Vectors that passed the filter, which are looked up together, so that what one asks for arrives while the others do.
 */
struct bi_cell_waiting {
    int32_t count;
    void (*look_up)(const struct bi_cell_probe *a); /* all that wait */
    struct {
        uint64_t hash, word;
        int64_t vertex, limit;
        int32_t s;
    } looks[BI_CELL_WAITING];
};

BI_FN bool bi_cell_wait(const struct bi_cell_probe *a, int64_t i, int32_t s, uint64_t hash, uint64_t word,
                        int64_t limit)
{
#ifndef __CUDACC__
    struct bi_cell_waiting *w = a->waiting;
    if (!w) return false;
    w->looks[w->count].hash = hash;
    w->looks[w->count].word = word;
    w->looks[w->count].vertex = i;
    w->looks[w->count].limit = limit;
    w->looks[w->count].s = s;
    if (++w->count == BI_CELL_WAITING) w->look_up(a);
    return true;
#else
    (void)a, (void)i, (void)s, (void)hash, (void)word, (void)limit;
    return false;
#endif
}

/* Looks for vertex i, below `limit`, with `word` in place of its word s; `rest` is the hash of its other words. */
BI_FN void bi_cell_look(const struct bi_cell_probe *a, int64_t i, int32_t s, uint64_t rest, uint64_t word,
                        int64_t limit)
{
    const struct bi_cell_dictionary *d = &a->dictionary;
    uint64_t hash = rest + bi_cell_hash(word, a->view.seeds[s]);
    uint32_t bits = bi_cell_filter_bits(hash);
    if ((*bi_cell_filter_word(d, hash) & bits) != bits || bi_cell_wait(a, i, s, hash, word, limit)) return;
    uint64_t entry = hash >> (64 - d->index_bits);
    for (uint32_t q = d->starts[entry]; q < d->starts[entry + 1]; q++)
        if (d->hashes[q] == hash && (int64_t)d->order[q] < limit && bi_cell_row(&a->view, d->order[q])[s] == word)
            bi_cell_try(&a->view, &a->found, i, d->order[q], s);
}

/* Replaces each letter of word s of vertex i, where others differ from it in the bits of `vary`: by each larger one, or
 * each smaller one, and then of vertices below `limit` only. Returns how many vectors were looked up. */
BI_FN uint64_t bi_cell_replace(const struct bi_cell_probe *a, int64_t i, int32_t s, uint64_t rest, uint64_t vary,
                               bool smaller, int64_t limit)
{
    uint64_t word = bi_cell_row(&a->view, i)[s], letters = (1ull << a->view.shape.letter_bits) - 1;
    if (letters == 1) { /* as below, without a division for each letter */
        for (uint64_t bits = vary & (smaller ? word : ~word); bits; bits &= bits - 1)
            bi_cell_look(a, i, s, rest, word ^ (bits & -bits), limit);
        return (uint64_t)bi_popcount(vary & (smaller ? word : ~word));
    }
    uint64_t looks = 0;
    while (vary) {
        int32_t r = a->view.shape.letter_bits, at = bi_lowest_bit(vary) / r * r;
        uint64_t own = word >> at & letters, fixed = ~(vary >> at) & letters;
        uint64_t first = smaller ? 0 : own + 1, end = smaller ? own : letters + 1;
        for (uint64_t letter = first; letter < end; letter++) {
            if (((letter ^ own) & fixed) != 0) continue;
            bi_cell_look(a, i, s, rest, word ^ (letter ^ own) << at, limit);
            looks++;
        }
        vary &= ~(letters << at);
    }
    return looks;
}

/* A letter that most vertices have at each place, if there is one: a vote among vertices spread evenly. Source: Boyer,
 * Moore, MJRTY - A Fast Majority Vote Algorithm (1991). */
struct bi_cell_common {
    struct bi_cell_view view;
    int64_t samples;
    uint32_t *common; /* (words x 2), 0 before */
};

BI_FN void bi_step_cell_common(const struct bi_cell_common *a, int64_t k)
{
    const struct bi_cell_shape *shape = &a->view.shape;
    const int32_t s = (int32_t)(k / shape->per_word), at = (int32_t)(k % shape->per_word) * shape->letter_bits;
    const uint64_t letters = (1ull << shape->letter_bits) - 1;
    uint64_t winner = 0;
    int64_t votes = 0;
    for (int64_t i = 0; i < a->samples; i++) {
        uint64_t letter = bi_cell_row(&a->view, i * (a->view.count / a->samples))[s] >> at & letters;
        if (votes == 0) winner = letter;
        votes += letter == winner ? 1 : -1;
    }
    if (!(winner << at)) return;
    bi_atomic_or_u32(&a->common[2 * s], (uint32_t)(winner << at));
    bi_atomic_or_u32(&a->common[2 * s + 1], (uint32_t)(winner << at >> 32));
}

/* The bits in which word s of vertex i is not common. Letters are compared by these: 0 is the common one. */
BI_FN uint64_t bi_cell_rare(const struct bi_cell_view *v, const uint32_t *common, int64_t i, int32_t s)
{
    return bi_cell_row(v, i)[s] ^ (common[2 * s] | (uint64_t)common[2 * s + 1] << 32);
}

/* Replaces the letters of two bits of word s of vertex i by those that are less rare, without a branch for each. */
BI_FN void bi_cell_flip_pairs(const struct bi_cell_probe *a, int64_t i, int32_t s, uint64_t rest, uint64_t rare)
{
    const uint64_t lows = 0x5555555555555555ull, high = rare >> 1 & lows, low = rare & lows;
    const uint64_t above[3] = {high | low, high, high & low}; /* the letters above 0, 1, 2 */
    for (uint64_t letter = 0; letter < 3; letter++)
        for (uint64_t left = above[letter]; left; left &= left - 1) {
            const int at = bi_lowest_bit(left);
            const uint64_t differ = ((rare >> at & 3) ^ letter) << at;
            bi_cell_look(a, i, s, rest, bi_cell_row(&a->view, i)[s] ^ differ, a->view.count);
        }
}

/* Zobrist: all letters of vertex i, each replaced by those that are less rare; so nothing is looked up where it has the
 * common letter, nor where all have. */
BI_FN void bi_step_cell_flip(const struct bi_cell_probe *a, int64_t i)
{
    const uint64_t *x = bi_cell_row(&a->view, i), letters = (1ull << a->view.shape.letter_bits) - 1;
    const int32_t r = a->view.shape.letter_bits;
    for (int32_t s = 0; s < a->view.shape.words; s++) {
        uint64_t rare = bi_cell_rare(&a->view, a->common, i, s);
        if (!rare) continue;
        const uint64_t rest = a->view.hashes[i] - bi_cell_hash(x[s], a->view.seeds[s]);
        if (r == 1) { /* as below, without a division for each letter */
            for (; rare; rare &= rare - 1) bi_cell_look(a, i, s, rest, x[s] ^ (rare & -rare), a->view.count);
            continue;
        }
        if (r == 2) {
            bi_cell_flip_pairs(a, i, s, rest, rare);
            continue;
        }
        while (rare) {
            const int32_t at = bi_lowest_bit(rare) / r * r;
            const uint64_t own = rare >> at & letters;
            for (uint64_t letter = 0; letter < own; letter++)
                bi_cell_look(a, i, s, rest, x[s] ^ (letter ^ own) << at, a->view.count);
            rare &= ~(letters << at);
        }
    }
}

/* All letters of the i-th vertex that is not known: an edge to one that is known is found from this end alone. */
BI_FN void bi_step_cell_flip_new(const struct bi_cell_probe *a, int64_t i)
{
    const uint64_t *x = bi_cell_row(&a->view, a->known + i);
    for (int32_t s = 0; s < a->view.shape.words; s++) {
        uint64_t rest = a->view.hashes[a->known + i] - bi_cell_hash(x[s], a->view.seeds[s]);
        bi_cell_replace(a, a->known + i, s, rest, bi_cell_mask(&a->view.shape, s), false, a->view.count);
        bi_cell_replace(a, a->known + i, s, rest, bi_cell_mask(&a->view.shape, s), true, a->known);
    }
}

/* The known edges, whose vertices had another number of bits. */
struct bi_cell_recode {
    const uint64_t *edges;
    const uint32_t *positions;
    int32_t vertex_bits;
    struct bi_cell_found found;
};

BI_FN void bi_step_cell_recode(const struct bi_cell_recode *a, int64_t e)
{
    uint64_t low = a->edges[e] >> a->vertex_bits, high = a->edges[e] ^ low << a->vertex_bits;
    bi_cell_put(&a->found, (uint64_t)e, low, high, a->positions[e]);
}

/* ---- word-complement join: vertices sorted by the hash of their words outside a range of words ---- */

/* A longer run of vertices is not compared pair by pair. */
enum { BI_CELL_RUN = 64 };

struct bi_cell_join {
    struct bi_cell_probe probe; /* the dictionary: for long runs only */
    int32_t begin, end;         /* the range */
    int32_t shift;              /* runs agree in the keys' bits from `shift` on */
    int64_t count;
    const uint32_t *members; /* (count) vertices */
    uint64_t *keys;          /* before the sort */
    const uint64_t *sorted;
    const uint32_t *order;
    uint8_t *long_heads;  /* of place p: a long run begins; then: p is in a long run */
    uint32_t *any_long;   /* 1: there is one */
    const uint32_t *runs; /* the places where long runs begin */
    uint32_t *ends;       /* and where they end */
    uint32_t *vary;       /* two halves of the bits in which words of a run differ */
    int64_t run_count;
};

BI_FN void bi_step_cell_rest(const struct bi_cell_join *a, int64_t i)
{
    a->keys[i] = bi_cell_outside(&a->probe.view, a->members[i], a->begin, a->end);
}

/* Vertices lie anywhere: asks for two that will be compared. */
BI_FN void bi_cell_foresee(const struct bi_cell_join *a, int64_t p)
{
#ifndef __CUDA_ARCH__
    if (p + 1 >= a->count || a->sorted[p] != a->sorted[p + 1]) return;
    __builtin_prefetch(bi_cell_row(&a->probe.view, a->order[p]));
    __builtin_prefetch(bi_cell_row(&a->probe.view, a->order[p + 1]));
#else
    (void)a, (void)p;
#endif
}

/* The member at place p of a run compares itself with those behind it, if the run is short. */
BI_FN void bi_step_cell_run(const struct bi_cell_join *a, int64_t p)
{
    const struct bi_cell_view *v = &a->probe.view;
    const uint64_t top = a->sorted[p] >> a->shift;
    int64_t begin = p, end = p + 1;
    bi_cell_foresee(a, p + 24);
    while (begin > 0 && p - begin < BI_CELL_RUN && a->sorted[begin - 1] >> a->shift == top) begin--;
    while (end < a->count && end - begin <= BI_CELL_RUN && a->sorted[end] >> a->shift == top) end++;
    const bool is_long = end - begin > BI_CELL_RUN;
    a->long_heads[p] = is_long && begin == p;
    if (is_long) {
        bi_atomic_or_u32(a->any_long, 1);
        return;
    }
    if (end - p == 1) return;
    bi_atomic_fetch_add_u64(a->probe.found.compared, (uint64_t)(end - p - 1));
    for (int64_t j = p + 1; j < end; j++) {
        uint32_t x = a->order[p], y = a->order[j];
        if (a->sorted[p] != a->sorted[j]) continue;
        int64_t position = bi_cell_match(&v->shape, bi_cell_row(v, x), bi_cell_row(v, y), a->begin, a->end);
        if (position >= 0) bi_cell_emit(&a->probe.found, x, y, (uint32_t)position);
    }
}

BI_FN void bi_step_cell_run_end(const struct bi_cell_join *a, int64_t k)
{
    uint64_t top = a->sorted[a->runs[k]] >> a->shift;
    int64_t low = a->runs[k], high = a->count; /* place low is in the run, place high is not */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (a->sorted[middle] >> a->shift == top)
            low = middle;
        else
            high = middle;
    }
    a->ends[k] = (uint32_t)high;
}

/* The long run that place p is in, or -1. */
BI_FN int64_t bi_cell_run_of(const struct bi_cell_join *a, int64_t p)
{
    int64_t low = -1, high = a->run_count; /* run low begins at p or before it, run high after it */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if ((int64_t)a->runs[middle] <= p)
            low = middle;
        else
            high = middle;
    }
    return low >= 0 && p < (int64_t)a->ends[low] ? low : -1;
}

/* The members of long runs go on. */
BI_FN void bi_step_cell_goes_on(const struct bi_cell_join *a, int64_t p)
{
    a->long_heads[p] = bi_cell_run_of(a, p) >= 0;
}

BI_FN void bi_step_cell_vary(const struct bi_cell_join *a, int64_t p)
{
    int64_t k = bi_cell_run_of(a, p);
    if (k < 0) return;
    const struct bi_cell_view *v = &a->probe.view;
    uint64_t bits = bi_cell_row(v, a->order[p])[a->begin] ^ bi_cell_row(v, a->order[a->runs[k]])[a->begin];
    bi_atomic_or_u32(&a->vary[2 * k], (uint32_t)bits);
    bi_atomic_or_u32(&a->vary[2 * k + 1], (uint32_t)(bits >> 32));
}

BI_FN void bi_step_cell_long_run(const struct bi_cell_join *a, int64_t p)
{
    int64_t k = bi_cell_run_of(a, p);
    if (k < 0) return;
    uint64_t vary = a->vary[2 * k] | (uint64_t)a->vary[2 * k + 1] << 32;
    uint64_t looks = bi_cell_replace(&a->probe, a->order[p], a->begin, a->sorted[p], vary, false, a->probe.view.count);
    bi_atomic_fetch_add_u64(a->probe.found.compared, looks);
}

#endif
