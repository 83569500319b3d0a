/* First items of equal keys, found by ids in the order of first occurrence. */
#ifndef BI_RANKS_STEPS_REPRESENTATIVES_H
#define BI_RANKS_STEPS_REPRESENTATIVES_H

#include <stdbool.h>

#include "base/step.h"

/* Item i is the first with its id if no one before it had as large an id. */
struct bi_ranks_firsts {
    const int64_t *ids, *greatest_before; /* (n) */
    uint8_t *is_first;                    /* (n) */
    int64_t *firsts;                      /* (ids): the first item of each */
};

BI_FN void bi_step_mark_firsts(const struct bi_ranks_firsts *a, int64_t i)
{
    const bool first = a->ids[i] > a->greatest_before[i];
    a->is_first[i] = first;
    if (first) a->firsts[a->ids[i]] = i;
}

/* flags[i] as a number. */
struct bi_ranks_widen {
    const uint8_t *flags;
    int64_t *numbers;
};

BI_FN void bi_step_widen(const struct bi_ranks_widen *a, int64_t i) { a->numbers[i] = a->flags[i] != 0; }

struct bi_ranks_add {
    int64_t *numbers, more;
};

BI_FN void bi_step_add(const struct bi_ranks_add *a, int64_t i) { a->numbers[i] += a->more; }

/* Items whose key came before: in the table, or as an item. */
struct bi_ranks_repeats {
    const uint8_t *is_first, *found;
    uint8_t *repeats;
};

BI_FN void bi_step_mark_repeats(const struct bi_ranks_repeats *a, int64_t i)
{
    a->repeats[i] = !a->is_first[i] || a->found[i];
}

#endif
