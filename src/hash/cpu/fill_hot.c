/* Fills the buckets of one partition: the matching (see hash.h), one proposal after the other, then the buckets in the
 * order of memory. */
#include <string.h>
#if BI_LEVEL >= 3
#include <immintrin.h>
#endif

#include "hash/cpu/bucketed.h"
#if BI_LEVEL >= 4
#include "hash/cpu/wide.h"
#endif

enum { WIDTH = BOSC_HASH_WIDTH, POSITIONS = (1 << BI_HASH_POSITION_BITS) - 1, LINEAR = BOSC_HASH_LINEAR };

/* The partition that is being matched. */
struct partition {
    const char *hashes;
    uint32_t keys, buckets, seed;
    uint32_t *codes, *firsts, *seconds, *moved;
    uint32_t *rejected, *from; /* codes without a place, and the buckets that rejected them last */
    uint32_t n_moved;
    const bosc_hash_partition *partitions; /* NULL, or: those of a whole table, whose buckets and keys all are */
    int32_t partition_bits;
};

BI_FN uint32_t code_of(uint32_t priority, uint32_t position)
{
    return priority << BI_HASH_POSITION_BITS | ((uint32_t)POSITIONS - position);
}
BI_FN uint32_t position_of(uint32_t code) { return (uint32_t)POSITIONS - (code & POSITIONS); }

BI_FN bosc_hash_word hash_at(const struct partition *p, int32_t bits, uint32_t position)
{
    return bosc_hash_word_at(p->hashes, position, bits);
}

