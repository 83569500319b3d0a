/* Look-ups by AVX-512: hashes of 32 or 64 bits, values of 4 or 8 bytes or none, tables below 8 GiB without linear
 * partitions. A pipeline of two chunks: the buckets of one are computed and prefetched, then those of the previous
 * one are compared. Queries whose first bucket is spilled are queued. All work is done in vectors, the rest of a
 * chunk with masked lanes. */
#ifndef BI_HASH_CPU_FIND_AVX512_H
#define BI_HASH_CPU_FIND_AVX512_H

#include "hash/cpu/hash_avx512.h"

enum { BI_HASH_AVX512_CHUNK = 64, BI_HASH_AVX512_LANES = 16 /* lanes of 32 bits */ };

/* MemorySanitizer assumes that instructions it does not know use all lanes, also those beyond the queries. */
#ifdef __has_feature
#if __has_feature(memory_sanitizer)
#define BI_HASH_AVX512_CLEARS
#endif
#endif

struct bi_hash_avx512_chunk { /* capacity for queued queries and a whole vector stored behind them */
    int count;
    uint64_t hashes[2 * BI_HASH_AVX512_CHUNK + BI_HASH_AVX512_LANES];
    uint32_t words[2 * BI_HASH_AVX512_CHUNK +
                   BI_HASH_AVX512_LANES]; /* offset of the bucket in the table, in words of 4 bytes */
};
struct bi_hash_avx512_waiting {
    struct bi_hash_avx512_chunk c;
    uint32_t rows[2 * BI_HASH_AVX512_CHUNK + BI_HASH_AVX512_LANES];
};

struct bi_hash_avx512_look_up {
    bosc_hash_view view;
    bool far; /* buckets are prefetched: a core's own caches do not hold the table */
    struct bi_hash_partition_registers registers; /* the partitions, if the registers hold all */
    char *values;
    uint8_t *found;
};

/* True if a table can be searched by these functions. */
BI_FN bool bi_hash_suits_avx512(const bosc_hash *t, const void *values)
{
    const struct bi_hash_shape *s = &t->shape;
    return s->key_bits != 128 && !t->linear && t->buckets * (s->stride / 4) <= INT32_MAX &&
           (!values || s->value_bytes == 4 || s->value_bytes == 8);
}

/* Computes offsets of the buckets that `mixed` chooses in their partitions. */
BI_FN __m512i bi_hash_pick_16(const bosc_hash_view *v, __m512i mixed, __m512i first, __m512i size)
{
    return _mm512_mullo_epi32(_mm512_add_epi32(first, bi_hash_below_16(mixed, size)), _mm512_set1_epi32(v->stride / 4));
}

/* Gets first bucket, number of buckets and addend of the seed of each partition. */
BI_FN void bi_hash_partitions_16(const struct bi_hash_avx512_look_up *u, bool in_registers, __m512i number,
                                 __m512i *first, __m512i *size, __m512i *seed)
{
    if (in_registers)
        bi_hash_permute_partitions_16(&u->registers, number, first, size, seed);
    else
        bi_hash_gather_partitions_16(u->view.partitions, number, first, size, seed);
}

/* Hashes a chunk of queries, computes their first buckets and prefetches these. `rest` is the number of queries left:
 * 0 or less yields an empty chunk, at the end of the pipeline. Hashes are one-to-one, so they replace keys in
 * comparisons. `bits` and `in_registers` are constants of the caller. */
