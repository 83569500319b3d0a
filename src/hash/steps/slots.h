/* The steps of the slots layouts. */
#ifndef BI_HASH_STEPS_SLOTS_H
#define BI_HASH_STEPS_SLOTS_H

#include "hash/steps/slot_store.h"

/* Computes the run that row i chooses. */
BI_FN void bi_step_slots_bins(const struct bi_hash_slots_fill *f, int64_t i)
{
    f->bins[i] = bosc_hash_run_of(&f->view, bosc_hash_word_at(f->lists.hashes, i, f->view.key_bits));
}

/* HYBRID, phase 1 as published: row i counts itself in its run, and the count before is its offset there. */
BI_FN void bi_step_hybrid_count(const struct bi_hash_slots_fill *f, int64_t i)
{
    const uint32_t run = bosc_hash_run_of(&f->view, bosc_hash_word_at(f->lists.hashes, i, f->view.key_bits));
    f->bins[i] = run;
    f->offsets[i] = (uint32_t)bi_atomic_fetch_add_u64((uint64_t *)&f->counts[run], 1);
}

/* Writes row i to its position in its run; the counts are the starts of the runs by then. */
BI_FN void bi_step_hybrid_scatter(const struct bi_hash_slots_fill *f, int64_t i)
{
    f->unsorted[f->counts[f->bins[i]] + f->offsets[i]] = (uint32_t)i;
}

/* Returns the number of slots for a load factor. */
BI_FN uint64_t bi_hash_slots_for(double load_factor, uint64_t keys)
{
    double exact = (double)keys / load_factor;
    uint64_t slots = (uint64_t)exact;
    return (double)slots < exact ? slots + 1 : slots;
}

/* ORDERED: slots for pairs pushed beyond the last home. The probability that more than k pairs are pushed beyond is at
 * most exp(-2 (1 - load_factor) k), as for a queue of k customers (Kingman, Inequalities in the Theory of Queues
 * (1970)): 1e-15 for k = 18 / (1 - load_factor). */
BI_FN uint64_t bi_hash_slots_behind(double load_factor, uint64_t keys)
{
    const uint64_t behind = (uint64_t)(18 / (1 - load_factor));
    return behind < keys ? behind : keys;
}

/* Computes the slots of a run; none for the run behind the last one. */
BI_FN void bi_step_slots_sizes(const struct bi_hash_slots_fill *f, int64_t run)
{
    uint64_t keys = 0, slots, max_keys = BI_HASH_FKS_MAX_KEYS;
    bool last = run == f->view.runs;
    if (!last) keys = f->counts ? (uint64_t)f->counts[run] : f->lists.starts[run + 1] - f->lists.starts[run];
    slots = keys * keys;
    if (f->view.layout == BOSC_HASH_PERFECT) {
        max_keys = BI_HASH_PERFECT_MAX_KEYS;
        slots = keys > max_keys ? keys : bi_hash_slots_for(f->load_factor, keys);
    } else if (f->view.layout == BOSC_HASH_HYBRID) {
        max_keys = BI_HASH_HYBRID_MAX_KEYS;
        slots = last ? 0 : BI_HASH_HYBRID_SLOTS;
    } else if (f->view.layout == BOSC_HASH_CHAINED) {
        max_keys = BI_HASH_CHAINED_MAX_KEYS;
        slots = keys;
    }
    if (f->linear) slots = keys;
    f->first_slots[run] = slots;
    if (keys > max_keys) bi_atomic_or_u32(f->oversized, 1);
}

/* FKS: true if a seed sends the k keys of a run to distinct slots among k * k: with a probability above 1/2. */
BI_FN bool bi_hash_fks_try(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys, uint32_t seed,
                           uint16_t *slot)
{
    for (int64_t j = 0; j < keys->keys; j++) {
        uint32_t mixed = bosc_hash_remix(bi_hash_run_key(f, keys, j), f->view.key_bits, seed);
        slot[j] = (uint16_t)bosc_hash_below(mixed, (uint32_t)keys->slots);
        for (int64_t i = 0; i < j; i++)
            if (slot[i] == slot[j]) return false;
    }
    return true;
}

BI_FN bool bi_hash_fks_repeats(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys)
{
    for (int64_t j = 1; j < keys->keys; j++)
        for (int64_t i = 0; i < j; i++)
            if (bi_hash_same(bi_hash_run_key(f, keys, i), bi_hash_run_key(f, keys, j))) return true;
    return false;
}

/* Fills a run of BI_HASH_FKS_MAX_KEYS keys at most, or of any number if all runs are linear. If keys may repeat and do,
 * only sets report->repeats. Fillers are hashes of another run, which no query of this one equals. One lane fills
 * linear runs: lane 0 of 1. */
