/* The table of trees on the CPU. Steps are compiled for each CPU level, since they count and search bits.
 *
 * With AVX-512 the positions of set bits, where leaves begin, are compressed into a vector; a node follows from a
 * position and its distance to the next one. With VBMI2 a word of 64 bits is compressed to bytes, otherwise 16 bits at
 * a time to 32-bit lanes. */
#if defined(__AVX512F__) && defined(__AVX512CD__)
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#define VBMI2_TARGET __attribute__((target("avx512vbmi2,avx512bitalg")))

/* Writes the positions of set bits in a block; returns their number. Lanes after the last one are written too.
 * unreached: on processors with VBMI2. */
static inline uint32_t find_leaf_starts(const uint64_t bits[16], uint32_t starts[1024 + 16])
{
    const __m512i step = _mm512_set1_epi32(16);
    __m512i positions = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint32_t n = 0;
    for (int w = 0; w < 16; w++) {
        for (int part = 0; part < 4; part++) {
            __mmask16 set = (__mmask16)(bits[w] >> 16 * part);
            _mm512_storeu_si512(starts + n, _mm512_maskz_compress_epi32(set, positions));
            n += (uint32_t)__builtin_popcount(set);
            positions = _mm512_add_epi32(positions, step);
        }
    }
    return n;
}

/* Decodes 16 leaves at a time from positions of 32 bits. unreached: likewise */
static inline void decode_by_16_bits(const uint64_t bits[16], uint64_t base, uint32_t end, void *nodes, int64_t at,
                                     bool is_64bit)
{
    const __m512i most = _mm512_set1_epi32(31), base32 = _mm512_set1_epi32((int)(uint32_t)base);
    const __m512i base64 = _mm512_set1_epi64((long long)base);
    uint32_t starts[1024 + 16 + 1], n = find_leaf_starts(bits, starts);
    starts[n] = end;
    for (uint32_t i = 0; i < n; i += 16) {
        /* size = log2 of the distance to the next leaf; node = (base + begin) >> size */
        __mmask16 some = (__mmask16)(n - i < 16 ? (1u << (n - i)) - 1 : 0xffffu);
        __m512i begin = _mm512_maskz_loadu_epi32(some, starts + i);
        __m512i length = _mm512_sub_epi32(_mm512_maskz_loadu_epi32(some, starts + i + 1), begin);
        __m512i size = _mm512_sub_epi32(most, _mm512_lzcnt_epi32(length));
        if (!is_64bit) {
            __m512i node = _mm512_srlv_epi32(_mm512_add_epi32(begin, base32), size);
            _mm512_mask_storeu_epi32((uint32_t *)nodes + at + i, some, node);
            continue;
        }
        for (int half = 0; half < 2; half++) { /* 8 nodes of 64 bits */
            __m256i b = half ? _mm512_extracti64x4_epi64(begin, 1) : _mm512_castsi512_si256(begin);
            __m256i s = half ? _mm512_extracti64x4_epi64(size, 1) : _mm512_castsi512_si256(size);
            __m512i node =
                _mm512_srlv_epi64(_mm512_add_epi64(_mm512_cvtepu32_epi64(b), base64), _mm512_cvtepu32_epi64(s));
            _mm512_mask_storeu_epi64((uint64_t *)nodes + at + i + 8 * half, (__mmask8)(some >> 8 * half), node);
        }
    }
}

/* Stores the nodes of up to 16 leaves from bytes: positions in a word, and sizes. lanes: mask of the leaves. */
VBMI2_TARGET static inline void store_16_nodes(__m128i positions, __m128i sizes, uint64_t base, __mmask16 lanes,
                                               void *nodes, int64_t at, bool is_64bit)
{
    if (!is_64bit) {
        __m512i node = _mm512_add_epi32(_mm512_cvtepu8_epi32(positions), _mm512_set1_epi32((int)(uint32_t)base));
        node = _mm512_srlv_epi32(node, _mm512_cvtepu8_epi32(sizes));
        _mm512_mask_storeu_epi32((uint32_t *)nodes + at, lanes, node);
        return;
    }
    for (int half = 0; half < 2; half++) {
        __m512i node = _mm512_add_epi64(_mm512_cvtepu8_epi64(positions), _mm512_set1_epi64((long long)base));
        node = _mm512_srlv_epi64(node, _mm512_cvtepu8_epi64(sizes));
        _mm512_mask_storeu_epi64((uint64_t *)nodes + at + 8 * half, (__mmask8)(lanes >> 8 * half), node);
        positions = _mm_bsrli_si128(positions, 8);
        sizes = _mm_bsrli_si128(sizes, 8);
    }
}

