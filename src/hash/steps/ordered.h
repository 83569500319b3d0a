/* ORDERED: slots of the pairs of a list sorted by hash. Pair i has the slot max over j <= i of home(j) - j + i: its
 * home, or the slot behind the previous pair. Source: Gonnet and Munro, The Analysis of Linear Probing Sort by the Use
 * of a New Mathematical Transform (1984). */
#ifndef BI_HASH_STEPS_ORDERED_H
#define BI_HASH_STEPS_ORDERED_H

#include "hash/steps/slots.h"

struct bi_hash_ordered {
    struct bi_hash_slots_fill fill; /* of rows by ascending hash; view.homes 0: in as many slots, without gaps */
    uint64_t slots;
    int64_t *reach;  /* (n) home(i) - i, then the greatest so far */
    uint64_t *extra; /* (n) the slots that a look-up of a pair reads before its own */
};

BI_FN bosc_hash_word bi_hash_ordered_hash(const struct bi_hash_ordered *a, int64_t i)
{
    return bosc_hash_word_at(a->fill.lists.hashes, i, a->fill.view.key_bits);
}

BI_FN void bi_step_ordered_reach(const struct bi_hash_ordered *a, int64_t i)
{
    const bosc_hash_slots_view *v = &a->fill.view;
    a->reach[i] = (int64_t)bosc_hash_home(bi_hash_ordered_hash(a, i), v->key_bits, v->homes) - i;
}

BI_FN void bi_step_ordered_clear(const struct bi_hash_ordered *a, int64_t slot)
{
    const bosc_hash_word filler = bi_hash_ordered_filler(&a->fill.view, (uint64_t)slot, a->slots);
    bi_hash_write_slot(&a->fill, (uint64_t)slot, filler, 0);
}

BI_FN void bi_step_ordered_write(const struct bi_hash_ordered *a, int64_t i)
{
    const struct bi_hash_run_keys rows = {0, 0, 0, 0, 0}; /* the order of the lists */
    const bosc_hash_slots_view *v = &a->fill.view;
    const bosc_hash_word hash = bi_hash_ordered_hash(a, i);
    uint64_t slot = (uint64_t)i;
    a->extra[i] = 0;
    if (v->homes && bi_hash_same(hash, bosc_hash_greatest(v->key_bits))) {
        slot = a->slots - 1;
    } else if (v->homes) {
        slot = (uint64_t)(a->reach[i] + i);
        a->extra[i] = slot - bosc_hash_home(hash, v->key_bits, v->homes);
    }
    bi_hash_write_key(&a->fill, &rows, i, slot);
}

/* Writes the descriptors, and most of the report; the only item is 0. */
BI_FN void bi_step_ordered_describe(const struct bi_hash_ordered *a, int64_t i)
{
    struct bi_hash_run_keys table = {0, 0, a->slots, 0, 0};
    a->fill.descriptors[i] = 0;
    bi_hash_write_descriptor(&a->fill, &table, a->fill.view.homes || !a->slots ? 0 : BOSC_HASH_LINEAR);
}

/* The slots that a look-up of each pair reads; 0 of empty slots. */
BI_FN void bi_step_ordered_lengths(const struct bi_hash_run_lengths *a, int64_t slot)
{
    const bosc_hash_slots_view *v = &a->view;
    const bosc_hash_word hash = bosc_hash_at_slot(v, (uint64_t)slot);
    a->lengths[slot] = 0;
    if (!bi_hash_is_occupied(v, (uint64_t)slot)) return;
    a->lengths[slot] = 1;
    if (!bi_hash_same(hash, bosc_hash_greatest(v->key_bits)))
        a->lengths[slot] += (uint32_t)slot - bosc_hash_home(hash, v->key_bits, v->homes);
}

#endif
