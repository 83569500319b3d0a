/* CUCKOO: parallel cuckoo hashing over one table in rounds. In a round every key without a slot writes to the slot of
 * its next function, even if it is occupied; the loser, the key itself or the overwritten one, waits for the next round
 * and then uses its next function. The published build exchanges words in the order of threads. Here a word is (rounds
 * left, row, function) and the least one stays: that of the latest round and, within it, of the first row. So a round
 * leaves the same table in whatever order its keys write. Sources: Pagh and Rodler, Cuckoo Hashing (2004); Alcantara,
 * Efficient Hash Tables on the GPU (2011). */
#ifndef BI_HASH_STEPS_CUCKOO_H
#define BI_HASH_STEPS_CUCKOO_H

#include "hash/steps/slot_store.h"

enum {
    BI_HASH_CUCKOO_ROUNDS = 4096,  /* of a seed; 10 million keys took 2,200 at a load factor of 0.97 */
    BI_HASH_CUCKOO_ENTRY_BITS = 34 /* of an entry: row << 2 | function */
};
#define BI_HASH_CUCKOO_EMPTY UINT64_MAX

struct bi_hash_cuckoo {
    struct bi_hash_slots_fill fill;
    uint64_t slots, stash; /* of the table; of the stash: 0 or BOSC_HASH_STASH */
    uint32_t seed, round;
    uint32_t rounds;      /* of all seeds */
    uint64_t *words;      /* (slots + BOSC_HASH_STASH) BI_HASH_CUCKOO_EMPTY, or rounds left << ENTRY_BITS | entry */
    uint64_t *waiting[2]; /* (n) the entries that write in even and in odd rounds; not in round 0, where all do */
    uint32_t *counts;     /* (BI_HASH_CUCKOO_ROUNDS + 1) number of waiting entries by round */
    uint32_t *collides;   /* not 0: two keys have one slot of the stash */
};

BI_FN uint64_t bi_hash_cuckoo_entry(uint64_t word) { return word & (((uint64_t)1 << BI_HASH_CUCKOO_ENTRY_BITS) - 1); }

BI_FN bosc_hash_word bi_hash_cuckoo_key(const struct bi_hash_cuckoo *a, uint64_t entry)
{
    return bosc_hash_word_at(a->fill.lists.hashes, (int64_t)(entry >> 2), a->fill.view.key_bits);
}

BI_FN uint64_t bi_hash_cuckoo_slot(const struct bi_hash_cuckoo *a, bosc_hash_word hash, uint32_t function)
{
    bool stash = function == BOSC_HASH_FUNCTIONS;
    return (stash ? a->slots : 0) + bosc_hash_slot_by_function(hash, a->fill.view.key_bits, a->seed, function,
                                                               stash ? (uint64_t)BOSC_HASH_STASH : a->slots);
}

/* Writes the entry at index i of this round's list. */
BI_FN void bi_step_cuckoo_round(const struct bi_hash_cuckoo *a, int64_t i)
{
    if (a->round && i >= (int64_t)a->counts[a->round]) return;
    uint64_t entry = a->round ? a->waiting[a->round % 2][i] : (uint64_t)i << 2;
    uint64_t word = (uint64_t)(BI_HASH_CUCKOO_ROUNDS - 1 - a->round) << BI_HASH_CUCKOO_ENTRY_BITS | entry;
    bosc_hash_word hash = bi_hash_cuckoo_key(a, entry);
    uint64_t previous = bi_atomic_fetch_min_u64(&a->words[bi_hash_cuckoo_slot(a, hash, entry % 4)], word);
    if (previous == BI_HASH_CUCKOO_EMPTY) return;
    /* copies of a key write to one slot in round 0, so that many repeats are detected early */
    if (!a->round && !a->fill.distinct && bi_hash_same(hash, bi_hash_cuckoo_key(a, bi_hash_cuckoo_entry(previous))))
        bi_atomic_or_u32(&a->fill.report->repeats, 1);
    /* The greater word loses: its key waits, with its next function in turn. */
    entry = bi_hash_cuckoo_entry(previous < word ? word : previous);
    entry = entry % 4 + 1 == a->fill.view.functions ? entry - entry % 4 : entry + 1;
    a->waiting[(a->round + 1) % 2][bi_atomic_fetch_add_u32(&a->counts[a->round + 1], 1)] = entry;
}

