/* Steps that sort rows into keys, and make nodes of sorted keys. */
#ifndef BI_TRIE_BUILD_STEPS_H
#define BI_TRIE_BUILD_STEPS_H

#include "base/atomic.h"
#include "trie/letters.h"

/* The caller's rows. */
struct bi_trie_rows {
    const uint64_t *data;
    int64_t n, stride;
};

/* Rows turned, with the top bit of each word flipped: signed numbers in the same order. */
struct bi_trie_turning {
    struct bi_trie_shape shape;
    struct bi_trie_rows rows;
    int64_t *turned; /* (n x words) */
};

BI_FN void bi_step_trie_turn(const struct bi_trie_turning *a, int64_t i)
{
    const uint64_t *row = a->rows.data + i * a->rows.stride;
    for (int32_t s = 0; s < a->shape.words; s++) {
        uint64_t word = bi_trie_turn(&a->shape, row[s] & bi_trie_mask(&a->shape, s));
        a->turned[i * a->shape.words + s] = (int64_t)(word ^ 1ull << 63);
    }
}

/* Word `word` of each row, in an order of rows. */
struct bi_trie_column {
    const int64_t *turned;
    const uint32_t *order; /* NULL: as they are, and then the order is begun */
    int32_t words, word;
    int64_t *column;
    uint32_t *begun;
};

BI_FN void bi_step_trie_column(const struct bi_trie_column *a, int64_t p)
{
    int64_t row = a->order ? a->order[p] : p;
    a->column[p] = a->turned[row * a->words + a->word];
    if (!a->order) a->begun[p] = (uint32_t)p;
}

/* Rows in order: where those of another key begin. */
struct bi_trie_heads {
    const int64_t *turned;
    const uint32_t *order;
    int32_t words;
    uint8_t *heads;
    uint32_t *places; /* 0, 1, 2, ... */
};

BI_FN void bi_step_trie_head(const struct bi_trie_heads *a, int64_t p)
{
    bool head = p == 0;
    if (!head) {
        const int64_t *x = a->turned + (int64_t)a->order[p] * a->words;
        const int64_t *y = a->turned + (int64_t)a->order[p - 1] * a->words;
        for (int32_t s = 0; s < a->words && !head; s++) head = x[s] != y[s];
    }
    a->heads[p] = head;
    a->places[p] = (uint32_t)p;
}

/* Keys of their rows. */
struct bi_trie_gather {
    const int64_t *turned;
    const uint32_t *order, *starts; /* starts: of each key, its first place in the order */
    int64_t n, count;
    int32_t words, value_bits;
    bool last;          /* the value of the last row */
    const void *values; /* NULL: the number of the row, from first_row on */
    int64_t first_row;
    uint64_t *keys;
    void *kept;
    uint32_t *counts;
};

BI_FN void bi_step_trie_gather(const struct bi_trie_gather *a, int64_t k)
{
    uint32_t start = a->starts[k], end = k + 1 < a->count ? a->starts[k + 1] : (uint32_t)a->n;
    int64_t row = a->order[start], of = a->order[a->last ? end - 1 : start];
    for (int32_t s = 0; s < a->words; s++)
        a->keys[k * a->words + s] = (uint64_t)a->turned[row * a->words + s] ^ 1ull << 63;
    a->counts[k] = end - start;
    if (a->value_bits == 64)
        ((uint64_t *)a->kept)[k] = a->values ? ((const uint64_t *)a->values)[of] : (uint64_t)(a->first_row + of);
    else
        ((uint32_t *)a->kept)[k] = a->values ? ((const uint32_t *)a->values)[of] : (uint32_t)(a->first_row + of);
}

/* ---- where neighbouring keys part ---- */

/* parts[k]: the place of the digit at which keys k - 1 and k part; -1 for k = 0 and k = count, where all does. Above it
 * the least of each BI_TRIE_FAN of them, and so on, so that the nearest smaller one is found in logarithmic time. */
enum { BI_TRIE_FAN = 32, BI_TRIE_FLOORS = 8 };

struct bi_trie_parts {
    int32_t *floors[BI_TRIE_FLOORS];
    int64_t counts[BI_TRIE_FLOORS];
};

