/* boscage/device/hash_slots.h - look-ups in tables of the layouts other than BUCKETED from your own loop or kernel.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The table: a key becomes its hash, one to one, of the same number of bits. The hash chooses a run of slots; the run
 * and its seed tell the slots that the key may have. A slot is a hash, the value, and zero bytes up to `stride`; an
 * empty slot holds a filler: a hash that is not looked for there, as it chooses another run (CUCKOO: other slots).
 *
 * PERFECT: the top partition_bits of the hash choose the run; the hash and the run's seed choose one of the run's
 * groups, and the group's pilot leads each of its keys to a slot that no other key has. Sources: Fox, Chen, Heath, A
 * Faster Algorithm for Constructing Minimal Perfect Hash Functions (1992); Pibiri and Trani, PTHash (2021); Groot
 * Koerkamp, PtrHash (2025); Hermann et al., PHOBIC (2024).
 * HYBRID: a run is three subtables of equal size, and a key has a slot in each. A key that is not in the first of them
 * has been evicted from there, and a slot once taken is never empty again, so an empty slot ends a search. Source:
 * Alcantara et al., Real-time Parallel Hashing on the GPU (2009).
 * FKS: a run of k keys has k * k slots, among which its seed separates the keys. Source: Fredman, Komlos, Szemeredi,
 * Storing a Sparse Table with O(1) Worst Case Access Time (1984).
 * CUCKOO: run 0 is the table, in which a key has a slot by each function; run 1 the stash, of no slots or of
 * BOSC_HASH_STASH, in which it has one. Sources: Pagh and Rodler, Cuckoo Hashing (2004); Alcantara, Efficient Hash
 * Tables on the GPU (2011).
 * CHAINED: a run is the chain of a bucket, a key stands in one of its two buckets. All runs are linear. Sources: Azar,
 * Broder, Karlin, Upfal, Balanced Allocations (1999); Alcantara (2011).
 * ORDERED: linear probing without a wrap; run 0 is the table. Pairs stand in the order of their hashes. Each is in
 * its home, which is its hash scaled to the number of homes, or behind the pair before it if that is further on. Empty
 * slots hold the greatest hash, whose own pair has the last slot, which holds 0 while it is empty; the slot before that
 * one is always empty. A search goes up from the home to a hash that is not less. If pairs do not fit in so, there are
 * as many slots as pairs, and a search halves them. Sources: Amble and Knuth, Ordered Hash Tables (1974); Celis, Robin
 * Hood Hashing (1986).
 * A run for which no seed works is linear: its keys stand one after the other; if it has more than BOSC_HASH_SCAN
 * slots, they are all occupied, by ascending hash. */
#ifndef BOSCAGE_DEVICE_HASH_SLOTS_H
#define BOSCAGE_DEVICE_HASH_SLOTS_H

#include <boscage/device/hash.h>

#if defined(BOSC_HASH_HOST) && defined(__AVX512BW__) && defined(__has_builtin) /* vectors of 64 bytes */
#if __has_builtin(__builtin_ia32_cmpd512_mask) && __has_builtin(__builtin_ia32_cmpq512_mask) && \
    __has_builtin(__builtin_ia32_kunpcksi) && __has_builtin(__builtin_ia32_kunpckhi)
#define BOSC_HASH_AVX512
typedef int bosc_hash_i16 __attribute__((vector_size(64)));
typedef long long bosc_hash_i8 __attribute__((vector_size(64)));
#endif
#endif

enum {
    BOSC_HASH_SLOTS_VERSION = 5,
    BOSC_HASH_SCAN = 8192,
    BOSC_HASH_SUBTABLES = 3, /* HYBRID */
    BOSC_HASH_FUNCTIONS = 4, /* CUCKOO: at most; this number is the stash's function */
    BOSC_HASH_STASH = 101,
    BOSC_HASH_RUN_HASHES = 5,  /* that may choose runs */
    BOSC_HASH_LEAST_HOMES = 16 /* of a table whose windows all end before its last slot */
};