BI_FN void bi_hash_hash_chunk(const struct bi_hash_avx512_look_up *u, int32_t bits, bool in_registers,
                              const char *queries, int64_t rest, struct bi_hash_avx512_chunk *c)
{
    const bosc_hash_view *v = &u->view;
    const __m128i shift = _mm_cvtsi32_si128(bits - v->partition_bits);
    /* 1. Hash 16 keys at a time, and compute their folds and partitions. */
    const __m512i seed =
        bits == 32 ? _mm512_set1_epi32((int)(v->seed ^ v->seed >> 32)) : _mm512_set1_epi64((long long)v->seed);
    c->count = rest < 0 ? 0 : rest < BI_HASH_AVX512_CHUNK ? (int)rest : BI_HASH_AVX512_CHUNK;
    for (int j = 0; j < c->count; j += 16) {
        const __mmask16 live = bi_hash_lanes_16(c->count - j);
        __m512i fold, number, first, size, seeds;
        if (bits == 32) {
            __m512i hash = _mm512_maskz_loadu_epi32(live, queries + (size_t)j * 4);
            fold = hash = bi_hash_mix_16(_mm512_xor_si512(hash, seed));
            number = _mm512_srl_epi32(hash, shift);
            _mm512_storeu_si512((uint32_t *)c->hashes + j, hash);
        } else {
            __m512i a = _mm512_maskz_loadu_epi64((__mmask8)live, queries + (size_t)j * 8);
            __m512i b = _mm512_maskz_loadu_epi64((__mmask8)(live >> 8), queries + (size_t)j * 8 + 64);
            a = bi_hash_mix_8(_mm512_xor_si512(a, seed));
            b = bi_hash_mix_8(_mm512_xor_si512(b, seed));
            fold = bi_hash_fold_16(a, b);
            number = bi_hash_every_other_16(_mm512_srl_epi64(a, shift), _mm512_srl_epi64(b, shift), false);
            _mm512_storeu_si512(c->hashes + j, a);
            _mm512_storeu_si512(c->hashes + j + 8, b);
        }
        /* 2. Choose a bucket of the partition. */
        bi_hash_partitions_16(u, in_registers, number, &first, &size, &seeds);
        const __m512i mixed = bi_hash_scatter_16(_mm512_add_epi32(fold, seeds));
        _mm512_storeu_si512(c->words + j, bi_hash_pick_16(v, mixed, first, size));
    }
    for (int j = 0; u->far && j < c->count; j++) __builtin_prefetch(v->buckets + (size_t)c->words[j] * 4);
}

/* Loads 16 bytes from each of four addresses. */
BI_FN __m512i bi_hash_load_quarters(const char *a, const char *b, const char *c, const char *d)
{
    __m512i x = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(const void *)a));
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const __m128i *)(const void *)b), 1);
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const __m128i *)(const void *)c), 2);
    return _mm512_inserti32x4(x, _mm_loadu_si128((const __m128i *)(const void *)d), 3);
}

/* Loads four words of each of 16 buckets, transposed: column[s] has the words s. */
BI_FN void bi_hash_transpose_16(const char *table, const uint32_t *words, __m512i column[BOSC_HASH_WIDTH])
{
    __m512i row[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        row[i] = bi_hash_load_quarters(table + (size_t)words[i] * 4, table + (size_t)words[i + 4] * 4,
                                       table + (size_t)words[i + 8] * 4, table + (size_t)words[i + 12] * 4);
    __m512i a = _mm512_unpacklo_epi32(row[0], row[1]), b = _mm512_unpackhi_epi32(row[0], row[1]);
    __m512i c = _mm512_unpacklo_epi32(row[2], row[3]), d = _mm512_unpackhi_epi32(row[2], row[3]);
    column[0] = _mm512_unpacklo_epi64(a, c);
    column[1] = _mm512_unpackhi_epi64(a, c);
    column[2] = _mm512_unpacklo_epi64(b, d);
    column[3] = _mm512_unpackhi_epi64(b, d);
}

/* Loads 32 bytes from each of two offsets. */
BI_FN __m512i bi_hash_load_both(const char *table, uint32_t low, uint32_t high)
{
    __m512i x = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)(table + (size_t)low * 4)));
    return _mm512_inserti64x4(x, _mm256_loadu_si256((const __m256i *)(const void *)(table + (size_t)high * 4)), 1);
}

/* As above, words of 64 bits of eight buckets. */
BI_FN void bi_hash_transpose_8(const char *table, const uint32_t *words, __m512i column[BOSC_HASH_WIDTH])
{
    const __m512i a = bi_hash_load_both(table, words[0], words[2]), b = bi_hash_load_both(table, words[1], words[3]);
    const __m512i c = bi_hash_load_both(table, words[4], words[6]), d = bi_hash_load_both(table, words[5], words[7]);
    __m512i even_0 = _mm512_unpacklo_epi64(a, b), even_4 = _mm512_unpacklo_epi64(c, d);
    __m512i odd_0 = _mm512_unpackhi_epi64(a, b), odd_4 = _mm512_unpackhi_epi64(c, d);
    column[0] = _mm512_shuffle_i64x2(even_0, even_4, 0x88);
    column[1] = _mm512_shuffle_i64x2(odd_0, odd_4, 0x88);
    column[2] = _mm512_shuffle_i64x2(even_0, even_4, 0xdd);
    column[3] = _mm512_shuffle_i64x2(odd_0, odd_4, 0xdd);
}

