/* boscage/device/hash_slots.h - look-ups in tables of the layouts PERFECT, HYBRID and FKS from a loop or a kernel.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The table: a key becomes its hash, one to one, of as many bits. The hash chooses a run of places; the run and its
 * seed tell the places that the key may have. A place is a hash, the value, and zero bytes up to `stride`; if it has no
 * pair, its hash is a filler: one that chooses another run, so no key that is looked for here can have it.
 *
 * PERFECT: the top part_bits of the hash choose the run; the hash and the run's seed choose one of the run's groups,
 * and the group's pilot leads each of its keys to a place that no other key has. Sources: Fox, Chen, Heath, A Faster
 * Algorithm for Constructing Minimal Perfect Hash Functions (1992); Pibiri and Trani, PTHash (2021); Groot Koerkamp,
 * PtrHash (2025); Hermann et al., PHOBIC (2024).
 * HYBRID: a run is three subtables of equal size, and a key has a place in each. Source: Alcantara et al., Real-time
 * Parallel Hashing on the GPU (2009).
 * FKS: a run of k keys has k * k places, among which its seed tells the keys apart. Source: Fredman, Komlos, Szemeredi,
 * Storing a Sparse Table with O(1) Worst Case Access Time (1984).
 * Where no seed serves, the run is linear: its keys stand one after the other, and if there are more than
 * BOSC_HASH_SCAN places, they are all taken, by ascending hash. */
#ifndef BOSCAGE_DEVICE_HASH_SLOTS_H
#define BOSCAGE_DEVICE_HASH_SLOTS_H

#include <boscage/device/hash.h>

enum { BOSC_HASH_PLACES_VERSION = 1, BOSC_HASH_SCAN = 8192, BOSC_HASH_SUBTABLES = 3 };

typedef struct bosc_hash_places_view {
    uint32_t version; /* BOSC_HASH_PLACES_VERSION */
    bosc_hash_layout layout;
    int32_t key_bits, value_size; /* value_size: bytes kept with a key, as in bosc_hash_view */
    int32_t stride;               /* bytes of a place */
    int32_t part_bits;            /* PERFECT */
    uint32_t runs, groups;        /* groups of each run: PERFECT */
    uint64_t seed;
    const uint64_t *parts;  /* a number for the hash that chooses runs; then for each run, and the end, its first place
                               << BOSC_HASH_SEED_BITS, and its seed */
    const uint16_t *pilots; /* runs x groups */
    const unsigned char *places;
} bosc_hash_places_view;

typedef struct bosc_hash_run {
    uint64_t first, size; /* places */
    uint32_t seed, number;
} bosc_hash_run;

/* 32 bits of a hash, other ones for each seed. */
BOSC_DEVICE_FN uint32_t bosc_hash_remix(bosc_hash_word hash, int32_t key_bits, uint32_t seed)
{
    if (key_bits == 32) return bosc_hash_mix32((uint32_t)hash.low + seed * 0x9e3779b9u);
    hash.low = bosc_hash_mix64(hash.low + seed * 0x9e3779b97f4a7c15ull);
    if (key_bits == 128) hash.low = bosc_hash_mix64(hash.low ^ hash.high);
    return (uint32_t)(hash.low >> 32);
}

/* Bits as a number below `bound`. */
BOSC_DEVICE_FN uint32_t bosc_hash_below(uint32_t bits, uint32_t bound)
{
    return (uint32_t)((uint64_t)bits * bound >> 32);
}

BOSC_DEVICE_FN uint32_t bosc_hash_run_of(const bosc_hash_places_view *view, bosc_hash_word hash)
{
    if (view->layout == BOSC_HASH_PERFECT) return bosc_hash_part_of(hash, view->key_bits, view->part_bits);
    return bosc_hash_below(bosc_hash_remix(hash, view->key_bits, (uint32_t)view->parts[0] + BOSC_HASH_LINEAR + 1),
                           view->runs);
}

BOSC_DEVICE_FN bosc_hash_run bosc_hash_run_at(const bosc_hash_places_view *view, uint32_t number)
{
    uint64_t word = view->parts[1 + (uint64_t)number], next = view->parts[2 + (uint64_t)number];
    bosc_hash_run run;
    run.first = word >> BOSC_HASH_SEED_BITS;
    run.size = (next >> BOSC_HASH_SEED_BITS) - run.first;
    run.seed = (uint32_t)word & BOSC_HASH_LINEAR;
    run.number = number;
    return run;
}