typedef struct bosc_hash_slots_view {
    uint32_t version; /* BOSC_HASH_SLOTS_VERSION */
    bosc_hash_layout layout;
    int32_t key_bits, value_size; /* value_size: bytes stored with a key, as in bosc_hash_view */
    int32_t stride;               /* bytes of a slot */
    int32_t partition_bits;       /* PERFECT */
    uint32_t runs, groups;        /* groups of each run: PERFECT */
    uint32_t functions;           /* CUCKOO */
    uint64_t seed;
    /* The number of the hash that chooses runs; then for each run, and the end, its first slot << BOSC_HASH_SEED_BITS |
     * its seed. */
    const uint64_t *descriptors;
    const uint16_t *pilots; /* (runs x groups) */
    const unsigned char *slots;
    const unsigned char *values; /* of a multimap: all values, those of a key together; else NULL */
    uint32_t homes;              /* ORDERED; 0: the slots are full, and searched by halves */
    int32_t pair_bits; /* ORDERED, from BOSC_HASH_LEAST_HOMES homes on: of keys of 32 and 64 bits whose slots have twice
                        * as many key_bits; else 0. So one test tells how a CPU reads a table. */
} bosc_hash_slots_view;

typedef struct bosc_hash_run {
    uint64_t first, size; /* slots */
    uint32_t seed, number;
} bosc_hash_run;

/* 32 bits of a hash, different for each seed. */
BOSC_DEVICE_FN uint32_t bosc_hash_remix(bosc_hash_word hash, int32_t key_bits, uint32_t seed)
{
    if (key_bits == 32) return bosc_hash_mix32((uint32_t)hash.low + seed * 0x9e3779b9u);
    hash.low = bosc_hash_mix64(hash.low + seed * 0x9e3779b97f4a7c15ull);
    if (key_bits == 128) hash.low = bosc_hash_mix64(hash.low ^ hash.high);
    return (uint32_t)(hash.low >> 32);
}

/* 64 bits of a hash, different for each seed. */
BOSC_DEVICE_FN uint64_t bosc_hash_remix64(bosc_hash_word hash, int32_t key_bits, uint32_t seed)
{
    hash.low = bosc_hash_mix64(hash.low + (seed + 1) * 0x9e3779b97f4a7c15ull);
    return key_bits == 128 ? bosc_hash_mix64(hash.low ^ hash.high) : hash.low;
}

/* Scales 32 bits to a number below `bound`. */
BOSC_DEVICE_FN uint32_t bosc_hash_below(uint32_t bits, uint32_t bound)
{
    return (uint32_t)((uint64_t)bits * bound >> 32);
}

/* The run of a hash, not of CUCKOO; of CHAINED its first bucket. */
BOSC_DEVICE_FN uint32_t bosc_hash_run_of(const bosc_hash_slots_view *view, bosc_hash_word hash)
{
    if (view->layout == BOSC_HASH_PERFECT) return bosc_hash_partition_of(hash, view->key_bits, view->partition_bits);
    return bosc_hash_below(bosc_hash_remix(hash, view->key_bits, (uint32_t)view->descriptors[0] + BOSC_HASH_LINEAR + 1),
                           view->runs);
}

/* CHAINED: the second bucket of a hash; it may be the first one too. */
BOSC_DEVICE_FN uint32_t bosc_hash_second_run_of(const bosc_hash_slots_view *view, bosc_hash_word hash)
{
    uint32_t seed = (uint32_t)view->descriptors[0] + BOSC_HASH_LINEAR + 1 + BOSC_HASH_RUN_HASHES;
    return bosc_hash_below(bosc_hash_remix(hash, view->key_bits, seed), view->runs);
}

