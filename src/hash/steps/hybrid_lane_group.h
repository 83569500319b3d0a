/* HYBRID: a lane group builds the three subtables of a run by parallel cuckoo hashing in rounds, as published. In round
 * r all keys without a slot write to theirs in subtable r % 3, even if it is occupied; then all keys read their slots
 * back, and overwritten ones continue in the next subtable. After too many rounds the run takes its next seed. Which of
 * several writers of a slot wins is chance in the published build; here the first key of the run wins. Measured: at the
 * mean of 409 keys a run takes 16 rounds and each key writes 2.1 times; of runs of 480 keys 1 in 50 takes a second
 * seed. Source: Alcantara et al., Real-time Parallel Hashing on the GPU (2009), section 4.2. */
#ifndef BI_HASH_STEPS_HYBRID_LANE_GROUP_H
#define BI_HASH_STEPS_HYBRID_LANE_GROUP_H

#include "hash/steps/slot_store.h"
#include "hash/steps/lane_group.h"

#define BI_HASH_HYBRID_EMPTY UINT32_MAX
#define BI_HASH_HYBRID_EVICTED UINT8_MAX

struct bi_hash_hybrid_work {
    uint32_t mixed[BI_HASH_HYBRID_MAX_KEYS];
    /* BI_HASH_HYBRID_EMPTY, or rounds left << 9 | key: the least code is of the latest round and its first key. */
    uint32_t slots[BI_HASH_HYBRID_SLOTS];
    uint8_t subtable[BI_HASH_HYBRID_MAX_KEYS]; /* of each key; or BI_HASH_HYBRID_EVICTED */
    uint32_t extra_probes;                     /* summed here first, as all runs add to one word of memory */
};

BI_LANE_GROUP_FN uint32_t bi_hash_hybrid_key(uint32_t code) { return code % BI_HASH_HYBRID_MAX_KEYS; }

BI_LANE_GROUP_FN uint32_t *bi_hash_hybrid_slot(struct bi_hash_hybrid_work *w, uint32_t key, uint32_t subtable)
{
    return &w->slots[bosc_hash_slot_in_subtable(w->mixed[key], subtable, BI_HASH_HYBRID_SLOTS)];
}

/* Runs a round. Returns true if some key still has no slot. */
BI_LANE_GROUP_FN bool bi_hash_hybrid_round(struct bi_hash_hybrid_work *w, uint32_t keys, uint32_t round)
{
    uint32_t subtable = round % BOSC_HASH_SUBTABLES, left = BI_HASH_HYBRID_ROUNDS - 1 - round;
    bool evicted = false;
    /* 1. Keys without a slot write; the atomic minimum makes the outcome independent of the order. */
    for (uint32_t j = BI_LANE; j < keys; j += BI_LANES) {
        if (w->subtable[j] != BI_HASH_HYBRID_EVICTED) continue;
        bi_lane_group_min(bi_hash_hybrid_slot(w, j, subtable), left * BI_HASH_HYBRID_MAX_KEYS + j);
        w->subtable[j] = (uint8_t)subtable;
    }
    bi_lane_group_sync(); /* all lanes have written to the slots */
    /* 2. Keys of this subtable read back whether they are still there. */
    for (uint32_t j = BI_LANE; j < keys; j += BI_LANES) {
        if (w->subtable[j] != subtable || bi_hash_hybrid_key(*bi_hash_hybrid_slot(w, j, subtable)) == j) continue;
        w->subtable[j] = BI_HASH_HYBRID_EVICTED;
        evicted = true;
    }
    return bi_lane_group_any(evicted);
}

/* Runs the rounds under a seed. Returns true if all keys have a slot. */
BI_LANE_GROUP_FN bool bi_hash_hybrid_try(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys,
                                         uint32_t seed, struct bi_hash_hybrid_work *w)
{
    bi_lane_group_sync(); /* no lane still reads the work of the previous seed */
    for (uint32_t i = BI_LANE; i < BI_HASH_HYBRID_SLOTS; i += BI_LANES) w->slots[i] = BI_HASH_HYBRID_EMPTY;
    for (uint32_t j = BI_LANE; j < keys->keys; j += BI_LANES) {
        w->mixed[j] = bosc_hash_remix(bi_hash_run_key(f, keys, j), f->view.key_bits, seed);
        w->subtable[j] = BI_HASH_HYBRID_EVICTED;
    }
    bi_lane_group_sync(); /* slots and keys are set up */
    for (uint32_t round = 0; round < BI_HASH_HYBRID_ROUNDS; round++)
        if (!bi_hash_hybrid_round(w, (uint32_t)keys->keys, round)) return true;
    return false;
}