BI_FN uint32_t lesser(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Proposes a code to a bucket, whose codes descend; gives the one that the bucket rejects, or 0. */
BI_FN uint32_t propose(uint32_t *codes, uint32_t code)
{
#if BI_LEVEL >= 3
    const uint32_t last = codes[3];
    const __m128i here = _mm_loadu_si128((const __m128i *)(const void *)codes), new = _mm_set1_epi32((int)code);
    const __m128i before = _mm_alignr_epi8(here, _mm_set1_epi32(-1), 12);
    _mm_storeu_si128((__m128i *)(void *)codes, _mm_max_epu32(here, _mm_min_epu32(before, new)));
    return lesser(last, code);
#else
#define greater(a, b) ((a) > (b) ? (a) : (b))
    uint32_t c0 = codes[0], c1 = codes[1], c2 = codes[2], c3 = codes[3];
    codes[0] = greater(c0, code);
    codes[1] = greater(c1, lesser(c0, code));
    codes[2] = greater(c2, lesser(c1, code));
    codes[3] = greater(c3, lesser(c2, code));
#undef greater
    return lesser(c3, code);
#endif
}

/* Keys whose proposals were rejected make their next ones, in rounds over the list of the rejected, until there are
 * none. No branch depends on a single key, so that proposals overlap. False if one would have too high a priority: its
 * key is in *position. */
BI_FN bool resolve(struct partition *p, uint32_t n_rejected, uint32_t *position)
{
    uint32_t *restrict codes = p->codes, *restrict rejected = p->rejected, *restrict from = p->from;
    const uint32_t *const firsts = p->firsts, *const seconds = p->seconds;
    uint32_t *restrict moved = p->moved, n_moved = 0;
    while (n_rejected) {
        uint32_t next = 0;
        for (uint32_t k = 0; k < n_rejected; k++) {
            uint32_t priority = rejected[k] >> BI_HASH_POSITION_BITS, i = position_of(rejected[k]);
            uint32_t first = firsts[i], second = seconds[i], to_second = (from[k] == first) & (second != first);
            moved[n_moved] = i;
            n_moved += to_second & (priority == 0); /* once a key */
            priority += !to_second;
            if (priority >= BI_HASH_PRIORITIES) {
                *position = i;
                return false;
            }
            uint32_t to = first ^ ((first ^ second) & (0 - to_second));
            rejected[next] = propose(codes + (size_t)WIDTH * to, code_of(priority, i));
            from[next] = to;
            next += rejected[next] != 0;
        }
        n_rejected = next;
    }
    p->n_moved = n_moved;
    return true;
}

/* The partition of a hash; or, while one partition is filled, that one. */
BI_FN bosc_hash_partition partition_at(const struct partition *p, int32_t bits, bosc_hash_word hash)
{
    if (!p->partitions) return (bosc_hash_partition){0, p->buckets << BOSC_HASH_SEED_BITS | p->seed};
    return p->partitions[bosc_hash_partition_of(hash, bits, p->partition_bits)];
}

/* Both buckets of all keys. */
BI_FN void pick_buckets(const struct partition *p, int32_t bits)
{
    uint32_t i = 0;
#if BI_LEVEL >= 4
    for (; bits != 128 && i < p->keys; i += 16) {
        const __mmask16 live = bi_hash_lanes_16((int)lesser(p->keys - i, 16));
        __m512i first = _mm512_setzero_si512(), size = _mm512_set1_epi32((int)p->buckets), number;
        __m512i seed = _mm512_set1_epi32((int)(p->seed * 0x9e3779b9u));
        __m512i mixed =
            bi_hash_load_folds_16(p->hashes + (size_t)i * (size_t)bits / 8, bits, p->partition_bits, live, &number);
        if (p->partitions) bi_hash_gather_partitions_16(p->partitions, number, &first, &size, &seed);
        mixed = bi_hash_scatter_16(_mm512_add_epi32(mixed, seed));
        _mm512_mask_storeu_epi32(p->firsts + i, live, _mm512_add_epi32(first, bi_hash_below_16(mixed, size)));
        mixed = bi_hash_below_16(bi_hash_remix_16(mixed), size);
        _mm512_mask_storeu_epi32(p->seconds + i, live, _mm512_add_epi32(first, mixed));
    }
#endif
    for (; i < p->keys; i++) {
        const bosc_hash_word hash = bosc_hash_word_at(p->hashes, i, bits);
        const bosc_hash_partition here = partition_at(p, bits, hash);
        uint32_t pick[2];
        bosc_hash_buckets(bosc_hash_fold(hash, bits), here.buckets_seed & LINEAR,
                          here.buckets_seed >> BOSC_HASH_SEED_BITS, pick);
        p->firsts[i] = here.first + pick[0];
        p->seconds[i] = here.first + pick[1];
    }
}

/* First proposals come by ascending position: a bucket accepts four and rejects the others at once. Gives the number
 * of those. A function of its own, so that its pointers stay in registers. */
static __attribute__((noinline)) uint32_t propose_first(const struct partition *p, uint8_t *restrict counts)
{
    const uint32_t *restrict const firsts = p->firsts, keys = p->keys;
    uint32_t *const codes = p->codes, *out = p->rejected, *restrict from = p->from;
    for (uint32_t i = 0; i < keys; i++) {
        const uint32_t b = firsts[i], taken = counts[b];
        const uintptr_t full = taken >> 2, in = (uintptr_t)(codes + (size_t)WIDTH * b + taken);
        *(uint32_t *)(in ^ ((in ^ (uintptr_t)out) & (0 - full))) = code_of(0, i); /* no branch */
        counts[b] = (uint8_t)(taken + 1 - full);
        *from = b;
        from += full;
        out += full;
    }
    return (uint32_t)(out - p->rejected);
}

BI_FN bool match(struct partition *p, uint8_t *restrict counts, uint32_t *position)
{
    memset(p->codes, 0, (size_t)p->buckets * WIDTH * sizeof *p->codes);
    memset(counts, 0, p->buckets);
    return resolve(p, propose_first(p, counts), position);
}

/* Whether one of a bucket's keys, other than that at `position`, is the same. */
BI_FN bool has_same(const struct partition *p, int32_t bits, uint32_t bucket, uint32_t position)
{
    bosc_hash_word hash = hash_at(p, bits, position);
    for (int s = 0; s < WIDTH; s++) {
        uint32_t code = p->codes[(size_t)WIDTH * bucket + (size_t)s];
        if (code && position_of(code) != position && bi_hash_same(hash_at(p, bits, position_of(code)), hash))
            return true;
    }
    return false;
}

/* Marks the spilled buckets, counts the keys in their second bucket, and leaves those alone in `moved`. */
BI_FN void mark_spilled(struct partition *p, struct bi_hash_fill *f)
{
    const uint32_t *const firsts = p->firsts, *const seconds = p->seconds, n_moved = p->n_moved;
    uint32_t *restrict moved = p->moved, kept = 0;
    uint8_t *restrict marks = f->marks;
    memset(marks, 0, p->buckets);
    for (uint32_t k = 0; k < n_moved; k++) {
        uint32_t i = moved[k], position = (uint32_t)POSITIONS - i;
        const uint32_t *codes = p->codes + (size_t)WIDTH * seconds[i];
        bool there = false;
        _Pragma("GCC unroll 4") for (int s = 0; s < WIDTH; s++) there |= (codes[s] & POSITIONS) == position;
        marks[firsts[i]] |= there;
        moved[kept] = i;
        kept += there;
    }
    p->n_moved = kept;
    f->second += kept;
}

/* Whether a key in its second bucket is in its first one too; both are written. */
BI_FN bool is_in_both(const struct bi_hash_fill *f, const struct partition *p, int32_t bits)
{
    const size_t stride = (size_t)f->table->shape.stride;
    const char *table = (const char *)f->table->blocks[BI_HASH_TABLE].data + (size_t)f->descriptor->first * stride;
    bool same = false;
    for (uint32_t k = 0, n = p->n_moved; k < n; k++) {
        const char *bucket = table + p->firsts[p->moved[k]] * stride;
        const bosc_hash_word hash = hash_at(p, bits, p->moved[k]);
        _Pragma("GCC unroll 4") for (int s = 0; s < WIDTH; s++) same |=
            bi_hash_same(bosc_hash_word_at(bucket, s, bits), hash);
    }
    return same;
}

/* The source of values: the payload (4 or 8 bytes), the rows that it names, or none. */
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
BI_FN void write_loose(const struct bi_hash_fill *f, const struct partition *p, int32_t bits, enum source source,
                       char *to, const uint32_t at[WIDTH], int count, uint32_t mark)
{
    const struct bi_hash_shape *s = &f->table->shape;
    const size_t key = (size_t)bits / 8, value = value_size(f, source);
    bosc_hash_word filler = bi_hash_filler(f->partition, bits, s->partition_bits, mark);
    memset(to + WIDTH * key, 0, (size_t)s->stride - WIDTH * key);
    for (int i = 0; i < WIDTH; i++) bi_hash_store(to, bits, i, i < count ? hash_at(p, bits, at[i]) : filler);
    for (int i = 0; i < count; i++) put_value(f, source, to + WIDTH * key + (size_t)i * value, at[i]);
}

/* A full bucket; the first two pairs tell whether it is spilled. Returns whether a key is in it twice. */
BI_FN bool write_full(const struct bi_hash_fill *f, const struct partition *p, int32_t bits, enum source source,
                      char *to, uint32_t at[WIDTH], uint32_t mark)
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
    bool same = false;
    for (int i = 1; i < WIDTH; i++)
        for (int j = 0; j < i; j++) same |= bi_hash_same(h[i], h[j]); /* no branches */
    return same;
}

