/* Fills the buckets of one part: the matching (see table.h), one offer after the other, then the buckets, in the order
 * of memory. */
#include <string.h>

#include "hash/cpu.h"

enum { WIDTH = BOSC_HASH_WIDTH, POSITIONS = (1 << BI_HASH_POSITION_BITS) - 1, LINEAR = BOSC_HASH_LINEAR };

/* What the loops over a part need at hand. */
struct part {
    const char *hashes, *payload;
    uint32_t keys, buckets, seed;
    uint32_t *codes, *firsts, *moved;
    uint32_t n_moved;
};

BI_FN uint32_t code_of(uint32_t priority, uint32_t position)
{
    return priority << BI_HASH_POSITION_BITS | ((uint32_t)POSITIONS - position);
}
BI_FN uint32_t position_of(uint32_t code) { return (uint32_t)POSITIONS - (code & POSITIONS); }

BI_FN bosc_hash_word hash_at(const struct part *p, int32_t bits, uint32_t position)
{
    return bosc_hash_load(p->hashes, position, bits);
}

BI_FN void picks(const struct part *p, int32_t bits, uint32_t position, uint32_t pick[2])
{
    bosc_hash_buckets(bosc_hash_fold(hash_at(p, bits, position), bits), p->seed, p->buckets, pick);
}

/* Offers a code to a bucket, whose codes descend; gives the one that falls out, or 0. */
BI_FN uint32_t offer(uint32_t *codes, uint32_t code)
{
    for (int s = 0; s < WIDTH; s++) {
        uint32_t there = codes[s], more = there > code ? there : code;
        code = there > code ? code : there;
        codes[s] = more;
    }
    return code;
}

/* The code that falls out of a first bucket, or of another one, makes its key's next offers until none falls out. False
 * if one would have a priority that is too high: its key is in *position. */
BI_FN bool serve(struct part *p, int32_t bits, uint32_t code, uint32_t from, uint32_t *position)
{
    while (code) {
        uint32_t pick[2], priority = code >> BI_HASH_POSITION_BITS;
        *position = position_of(code);
        picks(p, bits, *position, pick);
        bool second = from == pick[0] && pick[1] != pick[0];
        if (second && priority == 0) p->moved[p->n_moved++] = *position;
        priority += !second;
        if (priority >= BI_HASH_PRIORITIES) return false;
        from = pick[second];
        code = offer(p->codes + (size_t)WIDTH * from, code_of(priority, *position));
    }
    return true;
}

/* First offers come by ascending position: a bucket takes four, and the others fall out at once. */
BI_FN bool match(struct part *p, int32_t bits, uint8_t *counts, uint32_t *position)
{
    memset(p->codes, 0, (size_t)p->buckets * WIDTH * sizeof *p->codes);
    memset(counts, 0, p->buckets);
    const uint32_t add = p->seed * 0x9e3779b9u, keys = p->keys, buckets = p->buckets;
    p->n_moved = 0;
    for (uint32_t i = 0; i < keys; i++) {
        uint32_t g = bosc_hash_scatter(bosc_hash_fold(bosc_hash_load(p->hashes, i, bits), bits) + add);
        p->firsts[i] = (uint32_t)((uint64_t)g * buckets >> 32);
    }
    uint32_t late = 0; /* their positions overwrite `firsts`, whose entries before i are read no more */
    for (uint32_t i = 0; i < keys; i++) {
        uint32_t b = p->firsts[i], taken = counts[b], free = taken < WIDTH, at = b * WIDTH + (free ? taken : 0);
        uint32_t there = p->codes[at];
        p->codes[at] = free ? code_of(0, i) : there;
        counts[b] = (uint8_t)(taken + free);
        p->firsts[late] = i;
        late += !free;
    }
    for (uint32_t k = 0; k < late; k++) {
        uint32_t pick[2], i = p->firsts[k];
        picks(p, bits, i, pick);
        if (!serve(p, bits, code_of(0, i), pick[0], position)) return false;
    }
    return true;
}

