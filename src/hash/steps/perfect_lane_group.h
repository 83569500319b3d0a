/* PERFECT: a lane group of one warp, or one thread, finds the pilots of a run. It processes the groups by descending
 * size, equal ones by number; each gets the least pilot that sends its keys to distinct free slots. So the run depends
 * on its set of keys alone. Sources: see boscage/device/hash_slots.h. */
#ifndef BI_HASH_STEPS_PERFECT_LANE_GROUP_H
#define BI_HASH_STEPS_PERFECT_LANE_GROUP_H

#include "hash/steps/slot_store.h"
#include "hash/steps/lane_group.h"

/* A bit for each slot: the load factor is 1/2 or more. */
enum { BI_HASH_PERFECT_WORDS = 2 * BI_HASH_PERFECT_MAX_KEYS / 32 + 1 };

struct bi_hash_perfect_work {
    uint32_t mixed[BI_HASH_PERFECT_MAX_KEYS]; /* bits of the keys, ordered by group */
    uint32_t ends[BI_HASH_PERFECT_GROUPS];    /* of the groups in `mixed` */
    uint32_t taken[BI_HASH_PERFECT_WORDS];    /* a bit for each slot */
    uint32_t largest;                         /* keys of the largest group */
    uint32_t alike;                           /* not 0: no pilot separates two keys of a group */
};

BI_LANE_GROUP_FN uint32_t bi_hash_perfect_begin(const struct bi_hash_perfect_work *w, uint32_t group)
{
    return group ? w->ends[group - 1] : 0;
}

/* Turns the counts of the groups into their begins; records the largest group. */
BI_LANE_GROUP_FN void bi_hash_perfect_sum(struct bi_hash_perfect_work *w, uint32_t groups)
{
    uint32_t each = (groups + BI_LANES - 1) / BI_LANES, from = BI_LANE * each, sum = 0, largest = 0;
    uint32_t to = from + each < groups ? from + each : groups;
    for (uint32_t g = from; g < to; g++) {
        sum += w->ends[g];
        if (w->ends[g] > largest) largest = w->ends[g];
    }
    uint32_t begin = bi_lane_group_exclusive_sum(sum);
    for (uint32_t g = from; g < to; g++) {
        uint32_t size = w->ends[g];
        w->ends[g] = begin;
        begin += size;
    }
    bi_lane_group_max(&w->largest, largest);
}

/* Orders the keys by group under a seed (a counting sort); within a group in any order. All lanes call it, for at most
 * BI_HASH_PERFECT_MAX_KEYS keys. w->alike: two keys of a group have the same bits, so that no pilot separates them. */
BI_LANE_GROUP_FN void bi_hash_perfect_order(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys,
                                            uint32_t seed, struct bi_hash_perfect_work *w)
{
    uint32_t groups = f->view.groups;
    int32_t bits = f->view.key_bits;
    /* 1. Clear, and count the keys of each group. */
    bi_lane_group_sync(); /* no lane still reads the work of the previous seed */
    for (uint32_t i = BI_LANE; i < groups; i += BI_LANES) w->ends[i] = 0;
    for (uint32_t i = BI_LANE; i < BI_HASH_PERFECT_WORDS; i += BI_LANES) w->taken[i] = 0;
    if (BI_LANE == 0) w->largest = w->alike = 0;
    bi_lane_group_sync(); /* the counts are zero */
    for (uint32_t j = BI_LANE; j < keys->keys; j += BI_LANES)
        bi_lane_group_add(
            &w->ends[bosc_hash_group_of(bosc_hash_remix(bi_hash_run_key(f, keys, j), bits, seed), groups)], 1);
    bi_lane_group_sync(); /* the counts are complete */
    /* 2. Scan the counts, and scatter the keys: afterwards ends[g] is the end of group g. */
    bi_hash_perfect_sum(w, groups);
    bi_lane_group_sync(); /* the begins are there */
    for (uint32_t j = BI_LANE; j < keys->keys; j += BI_LANES) {
        uint32_t mixed = bosc_hash_remix(bi_hash_run_key(f, keys, j), bits, seed);
        w->mixed[bi_lane_group_add(&w->ends[bosc_hash_group_of(mixed, groups)], 1)] = mixed;
    }
    bi_lane_group_sync(); /* all keys are in order */
    /* 3. Compare the keys within each group. */
    for (uint32_t g = BI_LANE; g < groups; g += BI_LANES) {
        for (uint32_t i = bi_hash_perfect_begin(w, g); i < w->ends[g]; i++)
            for (uint32_t j = i + 1; j < w->ends[g]; j++)
                if (w->mixed[i] == w->mixed[j]) bi_lane_group_or(&w->alike, 1);
    }
    bi_lane_group_sync(); /* all groups are compared */
}

/* True if a pilot sends the keys of a group to distinct free slots. */
BI_LANE_GROUP_FN bool bi_hash_perfect_fits(const struct bi_hash_perfect_work *w, uint32_t begin, uint32_t end,
                                           uint32_t pilot, uint32_t slots)
{
    for (uint32_t i = begin; i < end; i++) {
        uint32_t slot = bosc_hash_slot_by_pilot(w->mixed[i], pilot, slots);
        if (w->taken[slot / 32] >> slot % 32 & 1) return false;
    }
    for (uint32_t i = begin + 1; i < end; i++) {
        uint32_t slot = bosc_hash_slot_by_pilot(w->mixed[i], pilot, slots);
        for (uint32_t j = begin; j < i; j++)
            if (bosc_hash_slot_by_pilot(w->mixed[j], pilot, slots) == slot) return false;
    }
    return true;
}