BI_FN void write_mixed(struct bi_hash_fill *f, const struct partition *p, int32_t bits, enum source source)
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

/* The same without branches, in vectors of four hashes and four values: keys of 32 and 64 bits, values of 0, 4 or 8
 * bytes. */
typedef uint32_t four_32 __attribute__((vector_size(16)));
typedef int32_t mask_32 __attribute__((vector_size(16)));
typedef uint64_t four_64 __attribute__((vector_size(32)));
typedef int64_t mask_64 __attribute__((vector_size(32)));

#define WRITE_VECTORS(bits, value_bits)                                                                  \
    static void write_##bits##_##value_bits(struct bi_hash_fill *f, const struct partition *p)           \
    {                                                                                                    \
        const struct bi_hash_shape *s = &f->table->shape;                                                \
        const size_t stride = (size_t)s->stride;                                                         \
        char *to = (char *)f->table->blocks[BI_HASH_TABLE].data + (size_t)f->descriptor->first * stride; \
        const uint##bits##_t *hashes = (const uint##bits##_t *)(const void *)p->hashes;                  \
        const bool has_values = f->lists->payload_bytes != 0;                                            \
        const uint##value_bits##_t *values = f->lists->payload;                                          \
        if (has_values) values += f->begin; /* without, there may be no array */                         \
        const uint##bits##_t filler =                                                                    \
            (uint##bits##_t)bi_hash_filler(f->partition, bits, s->partition_bits, false).low;            \
        const uint32_t buckets = p->buckets, *codes = p->codes;                                          \
        const uint8_t *marks = f->marks;                                                                 \
        mask_##bits same = {0};                                                                          \
        for (uint32_t b = 0; b < buckets; b++, to += stride, codes += WIDTH) {                           \
            four_32 code;                                                                                \
            memcpy(&code, codes, sizeof code);                                                           \
            const mask_32 there = code != 0;                                                             \
            const mask_##bits valid = __builtin_convertvector(there, mask_##bits);                       \
            const mask_##value_bits kept = __builtin_convertvector(there, mask_##value_bits);            \
            four_32 at = ((uint32_t)POSITIONS - (code & POSITIONS)) & (four_32)there;                    \
            const uint##bits##_t mark = marks[b];                                                        \
            uint32_t i0 = at[0], i1 = at[1];                                                             \
            const uint32_t i2 = at[2], i3 = at[3];                                                       \
            const uint32_t wrong = (code[3] != 0) & ((hashes[i0] < hashes[i1]) != mark);                 \
            const uint32_t exchange = (i0 ^ i1) & (0 - wrong); /* no branches */                         \
            i0 ^= exchange, i1 ^= exchange;                                                              \
            four_##bits h = {hashes[i0], hashes[i1], hashes[i2], hashes[i3]};                            \
            const four_##bits next = {h[1], h[2], h[3], h[0]}, across = {h[2], h[3], h[0], h[1]};        \
            const mask_##bits v_next = {valid[1], valid[2], valid[3], valid[0]};                         \
            const mask_##bits v_across = {valid[2], valid[3], valid[0], valid[1]};                       \
            same |= ((h == next) & valid & v_next) | ((h == across) & valid & v_across);                 \
            h = (h & (four_##bits)valid) | ((filler | mark) & ~(four_##bits)valid);                      \
            memcpy(to, &h, sizeof h);                                                                    \
            if (!has_values) continue;                                                                   \
            four_##value_bits v = {values[i0], values[i1], values[i2], values[i3]};                      \
            v &= (four_##value_bits)kept;                                                                \
            memcpy(to + sizeof h, &v, sizeof v);                                                         \
        }                                                                                                \
        f->repeats |= (same[0] | same[1] | same[2] | same[3]) != 0;                                      \
    }
WRITE_VECTORS(32, 32)
WRITE_VECTORS(32, 64)
WRITE_VECTORS(64, 32)
WRITE_VECTORS(64, 64)

BI_FN void write_buckets(struct bi_hash_fill *f, const struct partition *p, int32_t bits, enum source source)
{
    if (bits == 128 || source == ROWS || p->keys == 0)
        write_mixed(f, p, bits, source);
    else if (bits == 32 && source == PAYLOAD_8)
        write_32_64(f, p);
    else if (bits == 32)
        write_32_32(f, p);
    else if (source == PAYLOAD_8)
        write_64_64(f, p);
    else
        write_64_32(f, p);
}

/* The keys one after the other. */
BI_FN void write_linear(const struct bi_hash_fill *f, struct partition *p, int32_t bits, enum source source)
{
    const size_t stride = (size_t)f->table->shape.stride;
    char *to = (char *)f->table->blocks[BI_HASH_TABLE].data + (size_t)f->descriptor->first * stride;
    for (uint32_t b = 0, i = 0; b < p->buckets; b++, i += WIDTH, to += stride) {
        uint32_t at[WIDTH] = {i, i + 1, i + 2, i + 3}, rest = i < p->keys ? p->keys - i : 0;
        write_loose(f, p, bits, source, to, at, rest < WIDTH ? (int)rest : WIDTH, 0);
    }
}

BI_FN struct partition partition_of(const struct bi_hash_fill *f, int32_t bits)
{
    return (struct partition){.hashes = f->keys ? (const char *)f->lists->hashes + f->begin * (bits / 8) : NULL,
                              .keys = f->keys,
                              .partition_bits = f->table->shape.partition_bits,
                              .buckets = f->descriptor->buckets_seed >> BOSC_HASH_SEED_BITS,
                              .codes = f->codes,
                              .firsts = f->firsts,
                              .seconds = f->firsts + f->capacity,
                              .rejected = f->firsts + 2 * (size_t)f->capacity,
                              .from = f->firsts + 3 * (size_t)f->capacity,
                              .moved = f->firsts + 4 * (size_t)f->capacity};
}

BI_FN bool match_by_seed(const struct bi_hash_fill *f, struct partition *p, int32_t bits, uint32_t *position)
{
    pick_buckets(p, bits);
    return match(p, f->marks, position);
}

BI_FN void fill_part(struct bi_hash_fill *f, int32_t bits, enum source source)
{
    struct partition p = partition_of(f, bits);
    uint32_t position = 0;
    p.seed = p.keys < POSITIONS ? 0 : LINEAR;
    while (p.seed < LINEAR && !match_by_seed(f, &p, bits, &position)) {
        if (has_same(&p, bits, p.firsts[position], position) || has_same(&p, bits, p.seconds[position], position)) {
            f->repeats = true;
            return;
        }
        p.seed++;
    }
    f->descriptor->buckets_seed = p.buckets << BOSC_HASH_SEED_BITS | p.seed;
    if (p.seed < LINEAR) {
        mark_spilled(&p, f);
        write_buckets(f, &p, bits, source);
        f->repeats |= is_in_both(f, &p, bits);
    } else if (f->distinct) {
        write_linear(f, &p, bits, source);
    } else {
        f->repeats = true;
    }
}

/* Buckets of a table are matched as if they were of one partition, and then written by partition. */
BI_FN void fill_whole(struct bi_hash_fill *f, int32_t bits, enum source source)
{
    const int32_t partition_bits = f->table->shape.partition_bits;
    bosc_hash_partition *const partitions = f->table->blocks[BI_HASH_DESCRIPTORS].data, *const whole = f->descriptor;
    struct partition all = partition_of(f, bits), one = all;
    uint32_t position;
    uint8_t *const marks = f->marks;
    all.partitions = partitions;
    pick_buckets(&all, bits);
    f->failed = !match(&all, marks, &position);
    if (f->failed) return;
    mark_spilled(&all, f);
    for (f->partition = 0; f->partition >> partition_bits == 0; f->partition++) {
        f->descriptor = partitions + f->partition;
        one.buckets = f->descriptor->buckets_seed >> BOSC_HASH_SEED_BITS;
        one.codes = all.codes + (size_t)WIDTH * f->descriptor->first;
        f->marks = marks + f->descriptor->first;
        write_buckets(f, &one, bits, source);
    }
    f->descriptor = whole;
    f->repeats |= is_in_both(f, &all, bits);
}

/* A whole table's values are those of the input. */
BI_FN void fill_whole_key(struct bi_hash_fill *f, int32_t bits)
{
    if (f->lists->payload_bytes == 0)
        fill_whole(f, bits, NO_VALUES);
    else if (f->lists->payload_bytes == 4)
        fill_whole(f, bits, PAYLOAD_4);
    else
        fill_whole(f, bits, PAYLOAD_8);
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

void BI_LEVEL_NAME(bi_hash_fill_whole)(struct bi_hash_fill *f)
{
    BI_HASH_BY_KEY(f->table->shape.key_bits, fill_whole_key(f, 8 * KEY));
}
