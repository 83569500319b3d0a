/* The steps that number keys by first occurrence. */
#ifndef BI_HASH_STEPS_UNIQUE_H
#define BI_HASH_STEPS_UNIQUE_H

#include "hash/hash.h"

struct bi_hash_ids {
    const uint8_t *heads;   /* (n) sorted by hash */
    const uint32_t *rows;   /* (n) */
    const uint32_t *firsts; /* (groups) */
    const uint32_t *groups; /* (n) by position in the order, from 1 on */
    uint8_t *is_first;      /* (n) by row */
    const uint32_t *before; /* (n) by row: rows before it that are the first of their key */
    int64_t *ids;
};

BI_FN void bi_step_mark_first(const struct bi_hash_ids *a, int64_t i) { a->is_first[a->rows[i]] = a->heads[i]; }

BI_FN void bi_step_give_ids(const struct bi_hash_ids *a, int64_t i)
{
    a->ids[a->rows[i]] = a->before[a->rows[a->firsts[a->groups[i] - 1]]];
}

struct bi_hash_widen {
    const uint8_t *flags;
    uint32_t *words;
};

BI_FN void bi_step_widen(const struct bi_hash_widen *a, int64_t i) { a->words[i] = a->flags[i]; }

#endif
