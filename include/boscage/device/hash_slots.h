/* boscage/device/hash_slots.h - queries of tables of the layouts other than BUCKETED in your own loop or kernel.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_hash_get_slots_view
 *
 * The table: a key is mapped one to one to its hash, of the same number of bits. The hash chooses a run of slots; the
 * run and its seed give the slots that the key may have. A slot is a hash, the value, and zero bytes up to `stride`. An
 * empty slot holds a filler: a hash that chooses another run (CUCKOO: other slots), so no query finds it.
 *
 * PERFECT: the top partition_bits of the hash choose the run; the hash and the run's seed choose one of the run's
 * groups; the group's pilot gives each of its keys a slot of its own. Sources: Fox, Chen, Heath, A Faster Algorithm for
 * Constructing Minimal Perfect Hash Functions (1992); Pibiri and Trani, PTHash (2021); Groot Koerkamp, PtrHash (2025);
 * Hermann et al., PHOBIC (2024).
 *
 * HYBRID: a run is three subtables of equal size, and a key has a slot in each. A key outside its first slot was
 * evicted from it, and a used slot is never empty again, so an empty slot ends a search. Source: Alcantara et al.,
 * Real-time Parallel Hashing on the GPU (2009).
 *
 * FKS: a run of k keys has k * k slots, among which its seed separates the keys. Source: Fredman, Komlos, Szemeredi,
 * Storing a Sparse Table with O(1) Worst Case Access Time (1984).
 *
 * CUCKOO: run 0 is the table, in which a key has a slot by each function; run 1 is the stash, of no slots or of
 * BOSC_HASH_STASH, in which it has one. Sources: Pagh and Rodler, Cuckoo Hashing (2004); Alcantara, Efficient Hash
 * Tables on the GPU (2011).
 *
 * CHAINED: a run is the chain of a bucket; a key is in one of its buckets, one for each function. All runs are linear.
 * The buckets of all functions are the same ones, or a subtable for each function. Sources: Azar, Broder, Karlin,
 * Upfal, Balanced Allocations (1999); Voecking, How Asymmetry Helps Load Balancing (2003); Alcantara (2011).
 *
 * ORDERED: linear probing without a wrap; run 0 is the table. Pairs are in the order of their hashes. A pair's home is
 * its hash scaled to the number of homes; the pair is there, or after the pair before it if that is further on. Empty
 * slots hold the greatest hash. The pair with that hash has the last slot, which holds 0 while it is empty; the slot
 * before it is always empty. A search ascends from the home to a hash that is not less. If pairs do not fit this way,
 * there are as many slots as pairs, and a search is binary. Sources: Amble and Knuth, Ordered Hash Tables (1974);
 * Celis, Robin Hood Hashing (1986).
 *
 * On the CPU an ORDERED table also has a directory, 32 bits for each home: a bit for each range of its hashes that has
 * a key, and above them the offset of its first pair from the home, at most 255 slots. One read of it rejects most
 * absent keys and gives the slot of most others. Source, for bits and ranks beside such runs: Pandey, Bender, Johnson,
 * Patro, A General-Purpose Counting Filter (2017).
 *
 * A run for which no seed works is linear: its keys are contiguous. If it has more than BOSC_HASH_SCAN slots, all are
 * occupied, by ascending hash. */
#ifndef BOSCAGE_DEVICE_HASH_SLOTS_H
#define BOSCAGE_DEVICE_HASH_SLOTS_H

#include <boscage/device/hash.h>

enum {
    BOSC_HASH_SLOTS_VERSION = 8,
    BOSC_HASH_SCAN = 8192,
    BOSC_HASH_SUBTABLES = 3, /* HYBRID */
    BOSC_HASH_FUNCTIONS = 4, /* CUCKOO, CHAINED: most functions; CUCKOO: also the number of the stash's function */
    BOSC_HASH_STASH = 101,
    BOSC_HASH_RUN_HASHES = 5,     /* hash functions that may choose runs */
    BOSC_HASH_HOME_RANGES = 24,   /* of a home in a directory */
    BOSC_HASH_INDEXED = 1 << 25,  /* most homes of a directory */
    BOSC_HASH_FAR_HOMES = 1 << 18 /* homes of a table beyond a core's own caches */
};