struct bi_trie_part {
    struct bi_trie_shape shape;
    const uint64_t *keys;
    int64_t count;
    int32_t *parts; /* (count + 1) */
};

BI_FN void bi_step_trie_part(const struct bi_trie_part *a, int64_t k)
{
    int32_t part = -1;
    const uint64_t *y = a->keys + k * a->shape.words, *x = y - a->shape.words;
    for (int32_t s = 0; k > 0 && k < a->count && part < 0; s++)
        if (x[s] != y[s])
            part = (int32_t)bi_trie_digit_place(
                &a->shape, (uint32_t)s * 64 + (uint32_t)bi_leading_zeros(x[s] ^ y[s])); /* keys differ */
    a->parts[k] = part;
}

struct bi_trie_floor {
    const int32_t *below;
    int64_t count; /* below */
    int32_t *to;
};

BI_FN void bi_step_trie_floor(const struct bi_trie_floor *a, int64_t i)
{
    int64_t end = (i + 1) * BI_TRIE_FAN < a->count ? (i + 1) * BI_TRIE_FAN : a->count;
    int32_t least = a->below[i * BI_TRIE_FAN];
    for (int64_t k = i * BI_TRIE_FAN + 1; k < end; k++) least = a->below[k] < least ? a->below[k] : least;
    a->to[i] = least;
}

/* The last k before `from` with parts[k] <= most; there is one, as parts[0] is the least. */
BI_FN int64_t bi_trie_left(const struct bi_trie_parts *p, int64_t from, int32_t most)
{
    int floor = 0;
    int64_t k;
    for (;; floor++) {
        int64_t begin = from / BI_TRIE_FAN * BI_TRIE_FAN;
        k = from - 1;
        while (k >= begin && p->floors[floor][k] > most) k--;
        if (k >= begin) break;
        from /= BI_TRIE_FAN;
    }
    while (floor-- > 0) {
        int64_t end = (k + 1) * BI_TRIE_FAN < p->counts[floor] ? (k + 1) * BI_TRIE_FAN : p->counts[floor];
        for (k = end - 1; p->floors[floor][k] > most;) k--;
    }
    return k;
}

/* The first k behind `from` with parts[k] <= most; there is one, as parts[count] is the least. */
BI_FN int64_t bi_trie_right(const struct bi_trie_parts *p, int64_t from, int32_t most)
{
    int floor = 0;
    int64_t k;
    for (;; floor++) {
        int64_t end = (from / BI_TRIE_FAN + 1) * BI_TRIE_FAN;
        if (end > p->counts[floor]) end = p->counts[floor];
        k = from + 1;
        while (k < end && p->floors[floor][k] > most) k++;
        if (k < end) break;
        from /= BI_TRIE_FAN;
    }
    while (floor-- > 0)
        for (k *= BI_TRIE_FAN; p->floors[floor][k] > most;) k++;
    return k;
}

/* ---- compact nodes ---- */

struct bi_trie_iota {
    uint32_t *keys, *numbers; /* parts 1, 2, ..., and 1, 2, ... */
    const int32_t *parts;
};

BI_FN void bi_step_trie_iota(const struct bi_trie_iota *a, int64_t i)
{
    a->keys[i] = (uint32_t)a->parts[i + 1];
    a->numbers[i] = (uint32_t)i + 1;
}

/* The parts k in the order of (place, k): those of a node stand together, the first of them being its head. */
struct bi_trie_nodes {
    struct bi_trie_shape shape;
    struct bi_trie_parts parts;
    const uint64_t *keys;
    int64_t count;         /* keys */
    const uint32_t *order; /* (count - 1) */
    uint32_t *places;      /* (count) of each k: where it is in the order */
    uint32_t *numbers;     /* (count - 1) heads up to each place of the order */
    uint32_t *firsts;      /* (count - 1) of heads: the node's first key */
    struct bi_trie_node *nodes;
    uint32_t *kids;
};