BOSC_DEVICE_FN bosc_hash_run bosc_hash_run_at(const bosc_hash_slots_view *view, uint32_t number)
{
    uint64_t word = view->descriptors[1 + (uint64_t)number], next = view->descriptors[2 + (uint64_t)number];
    bosc_hash_run run;
    run.first = word >> BOSC_HASH_SEED_BITS;
    run.size = (next >> BOSC_HASH_SEED_BITS) - run.first;
    run.seed = (uint32_t)word & BOSC_HASH_LINEAR;
    run.number = number;
    return run;
}

/* The group of a hash mixed with the run's seed (bosc_hash_remix); and with its pilot the slot in the run. */
BOSC_DEVICE_FN uint32_t bosc_hash_group_of(uint32_t mixed, uint32_t groups)
{
    return bosc_hash_below(bosc_hash_scatter(mixed ^ 0x5bd1e995u), groups);
}

BOSC_DEVICE_FN uint32_t bosc_hash_slot_by_pilot(uint32_t mixed, uint32_t pilot, uint32_t slots)
{
    return bosc_hash_below(bosc_hash_scatter(mixed + pilot * 0x85ebca6bu), slots);
}

/* The slot, counted from the run's first one, of a key in subtable 0, 1 or 2. */
BOSC_DEVICE_FN uint32_t bosc_hash_slot_in_subtable(uint32_t mixed, uint32_t subtable, uint32_t slots)
{
    uint32_t each = slots / BOSC_HASH_SUBTABLES;
    return subtable * each + bosc_hash_below(bosc_hash_scatter(mixed + subtable * 0x85ebca6bu), each);
}

/* CUCKOO: the slot, counted from the run's first one, of a key by one of the functions; at most 2^34 slots. */
BOSC_DEVICE_FN uint64_t bosc_hash_slot_by_function(bosc_hash_word hash, int32_t key_bits, uint32_t seed,
                                                   uint32_t function, uint64_t slots)
{
    uint64_t bits = bosc_hash_remix64(hash, key_bits, seed * (BOSC_HASH_FUNCTIONS + 1) + function);
    uint64_t high = bits >> 34, low = bits >> 4 & 0x3fffffff; /* of 60 bits */
    return (high * slots + (low * slots >> 30)) >> 30;
}

BOSC_DEVICE_FN bosc_hash_word bosc_hash_at_slot(const bosc_hash_slots_view *view, uint64_t slot)
{
    return bosc_hash_word_at(view->slots + slot * (uint32_t)view->stride, 0, view->key_bits);
}

/* Probe number `probe` of a hash (its mixed bits) in a run that is not linear and not empty. */
BOSC_DEVICE_FN uint64_t bosc_hash_probe(const bosc_hash_slots_view *view, const bosc_hash_run *run, uint32_t mixed,
                                        uint32_t probe)
{
    uint32_t size = (uint32_t)run->size;
    if (view->layout == BOSC_HASH_HYBRID) return run->first + bosc_hash_slot_in_subtable(mixed, probe, size);
    if (view->layout == BOSC_HASH_FKS) return run->first + bosc_hash_below(mixed, size);
    uint32_t group = bosc_hash_group_of(mixed, view->groups);
    return run->first +
           bosc_hash_slot_by_pilot(mixed, view->pilots[(uint64_t)run->number * view->groups + group], size);
}

/* The slot of a hash in a linear run, or -1. */
BOSC_DEVICE_FN int64_t bosc_hash_search_linear(const bosc_hash_slots_view *view, const bosc_hash_run *run,
                                               bosc_hash_word hash)
{
    uint64_t low = run->first, high = run->first + run->size;
    while (run->size > BOSC_HASH_SCAN && high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (bosc_hash_less(hash, bosc_hash_at_slot(view, middle)))
            high = middle;
        else
            low = middle;
    }
    for (; low < high; low++) {
        bosc_hash_word here = bosc_hash_at_slot(view, low);
        if (here.low == hash.low && here.high == hash.high) return (int64_t)low;
    }
    return -1;
}

