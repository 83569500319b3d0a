/* Fills the buckets of one partition: the matching of hash.h in rounds of proposals, then the buckets in the order of
 * memory. */
#include <string.h>
#if BI_LEVEL >= 3
#include <immintrin.h>
#endif

#include "hash/cpu/matching.h"
#if BI_LEVEL >= 4
#include "hash/cpu/fill_avx512.h"
#endif

enum { WIDTH = BOSC_HASH_WIDTH, POSITIONS = BI_HASH_POSITIONS, LINEAR = BOSC_HASH_LINEAR };

BI_FN bosc_hash_word hash_at(const struct bi_hash_matching *p, int32_t bits, uint32_t position)
{
    return bosc_hash_word_at(p->hashes, (int64_t)position << p->paired, bits);
}

BI_FN uint32_t lesser(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Proposes a code to a bucket, whose codes descend: each slot gets max(its code, min(the code above it, the new one)).
 * Returns the rejected code, or 0. */
BI_FN uint32_t propose(uint32_t *codes, uint32_t code)
{
#if BI_LEVEL >= 3
    const uint32_t last = codes[3];
    const __m128i here = _mm_loadu_si128((const __m128i *)(const void *)codes), new = _mm_set1_epi32((int)code);
    const __m128i shifted = _mm_alignr_epi8(here, _mm_set1_epi32(-1), 12);
    _mm_storeu_si128((__m128i *)(void *)codes, _mm_max_epu32(here, _mm_min_epu32(shifted, new)));
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

/* Computes both buckets of a hash. */
BI_FN void find_both_buckets(const struct bi_hash_matching *p, int32_t bits, bosc_hash_word hash, uint32_t pick[2])
{
    bosc_hash_buckets(bosc_hash_fold(hash, bits), p->seed, p->buckets, pick);
}

/* Computes the first buckets of all keys. */
BI_FN void find_first_buckets(struct bi_hash_matching *p, int32_t bits)
{
    uint32_t i = 0;
#if BI_LEVEL >= 4
    p->sizes = _mm512_set1_epi32((int)p->buckets);
    p->seeds = _mm512_set1_epi32((int)(p->seed * 0x9e3779b9u));
    for (; bits != 128 && i < p->keys; i += 16) bi_hash_first_16(p, bits, i);
#endif
    for (; i < p->keys; i++) {
        uint32_t pick[2];
        find_both_buckets(p, bits, hash_at(p, bits, i), pick);
        p->first_buckets[i] = pick[0];
    }
}

/* Inserts a code that is greater than those of the bucket. Returns the rejected code, or 0. */
BI_FN uint32_t propose_highest(uint32_t *codes, uint32_t code)
{
#if BI_LEVEL >= 3
    const uint32_t last = codes[3];
    const __m128i here = _mm_loadu_si128((const __m128i *)(const void *)codes);
    _mm_storeu_si128((__m128i *)(void *)codes, _mm_alignr_epi8(here, _mm_set1_epi32((int)code), 12));
    return last;
#else
    const uint32_t c0 = codes[0], c1 = codes[1], c2 = codes[2], c3 = codes[3];
    codes[0] = code;
    codes[1] = c0;
    codes[2] = c1;
    codes[3] = c2;
    return c3;
#endif
}

/* Makes all first proposals, by descending position, so that each code is the greatest yet. Returns the number of
 * rejected codes. Not inlined, so that its pointers stay in registers. */
static __attribute__((noinline)) uint32_t propose_first(const struct bi_hash_matching *p)
{
    const uint32_t *restrict const first_buckets = p->first_buckets;
    uint32_t *restrict const codes = p->codes, *restrict const rejected = p->rejected, next = 0;
    for (uint32_t i = p->keys; i-- > 0;) {
        const uint32_t out = propose_highest(codes + (size_t)WIDTH * first_buckets[i], bi_hash_code(0, i));
        rejected[next] = out;
        next += out != 0;
    }
    return next;
}

/* Replaces rejected codes by the next proposals of their keys, and `from` by the buckets that these go to. fresh:
 * first proposals were rejected, and `from` is not set. Returns false if a priority would get too high; *position:
 * that key. */
BI_FN bool prepare_proposals(struct bi_hash_matching *p, int32_t bits, bool fresh, uint32_t count, uint32_t *position)
{
    uint32_t k = 0;
#if BI_LEVEL >= 4
    enum { FEW = 8 }; /* fewer are faster one by one */
    for (; bits != 128 && count > FEW && k < count; k += 16)
        if (!bi_hash_prepare_16(p, bits, fresh, k, count, position)) return false;
#endif
    for (; k < count; k++) {
        uint32_t priority = p->rejected[k] >> BI_HASH_POSITION_BITS, i = bi_hash_position(p->rejected[k]), pick[2];
        find_both_buckets(p, bits, hash_at(p, bits, i), pick);
        const uint32_t to_second = (fresh || p->from[k] == pick[0]) & (pick[0] != pick[1]);
        p->moved[p->n_moved] = i;
        p->moved_to[p->n_moved] = pick[1];
        p->n_moved += to_second & (priority == 0); /* a key is recorded once */
        priority += !to_second;
        if (priority >= BI_HASH_PRIORITIES) {
            *position = i;
            return false;
        }
        p->rejected[k] = bi_hash_code(priority, i);
        p->from[k] = pick[to_second];
    }
    return true;
}

/* Makes the prepared proposals and compacts the rejected codes; returns their number. No branch depends on a single
 * key, so that proposals overlap. */
static __attribute__((noinline)) uint32_t propose_all(const struct bi_hash_matching *p, uint32_t count)
{
    uint32_t *restrict codes = p->codes, *restrict rejected = p->rejected, *restrict from = p->from, next = 0;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t to = from[k], out = propose(codes + (size_t)WIDTH * to, rejected[k]);
        rejected[next] = out;
        from[next] = to;
        next += out != 0;
    }
    return next;
}

/* Matches all keys, in rounds over those without a slot. Returns false as prepare_proposals. */
BI_FN bool match_keys(struct bi_hash_matching *p, int32_t bits, uint32_t *position)
{
    bool fresh = true;
    memset(p->codes, 0, (size_t)p->buckets * WIDTH * sizeof *p->codes);
    p->n_moved = 0;
    for (uint32_t count = propose_first(p); count; count = propose_all(p, count), fresh = false)
        if (!prepare_proposals(p, bits, fresh, count, position)) return false;
    return true;
}

/* True if another key of a bucket equals the key at `position`. */
BI_FN bool has_same(const struct bi_hash_matching *p, int32_t bits, uint32_t bucket, uint32_t position)
{
    bosc_hash_word hash = hash_at(p, bits, position);
    for (int s = 0; s < WIDTH; s++) {
        uint32_t code = p->codes[(size_t)WIDTH * bucket + (size_t)s];
        if (code && bi_hash_position(code) != position && bi_hash_same(hash_at(p, bits, bi_hash_position(code)), hash))
            return true;
    }
    return false;
}

/* True if a bucket with these codes holds the key at `position`. */
BI_FN bool bucket_holds(const uint32_t *codes, uint32_t position)
{
    const uint32_t wanted = (uint32_t)POSITIONS - position;
#if BI_LEVEL >= 3
    const __m128i here = _mm_loadu_si128((const __m128i *)(const void *)codes);
    const __m128i same = _mm_cmpeq_epi32(_mm_and_si128(here, _mm_set1_epi32(POSITIONS)), _mm_set1_epi32((int)wanted));
    return _mm_movemask_ps(_mm_castsi128_ps(same)) != 0;
#else
    bool there = false;
    _Pragma("GCC unroll 4") for (int s = 0; s < WIDTH; s++) there |= (codes[s] & POSITIONS) == wanted;
    return there;
#endif
}

/* Marks the spilled buckets, counts the keys in their second bucket, and reduces `moved` to them. Key by key:
 * gathers of codes were slower. */
BI_FN void mark_spilled(struct bi_hash_matching *p, struct bi_hash_fill_job *f)
{
    memset(f->marks, 0, p->buckets);
    const uint32_t *const first_buckets = p->first_buckets, *const seconds = p->moved_to, n_moved = p->n_moved;
    uint32_t *restrict moved = p->moved, kept = 0;
    uint8_t *restrict marks = f->marks;
    for (uint32_t k = 0; k < n_moved; k++) {
        const uint32_t i = moved[k];
        const bool there = bucket_holds(p->codes + (size_t)WIDTH * seconds[k], i);
        marks[first_buckets[i]] |= there;
        moved[kept] = i;
        kept += there;
    }
    p->n_moved = kept;
    f->second += kept;
}

#if BI_LEVEL >= 3
/* is_in_both for 32 and 64 bits: each bucket's hashes at once. */
BI_FN bool is_in_both_by_vectors(const struct bi_hash_matching *p, int32_t bits, const char *table, size_t stride)
{
    const uint32_t *const moved = p->moved, *const first_buckets = p->first_buckets, n_moved = p->n_moved;
    __m256i same = _mm256_setzero_si256();
    for (uint32_t k = 0; k < n_moved; k++) {
        const uint32_t i = moved[k];
        const char *const bucket = table + first_buckets[i] * stride;
        const uint64_t hash = hash_at(p, bits, i).low;
        if (bits == 32) {
            const __m128i here = _mm_loadu_si128((const __m128i *)(const void *)bucket);
            const __m128i equal = _mm_cmpeq_epi32(here, _mm_set1_epi32((int)hash));
            same = _mm256_or_si256(same, _mm256_castsi128_si256(equal));
        } else {
            const __m256i here = _mm256_loadu_si256((const __m256i *)(const void *)bucket);
            same = _mm256_or_si256(same, _mm256_cmpeq_epi64(here, _mm256_set1_epi64x((long long)hash)));
        }
    }
    return !_mm256_testz_si256(same, same);
}
#endif

/* True if a key in its second bucket is in its first one too. Both are written already. */
BI_FN bool is_in_both(const struct bi_hash_fill_job *f, const struct bi_hash_matching *p, int32_t bits)
{
    const size_t stride = (size_t)f->table->shape.stride;
    const char *table = (const char *)f->table->blocks[BI_HASH_TABLE].data + (size_t)f->descriptor->first * stride;
#if BI_LEVEL >= 3
    if (bits != 128) return is_in_both_by_vectors(p, bits, table, stride);
#endif
    bool same = false;
    for (uint32_t k = 0, n = p->n_moved; k < n; k++) {
        const char *bucket = table + p->first_buckets[p->moved[k]] * stride;
        const bosc_hash_word hash = hash_at(p, bits, p->moved[k]);
        _Pragma("GCC unroll 4") for (int s = 0; s < WIDTH; s++) same |=
            bi_hash_same(bosc_hash_word_at(bucket, s, bits), hash);
    }
    return same;
}

/* The source of values: the payload (4 or 8 bytes), rows named by it, or none. */
enum value_source { NO_VALUES, PAYLOAD_4, PAYLOAD_8, ROWS };

BI_FN void write_value(const struct bi_hash_fill_job *f, const struct bi_hash_matching *p, enum value_source source,
                       char *to, uint32_t position)
{
    const size_t i = (size_t)position << p->paired;
    if (source == PAYLOAD_4) {
        memcpy(to, p->values + i * 4, 4);
    } else if (source == PAYLOAD_8) {
        memcpy(to, p->values + i * 8, 8);
    } else if (source == ROWS) {
        size_t size = (size_t)f->table->shape.value_bytes;
        memcpy(to, (const char *)f->lists->values + ((const uint32_t *)(const void *)p->values)[i] * size, size);
    }
}

BI_FN size_t value_size(const struct bi_hash_fill_job *f, enum value_source source)
{
    return source == NO_VALUES   ? 0
           : source == PAYLOAD_4 ? 4
           : source == PAYLOAD_8 ? 8
                                 : (size_t)f->table->shape.value_bytes;
}

/* Writes a bucket with the pairs at `count` positions, then fillers. */
BI_FN void write_partial_bucket(const struct bi_hash_fill_job *f, const struct bi_hash_matching *p, int32_t bits,
                                enum value_source source, char *to, const uint32_t at[WIDTH], int count, uint32_t mark)
{
    const struct bi_hash_shape *s = &f->table->shape;
    const size_t key = (size_t)bits / 8, value = value_size(f, source);
    bosc_hash_word filler = bi_hash_filler(f->partition, bits, s->partition_bits, mark);
    memset(to + WIDTH * key, 0, (size_t)s->stride - WIDTH * key);
    for (int i = 0; i < WIDTH; i++) bi_hash_store(to, bits, i, i < count ? hash_at(p, bits, at[i]) : filler);
    for (int i = 0; i < count; i++) write_value(f, p, source, to + WIDTH * key + (size_t)i * value, at[i]);
}

/* Writes a full bucket; the order of its first two pairs encodes the spilled mark. Returns true if a key is in it
 * twice. */
BI_FN bool write_full_bucket(const struct bi_hash_fill_job *f, const struct bi_hash_matching *p, int32_t bits,
                             enum value_source source, char *to, uint32_t at[WIDTH], uint32_t mark)
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
    for (int i = 0; i < WIDTH; i++) write_value(f, p, source, to + WIDTH * key + (size_t)i * value, at[i]);
    if (source == ROWS) memset(to + WIDTH * (key + value), 0, stride - WIDTH * (key + value));
    bool same = false;
    for (int i = 1; i < WIDTH; i++)
        for (int j = 0; j < i; j++) same |= bi_hash_same(h[i], h[j]); /* no branches */
    return same;
}

