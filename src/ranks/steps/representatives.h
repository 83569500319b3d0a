/* Steps on the first items of equal keys. */
#ifndef BI_RANKS_STEPS_REPRESENTATIVES_H
#define BI_RANKS_STEPS_REPRESENTATIVES_H

#include <stdbool.h>

#include "base/step.h"

/* Item i is the first with its id if all earlier ids are smaller. exclusive_max: prefix maxima of ids. */
struct bi_ranks_mark_representatives {
    const int64_t *ids, *exclusive_max; /* (n) */
    uint8_t *is_first;                  /* (n) */
    int64_t *representative_ids;        /* (distinct keys): the first item of each */
};

BI_FN void bi_step_mark_representatives(const struct bi_ranks_mark_representatives *a, int64_t i)
{
    const bool first = a->ids[i] > a->exclusive_max[i];
    a->is_first[i] = first;
    if (first) a->representative_ids[a->ids[i]] = i;
}

/* numbers[i] = 1 if flags[i] is set, else 0. */
struct bi_ranks_widen_flags {
    const uint8_t *flags;
    int64_t *numbers;
};

BI_FN void bi_step_widen_flags(const struct bi_ranks_widen_flags *a, int64_t i) { a->numbers[i] = a->flags[i] != 0; }

/* numbers[i] += offset. */
struct bi_ranks_add_offset {
    int64_t *numbers, offset;
};

BI_FN void bi_step_add_offset(const struct bi_ranks_add_offset *a, int64_t i) { a->numbers[i] += a->offset; }

/* Marks items whose key is in the table already (`found`) or belongs to an earlier item. */
struct bi_ranks_mark_repeats {
    const uint8_t *is_first, *found;
    uint8_t *is_repeat;
};

BI_FN void bi_step_mark_repeats(const struct bi_ranks_mark_repeats *a, int64_t i)
{
    a->is_repeat[i] = !a->is_first[i] || a->found[i];
}

#endif