/* The slot of a hash in its run, or -1. */
BOSC_DEVICE_FN int64_t bosc_hash_search_run(const bosc_hash_slots_view *view, const bosc_hash_run *run,
                                            bosc_hash_word hash)
{
    if (run->size == 0) return -1;
    if (run->seed == BOSC_HASH_LINEAR) return bosc_hash_search_linear(view, run, hash);
    uint32_t mixed = bosc_hash_remix(hash, view->key_bits, run->seed);
    uint32_t probes = view->layout == BOSC_HASH_HYBRID ? BOSC_HASH_SUBTABLES : 1;
    for (uint32_t i = 0; i < probes; i++) {
        uint64_t slot = bosc_hash_probe(view, run, mixed, i);
        bosc_hash_word here = bosc_hash_at_slot(view, slot);
        if (here.low == hash.low && here.high == hash.high) return (int64_t)slot;
        if (i + 1 < probes && bosc_hash_run_of(view, here) != run->number) return -1; /* an empty slot */
    }
    return -1;
}

/* CUCKOO: the slot of a hash, or -1. */
BOSC_DEVICE_FN int64_t bosc_hash_search_cuckoo(const bosc_hash_slots_view *view, bosc_hash_word hash)
{
    bosc_hash_run table = bosc_hash_run_at(view, 0), stash = bosc_hash_run_at(view, 1);
    if (table.size == 0) return -1;
    if (table.seed == BOSC_HASH_LINEAR) return bosc_hash_search_linear(view, &table, hash);
    for (uint32_t i = 0; i <= view->functions; i++) {
        bosc_hash_run *run = i < view->functions ? &table : &stash;
        uint32_t function = i < view->functions ? i : (uint32_t)BOSC_HASH_FUNCTIONS;
        if (run->size == 0) return -1;
        uint64_t slot = run->first + bosc_hash_slot_by_function(hash, view->key_bits, table.seed, function, run->size);
        bosc_hash_word here = bosc_hash_at_slot(view, slot);
        if (here.low == hash.low && here.high == hash.high) return (int64_t)slot;
    }
    return -1;
}

/* CHAINED: the slot of a hash, or -1. */
BOSC_DEVICE_FN int64_t bosc_hash_search_chains(const bosc_hash_slots_view *view, bosc_hash_word hash)
{
    uint32_t first = bosc_hash_run_of(view, hash), second = bosc_hash_second_run_of(view, hash);
    bosc_hash_run run = bosc_hash_run_at(view, first);
    int64_t slot = bosc_hash_search_linear(view, &run, hash);
    if (slot >= 0 || first == second) return slot;
    run = bosc_hash_run_at(view, second);
    return bosc_hash_search_linear(view, &run, hash);
}

/* ORDERED: the slot from which a hash is looked for. */
BOSC_DEVICE_FN uint32_t bosc_hash_home(bosc_hash_word hash, int32_t key_bits, uint32_t homes)
{
    if (key_bits == 32) return (uint32_t)(hash.low * homes >> 32);
    uint64_t top = bosc_hash_top(hash, key_bits);
    return (uint32_t)(((top >> 32) * homes + ((top & UINT32_MAX) * homes >> 32)) >> 32);
}

/* The greatest hash. */
BOSC_DEVICE_FN bosc_hash_word bosc_hash_greatest(int32_t key_bits)
{
    bosc_hash_word greatest = {key_bits == 32 ? UINT32_MAX : UINT64_MAX, key_bits == 128 ? UINT64_MAX : 0};
    return greatest;
}