/* Compares the buckets of 16 queries, or of eight of 64 bits, from j on: match[s]: slot s matches; *spilled: another
 * bucket may hold the key. */
BI_FN void bi_hash_compare_vector(const struct bi_hash_avx512_look_up *u, int32_t bits,
                                  const struct bi_hash_avx512_chunk *c, int j, __mmask16 match[BOSC_HASH_WIDTH],
                                  __mmask16 *spilled)
{
    const char *table = (const char *)u->view.buckets;
    __m512i slot[BOSC_HASH_WIDTH];
    __mmask16 full, rising, odd; /* full: the last hash has the query's partition in its top bits */
    if (bits == 32) {
        const __m512i hash = _mm512_loadu_si512((const uint32_t *)c->hashes + j);
        bi_hash_transpose_16(table, c->words + j, slot);
#pragma GCC unroll 4
        for (int s = 0; s < BOSC_HASH_WIDTH; s++) match[s] = _mm512_cmpeq_epi32_mask(slot[s], hash);
        full = _mm512_cmplt_epu32_mask(_mm512_xor_si512(slot[3], hash),
                                       _mm512_set1_epi32((int)(1u << (32 - u->view.partition_bits))));
        rising = _mm512_cmplt_epu32_mask(slot[0], slot[1]);
        odd = _mm512_test_epi32_mask(slot[3], _mm512_set1_epi32(1));
    } else {
        const __m512i hash = _mm512_loadu_si512(c->hashes + j);
        bi_hash_transpose_8(table, c->words + j, slot);
#pragma GCC unroll 4
        for (int s = 0; s < BOSC_HASH_WIDTH; s++) match[s] = _mm512_cmpeq_epi64_mask(slot[s], hash);
        full = _mm512_cmplt_epu64_mask(_mm512_xor_si512(slot[3], hash),
                                       _mm512_set1_epi64((long long)(1ull << (64 - u->view.partition_bits))));
        rising = _mm512_cmplt_epu64_mask(slot[0], slot[1]);
        odd = _mm512_test_epi64_mask(slot[3], _mm512_set1_epi64(1));
    }
    *spilled = _kor_mask16(_kand_mask16(full, rising), _kandn_mask16(full, odd));
}

/* Gathers the values of matching lanes, zeros in the others: of 4 bytes in value[0], of 8 in both. */
BI_FN void bi_hash_gather_values(const struct bi_hash_avx512_look_up *u, int32_t bits, size_t size,
                                 const struct bi_hash_avx512_chunk *c, int j, const __mmask16 match[BOSC_HASH_WIDTH],
                                 __mmask16 any, __m512i value[2])
{
    const unsigned char *values = u->view.buckets + BOSC_HASH_WIDTH * (bits / 8);
    const __m512i zero = _mm512_setzero_si512();
    __m512i at = _mm512_loadu_si512(c->words + j);
#pragma GCC unroll 4
    for (int s = 1; s < BOSC_HASH_WIDTH; s++)
        at = _mm512_mask_add_epi32(at, match[s], at, _mm512_set1_epi32(s * (int)size / 4));
    const __m256i low = _mm512_castsi512_si256(at), high = _mm512_extracti64x4_epi64(at, 1);
    value[0] = value[1] = zero;
    if (size == 4 && bits == 32) {
        value[0] = _mm512_mask_i32gather_epi32(zero, any, at, values, 4);
    } else if (size == 4) {
        const __m256i four = _mm256_mmask_i32gather_epi32(_mm256_setzero_si256(), (__mmask8)any, low, values, 4);
        value[0] = _mm512_castsi256_si512(four);
    } else {
        value[0] = _mm512_mask_i32gather_epi64(zero, (__mmask8)any, low, values, 4);
        if (bits == 32) value[1] = _mm512_mask_i32gather_epi64(zero, (__mmask8)(any >> 8), high, values, 4);
    }
}

