/* HYBRID: a lane group builds the three subtables of a run. In the published build all keys write to their slots at
 * once, and a key that was overwritten goes on to the next subtable; which one wins is chance. Here it is a stable
 * matching as in BUCKETED, with slots of one key: proposal t of a key goes to subtable t % 3, and a slot accepts the
 * highest (t, earlier key) of all proposals ever made to it. At the mean of 409 keys each makes 2.1 proposals;
 * of runs of 512 keys 1 in 75 takes a second seed. Source: Alcantara et al., Real-time Parallel Hashing on the GPU
 * (2009). */
#ifndef BI_HASH_STEPS_HYBRID_LANE_GROUP_H
#define BI_HASH_STEPS_HYBRID_LANE_GROUP_H

#include "hash/steps/slot_store.h"
#include "hash/steps/lane_group.h"

enum { BI_HASH_HYBRID_KEY_BITS = 9, BI_HASH_HYBRID_LAST_KEY = BI_HASH_HYBRID_MAX_KEYS - 1 };

struct bi_hash_hybrid_work {
    uint32_t mixed[BI_HASH_HYBRID_MAX_KEYS];
    uint32_t slots
        [BI_HASH_HYBRID_SLOTS]; /* 0, or (proposal + 1) << BI_HASH_HYBRID_KEY_BITS | (BI_HASH_HYBRID_LAST_KEY - key) */
    uint32_t failed;
};

BI_LANE_GROUP_FN uint32_t bi_hash_hybrid_key(uint32_t code)
{
    return BI_HASH_HYBRID_LAST_KEY - code % BI_HASH_HYBRID_MAX_KEYS;
}

/* Makes the proposals of a key, then those of the key that it displaces, and so on. */
BI_LANE_GROUP_FN void bi_hash_hybrid_propose(struct bi_hash_hybrid_work *w, uint32_t key)
{
    uint32_t proposal = 0;
    while (proposal < BI_HASH_HYBRID_PROPOSALS) {
        uint32_t slot = bosc_hash_slot_in_subtable(w->mixed[key], proposal % BOSC_HASH_SUBTABLES, BI_HASH_HYBRID_SLOTS);
        uint32_t code = (proposal + 1) << BI_HASH_HYBRID_KEY_BITS | (BI_HASH_HYBRID_LAST_KEY - key);
        uint32_t there = bi_lane_group_max(&w->slots[slot], code);
        if (there == 0) return;
        if (there > code) {
            proposal++;
        } else {
            key = bi_hash_hybrid_key(there);
            proposal = there >> BI_HASH_HYBRID_KEY_BITS;
        }
    }
    bi_lane_group_or(&w->failed, 1);
}

BI_LANE_GROUP_FN bool bi_hash_hybrid_try(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys,
                                         uint32_t seed, struct bi_hash_hybrid_work *w)
{
    bi_lane_group_sync();
    if (BI_LANE == 0) w->failed = 0;
    for (uint32_t i = BI_LANE; i < BI_HASH_HYBRID_SLOTS; i += BI_LANES) w->slots[i] = 0;
    for (uint32_t j = BI_LANE; j < keys->keys; j += BI_LANES)
        w->mixed[j] = bosc_hash_remix(bi_hash_run_key(f, keys, j), f->view.key_bits, seed);
    bi_lane_group_sync();
    for (uint32_t j = BI_LANE; j < keys->keys; j += BI_LANES) bi_hash_hybrid_propose(w, j);
    bi_lane_group_sync();
    return !w->failed;
}

/* Whether a key stands in another of its slots too. */
BI_LANE_GROUP_FN bool bi_hash_hybrid_repeats(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys,
                                             const struct bi_hash_hybrid_work *w, uint32_t key)
{
    for (uint32_t s = 0; s < BOSC_HASH_SUBTABLES; s++) {
        uint32_t code = w->slots[bosc_hash_slot_in_subtable(w->mixed[key], s, BI_HASH_HYBRID_SLOTS)];
        uint32_t other = bi_hash_hybrid_key(code);
        if (!code || other == key || w->mixed[other] != w->mixed[key]) continue;
        if (bi_hash_same(bi_hash_run_key(f, keys, other), bi_hash_run_key(f, keys, key))) return true;
    }
    return false;
}

BI_LANE_GROUP_FN void bi_hash_hybrid_write(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys,
                                           const struct bi_hash_hybrid_work *w)
{
    bosc_hash_word filler = bi_hash_slots_filler(&f->view, keys->run);
    uint64_t probes = 0;
    for (uint32_t i = BI_LANE; i < BI_HASH_HYBRID_SLOTS; i += BI_LANES) {
        uint32_t key = bi_hash_hybrid_key(w->slots[i]);
        if (!w->slots[i]) {
            bi_hash_write_slot(f, keys->first + i, filler, 0);
            continue;
        }
        if (!f->distinct && bi_hash_hybrid_repeats(f, keys, w, key)) bi_atomic_or_u32(&f->report->repeats, 1);
        bi_hash_write_key(f, keys, key, keys->first + i);
        probes += i / (BI_HASH_HYBRID_SLOTS / BOSC_HASH_SUBTABLES);
    }
    if (probes) bi_atomic_fetch_add_u64(&f->report->extra_probes, probes);
}

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