/* ORDERED: the slot of a hash, or -1. */
BOSC_DEVICE_FN int64_t bosc_hash_search_ordered(const bosc_hash_slots_view *view, bosc_hash_word hash)
{
    bosc_hash_word greatest = bosc_hash_greatest(view->key_bits);
    uint64_t slot;
    if (view->homes == 0 || (hash.low == greatest.low && hash.high == greatest.high)) {
        bosc_hash_run run = bosc_hash_run_at(view, 0);
        if (view->homes) run.first = run.size - 1, run.size = 1;
        return bosc_hash_search_linear(view, &run, hash);
    }
    for (slot = bosc_hash_home(hash, view->key_bits, view->homes);; slot++) {
        bosc_hash_word here = bosc_hash_at_slot(view, slot);
        if (bosc_hash_less(here, hash)) continue;
        return here.low == hash.low && here.high == hash.high ? (int64_t)slot : -1;
    }
}

#ifdef BOSC_HASH_HOST
/* bosc_hash_search_ordered where it is seldom called: apart, so that it takes no registers of loops. */
static __attribute__((noinline, cold, pure, unused)) int64_t
bosc_hash_search_ordered_apart(const bosc_hash_slots_view *view, bosc_hash_word hash)
{
    return bosc_hash_search_ordered(view, hash);
}

enum { BOSC_HASH_WINDOW = 8 /* slots from a home on that are compared at once */ };

#ifdef BOSC_HASH_SSE2
BOSC_DEVICE_INLINE bosc_hash_4 bosc_hash_load_4(const unsigned char *at)
{
    bosc_hash_4 x;
    __builtin_memcpy(&x, at, sizeof x);
    return x;
}

/* The low 32 bits of the hashes in four slots; 16 bytes of each may be read. */
BOSC_DEVICE_INLINE bosc_hash_4 bosc_hash_lows(const unsigned char *slots, uint32_t stride)
{
    if (stride == 4) return bosc_hash_load_4(slots);
    if (stride == 8) return __builtin_shufflevector(bosc_hash_load_4(slots), bosc_hash_load_4(slots + 16), 0, 2, 4, 6);
    const bosc_hash_4 a =
        __builtin_shufflevector(bosc_hash_load_4(slots), bosc_hash_load_4(slots + stride), 0, 4, 1, 5);
    const bosc_hash_4 b =
        __builtin_shufflevector(bosc_hash_load_4(slots + 2 * stride), bosc_hash_load_4(slots + 3 * stride), 0, 4, 1, 5);
    return __builtin_shufflevector(a, b, 0, 1, 4, 5);
}
#endif

/* Bit 2i: the low 32 bits of slot i of a window are those of a hash; bit 2i + 1 may be the same. */
BOSC_DEVICE_INLINE uint32_t bosc_hash_match_window(const unsigned char *slots, uint32_t stride, uint32_t low)
{
#ifdef BOSC_HASH_SSE2
    const int32_t one = (int32_t)low;
    const bosc_hash_4 wanted = {one, one, one, one};
    const bosc_hash_4 first = bosc_hash_lows(slots, stride) == wanted;
    const bosc_hash_4 last = bosc_hash_lows(slots + BOSC_HASH_WINDOW / 2 * stride, stride) == wanted;
    return (uint32_t)__builtin_ia32_pmovmskb128((bosc_hash_16)__builtin_ia32_packssdw128(first, last));
#else
    uint32_t match = 0, here;
    for (uint32_t i = 0; i < BOSC_HASH_WINDOW; i++) {
        __builtin_memcpy(&here, slots + i * stride, sizeof here);
        match |= (uint32_t)(here == low) << 2 * i;
    }
    return match;
#endif
}

/* As bosc_hash_home, by one multiplication. */
BOSC_DEVICE_INLINE uint64_t bosc_hash_home_at_once(bosc_hash_word hash, int32_t key_bits, uint32_t homes)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 product;
    if (key_bits == 64) return (uint64_t)((product)hash.low * homes >> 64);
#endif
    return bosc_hash_home(hash, key_bits, homes);
}

/* A slot, or where it is absent -1 and NULL. */
typedef struct bosc_hash_slot {
    int64_t number;
    const unsigned char *at;
} bosc_hash_slot;

