/* HYBRID: a team makes the three subtables of a run. The published building has all keys write to their places at once,
 * and whoever finds itself overwritten goes on to the next subtable; who wins is chance there. Here it is a stable
 * matching as in BUCKETED, with places of one key: offer t of a key goes to subtable t % 3, and a place keeps the
 * highest (t, earlier key) of all that was ever offered to it. At the mean of 409 keys each makes 2.1 offers; of runs
 * of 512 keys 1 in 75 takes a second seed. Source: Alcantara et al., Real-time Parallel Hashing on the GPU (2009). */
#ifndef BI_HASH_STEPS_HYBRID_LANE_GROUP_H
#define BI_HASH_STEPS_HYBRID_LANE_GROUP_H

#include "hash/steps/slot_store.h"
#include "hash/steps/lane_group.h"

enum { BI_HYBRID_KEY_BITS = 9, BI_HYBRID_LAST_KEY = BI_HYBRID_CROWD - 1 };

struct bi_hybrid_work {
    uint32_t mixed[BI_HYBRID_CROWD];
    uint32_t places[BI_HYBRID_PLACES]; /* 0, or (offer + 1) << BI_HYBRID_KEY_BITS | (BI_HYBRID_LAST_KEY - key) */
    uint32_t failed;
};

BI_TEAM_FN uint32_t bi_hybrid_key(uint32_t code) { return BI_HYBRID_LAST_KEY - code % BI_HYBRID_CROWD; }

/* Makes the offers of a key, then those of the key that it displaces, and so on. */
BI_TEAM_FN void bi_hybrid_offer(struct bi_hybrid_work *w, uint32_t key)
{
    uint32_t offer = 0;
    while (offer < BI_HYBRID_OFFERS) {
        uint32_t place = bosc_hash_in_subtable(w->mixed[key], offer % BOSC_HASH_SUBTABLES, BI_HYBRID_PLACES);
        uint32_t code = (offer + 1) << BI_HYBRID_KEY_BITS | (BI_HYBRID_LAST_KEY - key);
        uint32_t there = bi_team_max(&w->places[place], code);
        if (there == 0) return;
        if (there > code) {
            offer++;
        } else {
            key = bi_hybrid_key(there);
            offer = there >> BI_HYBRID_KEY_BITS;
        }
    }
    bi_team_or(&w->failed, 1);
}

BI_TEAM_FN bool bi_hybrid_try(const struct bi_hash_placing *f, const struct bi_hash_run_keys *keys, uint32_t seed,
                              struct bi_hybrid_work *w)
{
    bi_team_sync();
    if (BI_LANE == 0) w->failed = 0;
    for (uint32_t i = BI_LANE; i < BI_HYBRID_PLACES; i += BI_LANES) w->places[i] = 0;
    for (uint32_t j = BI_LANE; j < keys->keys; j += BI_LANES)
        w->mixed[j] = bosc_hash_remix(bi_hash_run_key(f, keys, j), f->view.key_bits, seed);
    bi_team_sync();
    for (uint32_t j = BI_LANE; j < keys->keys; j += BI_LANES) bi_hybrid_offer(w, j);
    bi_team_sync();
    return !w->failed;
}

/* Whether a key stands in another of its places once more. */
BI_TEAM_FN bool bi_hybrid_repeats(const struct bi_hash_placing *f, const struct bi_hash_run_keys *keys,
                                  const struct bi_hybrid_work *w, uint32_t key)
{
    for (uint32_t s = 0; s < BOSC_HASH_SUBTABLES; s++) {
        uint32_t code = w->places[bosc_hash_in_subtable(w->mixed[key], s, BI_HYBRID_PLACES)];
        uint32_t other = bi_hybrid_key(code);
        if (!code || other == key || w->mixed[other] != w->mixed[key]) continue;
        if (bi_hash_same(bi_hash_run_key(f, keys, other), bi_hash_run_key(f, keys, key))) return true;
    }
    return false;
}

BI_TEAM_FN void bi_hybrid_write(const struct bi_hash_placing *f, const struct bi_hash_run_keys *keys,
                                const struct bi_hybrid_work *w)
{
    bosc_hash_word filler = bi_hash_places_filler(&f->view, keys->run);
    uint64_t probes = 0;
    for (uint32_t i = BI_LANE; i < BI_HYBRID_PLACES; i += BI_LANES) {
        uint32_t key = bi_hybrid_key(w->places[i]);
        if (!w->places[i]) {
            bi_hash_write_place(f, keys->first + i, filler, 0);
            continue;
        }
        if (!f->any && bi_hybrid_repeats(f, keys, w, key)) bi_atomic_or_u32(&f->report->repeats, 1);
        bi_hash_write_key(f, keys, key, keys->first + i);
        probes += i / (BI_HYBRID_PLACES / BOSC_HASH_SUBTABLES);
    }
    if (probes) bi_hash_count_probes(&f->report->second, probes);
}

BI_TEAM_FN void bi_hybrid_run(const struct bi_hash_placing *f, uint32_t number, struct bi_hybrid_work *w)
{
    struct bi_hash_run_keys keys = bi_hash_run_keys_of(f, number);
    uint32_t seeds = BI_PLACES_DOUBT, seed = 0;
    if (f->any) seeds = BOSC_HASH_SEEDS;
    if (f->linear) {
        bi_hash_fill_linear(f, &keys, BI_LANE, BI_LANES);
        return;
    }
    while (seed < seeds && !bi_hybrid_try(f, &keys, seed, w)) seed++;
    if (seed < seeds) {
        bi_hybrid_write(f, &keys, w);
        if (BI_LANE == 0) bi_hash_describe(f, &keys, seed);
    } else if (f->any) {
        bi_hash_fill_linear(f, &keys, BI_LANE, BI_LANES);
    } else if (BI_LANE == 0) {
        bi_atomic_or_u32(&f->report->repeats, 1);
    }
}

#endif
