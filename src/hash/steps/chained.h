/* CHAINED: each key joins the emptier of two buckets. A sequential algorithm counts all earlier keys; here keys come in
 * batches and count the keys of earlier batches only, so that the result does not depend on the order of threads. The
 * longest chain grows little. Sources: Azar, Broder, Karlin, Upfal, Balanced Allocations (1999); Berenbrink, Czumaj,
 * Englert, Friedetzky, Nagel, Multiple-Choice Balanced Allocation in (Almost) Parallel (2012); Alcantara, Efficient
 * Hash Tables on the GPU (2011). */
#ifndef BI_HASH_STEPS_CHAINED_H
#define BI_HASH_STEPS_CHAINED_H

#include "hash/steps/slot_store.h"

/* Chooses the bucket (a run) of row i of the batch. */
BI_FN void bi_step_chained_choose(const struct bi_hash_slots_fill *f, int64_t i)
{
    bosc_hash_word hash = bosc_hash_word_at(f->lists.hashes, f->batch + i, f->view.key_bits);
    uint32_t first = bosc_hash_run_of(&f->view, hash), second = bosc_hash_second_run_of(&f->view, hash);
    f->bins[f->batch + i] = f->counts[second] < f->counts[first] ? second : first;
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
    struct bi_hash_run_keys keys = bi_hash_run_keys_of(f, (uint32_t)run);
    uint64_t extra = 0;
    for (int64_t j = 0; j < keys.keys; j++) {
        bosc_hash_word hash = bi_hash_run_key(f, &keys, j);
        uint32_t first = bosc_hash_run_of(&f->view, hash), second = bosc_hash_second_run_of(&f->view, hash);
        struct bi_hash_run_keys other = bi_hash_run_keys_of(f, first == (uint32_t)run ? second : first);
        bi_hash_write_key(f, &keys, j, keys.first + (uint64_t)j);
        extra += (uint64_t)j + (first == (uint32_t)run ? 0 : (uint64_t)other.keys);
        if (f->distinct) continue;
        if (bi_hash_chained_holds(f, &keys, j, hash) ||
            (first != second && bi_hash_chained_holds(f, &other, other.keys, hash)))
            bi_atomic_or_u32(&f->report->repeats, 1);
    }
    f->extra[run] = extra;
    bi_hash_store_descriptor(f, &keys, BOSC_HASH_LINEAR); /* searched slot by slot, but not reported as linear */
}

#endif