BOSC_DEVICE_INLINE bosc_hash_slot bosc_hash_slot_at(const unsigned char *slots, int64_t number, uint32_t stride)
{
    const bosc_hash_slot slot = {number, number < 0 ? NULL : slots + (uint64_t)number * stride};
    return slot;
}

/* Slots that are compared at once, and those among them that hold a hash, or half of it: bit 2i for slot i. */
typedef struct bosc_hash_window {
    uint64_t first;
    const unsigned char *at;
    uint32_t slots, match;
    int whole; /* what matches is the whole hash */
} bosc_hash_window;

BOSC_DEVICE_INLINE bosc_hash_window bosc_hash_window_of(const bosc_hash_slots_view *view, int32_t key_bits,
                                                        uint32_t stride, bosc_hash_word hash)
{
    bosc_hash_window w = {bosc_hash_home_at_once(hash, key_bits, view->homes), NULL, BOSC_HASH_WINDOW, 0, 0};
    w.at = view->slots + w.first * stride;
    w.match = bosc_hash_match_window(w.at, stride, (uint32_t)hash.low);
    w.whole = key_bits == 32;
    return w;
}

#ifdef BOSC_HASH_AVX512
enum { BOSC_HASH_LINE = 64, BOSC_HASH_LINES_32 = 2, BOSC_HASH_LINES_64 = 3 };

/* The words of 32 or 64 bits in a line that hold a hash. */
BOSC_DEVICE_INLINE unsigned short bosc_hash_match_line_32(const unsigned char *at, uint32_t hash)
{
    bosc_hash_i16 line;
    __builtin_memcpy(&line, at, sizeof line);
    return __builtin_ia32_cmpd512_mask(line, (int)hash - (bosc_hash_i16){0}, 0, 0xffff);
}

BOSC_DEVICE_INLINE unsigned char bosc_hash_match_line_64(const unsigned char *at, uint64_t hash)
{
    bosc_hash_i8 line;
    __builtin_memcpy(&line, at, sizeof line);
    return __builtin_ia32_cmpq512_mask(line, (long long)hash - (bosc_hash_i8){0}, 0, 0xff);
}

/* Bit 2i: slot i of some lines holds a hash. Masks are joined where they are, which takes less than as numbers. */
BOSC_DEVICE_INLINE uint32_t bosc_hash_match_lines(const unsigned char *at, int32_t key_bits, uint64_t hash)
{
    const unsigned char *next = at + BOSC_HASH_LINE;
    if (key_bits == 32) {
        const uint32_t low = bosc_hash_match_line_32(at, (uint32_t)hash);
        return __builtin_ia32_kunpcksi(bosc_hash_match_line_32(next, (uint32_t)hash), low) & 0x55555555;
    }
    const unsigned short low = bosc_hash_match_line_64(at, hash);
    const uint32_t both = __builtin_ia32_kunpckhi(bosc_hash_match_line_64(next, hash), low);
    return (both | (uint32_t)bosc_hash_match_line_64(next + BOSC_HASH_LINE, hash) << 16) & 0x555555;
}

/* The same of slots of twice key_bits, by lines of a cache from that of the home on: so many that hardly any key is
 * beyond, as no CPU can guess the branch that tells. */
BOSC_DEVICE_INLINE bosc_hash_window bosc_hash_lines_of(const bosc_hash_slots_view *view, int32_t key_bits,
                                                       bosc_hash_word hash)
{
    const uint32_t stride = (uint32_t)key_bits / 4, slots = BOSC_HASH_LINE / stride;
    bosc_hash_window w = {bosc_hash_home_at_once(hash, key_bits, view->homes), NULL, 0, 0, 1};
    w.first &= ~(uint64_t)(slots - 1);
    w.at = view->slots + w.first * stride;
    w.match = bosc_hash_match_lines(w.at, key_bits, hash.low);
    w.slots = slots * (key_bits == 32 ? BOSC_HASH_LINES_32 : BOSC_HASH_LINES_64);
    return w;
}
#endif