/* Decodes the leaves of a block that has several (the caller handles a single leaf, which may be larger than the
 * block), a word at a time, to nodes[at] and on. base: the node of the deepest level at the block's first bit. end: the
 * number of the block's bits, less than 1,024 in the smallest trees. A leaf ends where the next one of its word begins,
 * or with the word. A leaf that extends beyond the word is alone in it: `beyond` is log2 of its words. */
VBMI2_TARGET static inline void decode_by_words(const uint64_t bits[16], uint64_t base, uint32_t end, void *nodes,
                                                int64_t at, bool is_64bit)
{
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi8(1);
    const __m512i ends = _mm512_set1_epi8((char)(end < 64 ? end : 64));
    const __m512i eight = _mm512_set1_epi64(0x0706050403020100);
    const __m512i all = _mm512_add_epi8(
        eight, _mm512_setr_epi64(0, 0x0808080808080808, 0x1010101010101010, 0x1818181818181818, 0x2020202020202020,
                                 0x2828282828282828, 0x3030303030303030, 0x3838383838383838));
    /* 1. A mask of the words with leaves, and of the end of the block. */
    uint32_t words = (uint32_t)_mm512_cmpneq_epi64_mask(_mm512_loadu_si512(bits), zero) |
                     (uint32_t)_mm512_cmpneq_epi64_mask(_mm512_loadu_si512(bits + 8), zero) << 8;
    words |= 1u << (end < 64 ? 1 : end / 64);
    while (words & (words - 1)) {
        uint32_t w = (uint32_t)__builtin_ctz(words);
        words &= words - 1;
        uint32_t beyond = (uint32_t)__builtin_ctz((uint32_t)__builtin_ctz(words) - w);
        /* 2. Positions, the positions that follow them, and sizes: log2 by counting the ones below the distance. */
        uint64_t set = bits[w], first = base + 64 * w;
        uint32_t n = (uint32_t)__builtin_popcountll(set);
        __m512i positions = _mm512_maskz_compress_epi8(set, all);
        __m512i next = _mm512_mask_compress_epi8(ends, set & (set - 1), all);
        __m512i sizes = _mm512_popcnt_epi8(_mm512_sub_epi8(_mm512_sub_epi8(next, positions), one));
        sizes = _mm512_add_epi8(sizes, _mm512_set1_epi8((char)beyond));
        /* 3. Nodes, 16 at a time. */
        uint64_t lanes = n < 64 ? ((uint64_t)1 << n) - 1 : ~(uint64_t)0;
        store_16_nodes(_mm512_castsi512_si128(positions), _mm512_castsi512_si128(sizes), first, (__mmask16)lanes, nodes,
                       at, is_64bit);
        store_16_nodes(_mm512_extracti32x4_epi32(positions, 1), _mm512_extracti32x4_epi32(sizes, 1), first,
                       (__mmask16)(lanes >> 16), nodes, at + 16, is_64bit);
        if (n > 32) {
            store_16_nodes(_mm512_extracti32x4_epi32(positions, 2), _mm512_extracti32x4_epi32(sizes, 2), first,
                           (__mmask16)(lanes >> 32), nodes, at + 32, is_64bit);
            store_16_nodes(_mm512_extracti32x4_epi32(positions, 3), _mm512_extracti32x4_epi32(sizes, 3), first,
                           (__mmask16)(lanes >> 48), nodes, at + 48, is_64bit);
        }
        at += n;
    }
}

