/* The steps of layouts that find a key by places. */
#ifndef BI_HASH_STEPS_SLOTS_H
#define BI_HASH_STEPS_SLOTS_H

#include "hash/steps/slot_store.h"

BI_FN void bi_step_places_bins(const struct bi_hash_placing *f, int64_t i)
{
    f->bins[i] = bosc_hash_run_of(&f->view, bosc_hash_load(f->lists.hashes, i, f->view.key_bits));
}

struct bi_hash_numbering {
    uint32_t *row;
};
BI_FN void bi_step_places_rows(const struct bi_hash_numbering *a, int64_t i) { a->row[i] = (uint32_t)i; }

/* As many places as are needed for a load. */
BI_FN uint64_t bi_hash_places_of(double load, uint64_t keys)
{
    double exact = (double)keys / load;
    uint64_t places = (uint64_t)exact;
    return (double)places < exact ? places + 1 : places;
}

/* The places of a run; for the run behind the last one none. */
BI_FN void bi_step_places_sizes(const struct bi_hash_placing *f, int64_t run)
{
    uint64_t keys = 0, places, crowd = BI_FKS_CROWD;
    bool last = run == f->view.runs;
    if (!last) keys = f->counts ? (uint64_t)f->counts[run] : f->lists.starts[run + 1] - f->lists.starts[run];
    places = keys * keys;
    if (f->view.layout == BOSC_HASH_PERFECT) {
        crowd = BI_PERFECT_CROWD;
        places = keys > crowd ? keys : bi_hash_places_of(f->load, keys);
    } else if (f->view.layout == BOSC_HASH_HYBRID) {
        crowd = BI_HYBRID_CROWD;
        places = last ? 0 : BI_HYBRID_PLACES;
    }
    if (f->linear) places = keys;
    f->firsts[run] = places;
    if (keys > crowd) bi_atomic_or_u32(f->crowded, 1);
}

/* FKS: the least seed under which the k keys of a run go to places apart among k * k. A seed serves with a chance of
 * more than 1/2. */
BI_FN bool bi_fks_try(const struct bi_hash_placing *f, const struct bi_hash_run_keys *keys, uint32_t seed,
                      uint16_t *place)
{
    for (int64_t j = 0; j < keys->keys; j++) {
        uint32_t mixed = bosc_hash_remix(bi_hash_run_key(f, keys, j), f->view.key_bits, seed);
        place[j] = (uint16_t)bosc_hash_below(mixed, (uint32_t)keys->places);
        for (int64_t i = 0; i < j; i++)
            if (place[i] == place[j]) return false;
    }
    return true;
}

BI_FN bool bi_fks_repeats(const struct bi_hash_placing *f, const struct bi_hash_run_keys *keys)
{
    for (int64_t j = 1; j < keys->keys; j++)
        for (int64_t i = 0; i < j; i++)
            if (bi_hash_same(bi_hash_run_key(f, keys, i), bi_hash_run_key(f, keys, j))) return true;
    return false;
}

BI_FN void bi_step_places_fks(const struct bi_hash_placing *f, int64_t run)
{
    struct bi_hash_run_keys keys = bi_hash_run_keys_of(f, (uint32_t)run);
    uint16_t place[BI_FKS_CROWD];
    uint32_t seed = 0;
    if (f->linear) {
        bi_hash_fill_linear(f, &keys, 0, 1);
        return;
    }
    while (seed < BOSC_HASH_SEEDS && !bi_fks_try(f, &keys, seed, place)) {
        if (seed == 0 && !f->any && bi_fks_repeats(f, &keys)) {
            bi_atomic_or_u32(&f->report->repeats, 1);
            return;
        }
        seed++;
    }
    if (seed == BOSC_HASH_SEEDS) {
        bi_hash_fill_linear(f, &keys, 0, 1);
        return;
    }
    bosc_hash_word filler = {0, 0};
    if (keys.keys > 1) filler = bi_hash_places_filler(&f->view, keys.run);
    for (uint64_t i = 0; keys.keys > 1 && i < keys.places; i++) bi_hash_write_place(f, keys.first + i, filler, 0);
    for (int64_t j = 0; j < keys.keys; j++) bi_hash_write_key(f, &keys, j, keys.first + place[j]);
    bi_hash_describe(f, &keys, seed);
}

/* One query. */
BI_FN void bi_hash_places_answer(const struct bi_hash_places_find *a, int64_t q, int64_t place)
{
    int32_t bytes = a->view.value_size;
    if (a->found) a->found[q] = place >= 0;
    if (!a->values || !bytes) return;
    bi_hash_copy_value((uint8_t *)a->values + q * bytes, place < 0 ? 0 : bosc_hash_places_value(&a->view, place),
                       bytes);
}

/* Every pair, in the order of the places. */
BI_FN void bi_step_places_taken(const struct bi_hash_places_out *a, int64_t i)
{
    a->taken[i] = bi_hash_is_taken(&a->view, (uint64_t)i);
}

BI_FN void bi_step_places_pairs(const struct bi_hash_places_out *a, int64_t i)
{
    int32_t bytes = a->view.value_size;
    const unsigned char *place = (const unsigned char *)a->pairs + (uint64_t)i * (uint32_t)a->view.stride;
    bi_hash_store(a->hashes, a->view.key_bits, i, bosc_hash_load(place, 0, a->view.key_bits));
    if (a->values) bi_hash_copy_value((uint8_t *)a->values + i * bytes, place + a->view.key_bits / 8, bytes);
}

/* The places of linear runs; of others 0. */
BI_FN void bi_step_places_lengths(const struct bi_hash_run_lengths *a, int64_t i)
{
    bosc_hash_run run = bosc_hash_run_at(&a->view, (uint32_t)i);
    uint64_t size = run.seed == BOSC_HASH_LINEAR ? run.size : 0;
    a->lengths[i] = size < INT32_MAX ? (uint32_t)size : INT32_MAX;
}

/* Runs lie one after the other and end at the end. */
struct bi_hash_runs_check {
    const uint64_t *parts;
    uint32_t runs;
    uint64_t most; /* places that there is room for */
    uint32_t *wrong;
};
BI_FN void bi_step_places_disorder(const struct bi_hash_runs_check *a, int64_t i)
{
    uint64_t first = a->parts[1 + i] >> BOSC_HASH_SEED_BITS, next = a->parts[2 + i] >> BOSC_HASH_SEED_BITS;
    if ((i == 0 && first) || next < first || next > a->most) bi_atomic_or_u32(a->wrong, 1);
}

#endif