/* The slot of a hash from its window on. Most pairs are in their window, so that a CPU guesses all branches but the one
 * that tells whether the hash is there. The greatest hash is found in an empty slot at the latest: only then it is told
 * from others, and so are hashes of which half is the same. */
BOSC_DEVICE_INLINE bosc_hash_slot bosc_hash_search_from(const bosc_hash_slots_view *view, int32_t key_bits,
                                                        uint32_t stride, bosc_hash_word hash, bosc_hash_window w)
{
    const uint64_t greatest = bosc_hash_greatest(key_bits).low;
    bosc_hash_slot found = {-1, NULL};
    if (__builtin_expect(w.match != 0, 1)) {
        const uint64_t i = (uint64_t)__builtin_ctz(w.match);
        found.number = (int64_t)(w.first + i / 2);
        found.at = w.at + (stride % 2 ? i / 2 * stride : i * (stride / 2));
        const int same = w.whole || bosc_hash_word_at(found.at, 0, key_bits).low == hash.low;
        if (__builtin_expect(same && hash.low != greatest, 1)) return found;
    } else {
        uint64_t slot = w.first + w.slots - 1, here;
        const unsigned char *at = w.at + (uint64_t)(w.slots - 1) * stride;
        if (__builtin_expect(bosc_hash_word_at(at, 0, key_bits).low >= hash.low, 1)) return found;
        do slot++, at += stride;
        while (here = bosc_hash_word_at(at, 0, key_bits).low, here < hash.low);
        if (here != hash.low) return found;
        found.number = (int64_t)slot;
        found.at = at;
        if (hash.low != greatest) return found;
    }
    return bosc_hash_slot_at(view->slots, bosc_hash_search_ordered_apart(view, hash), stride);
}

/* As bosc_hash_search_ordered, with the width and perhaps the stride known where it is compiled, in a table of
 * BOSC_HASH_LEAST_HOMES or more. */
BOSC_DEVICE_INLINE bosc_hash_slot bosc_hash_search_window(const bosc_hash_slots_view *view, int32_t key_bits,
                                                          uint32_t stride, bosc_hash_word hash)
{
    return bosc_hash_search_from(view, key_bits, stride, hash, bosc_hash_window_of(view, key_bits, stride, hash));
}

/* ORDERED: the slot of a key, of view->pair_bits that are known where it is compiled. */
BOSC_DEVICE_INLINE bosc_hash_slot bosc_hash_look_up_pair(const bosc_hash_slots_view *view, int32_t pair_bits,
                                                         bosc_hash_word key)
{
    const uint32_t stride = (uint32_t)pair_bits / 4;
    const bosc_hash_word hash = bosc_hash_of(key, pair_bits, view->seed);
#ifdef BOSC_HASH_AVX512
    return bosc_hash_search_from(view, pair_bits, stride, hash, bosc_hash_lines_of(view, pair_bits, hash));
#else
    return bosc_hash_search_window(view, pair_bits, stride, hash);
#endif
}

/* ORDERED: the slot of a key. */
BOSC_DEVICE_INLINE bosc_hash_slot bosc_hash_look_up_ordered(const bosc_hash_slots_view *view, bosc_hash_word key)
{
    const uint32_t stride = (uint32_t)view->stride;
    const int few = view->homes < BOSC_HASH_LEAST_HOMES;
    if (!few && view->key_bits == 32)
        return bosc_hash_search_window(view, 32, stride, bosc_hash_of(key, 32, view->seed));
    if (!few && view->key_bits == 64)
        return bosc_hash_search_window(view, 64, stride, bosc_hash_of(key, 64, view->seed));
    const bosc_hash_word hash = bosc_hash_of(key, view->key_bits, view->seed);
    return bosc_hash_slot_at(view->slots, bosc_hash_search_ordered_apart(view, hash), stride);
}
#endif