/* Finds the pilot of a group, of which each lane tests one at a time, and marks its slots as taken; false if there is
 * none. */
BI_LANE_GROUP_FN bool bi_hash_perfect_place(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys,
                                            uint32_t group, struct bi_hash_perfect_work *w)
{
    uint32_t begin = bi_hash_perfect_begin(w, group), end = w->ends[group], slots = (uint32_t)keys->slots;
    for (uint32_t base = 0; base < BI_HASH_PERFECT_PILOTS; base += BI_LANES) {
        uint32_t fit = bi_lane_group_ballot(bi_hash_perfect_fits(w, begin, end, base + BI_LANE, slots));
        if (!fit) continue;
        uint32_t pilot = base + bi_lane_group_first(fit);
        bi_lane_group_sync(); /* all lanes have read `taken` */
        for (uint32_t i = begin + BI_LANE; i < end; i += BI_LANES) {
            uint32_t slot = bosc_hash_slot_by_pilot(w->mixed[i], pilot, slots);
            bi_lane_group_or(&w->taken[slot / 32], 1u << slot % 32);
        }
        if (BI_LANE == 0) f->pilots[(uint64_t)keys->run * f->view.groups + group] = (uint16_t)pilot;
        bi_lane_group_sync(); /* the slots are marked, before the next group reads them */
        return true;
    }
    return false;
}

/* Finds the pilots of all groups; false if a group has none. */
BI_LANE_GROUP_FN bool bi_hash_perfect_place_all(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys,
                                                struct bi_hash_perfect_work *w)
{
    uint32_t groups = f->view.groups;
    for (uint32_t size = w->largest; size > 0; size--) {
        for (uint32_t base = 0; base < groups; base += BI_LANES) {
            uint32_t g = base + BI_LANE;
            uint32_t now = bi_lane_group_ballot(g < groups && w->ends[g] - bi_hash_perfect_begin(w, g) == size);
            for (; now; now &= now - 1)
                if (!bi_hash_perfect_place(f, keys, base + bi_lane_group_first(now), w)) return false;
        }
    }
    return true;
}

/* Returned in place of a seed: keys probably repeat, as two have the same bits under two seeds. */
enum { BI_HASH_PERFECT_REPEATS = BOSC_HASH_LINEAR + 1 };

/* Tries seeds and returns the first that works, BOSC_HASH_LINEAR if none does, or BI_HASH_PERFECT_REPEATS; the run then
 * stays unfinished. */
BI_LANE_GROUP_FN uint32_t bi_hash_perfect_seed(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys,
                                               struct bi_hash_perfect_work *w)
{
    uint32_t alike = 0;
    for (uint32_t seed = 0; seed < BOSC_HASH_SEEDS; seed++) {
        bi_hash_perfect_order(f, keys, seed, w);
        if (w->alike) {
            if (!f->distinct && ++alike == 2) return BI_HASH_PERFECT_REPEATS;
        } else if (bi_hash_perfect_place_all(f, keys, w)) {
            return seed;
        }
    }
    return BOSC_HASH_LINEAR;
}

/* Fills a run, and adds its linear state, its reseeding and its extra probes to the report; the last run also writes
 * the descriptor behind the table. All lanes call it; *w is their shared scratch. A run of too many keys is linear, or
 * left to the driver if keys may repeat. If they do repeat, it sets report->repeats, and the run stays unfinished. */
BI_LANE_GROUP_FN void bi_hash_perfect_run(const struct bi_hash_slots_fill *f, uint32_t number,
                                          struct bi_hash_perfect_work *w)
{
    struct bi_hash_run_keys keys = bi_hash_run_keys_of(f, number);
    uint32_t groups = f->view.groups, seed = BOSC_HASH_LINEAR;
    uint16_t *pilots = f->pilots + (uint64_t)number * groups;
    /* 1. Find the seed and the pilots. */
    if (keys.keys > BI_HASH_PERFECT_MAX_KEYS && !f->distinct) return;
    for (uint32_t g = BI_LANE; g < groups; g += BI_LANES) pilots[g] = 0;
    if (keys.keys <= BI_HASH_PERFECT_MAX_KEYS) seed = bi_hash_perfect_seed(f, &keys, w);
    if (seed == BI_HASH_PERFECT_REPEATS) {
        if (BI_LANE == 0) bi_atomic_or_u32(&f->report->repeats, 1);
        return;
    }
    bi_lane_group_sync(); /* pilots and `taken` are complete */
    /* 2. Without a seed write a linear run. */
    if (seed == BOSC_HASH_LINEAR) {
        for (uint32_t g = BI_LANE; g < groups; g += BI_LANES) pilots[g] = 0;
        bi_hash_fill_linear(f, &keys, BI_LANE, BI_LANES);
        return;
    }
    /* 3. Write fillers to free slots and each key to the slot of its pilot. */
    bosc_hash_word filler = bi_hash_slots_filler(&f->view, number);
    for (uint32_t i = BI_LANE; i < keys.slots; i += BI_LANES)
        if (!(w->taken[i / 32] >> i % 32 & 1)) bi_hash_write_slot(f, keys.first + i, filler, 0);
    for (uint32_t j = BI_LANE; j < keys.keys; j += BI_LANES) {
        uint32_t mixed = bosc_hash_remix(bi_hash_run_key(f, &keys, j), f->view.key_bits, seed);
        uint32_t pilot = pilots[bosc_hash_group_of(mixed, groups)];
        bi_hash_write_key(f, &keys, j, keys.first + bosc_hash_slot_by_pilot(mixed, pilot, (uint32_t)keys.slots));
    }
    if (BI_LANE == 0) bi_hash_write_descriptor(f, &keys, seed);
}

#endif