/* k is a head if, of the parts before it, the last that is not greater is less: the node begins there. */
BI_FN void bi_step_trie_node_head(const struct bi_trie_nodes *a, int64_t s)
{
    int64_t k = a->order[s];
    int32_t place = a->parts.floors[0][k];
    int64_t first = bi_trie_left(&a->parts, k, place);
    a->places[k] = (uint32_t)s;
    a->firsts[s] = (uint32_t)first;
    a->numbers[s] = a->parts.floors[0][first] < place;
}

/* Puts the child with keys [first, end) into the node that parts it from its neighbours: at the deeper one of its two
 * ends. */
BI_FN void bi_trie_hang(const struct bi_trie_nodes *a, int64_t first, int64_t end, uint32_t kid)
{
    const int32_t *parts = a->parts.floors[0];
    bool right = parts[first] >= parts[end]; /* not the first child of its node */
    uint32_t place = a->places[right ? first : end];
    a->kids[place + a->numbers[place] - !right] = kid;
}

BI_FN void bi_trie_add_digit(const struct bi_trie_nodes *a, struct bi_trie_node *node, int64_t key, uint32_t place)
{
    uint64_t word = a->keys[key * a->shape.words + (int32_t)(place >> 6)];
    uint32_t digit = bi_trie_digit(&a->shape, word, place);
    bi_raise_u64(&node->bits[digit >> 6], 1ull << (digit & 63));
}

BI_FN void bi_step_trie_node(const struct bi_trie_nodes *a, int64_t s)
{
    int64_t k = a->order[s];
    uint32_t number = a->numbers[s] - 1, place = (uint32_t)a->parts.floors[0][k];
    struct bi_trie_node *node = a->nodes + number;
    bi_trie_add_digit(a, node, k, place);
    if (s > 0 && a->numbers[s - 1] == a->numbers[s]) return;
    int64_t first = a->firsts[s], end = bi_trie_right(&a->parts, k, (int32_t)place - 1);
    bi_trie_add_digit(a, node, k - 1, place);
    node->base = (uint32_t)s + number;
    node->depth = place;
    node->first = (uint32_t)first;
    node->end = (uint32_t)end;
    if (end - first < a->count) bi_trie_hang(a, first, end, number);
}

BI_FN void bi_step_trie_leaf(const struct bi_trie_nodes *a, int64_t k)
{
    bi_trie_hang(a, k, k + 1, BI_TRIE_LEAF | (uint32_t)k);
}

/* ---- published nodes ---- */

struct bi_trie_levels {
    struct bi_trie_shape shape;
    const uint64_t *keys;
    const int32_t *parts;
    int64_t count;   /* keys */
    uint32_t *bins;  /* (count) the level at which each key parts from the one before */
    int64_t *counts; /* (levels + 1) keys that part at each level; then nodes before each level */
    int32_t level;
    uint32_t *numbers[2]; /* (count) nodes up to that of each key, in this level and in the next */
    uint32_t *kids;
};

BI_FN void bi_step_trie_level_of(const struct bi_trie_levels *a, int64_t k)
{
    a->bins[k] = k == 0 ? 0 : (uint32_t)bi_trie_level(&a->shape, (uint32_t)a->parts[k]);
}

/* A level has one node more than there are keys that parted above it; key 0 is counted in level 0, as one too many. */
BI_FN void bi_step_trie_level_size(const struct bi_trie_levels *a, int64_t h) { a->counts[h] += h == 0; }

/* Does key k begin a node of the next level? */
BI_FN void bi_step_trie_level_head(const struct bi_trie_levels *a, int64_t k)
{
    a->numbers[1][k] = k == 0 || (int32_t)a->bins[k] <= a->level;
}

BI_FN void bi_step_trie_level_kid(const struct bi_trie_levels *a, int64_t k)
{
    const struct bi_trie_shape *s = &a->shape;
    uint32_t below = a->numbers[1][k], place = bi_trie_level_place(s, a->level);
    if (k > 0 && a->numbers[1][k - 1] == below) return;
    uint64_t word = a->keys[k * s->words + (int32_t)(place >> 6)];
    int64_t node = a->counts[a->level] + (a->numbers[0] ? a->numbers[0][k] - 1 : 0);
    a->kids[node << s->digit_bits | bi_trie_digit(s, word, place)] = below - 1;
}

#endif