typedef struct bosc_hash_slots_view {
    uint32_t version; /* BOSC_HASH_SLOTS_VERSION */
    bosc_hash_layout layout;
    int32_t key_bits, value_size; /* value_size: bytes stored with a key, as in bosc_hash_view */
    int32_t stride;               /* bytes of a slot */
    int32_t partition_bits;       /* PERFECT */
    uint32_t runs, groups;        /* PERFECT: groups of each run; CHAINED: subtables, one or one for each function */
    uint32_t functions;           /* CUCKOO, CHAINED */
    uint64_t seed;
    /* The number of the hash that chooses runs; then for each run, and the end, its first slot << BOSC_HASH_SEED_BITS |
     * its seed. */
    const uint64_t *descriptors;
    const uint16_t *pilots; /* (runs x groups) */
    const unsigned char *slots;
    const unsigned char *values; /* multimap: all values, grouped by key; else NULL */
    uint32_t homes;              /* ORDERED; 0: the slots are full, searches are binary */
    int32_t pair_bits; /* ORDERED with a directory: bits of a slot that has twice key_bits; else 0. One test then
                        * selects a CPU's search */
    const uint32_t *directory; /* ORDERED: (homes); NULL on a device and for keys of 128 bits */
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

/* The run of a hash; not of CUCKOO and CHAINED. */
BOSC_DEVICE_FN uint32_t bosc_hash_run_of(const bosc_hash_slots_view *view, bosc_hash_word hash)
{
    if (view->layout == BOSC_HASH_PERFECT) return bosc_hash_partition_of(hash, view->key_bits, view->partition_bits);
    return bosc_hash_below(bosc_hash_remix(hash, view->key_bits, (uint32_t)view->descriptors[0] + BOSC_HASH_LINEAR + 1),
                           view->runs);
}

/* CHAINED: the bucket of a hash by one of the functions; without subtables it may be that of another function too. */
BOSC_DEVICE_FN uint32_t bosc_hash_run_by_function(const bosc_hash_slots_view *view, bosc_hash_word hash,
                                                  uint32_t function)
{
    uint32_t seed = (uint32_t)view->descriptors[0] + BOSC_HASH_LINEAR + 1 + function * BOSC_HASH_RUN_HASHES;
    uint32_t each = view->groups > 1 ? view->runs / view->groups : view->runs;
    uint32_t first = view->groups > 1 ? function * each : 0;
    return first + bosc_hash_below(bosc_hash_remix(hash, view->key_bits, seed), each);
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
    for (uint32_t i = 0; i < view->functions; i++) {
        bosc_hash_run run = bosc_hash_run_at(view, bosc_hash_run_by_function(view, hash, i));
        int64_t slot = bosc_hash_search_linear(view, &run, hash);
        if (slot >= 0) return slot;
    }
    return -1;
}

/* ORDERED: returns the slot where the search for a hash begins. */
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
/* bosc_hash_search_ordered for rare calls: not inlined, so that it costs loops no registers. */
static __attribute__((noinline, cold, pure, unused)) int64_t
bosc_hash_search_ordered_apart(const bosc_hash_slots_view *view, bosc_hash_word hash)
{
    return bosc_hash_search_ordered(view, hash);
}

/* The place of a hash in a directory: a home, and one of its ranges of hashes. */
typedef struct bosc_hash_place {
    uint64_t home;
    uint32_t range;
} bosc_hash_place;

/* Returns the range of a hash, given the 32 bits below those of its home: of each four 32nds of a home the first two
 * are one range. */
BOSC_DEVICE_INLINE uint32_t bosc_hash_range(uint32_t part) { return (part >> 27) * 3 >> 2; }

/* Finds the place of a hash. Only the top 31 of 64 bits count, so that one multiplication suffices. The last keys of a
 * home really have the next one as home, in its range 0: for them the bit of the last range is set, too. */
BOSC_DEVICE_INLINE bosc_hash_place bosc_hash_place_of(uint64_t hash, int32_t key_bits, uint32_t homes)
{
    const uint64_t product = key_bits == 32 ? hash * homes : (hash >> 33) * (2 * (uint64_t)homes);
    const bosc_hash_place place = {product >> 32, bosc_hash_range((uint32_t)product)};
    return place;
}

/* A slot; -1 and NULL if absent. */
typedef struct bosc_hash_slot {
    int64_t number;
    const unsigned char *at;
} bosc_hash_slot;

BOSC_DEVICE_INLINE bosc_hash_slot bosc_hash_slot_at(const unsigned char *slots, int64_t number, uint32_t stride)
{
    const bosc_hash_slot slot = {number, number < 0 ? NULL : slots + (uint64_t)number * stride};
    return slot;
}

/* Returns the number of ranges below one that have a key; 0 without the popcount instruction, so that the search begins
 * earlier. */
BOSC_DEVICE_INLINE uint32_t bosc_hash_keys_below(uint32_t entry, uint32_t range)
{
#if !defined(__x86_64__) || defined(__POPCNT__)
    return (uint32_t)__builtin_popcount(entry & ((1u << range) - 1));
#else
    return (void)entry, (void)range, 0;
#endif
}

/* Returns the slot that a directory's entry gives for a hash. A hash not found there shares its range's bit with
 * another key, or is absent: it is searched for. The greatest hash marks empty slots too, so only the search
 * distinguishes it. */
BOSC_DEVICE_INLINE bosc_hash_slot bosc_hash_search_entry(const bosc_hash_slots_view *view, int32_t key_bits,
                                                         uint32_t stride, bosc_hash_word hash, bosc_hash_place place,
                                                         uint32_t entry)
{
    const uint64_t slot = place.home + (entry >> BOSC_HASH_HOME_RANGES) + bosc_hash_keys_below(entry, place.range);
    const bosc_hash_slot there = {(int64_t)slot, view->slots + slot * stride}, absent = {-1, NULL};
    const uint64_t here = bosc_hash_word_at(there.at, 0, key_bits).low, greatest = bosc_hash_greatest(key_bits).low;
    if (__builtin_expect(here == hash.low && here != greatest, 1)) return there;
    if (here > hash.low && here != greatest) return absent;
    const bosc_hash_slots_view copy = *view; /* lets the view stay in registers */
    return bosc_hash_slot_at(view->slots, bosc_hash_search_ordered_apart(&copy, hash), stride);
}

/* ORDERED with a directory: returns the slot of a key of 32 or 64 bits. The width, and perhaps the stride, are known at
 * compile time. Most absent keys cost a read of the directory alone. */
BOSC_DEVICE_INLINE bosc_hash_slot bosc_hash_look_up_indexed(const bosc_hash_slots_view *view, int32_t key_bits,
                                                            uint32_t stride, bosc_hash_word key)
{
    const bosc_hash_slot absent = {-1, NULL};
    bosc_hash_word hash = key;
    hash.low = key_bits == 32 ? bosc_hash_of(key, 32, view->seed).low : bosc_hash_begin_mix64(key.low ^ view->seed);
    const bosc_hash_place place = bosc_hash_place_of(hash.low, key_bits, view->homes);
    if (__builtin_expect(view->homes >= BOSC_HASH_FAR_HOMES, 0)) /* beyond the caches: overlap both reads */
        __builtin_prefetch(view->slots + place.home * stride + 32);
    const uint32_t entry = view->directory[place.home];
    if (!(entry >> place.range & 1)) return absent;
    if (key_bits == 64) hash.low = bosc_hash_end_mix64(hash.low);
    return bosc_hash_search_entry(view, key_bits, stride, hash, place, entry);
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
/* Returns the slot of a key in any table. Not inlined, so that it costs loops over the most frequent tables no
 * registers. */
static __attribute__((noinline, pure, unused)) bosc_hash_slot bosc_hash_look_up_apart(const bosc_hash_slots_view *view,
                                                                                      bosc_hash_word key)
{
    const uint32_t stride = (uint32_t)view->stride;
    if (view->directory && view->key_bits == 32) return bosc_hash_look_up_indexed(view, 32, stride, key);
    if (view->directory) return bosc_hash_look_up_indexed(view, 64, stride, key);
    const bosc_hash_word hash = bosc_hash_of(key, view->key_bits, view->seed);
    return bosc_hash_slot_at(view->slots, bosc_hash_search(view, hash), stride);
}

/* Returns the slot of a key of a width known at compile time, or 0. */
BOSC_DEVICE_INLINE bosc_hash_slot bosc_hash_look_up_slot(const bosc_hash_slots_view *view, int32_t key_bits,
                                                         bosc_hash_word key)
{
    if (key_bits != 64 && __builtin_expect(view->pair_bits == 32, 1))
        return bosc_hash_look_up_indexed(view, 32, 32 / 4, key);
    if (key_bits != 32 && __builtin_expect(view->pair_bits == 64, 1))
        return bosc_hash_look_up_indexed(view, 64, 64 / 4, key);
    const bosc_hash_slots_view copy = *view;
    return bosc_hash_look_up_apart(&copy, key);
}
#endif

/* The slot of a key, or -1 if the table does not hold it. */
BOSC_DEVICE_INLINE int64_t bosc_hash_slots_look_up(const bosc_hash_slots_view *view, bosc_hash_word key)
{
#ifdef BOSC_HASH_HOST
    return bosc_hash_look_up_slot(view, 0, key).number;
#else
    return bosc_hash_search(view, bosc_hash_of(key, view->key_bits, view->seed));
#endif
}

/* Returns the value in a slot that was found. */
BOSC_DEVICE_FN const void *bosc_hash_slots_value_at(const bosc_hash_slots_view *view, int64_t slot)
{
    return view->slots + (uint64_t)slot * (uint32_t)view->stride + view->key_bits / 8;
}

/* Returns the value stored with a key of a width known at compile time, or 0. */
BOSC_DEVICE_INLINE const void *bosc_hash_value_of(const bosc_hash_slots_view *view, int32_t key_bits,
                                                  bosc_hash_word key)
{
#ifdef BOSC_HASH_HOST
    const unsigned char *slot = bosc_hash_look_up_slot(view, key_bits, key).at;
    return slot ? slot + (uint32_t)(key_bits ? key_bits : view->key_bits) / 8 : NULL;
#else
    (void)key_bits; /* the view has it, too */
    const int64_t slot = bosc_hash_slots_look_up(view, key);
    return slot >= 0 ? bosc_hash_slots_value_at(view, slot) : NULL;
#endif
}

/* The value stored with a key, as bosc_hash_slots_value_at gives it, or NULL if the table does not hold the key. */
BOSC_DEVICE_INLINE const void *bosc_hash_slots_look_up_value(const bosc_hash_slots_view *view, bosc_hash_word key)
{
    return bosc_hash_value_of(view, 0, key);
}

/* Returns the value as bosc_hash_slots_look_up_value does, for a table of 32-bit or 64-bit keys: faster, with the width
 * known at compile time. */
BOSC_DEVICE_INLINE const void *bosc_hash_slots_look_up_value_32(const bosc_hash_slots_view *view, uint32_t key)
{
    const bosc_hash_word word = {key, 0};
    return bosc_hash_value_of(view, 32, word);
}

BOSC_DEVICE_INLINE const void *bosc_hash_slots_look_up_value_64(const bosc_hash_slots_view *view, uint64_t key)
{
    const bosc_hash_word word = {key, 0};
    return bosc_hash_value_of(view, 64, word);
}

BOSC_BEGIN_DECLS

/* Describes a table that is not BUCKETED by a view. A multimap stores its values as in bosc_hash_get_view.
 * Errors: BOSC_ERR_ARG if the table is BUCKETED; BOSC_ERR_DATA before a build and after a failed one.
 * Cost: O(1). */
BOSC_API bosc_status bosc_hash_get_slots_view(bosc_ctx *ctx, const bosc_hash *table, bosc_hash_slots_view *view);

BOSC_END_DECLS
#endif
