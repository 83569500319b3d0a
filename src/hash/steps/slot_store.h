/* Writes slots and runs, and distinguishes occupied slots from empty ones. */
#ifndef BI_HASH_STEPS_SLOT_STORE_H
#define BI_HASH_STEPS_SLOT_STORE_H

#include "hash/slots.h"

/* A run and its keys: rows begin to begin + keys - 1 of the order. */
struct bi_hash_run_keys {
    uint32_t run;
    uint64_t first, slots;
    int64_t begin, keys;
};

BI_FN struct bi_hash_run_keys bi_hash_run_keys_of(const struct bi_hash_slots_fill *f, uint32_t run)
{
    struct bi_hash_run_keys k;
    k.run = run;
    k.first = f->first_slots[run];
    k.slots = f->first_slots[run + 1] - k.first;
    k.begin = f->starts ? f->starts[run] : f->lists.starts[run];
    k.keys = (f->starts ? f->starts[run + 1] : f->lists.starts[run + 1]) - k.begin;
    return k;
}

/* The row in the lists of key j of a run. */
BI_FN int64_t bi_hash_run_row(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys, int64_t j)
{
    return f->order ? f->order[keys->begin + j] : keys->begin + j;
}

BI_FN bosc_hash_word bi_hash_run_key(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys, int64_t j)
{
    return bosc_hash_word_at(f->lists.hashes, bi_hash_run_row(f, keys, j), f->view.key_bits);
}

/* Copies the bytes of a value, or zeros if `from` is NULL; values of whole words are aligned to words. */
BI_FN void bi_hash_copy_value(void *to, const void *from, int32_t bytes)
{
    if (bytes % 4 == 0) {
        for (int32_t i = 0; i < bytes / 4; i++) ((uint32_t *)to)[i] = from ? ((const uint32_t *)from)[i] : 0;
    } else {
        for (int32_t i = 0; i < bytes; i++) ((uint8_t *)to)[i] = from ? ((const uint8_t *)from)[i] : 0;
    }
}

BI_FN void bi_hash_write_slot(const struct bi_hash_slots_fill *f, uint64_t slot, bosc_hash_word hash, const void *value)
{
    int32_t key_bytes = f->view.key_bits / 8, used = key_bytes + f->view.value_size;
    unsigned char *to = f->slots + slot * (uint32_t)f->view.stride;
    bi_hash_store(to, f->view.key_bits, 0, hash);
    bi_hash_copy_value(to + key_bytes, value, f->view.value_size);
    for (int32_t i = used; i < f->view.stride; i++) to[i] = 0;
}

/* Writes key j of a run to a slot. */
BI_FN void bi_hash_write_key(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys, int64_t j,
                             uint64_t slot)
{
    int64_t row = bi_hash_run_row(f, keys, j);
    const unsigned char *value = 0;
    if (f->lists.values)
        value = (const unsigned char *)f->lists.values +
                (uint64_t)((const uint32_t *)f->lists.payload)[row] * (uint32_t)f->view.value_size;
    else if (f->view.value_size)
        value = (const unsigned char *)f->lists.payload + (uint64_t)row * (uint32_t)f->lists.payload_bytes;
    bi_hash_write_slot(f, slot, bosc_hash_word_at(f->lists.hashes, row, f->view.key_bits), value);
}

/* The least hash of the neighbouring partition (PERFECT), or the least hash that chooses another run. */
BI_FN bosc_hash_word bi_hash_slots_filler(const bosc_hash_slots_view *view, uint32_t run)
{
    bosc_hash_word filler = {0, 0};
    if (view->layout == BOSC_HASH_PERFECT) return bi_hash_filler(run, view->key_bits, view->partition_bits, false);
    while (bosc_hash_run_of(view, filler) == run) filler.low++;
    return filler;
}

/* ORDERED, with homes: the hash of an empty slot. */
BI_FN bosc_hash_word bi_hash_ordered_filler(const bosc_hash_slots_view *view, uint64_t slot, uint64_t slots)
{
    const bosc_hash_word zero = {0, 0};
    return slot == slots - 1 ? zero : bosc_hash_greatest(view->key_bits);
}