/* Writes all buckets one by one, for keys of 128 bits and values of any size. */
BI_FN void write_buckets_scalar(struct bi_hash_fill_job *f, const struct bi_hash_matching *p, int32_t bits,
                                enum value_source source)
{
    const size_t stride = (size_t)f->table->shape.stride;
    char *to = (char *)f->table->blocks[BI_HASH_TABLE].data + (size_t)f->descriptor->first * stride;
    const uint32_t *codes = p->codes;
    bool repeats = false;
    for (uint32_t b = 0; b < p->buckets; b++, to += stride, codes += WIDTH) {
        uint32_t at[WIDTH];
        for (int i = 0; i < WIDTH; i++) at[i] = bi_hash_position(codes[i]);
        if (codes[WIDTH - 1]) {
            repeats |= write_full_bucket(f, p, bits, source, to, at, f->marks[b]);
        } else {
            int count = (codes[0] != 0) + (codes[1] != 0) + (codes[2] != 0);
            write_partial_bucket(f, p, bits, source, to, at, count, f->marks[b]);
            for (int i = 1; i < count; i++)
                for (int j = 0; j < i; j++) repeats |= bi_hash_same(hash_at(p, bits, at[i]), hash_at(p, bits, at[j]));
        }
    }
    f->repeats |= repeats;
}