BI_FN void bi_step_slots_fks(const struct bi_hash_slots_fill *f, int64_t run)
{
    /* 1. Find the least seed that works; without one the run is linear. */
    struct bi_hash_run_keys keys = bi_hash_run_keys_of(f, (uint32_t)run);
    uint16_t slot[BI_HASH_FKS_MAX_KEYS];
    uint32_t seed = 0;
    if (f->linear) {
        bi_hash_fill_linear(f, &keys, 0, 1);
        return;
    }
    while (seed < BOSC_HASH_SEEDS && !bi_hash_fks_try(f, &keys, seed, slot)) {
        if (seed == 0 && !f->distinct && bi_hash_fks_repeats(f, &keys)) {
            bi_atomic_or_u32(&f->report->repeats, 1);
            return;
        }
        seed++;
    }
    if (seed == BOSC_HASH_SEEDS) {
        bi_hash_fill_linear(f, &keys, 0, 1);
        return;
    }
    /* 2. Write fillers to all slots, then the keys over them. A run of one key has one slot. */
    bosc_hash_word filler = {0, 0};
    if (keys.keys > 1) filler = bi_hash_slots_filler(&f->view, keys.run);
    for (uint64_t i = 0; keys.keys > 1 && i < keys.slots; i++) bi_hash_write_slot(f, keys.first + i, filler, 0);
    for (int64_t j = 0; j < keys.keys; j++) bi_hash_write_key(f, &keys, j, keys.first + slot[j]);
    bi_hash_write_descriptor(f, &keys, seed);
}

/* Answers one query. */
BI_FN void bi_hash_slots_answer(const struct bi_hash_slots_find *a, int64_t q, int64_t slot)
{
    int32_t bytes = a->view.value_size;
    if (a->found) a->found[q] = slot >= 0;
    if (!a->values || !bytes) return;
    bi_hash_copy_value((uint8_t *)a->values + q * bytes, slot < 0 ? 0 : bosc_hash_slots_value_at(&a->view, slot),
                       bytes);
}

/* Flags the slots that hold pairs; writes the pairs once they are compacted. */
struct bi_hash_slots_out {
    bosc_hash_slots_view view;
    uint8_t *occupied; /* by slot */
    const void *pairs; /* the occupied slots */
    void *hashes, *values;
};

BI_FN void bi_step_slots_occupied(const struct bi_hash_slots_out *a, int64_t i)
{
    a->occupied[i] = bi_hash_is_occupied(&a->view, (uint64_t)i);
}

BI_FN void bi_step_slots_pairs(const struct bi_hash_slots_out *a, int64_t i)
{
    int32_t bytes = a->view.value_size;
    const unsigned char *slot = (const unsigned char *)a->pairs + (uint64_t)i * (uint32_t)a->view.stride;
    bi_hash_store(a->hashes, a->view.key_bits, i, bosc_hash_word_at(slot, 0, a->view.key_bits));
    if (a->values) bi_hash_copy_value((uint8_t *)a->values + i * bytes, slot + a->view.key_bits / 8, bytes);
}

/* The slots of each linear run; 0 of others. */
struct bi_hash_run_lengths {
    bosc_hash_slots_view view;
    uint32_t *lengths;
};

BI_FN void bi_step_slots_lengths(const struct bi_hash_run_lengths *a, int64_t i)
{
    bosc_hash_run run = bosc_hash_run_at(&a->view, (uint32_t)i);
    uint64_t size = run.seed == BOSC_HASH_LINEAR ? run.size : 0;
    a->lengths[i] = size < INT32_MAX ? (uint32_t)size : INT32_MAX;
}

/* Checks that runs follow one another and end within the table. */
struct bi_hash_runs_check {
    const uint64_t *descriptors;
    uint32_t runs;
    uint64_t most; /* slots in the block */
    uint32_t *wrong;
};
BI_FN void bi_step_slots_check_runs(const struct bi_hash_runs_check *a, int64_t i)
{
    uint64_t first = a->descriptors[1 + i] >> BOSC_HASH_SEED_BITS, next = a->descriptors[2 + i] >> BOSC_HASH_SEED_BITS;
    if ((i == 0 && first) || next < first || next > a->most) bi_atomic_or_u32(a->wrong, 1);
}

/* Checks that a look-up finds the key of slot i in this slot, so that no other slot holds it. */
struct bi_hash_slots_check {
    bosc_hash_slots_view view;
    uint32_t *wrong;
};
BI_FN void bi_step_slots_check_keys(const struct bi_hash_slots_check *a, int64_t i)
{
    if (bi_hash_is_occupied(&a->view, (uint64_t)i) &&
        bosc_hash_search(&a->view, bosc_hash_at_slot(&a->view, (uint64_t)i)) != i)
        bi_atomic_or_u32(a->wrong, 1);
}

#endif