/* Whether one of a bucket's keys, other than that at `position`, is the same. */
BI_FN bool has_same(const struct part *p, int32_t bits, uint32_t bucket, uint32_t position)
{
    bosc_hash_word hash = hash_at(p, bits, position);
    for (int s = 0; s < WIDTH; s++) {
        uint32_t code = p->codes[(size_t)WIDTH * bucket + (size_t)s];
        if (code && position_of(code) != position && bi_hash_same(hash_at(p, bits, position_of(code)), hash))
            return true;
    }
    return false;
}

/* Marks the overflowed buckets and counts the keys in their second one. Such a key is the same as none in its first. */
BI_FN void mark_overflowed(const struct part *p, int32_t bits, struct bi_hash_fill *f)
{
    memset(f->marks, 0, p->buckets);
    for (uint32_t k = 0; k < p->n_moved; k++) {
        uint32_t pick[2], i = p->moved[k];
        picks(p, bits, i, pick);
        const uint32_t *codes = p->codes + (size_t)WIDTH * pick[1];
        bool there = false;
        for (int s = 0; s < WIDTH; s++) there |= codes[s] && position_of(codes[s]) == i;
        if (!there) continue;
        f->second++;
        f->marks[pick[0]] = 1;
        f->repeats |= has_same(p, bits, pick[0], i);
    }
}

/* How values get from the list to the table: as they are (4 or 8 bytes), by row number, or not at all. */
enum source { NO_VALUES, PAYLOAD_4, PAYLOAD_8, ROWS };

BI_FN void put_value(const struct bi_hash_fill *f, enum source source, char *to, uint32_t position)
{
    const struct bi_hash_lists *l = f->lists;
    int64_t i = f->begin + position;
    if (source == PAYLOAD_4) {
        memcpy(to, (const char *)l->payload + i * 4, 4);
    } else if (source == PAYLOAD_8) {
        memcpy(to, (const char *)l->payload + i * 8, 8);
    } else if (source == ROWS) {
        size_t size = (size_t)f->table->shape.value_bytes;
        memcpy(to, (const char *)l->values + ((const uint32_t *)l->payload)[i] * size, size);
    }
}

BI_FN size_t value_size(const struct bi_hash_fill *f, enum source source)
{
    return source == NO_VALUES   ? 0
           : source == PAYLOAD_4 ? 4
           : source == PAYLOAD_8 ? 8
                                 : (size_t)f->table->shape.value_bytes;
}

/* A bucket with the pairs at `count` positions, then fillers. */
BI_FN void write_loose(const struct bi_hash_fill *f, const struct part *p, int32_t bits, enum source source, char *to,
                       const uint32_t at[WIDTH], int count, uint32_t mark)
{
    const struct bi_hash_shape *s = &f->table->shape;
    const size_t key = (size_t)bits / 8, value = value_size(f, source);
    bosc_hash_word filler = bi_hash_filler(f->part, bits, s->part_bits, mark);
    memset(to + WIDTH * key, 0, (size_t)s->stride - WIDTH * key);
    for (int i = 0; i < WIDTH; i++) bi_hash_store(to, bits, i, i < count ? hash_at(p, bits, at[i]) : filler);
    for (int i = 0; i < count; i++) put_value(f, source, to + WIDTH * key + (size_t)i * value, at[i]);
}

/* A full bucket; the first two pairs tell whether it is overflowed. Returns whether a key is in it twice. */
BI_FN bool write_full(const struct bi_hash_fill *f, const struct part *p, int32_t bits, enum source source, char *to,
                      uint32_t at[WIDTH], uint32_t mark)
{
    const size_t stride = (size_t)f->table->shape.stride, key = (size_t)bits / 8, value = value_size(f, source);
    bosc_hash_word h[WIDTH];
    for (int i = 0; i < WIDTH; i++) h[i] = hash_at(p, bits, at[i]);
    bool wrong = (uint32_t)bosc_hash_less(h[0], h[1]) != mark;
    bosc_hash_word h0 = wrong ? h[1] : h[0], h1 = wrong ? h[0] : h[1];
    uint32_t at0 = wrong ? at[1] : at[0], at1 = wrong ? at[0] : at[1];
    h[0] = h0, h[1] = h1;
    at[0] = at0, at[1] = at1;
    for (int i = 0; i < WIDTH; i++) bi_hash_store(to, bits, i, h[i]);
    for (int i = 0; i < WIDTH; i++) put_value(f, source, to + WIDTH * key + (size_t)i * value, at[i]);
    if (source == ROWS) memset(to + WIDTH * (key + value), 0, stride - WIDTH * (key + value));
    return bi_hash_same(h[0], h[1]) | bi_hash_same(h[0], h[2]) | bi_hash_same(h[0], h[3]) | bi_hash_same(h[1], h[2]) |
           bi_hash_same(h[1], h[3]) | bi_hash_same(h[2], h[3]);
}