/* Appends the queries `more` of 16 from j on to a queue of length `at`; row: that of the first query. */
BI_FN void bi_hash_append_waiting(int32_t bits, const struct bi_hash_avx512_chunk *restrict c, int j, uint32_t row,
                                  __mmask16 more, struct bi_hash_avx512_waiting *restrict w, int at)
{
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i rows = _mm512_add_epi32(_mm512_set1_epi32((int)row), lane);
    _mm512_storeu_si512(w->rows + at, _mm512_maskz_compress_epi32(more, rows));
    if (bits == 32) {
        const __m512i hashes = _mm512_loadu_si512((const uint32_t *)c->hashes + j);
        _mm512_storeu_si512((uint32_t *)w->c.hashes + at, _mm512_maskz_compress_epi32(more, hashes));
    } else {
        const __mmask8 low = (__mmask8)more, high = (__mmask8)(more >> 8);
        const int half = at + __builtin_popcount(low);
        const __m512i a = _mm512_loadu_si512(c->hashes + j), b = _mm512_loadu_si512(c->hashes + j + 8);
        _mm512_storeu_si512(w->c.hashes + at, _mm512_maskz_compress_epi64(low, a));
        _mm512_storeu_si512(w->c.hashes + half, _mm512_maskz_compress_epi64(high, b));
    }
}

/* Answers the queries of a vector, from j on, by their first buckets. Returns a mask: queries that need their second
 * one. */