/* True if another slot of a key holds the same key. */
BI_LANE_GROUP_FN bool bi_hash_hybrid_repeats(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys,
                                             struct bi_hash_hybrid_work *w, uint32_t key)
{
    for (uint32_t s = 0; s < BOSC_HASH_SUBTABLES; s++) {
        uint32_t code = *bi_hash_hybrid_slot(w, key, s), other = bi_hash_hybrid_key(code);
        if (code == BI_HASH_HYBRID_EMPTY || other == key || w->mixed[other] != w->mixed[key]) continue;
        if (bi_hash_same(bi_hash_run_key(f, keys, other), bi_hash_run_key(f, keys, key))) return true;
    }
    return false;
}

/* Writes the slots of a run, and fillers to empty ones; reports repeated keys and probes. */
BI_LANE_GROUP_FN void bi_hash_hybrid_write(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys,
                                           struct bi_hash_hybrid_work *w)
{
    bosc_hash_word filler = bi_hash_slots_filler(&f->view, keys->run);
    uint32_t probes = 0;
    if (BI_LANE == 0) w->extra_probes = 0;
    bi_lane_group_sync(); /* the sum is zero */
    for (uint32_t i = BI_LANE; i < BI_HASH_HYBRID_SLOTS; i += BI_LANES) {
        uint32_t key = bi_hash_hybrid_key(w->slots[i]);
        if (w->slots[i] == BI_HASH_HYBRID_EMPTY) {
            bi_hash_write_slot(f, keys->first + i, filler, 0);
            continue;
        }
        if (!f->distinct && bi_hash_hybrid_repeats(f, keys, w, key)) bi_atomic_or_u32(&f->report->repeats, 1);
        bi_hash_write_key(f, keys, key, keys->first + i);
        probes += i / (BI_HASH_HYBRID_SLOTS / BOSC_HASH_SUBTABLES); /* the subtables before that of slot i */
    }
    bi_lane_group_add(&w->extra_probes, probes);
    bi_lane_group_sync(); /* all lanes have added */
    if (BI_LANE == 0 && w->extra_probes) bi_atomic_fetch_add_u64(&f->report->extra_probes, w->extra_probes);
}

/* Sorts the rows of a run, which phase 1 leaves in the order of its atomic additions, by a bitonic network; so the
 * table does not depend on that order. */
BI_LANE_GROUP_FN void bi_hash_hybrid_sort_rows(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys,
                                               struct bi_hash_hybrid_work *w)
{
    uint32_t *rows = w->slots, *order = f->unsorted + keys->begin, n = (uint32_t)keys->keys, all = 1;
    bool descends = false;
    /* 1. Load the rows; pad them with the greatest number to a power of two. If they ascend already, as on one CPU
     * thread, nothing is sorted. */
    while (all < n) all *= 2;
    for (uint32_t i = BI_LANE; i < all; i += BI_LANES) rows[i] = i < n ? order[i] : UINT32_MAX;
    bi_lane_group_sync(); /* all rows are loaded */
    for (uint32_t i = BI_LANE; i + 1 < n; i += BI_LANES) descends = descends || rows[i] > rows[i + 1];
    if (!bi_lane_group_any(descends)) return;
    /* 2. The comparators of each step exchange rows a and b. */
    for (uint32_t size = 2; size <= all; size *= 2)
        for (uint32_t distance = size / 2; distance > 0; distance /= 2) {
            for (uint32_t i = BI_LANE; i < all / 2; i += BI_LANES) {
                const uint32_t a = 2 * i - (i & (distance - 1)), b = a + distance, low = rows[a], high = rows[b];
                if ((low > high) == !(a & size)) rows[a] = high, rows[b] = low;
            }
            bi_lane_group_sync(); /* the step's exchanges are done */
        }
    /* 3. Store them. */
    for (uint32_t i = BI_LANE; i < n; i += BI_LANES) order[i] = rows[i];
    bi_lane_group_sync(); /* the order is visible to all lanes */
}

/* Fills a run under the first seed that works; without one it is linear, or left to the driver if keys may repeat. */
BI_LANE_GROUP_FN void bi_hash_hybrid_run(const struct bi_hash_slots_fill *f, uint32_t number,
                                         struct bi_hash_hybrid_work *w)
{
    struct bi_hash_run_keys keys = bi_hash_run_keys_of(f, number);
    uint32_t seeds = BI_HASH_UNSURE_SEEDS, seed = 0;
    if (f->distinct) seeds = BOSC_HASH_SEEDS;
    if (f->linear) {
        bi_hash_fill_linear(f, &keys, BI_LANE, BI_LANES);
        return;
    }
    if (f->unsorted) bi_hash_hybrid_sort_rows(f, &keys, w);
    while (seed < seeds && !bi_hash_hybrid_try(f, &keys, seed, w)) seed++;
    if (seed < seeds) {
        bi_hash_hybrid_write(f, &keys, w);
        if (BI_LANE == 0) bi_hash_write_descriptor(f, &keys, seed);
    } else if (f->distinct) {
        bi_hash_fill_linear(f, &keys, BI_LANE, BI_LANES);
    } else if (BI_LANE == 0) {
        bi_atomic_or_u32(&f->report->repeats, 1);
    }
}

#endif
