/* The steps that number keys by first occurrence. */
#ifndef BI_HASH_STEPS_UNIQUE_H
#define BI_HASH_STEPS_UNIQUE_H

#include "hash/hash.h"

struct bi_hash_ids {
    const uint8_t *heads;             /* (n) sorted by hash */
    const uint32_t *rows;             /* (n) */
    const uint32_t *group_begins;     /* (groups) */
    const uint32_t *groups;           /* (n) by position in the order, from 1 on */
    uint8_t *is_first;                /* (n) by row */
    const uint32_t *exclusive_prefix; /* (n) number of earlier rows with a new key */
    int64_t *ids;
};

BI_FN void bi_step_mark_first(const struct bi_hash_ids *a, int64_t i) { a->is_first[a->rows[i]] = a->heads[i]; }

/* The key of the row at position i has the number of keys that occurred before the first row of its group. */
BI_FN void bi_step_write_ids(const struct bi_hash_ids *a, int64_t i)
{
    a->ids[a->rows[i]] = a->exclusive_prefix[a->rows[a->group_begins[a->groups[i] - 1]]];
}

struct bi_hash_widen {
    const uint8_t *flags;
    uint32_t *words;
};

BI_FN void bi_step_widen(const struct bi_hash_widen *a, int64_t i) { a->words[i] = a->flags[i]; }

#endif