/* Of hashes mixed with the run's seed (bosc_hash_remix): the group, and with its pilot the place in a run. */
BOSC_DEVICE_FN uint32_t bosc_hash_group(uint32_t mixed, uint32_t groups)
{
    return bosc_hash_below(bosc_hash_scatter(mixed ^ 0x5bd1e995u), groups);
}

BOSC_DEVICE_FN uint32_t bosc_hash_piloted(uint32_t mixed, uint32_t pilot, uint32_t places)
{
    return bosc_hash_below(bosc_hash_scatter(mixed + pilot * 0x85ebca6bu), places);
}

/* The place in its run that a key has in subtable 0, 1 or 2. */
BOSC_DEVICE_FN uint32_t bosc_hash_in_subtable(uint32_t mixed, uint32_t subtable, uint32_t places)
{
    uint32_t each = places / BOSC_HASH_SUBTABLES;
    return subtable * each + bosc_hash_below(bosc_hash_scatter(mixed + subtable * 0x85ebca6bu), each);
}

BOSC_DEVICE_FN bosc_hash_word bosc_hash_at_place(const bosc_hash_places_view *view, uint64_t place)
{
    return bosc_hash_load(view->places + place * (uint32_t)view->stride, 0, view->key_bits);
}

/* Probe number `probe` of a hash (its mixed bits) in a run that is not linear and not empty. */
BOSC_DEVICE_FN uint64_t bosc_hash_probe(const bosc_hash_places_view *view, const bosc_hash_run *run, uint32_t mixed,
                                        uint32_t probe)
{
    uint32_t size = (uint32_t)run->size;
    if (view->layout == BOSC_HASH_HYBRID) return run->first + bosc_hash_in_subtable(mixed, probe, size);
    if (view->layout == BOSC_HASH_FKS) return run->first + bosc_hash_below(mixed, size);
    uint32_t group = bosc_hash_group(mixed, view->groups);
    return run->first + bosc_hash_piloted(mixed, view->pilots[(uint64_t)run->number * view->groups + group], size);
}

/* Where a hash stands in a linear run, or -1. */
BOSC_DEVICE_FN int64_t bosc_hash_search_linear(const bosc_hash_places_view *view, const bosc_hash_run *run,
                                               bosc_hash_word hash)
{
    uint64_t low = run->first, high = run->first + run->size;
    while (run->size > BOSC_HASH_SCAN && high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (bosc_hash_less(hash, bosc_hash_at_place(view, middle)))
            high = middle;
        else
            low = middle;
    }
    for (; low < high; low++) {
        bosc_hash_word here = bosc_hash_at_place(view, low);
        if (here.low == hash.low && here.high == hash.high) return (int64_t)low;
    }
    return -1;
}

/* Where a hash stands in its run, or -1. */
BOSC_DEVICE_FN int64_t bosc_hash_search_run(const bosc_hash_places_view *view, const bosc_hash_run *run,
                                            bosc_hash_word hash)
{
    if (run->size == 0) return -1;
    if (run->seed == BOSC_HASH_LINEAR) return bosc_hash_search_linear(view, run, hash);
    uint32_t mixed = bosc_hash_remix(hash, view->key_bits, run->seed);
    uint32_t probes = view->layout == BOSC_HASH_HYBRID ? BOSC_HASH_SUBTABLES : 1;
    for (uint32_t i = 0; i < probes; i++) {
        uint64_t place = bosc_hash_probe(view, run, mixed, i);
        bosc_hash_word here = bosc_hash_at_place(view, place);
        if (here.low == hash.low && here.high == hash.high) return (int64_t)place;
    }
    return -1;
}

/* Where a key stands, or -1 if the table does not hold it. */
BOSC_DEVICE_FN int64_t bosc_hash_places_look_up(const bosc_hash_places_view *view, bosc_hash_word key)
{
    bosc_hash_word hash = bosc_hash_of(key, view->key_bits, view->seed);
    bosc_hash_run run = bosc_hash_run_at(view, bosc_hash_run_of(view, hash));
    return bosc_hash_search_run(view, &run, hash);
}

/* The value at a place that was found. */
BOSC_DEVICE_FN const void *bosc_hash_places_value(const bosc_hash_places_view *view, int64_t place)
{
    return view->places + (uint64_t)place * (uint32_t)view->stride + view->key_bits / 8;
}

BOSC_BEGIN_DECLS

/* BOSC_ERR_ARG if the table is BUCKETED; BOSC_ERR_DATA before a build and after one that failed. */
BOSC_API bosc_status bosc_hash_get_places_view(bosc_ctx *ctx, const bosc_hash *table, bosc_hash_places_view *view);

BOSC_END_DECLS
#endif