/* The slot of a hash, or -1 if the table does not hold it. */
BOSC_DEVICE_FN int64_t bosc_hash_search(const bosc_hash_slots_view *view, bosc_hash_word hash)
{
    if (view->layout == BOSC_HASH_CUCKOO) return bosc_hash_search_cuckoo(view, hash);
    if (view->layout == BOSC_HASH_CHAINED) return bosc_hash_search_chains(view, hash);
    if (view->layout == BOSC_HASH_ORDERED) return bosc_hash_search_ordered(view, hash);
    bosc_hash_run run = bosc_hash_run_at(view, bosc_hash_run_of(view, hash));
    return bosc_hash_search_run(view, &run, hash);
}

#ifdef BOSC_HASH_HOST
/* As bosc_hash_slots_look_up, of the other layouts: likewise apart. */
static __attribute__((noinline, pure, unused)) int64_t bosc_hash_slots_look_up_apart(const bosc_hash_slots_view *view,
                                                                                     bosc_hash_word key)
{
    return bosc_hash_search(view, bosc_hash_of(key, view->key_bits, view->seed));
}
#endif

/* The slot of a key, or -1 if the table does not hold it. */
BOSC_DEVICE_INLINE int64_t bosc_hash_slots_look_up(const bosc_hash_slots_view *view, bosc_hash_word key)
{
#ifdef BOSC_HASH_HOST
    if (__builtin_expect(view->pair_bits == 32, 1)) return bosc_hash_look_up_pair(view, 32, key).number;
    if (__builtin_expect(view->pair_bits == 64, 1)) return bosc_hash_look_up_pair(view, 64, key).number;
    if (__builtin_expect(view->layout == BOSC_HASH_ORDERED, 1)) return bosc_hash_look_up_ordered(view, key).number;
    return bosc_hash_slots_look_up_apart(view, key);
#else
    return bosc_hash_search(view, bosc_hash_of(key, view->key_bits, view->seed));
#endif
}

/* The value in a slot that was found. */
BOSC_DEVICE_FN const void *bosc_hash_slots_value_at(const bosc_hash_slots_view *view, int64_t slot)
{
    return view->slots + (uint64_t)slot * (uint32_t)view->stride + view->key_bits / 8;
}

/* The value stored with a key, as bosc_hash_slots_value_at gives it, or NULL if the table does not hold the key. */
BOSC_DEVICE_INLINE const void *bosc_hash_slots_look_up_value(const bosc_hash_slots_view *view, bosc_hash_word key)
{
#ifdef BOSC_HASH_HOST
    if (__builtin_expect(view->pair_bits == 32, 1)) {
        const unsigned char *slot = bosc_hash_look_up_pair(view, 32, key).at;
        return slot ? slot + 32 / 8 : NULL;
    }
    if (__builtin_expect(view->pair_bits == 64, 1)) {
        const unsigned char *slot = bosc_hash_look_up_pair(view, 64, key).at;
        return slot ? slot + 64 / 8 : NULL;
    }
    if (__builtin_expect(view->layout == BOSC_HASH_ORDERED, 1)) {
        const unsigned char *slot = bosc_hash_look_up_ordered(view, key).at;
        return slot ? slot + (uint32_t)view->key_bits / 8 : NULL;
    }
#endif
    const int64_t slot = bosc_hash_slots_look_up(view, key);
    return slot >= 0 ? bosc_hash_slots_value_at(view, slot) : NULL;
}

BOSC_BEGIN_DECLS

/* Gives the view of a table that is not BUCKETED. What a multimap stores with a key is as in bosc_hash_get_view.
 * Errors: BOSC_ERR_ARG if the table is BUCKETED; BOSC_ERR_DATA before a build and after one that failed.
 * Cost: O(1). */
BOSC_API bosc_status bosc_hash_get_slots_view(bosc_ctx *ctx, const bosc_hash *table, bosc_hash_slots_view *view);

BOSC_END_DECLS
#endif