BI_FN void write_buckets(struct bi_hash_fill *f, const struct part *p, int32_t bits, enum source source)
{
    const size_t stride = (size_t)f->table->shape.stride;
    char *to = (char *)f->table->blocks[BI_HASH_TABLE].data + (size_t)f->descriptor->first * stride;
    const uint32_t *codes = p->codes;
    bool repeats = false;
    for (uint32_t b = 0; b < p->buckets; b++, to += stride, codes += WIDTH) {
        uint32_t at[WIDTH];
        for (int i = 0; i < WIDTH; i++) at[i] = position_of(codes[i]);
        if (codes[WIDTH - 1]) {
            repeats |= write_full(f, p, bits, source, to, at, f->marks[b]);
        } else {
            int count = (codes[0] != 0) + (codes[1] != 0) + (codes[2] != 0);
            write_loose(f, p, bits, source, to, at, count, f->marks[b]);
            for (int i = 1; i < count; i++)
                for (int j = 0; j < i; j++) repeats |= bi_hash_same(hash_at(p, bits, at[i]), hash_at(p, bits, at[j]));
        }
    }
    f->repeats |= repeats;
}

/* The keys one after the other. */
BI_FN void write_linear(const struct bi_hash_fill *f, struct part *p, int32_t bits, enum source source)
{
    const size_t stride = (size_t)f->table->shape.stride;
    char *to = (char *)f->table->blocks[BI_HASH_TABLE].data + (size_t)f->descriptor->first * stride;
    for (uint32_t b = 0, i = 0; b < p->buckets; b++, i += WIDTH, to += stride) {
        uint32_t at[WIDTH] = {i, i + 1, i + 2, i + 3}, rest = i < p->keys ? p->keys - i : 0;
        write_loose(f, p, bits, source, to, at, rest < WIDTH ? (int)rest : WIDTH, 0);
    }
}

BI_FN void fill_part(struct bi_hash_fill *f, int32_t bits, enum source source)
{
    struct part p = {.hashes = (const char *)f->lists->hashes + f->begin * (bits / 8),
                     .keys = f->keys,
                     .buckets = f->descriptor->buckets_seed >> BOSC_HASH_SEED_BITS,
                     .codes = f->codes,
                     .firsts = f->firsts,
                     .moved = f->moved};
    uint32_t position = 0, pick[2];
    p.seed = p.keys < POSITIONS ? 0 : LINEAR;
    while (p.seed < LINEAR && !match(&p, bits, f->marks, &position)) {
        picks(&p, bits, position, pick);
        if (has_same(&p, bits, pick[0], position) || has_same(&p, bits, pick[1], position)) {
            f->repeats = true;
            return;
        }
        p.seed++;
    }
    f->descriptor->buckets_seed = p.buckets << BOSC_HASH_SEED_BITS | p.seed;
    if (p.seed < LINEAR) {
        mark_overflowed(&p, bits, f);
        write_buckets(f, &p, bits, source);
    } else if (f->any) {
        write_linear(f, &p, bits, source);
    } else {
        f->repeats = true;
    }
}

BI_FN void fill_key(struct bi_hash_fill *f, int32_t bits)
{
    if (f->lists->payload_bytes == 0)
        fill_part(f, bits, NO_VALUES);
    else if (f->lists->values)
        fill_part(f, bits, ROWS);
    else if (f->lists->payload_bytes == 4)
        fill_part(f, bits, PAYLOAD_4);
    else
        fill_part(f, bits, PAYLOAD_8);
}

void BI_LEVEL_NAME(bi_hash_fill)(struct bi_hash_fill *f)
{
    BI_HASH_BY_KEY(f->table->shape.key_bits, fill_key(f, 8 * KEY));
}