/* CUCKOO: true if one of the functions maps a hash to this slot, or that of the stash. */
BI_FN bool bi_hash_has_slot(const bosc_hash_slots_view *view, bosc_hash_word hash, uint64_t slot)
{
    bosc_hash_run table = bosc_hash_run_at(view, 0), stash = bosc_hash_run_at(view, 1);
    if (slot >= stash.first)
        return slot - stash.first ==
               bosc_hash_slot_by_function(hash, view->key_bits, table.seed, BOSC_HASH_FUNCTIONS, stash.size);
    if (table.seed == BOSC_HASH_LINEAR) return true;
    for (uint32_t i = 0; i < view->functions; i++)
        if (bosc_hash_slot_by_function(hash, view->key_bits, table.seed, i, table.size) == slot) return true;
    return false;
}

/* CUCKOO: returns the least hash that no function maps to this slot; it marks the slot as empty. */
BI_FN bosc_hash_word bi_hash_cuckoo_filler(const bosc_hash_slots_view *view, uint64_t slot)
{
    bosc_hash_word filler = {0, 0};
    while (bi_hash_has_slot(view, filler, slot)) filler.low++;
    return filler;
}

/* True if a slot holds a pair. */
BI_FN bool bi_hash_is_occupied(const bosc_hash_slots_view *view, uint64_t slot)
{
    bosc_hash_word hash = bosc_hash_at_slot(view, slot);
    if (view->layout == BOSC_HASH_CUCKOO) return bi_hash_has_slot(view, hash, slot);
    if (view->layout == BOSC_HASH_ORDERED)
        return !view->homes || !bi_hash_same(hash, bi_hash_ordered_filler(view, slot, bosc_hash_run_at(view, 0).size));
    for (uint32_t i = 0; view->layout == BOSC_HASH_CHAINED && i < view->functions; i++) {
        bosc_hash_run run = bosc_hash_run_at(view, bosc_hash_run_by_function(view, hash, i));
        if (run.first <= slot && slot - run.first < run.size) return true;
    }
    if (view->layout == BOSC_HASH_CHAINED) return false;
    bosc_hash_run run = bosc_hash_run_at(view, bosc_hash_run_of(view, hash));
    return run.first <= slot && slot - run.first < run.size;
}

/* Writes a run's descriptor, and behind the last one the end of the table. One lane calls it. */
BI_FN void bi_hash_store_descriptor(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys,
                                    uint32_t seed)
{
    uint32_t runs = f->view.runs;
    f->descriptors[1 + (uint64_t)keys->run] = keys->first << BOSC_HASH_SEED_BITS | seed;
    if (keys->run != runs - 1) return;
    f->descriptors[1 + (uint64_t)runs] = (keys->first + keys->slots) << BOSC_HASH_SEED_BITS;
    f->report->buckets = runs;
}

/* Also adds the run to the report. */
BI_FN void bi_hash_write_descriptor(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys,
                                    uint32_t seed)
{
    bi_hash_store_descriptor(f, keys, seed);
    if (seed == BOSC_HASH_LINEAR)
        bi_atomic_fetch_add_u32(&f->report->linear, 1);
    else if (seed)
        bi_atomic_fetch_add_u32(&f->report->reseeded, 1);
}

/* Fills a linear run. All lanes call it. */
BI_FN void bi_hash_fill_linear(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys, uint32_t lane,
                               uint32_t lanes)
{
    bosc_hash_word filler = bi_hash_slots_filler(&f->view, keys->run);
    for (uint64_t i = lane; i < keys->slots; i += lanes) {
        if (i < (uint64_t)keys->keys)
            bi_hash_write_key(f, keys, (int64_t)i, keys->first + i);
        else
            bi_hash_write_slot(f, keys->first + i, filler, 0);
    }
    if (lane) return;
    bi_hash_write_descriptor(f, keys, BOSC_HASH_LINEAR);
    if (keys->keys)
        bi_atomic_fetch_add_u64(&f->report->extra_probes, (uint64_t)keys->keys * (uint64_t)(keys->keys - 1) / 2);
}

#endif