/* The same as bi_cbt_decode_mixed: decodes a block with several leaves. */
static inline void decode_avx512(const uint64_t bits[16], uint64_t base, uint32_t end, void *nodes, int64_t at,
                                 bool is_64bit)
{
    if (__builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bitalg"))
        decode_by_words(bits, base, end, nodes, at, is_64bit);
    else
        decode_by_16_bits(bits, base, end, nodes, at, is_64bit); /* unreached: likewise */
}

#define BI_CBT_DECODE_MIXED decode_avx512 /* in the steps below */
#endif

#include "base/search.h"
#include "cbt/cpu/cpu.h"
#include "core/cpu/level.h"

#include "core/steps.h"

#undef BI_STEP_COST
#define BI_STEP_COST 16 /* simple items of 1 to 2 ns, for items of about 5 to 200 ns */
#define STEP_LIST "cbt/steps/steps.def"
#define STEP_TABLE static const struct bi_cbt_steps steps
#include "core/step_table.inc"

#undef BI_STEP_COST
#define BI_STEP_COST 64 /* simple items, for blocks of 1,024 bits of about 20 to 50 ns */
#undef BI_STEP_WEIGHT
#define BI_STEP_WEIGHT 8
#define STEP_LIST "cbt/cpu/steps.def"
#define STEP_TABLE static const struct bi_cbt_cpu_steps cpu_steps
#include "core/step_table.inc"

/* Calls the caller's function for the leaves of a block, and records the commands it returns. */
static void visit_block(const bosc_cbt_view *v, int64_t block, bosc_cbt_visit_fn visit, void *user)
{
    int64_t leaf = v->ranks[block];
    for (int64_t word = block * BI_CBT_WORDS; word < (block + 1) * BI_CBT_WORDS; word++) {
        for (uint64_t left = v->bits[word]; left; left &= left - 1, leaf++) {
            uint64_t position = (uint64_t)word * 64 + (uint64_t)bosc_cbt_trailing_zeros(left);
            uint64_t node = bosc_cbt_node(position, bosc_cbt_log2_size_at(v, position), v->depth);
            bosc_cbt_command command = visit(user, leaf, node);
            if (command == BOSC_CBT_SPLIT) bosc_cbt_mark_split(v, node);
            if (command == BOSC_CBT_MERGE) bosc_cbt_mark_merge(v, node);
        }
    }
}

/* Calls the caller's function for all leaves, a block of bits at a time. */
static bosc_status for_each(bosc_ctx *ctx, const bosc_cbt_view *view, bosc_cbt_visit_fn visit, void *user)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "for_each: injected fault");
    struct bi_batches p = bi_batches_of(ctx, bosc_cbt_leaf_count(view), BI_CBT_LEAF_ITEMS);
    while (bi_next_batch(ctx, &p)) { /* blocks whose first leaf is in the part */
        const int64_t first = bi_lower_bound_i64(view->ranks, view->blocks, p.begin);
        const int64_t end = bi_lower_bound_i64(view->ranks, view->blocks, p.end);
#pragma omp parallel for schedule(dynamic) num_threads(ctx->threads) if (end - first > 1)
        for (int64_t block = first; block < end; block++) visit_block(view, block, visit, user);
    }
    return p.status;
}

extern const struct bi_cbt_ops BI_LEVEL_NAME(bi_cbt_ops_cpu);
const struct bi_cbt_ops BI_LEVEL_NAME(bi_cbt_ops_cpu) = {.steps = &steps,
                                                         .cpu_steps = &cpu_steps,
                                                         .change_scratch = bi_cbt_cpu_scratch,
                                                         .install_scratch = bi_cbt_cpu_scratch,
                                                         .decode = bi_cbt_cpu_decode,
                                                         .change = bi_cbt_cpu_change,
                                                         .install = bi_cbt_cpu_install,
                                                         .for_each = for_each,
                                                         .for_each_in_heap = bi_cbt_cpu_for_each_in_heap,
                                                         .reduce_heap = bi_cbt_cpu_reduce_heap};