/* Moves entry i of the list after the last round to the stash. */
BI_FN void bi_step_cuckoo_stash(const struct bi_hash_cuckoo *a, int64_t i)
{
    uint64_t entry = a->waiting[BI_HASH_CUCKOO_ROUNDS % 2][i];
    uint64_t slot = bi_hash_cuckoo_slot(a, bi_hash_cuckoo_key(a, entry), BOSC_HASH_FUNCTIONS);
    if (bi_atomic_fetch_min_u64(&a->words[slot], entry) != BI_HASH_CUCKOO_EMPTY) bi_atomic_or_u32(a->collides, 1);
}

/* Writes the descriptors, and most of the report; the only item is 0. */
BI_FN void bi_step_cuckoo_describe(const struct bi_hash_cuckoo *a, int64_t i)
{
    struct bi_hash_run_keys table = {0, 0, a->slots, 0, 0}, stash = {1, a->slots, a->stash, 0, 0};
    uint64_t n = (uint64_t)a->fill.lists.n;
    a->fill.descriptors[i] = 0;
    bi_hash_write_descriptor(&a->fill, &table, a->seed);
    bi_hash_write_descriptor(&a->fill, &stash, 0);
    if (a->seed == BOSC_HASH_LINEAR && n) a->fill.report->extra_probes = n * (n - 1) / 2;
}

/* True if another slot of a key holds the same key. */
BI_FN bool bi_hash_cuckoo_repeats(const struct bi_hash_cuckoo *a, bosc_hash_word hash, uint64_t slot)
{
    for (uint32_t p = 0; p < a->fill.view.functions; p++) {
        uint64_t other = bi_hash_cuckoo_slot(a, hash, p), word = a->words[other];
        if (other != slot && word != BI_HASH_CUCKOO_EMPTY &&
            bi_hash_same(hash, bi_hash_cuckoo_key(a, bi_hash_cuckoo_entry(word))))
            return true;
    }
    return false;
}

/* Writes slot i; in a linear table slot i holds row i. */
BI_FN void bi_step_cuckoo_write(const struct bi_hash_cuckoo *a, int64_t i)
{
    const struct bi_hash_run_keys rows = {0, 0, 0, 0, 0}; /* the order is that of the lists */
    bool linear = a->seed == BOSC_HASH_LINEAR;
    uint64_t word = linear ? (uint64_t)i << 2 : a->words[i];
    if (word == BI_HASH_CUCKOO_EMPTY) {
        bi_hash_write_slot(&a->fill, (uint64_t)i, bi_hash_cuckoo_filler(&a->fill.view, (uint64_t)i), 0);
        return;
    }
    uint64_t entry = bi_hash_cuckoo_entry(word);
    bi_hash_write_key(&a->fill, &rows, (int64_t)(entry >> 2), (uint64_t)i);
    if (!linear && !a->fill.distinct && bi_hash_cuckoo_repeats(a, bi_hash_cuckoo_key(a, entry), (uint64_t)i))
        bi_atomic_or_u32(&a->fill.report->repeats, 1);
}

/* Replaces the word of a slot by the number of slots that a look-up reads before it. */
BI_FN void bi_step_cuckoo_extra(const struct bi_hash_cuckoo *a, int64_t i)
{
    uint64_t word = a->words[i];
    uint32_t extra = 0, functions = a->fill.view.functions;
    if (word != BI_HASH_CUCKOO_EMPTY) {
        bosc_hash_word hash = bi_hash_cuckoo_key(a, bi_hash_cuckoo_entry(word));
        while (extra < functions && bi_hash_cuckoo_slot(a, hash, extra) != (uint64_t)i) extra++;
    }
    a->words[i] = extra;
}

#endif