#if BI_LEVEL < 4
/* As write_buckets_scalar without branches, in vectors of four hashes and four values: keys of 32 and 64 bits,
 * values of 0, 4 or 8 bytes. */
typedef uint32_t four_32 __attribute__((vector_size(16)));
typedef int32_t mask_32 __attribute__((vector_size(16)));
typedef uint64_t four_64 __attribute__((vector_size(32)));
typedef int64_t mask_64 __attribute__((vector_size(32)));

#define AT(array, i) array[(size_t)(i) << paired]
#define WRITE_VECTORS(bits, value_bits)                                                                   \
    static void write_##bits##_##value_bits(struct bi_hash_fill_job *f, const struct bi_hash_matching *p) \
    {                                                                                                     \
        const struct bi_hash_shape *s = &f->table->shape;                                                 \
        const size_t stride = (size_t)s->stride;                                                          \
        char *to = (char *)f->table->blocks[BI_HASH_TABLE].data + (size_t)f->descriptor->first * stride;  \
        const uint##bits##_t *hashes = (const uint##bits##_t *)(const void *)p->hashes;                   \
        const bool has_values = f->lists->payload_bytes != 0;                                             \
        const uint##value_bits##_t *values = (const void *)p->values;                                     \
        const int32_t paired = p->paired;                                                                 \
        const uint##bits##_t filler =                                                                     \
            (uint##bits##_t)bi_hash_filler(f->partition, bits, s->partition_bits, false).low;             \
        const uint32_t buckets = p->buckets, *codes = p->codes;                                           \
        const uint8_t *marks = f->marks;                                                                  \
        mask_##bits same = {0};                                                                           \
        for (uint32_t b = 0; b < buckets; b++, to += stride, codes += WIDTH) {                            \
            four_32 code;                                                                                 \
            memcpy(&code, codes, sizeof code);                                                            \
            const mask_32 there = code != 0;                                                              \
            const mask_##bits valid = __builtin_convertvector(there, mask_##bits);                        \
            const mask_##value_bits kept = __builtin_convertvector(there, mask_##value_bits);             \
            four_32 at = ((uint32_t)POSITIONS - (code & POSITIONS)) & (four_32)there;                     \
            const uint##bits##_t mark = marks[b];                                                         \
            uint32_t i0 = at[0], i1 = at[1];                                                              \
            const uint32_t i2 = at[2], i3 = at[3];                                                        \
            const uint32_t wrong = (code[3] != 0) & ((AT(hashes, i0) < AT(hashes, i1)) != mark);          \
            const uint32_t exchange = (i0 ^ i1) & (0 - wrong); /* no branches */                          \
            i0 ^= exchange, i1 ^= exchange;                                                               \
            four_##bits h = {AT(hashes, i0), AT(hashes, i1), AT(hashes, i2), AT(hashes, i3)};             \
            const four_##bits next = {h[1], h[2], h[3], h[0]}, across = {h[2], h[3], h[0], h[1]};         \
            const mask_##bits v_next = {valid[1], valid[2], valid[3], valid[0]};                          \
            const mask_##bits v_across = {valid[2], valid[3], valid[0], valid[1]};                        \
            same |= ((h == next) & valid & v_next) | ((h == across) & valid & v_across);                  \
            h = (h & (four_##bits)valid) | ((filler | mark) & ~(four_##bits)valid);                       \
            memcpy(to, &h, sizeof h);                                                                     \
            if (!has_values) continue;                                                                    \
            four_##value_bits v = {AT(values, i0), AT(values, i1), AT(values, i2), AT(values, i3)};       \
            v &= (four_##value_bits)kept;                                                                 \
            memcpy(to + sizeof h, &v, sizeof v);                                                          \
        }                                                                                                 \
        f->repeats |= (same[0] | same[1] | same[2] | same[3]) != 0;                                       \
    }
#else
#define WRITE_VECTORS(bits, value_bits)                                                                               \
    static void write_##bits##_##value_bits(struct bi_hash_fill_job *f, const struct bi_hash_matching *p)             \
    {                                                                                                                 \
        const struct bi_hash_shape *s = &f->table->shape;                                                             \
        const size_t stride = (size_t)s->stride;                                                                      \
        char *to = (char *)f->table->blocks[BI_HASH_TABLE].data + (size_t)f->descriptor->first * stride;              \
        const uint64_t filler = bi_hash_filler(f->partition, bits, s->partition_bits, false).low;                     \
        if (!p->values)                                                                                               \
            f->repeats |= bi_hash_write_buckets_avx512(p, bits, 0, false, f->marks, filler, to, stride);              \
        else if (bits == value_bits && p->paired)                                                                     \
            f->repeats |= bi_hash_write_buckets_avx512(p, bits, value_bits / 8, true, f->marks, filler, to, stride);  \
        else                                                                                                          \
            f->repeats |= bi_hash_write_buckets_avx512(p, bits, value_bits / 8, false, f->marks, filler, to, stride); \
    }
#endif
WRITE_VECTORS(32, 32)
WRITE_VECTORS(32, 64)
WRITE_VECTORS(64, 32)
WRITE_VECTORS(64, 64)

/* Chooses the form of writing; sets use that of values of 4 bytes. */
BI_FN void write_buckets(struct bi_hash_fill_job *f, const struct bi_hash_matching *p, int32_t bits,
                         enum value_source source)
{
    if (bits == 128 || source == ROWS || p->keys == 0)
        write_buckets_scalar(f, p, bits, source);
    else if (bits == 32 && source == PAYLOAD_8)
        write_32_64(f, p);
    else if (bits == 32)
        write_32_32(f, p);
    else if (source == PAYLOAD_8)
        write_64_64(f, p);
    else
        write_64_32(f, p);
}

/* Writes a linear partition: the keys one after the other. */
BI_FN void write_linear(const struct bi_hash_fill_job *f, struct bi_hash_matching *p, int32_t bits,
                        enum value_source source)
{
    const size_t stride = (size_t)f->table->shape.stride;
    char *to = (char *)f->table->blocks[BI_HASH_TABLE].data + (size_t)f->descriptor->first * stride;
    for (uint32_t b = 0, i = 0; b < p->buckets; b++, i += WIDTH, to += stride) {
        uint32_t at[WIDTH] = {i, i + 1, i + 2, i + 3}, rest = i < p->keys ? p->keys - i : 0;
        write_partial_bucket(f, p, bits, source, to, at, rest < WIDTH ? (int)rest : WIDTH, 0);
    }
}

/* Returns the state of the matching of a job, with its arrays cut from the scratch. */
BI_FN struct bi_hash_matching matching_of(const struct bi_hash_fill_job *f, int32_t bits)
{
    const int32_t paired = f->paired, key = bits / 8, payload = f->lists->payload_bytes;
    const char *hashes = f->keys ? (const char *)f->lists->hashes + (f->begin << paired) * key : NULL;
    const char *values = !f->keys || !payload ? NULL
                         : paired             ? hashes + key
                                              : (const char *)f->lists->payload + f->begin * payload;
    return (struct bi_hash_matching){.hashes = hashes,
                                     .values = values,
                                     .paired = paired,
                                     .keys = f->keys,
                                     .buckets = f->descriptor->buckets_seed >> BOSC_HASH_SEED_BITS,
                                     .codes = f->codes,
                                     .first_buckets = f->first_buckets,
                                     .rejected = f->first_buckets + f->capacity,
                                     .from = f->first_buckets + 2 * (size_t)f->capacity,
                                     .moved = f->first_buckets + 3 * (size_t)f->capacity,
                                     .moved_to = f->first_buckets + 4 * (size_t)f->capacity};
}

BI_FN bool match_by_seed(struct bi_hash_matching *p, int32_t bits, uint32_t *position)
{
    find_first_buckets(p, bits);
    return match_keys(p, bits, position);
}

/* Fills one partition. */
BI_FN void fill_partition(struct bi_hash_fill_job *f, int32_t bits, enum value_source source)
{
    /* 1. Match, with further seeds if a priority gets too high; a key that repeats fails with every seed. */
    struct bi_hash_matching p = matching_of(f, bits);
    uint32_t position = 0;
    p.seed = p.keys < POSITIONS ? 0 : LINEAR;
    while (p.seed < LINEAR && !match_by_seed(&p, bits, &position)) {
        uint32_t pick[2];
        find_both_buckets(&p, bits, hash_at(&p, bits, position), pick);
        if (has_same(&p, bits, pick[0], position) || has_same(&p, bits, pick[1], position)) {
            f->repeats = true;
            return;
        }
        p.seed++;
    }
    /* 2. Write the buckets. */
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

BI_FN void fill_key(struct bi_hash_fill_job *f, int32_t bits)
{
    if (f->lists->payload_bytes == 0)
        fill_partition(f, bits, NO_VALUES);
    else if (f->lists->values)
        fill_partition(f, bits, ROWS);
    else if (f->lists->payload_bytes == 4)
        fill_partition(f, bits, PAYLOAD_4);
    else
        fill_partition(f, bits, PAYLOAD_8);
}

void BI_LEVEL_NAME(bi_hash_fill)(struct bi_hash_fill_job *f)
{
    BI_HASH_BY_KEY(f->table->shape.key_bits, fill_key(f, 8 * KEY));
}