BI_FN __mmask16 bi_hash_answer_lanes(const struct bi_hash_avx512_look_up *u, int32_t bits, size_t size,
                                     const struct bi_hash_avx512_chunk *restrict c, int j, uint32_t row)
{
    const __mmask16 live = bi_hash_lanes_16(c->count - j) & bi_hash_lanes_16(512 / bits);
    __mmask16 match[BOSC_HASH_WIDTH], spilled;
    bi_hash_compare_vector(u, bits, c, j, match, &spilled);
    const __mmask16 any =
        _kand_mask16(_kor_mask16(_kor_mask16(match[0], match[1]), _kor_mask16(match[2], match[3])), live);
    if (size) {
        __m512i value[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
        if (any) bi_hash_gather_values(u, bits, size, c, j, match, any, value);
        char *to = u->values + (size_t)row * size;
        if (size == 4) {
            _mm512_mask_storeu_epi32(to, live, value[0]);
        } else {
            _mm512_mask_storeu_epi64(to, (__mmask8)live, value[0]);
            if (bits == 32) _mm512_mask_storeu_epi64(to + 64, (__mmask8)(live >> 8), value[1]);
        }
    }
    if (u->found) _mm_mask_storeu_epi8(u->found + row, live, _mm_maskz_set1_epi8(any, 1));
    return _kand_mask16(_kandn_mask16(any, spilled), live);
}

/* Answers the queries of a chunk, of rows from `row` on, by their first buckets; queues queries that need their
 * second one. */
BI_FN void bi_hash_answer_first(const struct bi_hash_avx512_look_up *u, int32_t bits, size_t size,
                                const struct bi_hash_avx512_chunk *restrict c, uint32_t row,
                                struct bi_hash_avx512_waiting *restrict w)
{
    int waits = w->c.count;
    for (int j = 0; j < c->count; j += 16) {
        __mmask16 more = bi_hash_answer_lanes(u, bits, size, c, j, row + (uint32_t)j);
        if (bits == 64 && j + 8 < c->count)
            more |= (__mmask16)(bi_hash_answer_lanes(u, bits, size, c, j + 8, row + (uint32_t)j + 8) << 8);
        bi_hash_append_waiting(bits, c, j, row + (uint32_t)j, more, w, waits);
        waits += __builtin_popcount(more);
    }
    w->c.count = waits;
}

/* Computes and prefetches the second buckets of queued queries. They are few, so their partitions are found again
 * from the hashes. */
BI_FN void bi_hash_prefetch_second(const struct bi_hash_avx512_look_up *u, int32_t bits, bool in_registers,
                                   struct bi_hash_avx512_chunk *c)
{
    for (int j = 0; j < c->count; j += 16) {
        __m512i number, first, size, seeds;
        const char *hashes = (const char *)c->hashes + (size_t)j * (size_t)bits / 8;
        const __m512i fold =
            bi_hash_load_folds_16(hashes, bits, u->view.partition_bits, bi_hash_lanes_16(c->count - j), &number);
        bi_hash_partitions_16(u, in_registers, number, &first, &size, &seeds);
        const __m512i mixed = bi_hash_remix_16(bi_hash_scatter_16(_mm512_add_epi32(fold, seeds)));
        const __m512i words = bi_hash_pick_16(&u->view, mixed, first, size);
        _mm512_storeu_si512(c->words + j, _mm512_maskz_mov_epi32(bi_hash_lanes_16(c->count - j), words));
    }
    for (int j = 0; u->far && j < c->count; j++) __builtin_prefetch(u->view.buckets + (size_t)c->words[j] * 4);
}

/* Answers queued queries by their second buckets. So far they are marked as absent. */
BI_FN void bi_hash_answer_second(const struct bi_hash_avx512_look_up *u, int32_t bits, size_t size,
                                 struct bi_hash_avx512_waiting *w)
{
    const int lanes = 512 / bits;
    for (int j = 0; j < w->c.count; j += lanes) {
        const __mmask16 live = bi_hash_lanes_16(w->c.count - j) & bi_hash_lanes_16(lanes);
        __mmask16 match[BOSC_HASH_WIDTH], spilled;
        bi_hash_compare_vector(u, bits, &w->c, j, match, &spilled);
        uint32_t any = (match[0] | match[1] | match[2] | match[3]) & live;
        if (!any) continue;
        if (size) {
            __m512i value[2];
            bi_hash_gather_values(u, bits, size, &w->c, j, match, (__mmask16)any, value);
            const __m512i rows = _mm512_loadu_si512(w->rows + j);
            const __m256i low = _mm512_castsi512_si256(rows), high = _mm512_extracti64x4_epi64(rows, 1);
            if (size == 4) {
                _mm512_mask_i32scatter_epi32(u->values, (__mmask16)any, rows, value[0], 4);
            } else {
                _mm512_mask_i32scatter_epi64(u->values, (__mmask8)any, low, value[0], 8);
                if (bits == 32) _mm512_mask_i32scatter_epi64(u->values, (__mmask8)(any >> 8), high, value[1], 8);
            }
        }
        for (; u->found && any; any &= any - 1) u->found[w->rows[j + __builtin_ctz(any)]] = 1;
    }
    w->c.count = 0;
}

/* Runs the pipeline over the queries; the two queues alternate as in find_hot.c. */
BI_FN void bi_hash_find_chunks(const struct bi_hash_avx512_look_up *u, int32_t bits, size_t size, bool in_registers,
                               const char *queries, int64_t count)
{
    enum { CHUNK = BI_HASH_AVX512_CHUNK };
    struct bi_hash_avx512_chunk chunks[2];
    struct bi_hash_avx512_waiting waits[2], *collected = &waits[0], *prefetched = &waits[1];
    const size_t key = (size_t)bits / 8;
#ifdef BI_HASH_AVX512_CLEARS
    memset(chunks, 0, sizeof chunks);
    memset(waits, 0, sizeof waits);
#endif
    collected->c.count = prefetched->c.count = 0;
    bi_hash_hash_chunk(u, bits, in_registers, queries, count, &chunks[0]);
    for (int64_t k = 0, row = 0; row < count; k++, row += CHUNK) {
        bi_hash_hash_chunk(u, bits, in_registers, queries + (size_t)(row + CHUNK) * key, count - row - CHUNK,
                           &chunks[(k + 1) % 2]);
        bi_hash_answer_first(u, bits, size, &chunks[k % 2], (uint32_t)row, collected);
        if (collected->c.count < CHUNK && row + CHUNK < count) continue;
        bi_hash_answer_second(u, bits, size, prefetched);
        bi_hash_prefetch_second(u, bits, in_registers, &collected->c);
        struct bi_hash_avx512_waiting *empty = prefetched;
        prefetched = collected;
        collected = empty;
    }
    bi_hash_answer_second(u, bits, size, prefetched);
}

/* Answers queries in pieces, as rows of a piece are numbered by 31 bits. */
BI_FN void bi_hash_find_pieces(struct bi_hash_avx512_look_up u, int32_t bits, size_t size, bool in_registers,
                               const char *queries, int64_t begin, int64_t end)
{
    const int64_t piece = (int64_t)1 << 30;
    char *const values = u.values;
    uint8_t *const found = u.found;
    for (; begin < end; begin += piece) {
        if (size) u.values = values + (size_t)begin * size;
        if (found) u.found = found + begin;
        bi_hash_find_chunks(&u, bits, size, in_registers, queries + (size_t)begin * (size_t)bits / 8,
                            end - begin < piece ? end - begin : piece);
    }
}

#endif
