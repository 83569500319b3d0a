/* CHAINED: each key joins the least full of its buckets, one for each function; of equally full ones that of the first
 * function. The buckets of all functions are the same ones (Azar et al.), or each function has a subtable of its own,
 * so that ties go left (Voecking). A sequential algorithm counts all earlier keys; here keys come in batches and count
 * the keys of earlier batches only, so that the result does not depend on the order of threads. The longest chain grows
 * little. Sources: Azar, Broder, Karlin, Upfal, Balanced Allocations (1999); Voecking, How Asymmetry Helps Load
 * Balancing (2003); Berenbrink, Czumaj, Englert, Friedetzky, Nagel, Multiple-Choice Balanced Allocation in (Almost)
 * Parallel (2012); Alcantara, Efficient Hash Tables on the GPU (2011). */
#ifndef BI_HASH_STEPS_CHAINED_H
#define BI_HASH_STEPS_CHAINED_H

#include "hash/steps/slot_store.h"

/* Chooses the bucket (a run) of row i of the batch. */
BI_FN void bi_step_chained_choose(const struct bi_hash_slots_fill *f, int64_t i)
{
    const bosc_hash_word hash = bosc_hash_word_at(f->lists.hashes, f->batch + i, f->view.key_bits);
    uint32_t least_full = bosc_hash_run_by_function(&f->view, hash, 0);
    for (uint32_t k = 1; k < f->view.functions; k++) {
        const uint32_t run = bosc_hash_run_by_function(&f->view, hash, k);
        if (f->counts[run] < f->counts[least_full]) least_full = run;
    }
    f->bins[f->batch + i] = least_full;
}

/* Counts row i of the batch in its bucket. */
BI_FN void bi_step_chained_join(const struct bi_hash_slots_fill *f, int64_t i)
{
    bi_atomic_fetch_add_u64((uint64_t *)&f->counts[f->bins[f->batch + i]], 1);
}

/* True if a hash is among the first `count` keys of a run. */
BI_FN bool bi_hash_chained_holds(const struct bi_hash_slots_fill *f, const struct bi_hash_run_keys *keys, int64_t count,
                                 bosc_hash_word hash)
{
    for (int64_t i = 0; i < count; i++)
        if (bi_hash_same(bi_hash_run_key(f, keys, i), hash)) return true;
    return false;
}

/* Writes a run; f->extra[run]: slots that look-ups of its keys read before the right one. */
BI_FN void bi_step_chained_fill(const struct bi_hash_slots_fill *f, int64_t run)
{
    const struct bi_hash_run_keys keys = bi_hash_run_keys_of(f, (uint32_t)run);
    uint64_t extra = 0;
    for (int64_t j = 0; j < keys.keys; j++) {
        const bosc_hash_word hash = bi_hash_run_key(f, &keys, j);
        bool repeats = !f->distinct && bi_hash_chained_holds(f, &keys, j, hash), is_before = true;
        bi_hash_write_key(f, &keys, j, keys.first + (uint64_t)j);
        extra += (uint64_t)j;
        /* The other buckets of the key: look-ups read those of earlier functions first. */
        for (uint32_t k = 0; k < f->view.functions; k++) {
            const uint32_t other = bosc_hash_run_by_function(&f->view, hash, k);
            if (other == (uint32_t)run) {
                is_before = false;
                continue;
            }
            const struct bi_hash_run_keys others = bi_hash_run_keys_of(f, other);
            if (is_before) extra += (uint64_t)others.keys;
            if (!f->distinct) repeats = repeats || bi_hash_chained_holds(f, &others, others.keys, hash);
        }
        if (repeats) bi_atomic_or_u32(&f->report->repeats, 1);
    }
    f->extra[run] = extra;
    bi_hash_store_descriptor(f, &keys, BOSC_HASH_LINEAR); /* searched slot by slot, but not reported as linear */
}

#endif
