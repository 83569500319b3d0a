/* CSR rows whose entries come from the owners of their queries. */
#ifndef BI_RANKS_STEPS_ROWS_H
#define BI_RANKS_STEPS_ROWS_H

#include "base/search.h"
#include "ranks/steps/route.h"

/* lengths[i]: of row i. */
struct bi_ranks_lengths {
    const int64_t *offsets; /* (n + 1) */
    int64_t *lengths;       /* (n) */
};

BI_FN void bi_step_lengths(const struct bi_ranks_lengths *a, int64_t i)
{
    a->lengths[i] = a->offsets[i + 1] - a->offsets[i];
}

/* where[i]: i if a number is not what it should be, else INT64_MAX. */
struct bi_ranks_differences {
    const int64_t *numbers, *expected;
    int64_t *where;
};

BI_FN void bi_step_differences(const struct bi_ranks_differences *a, int64_t i)
{
    a->where[i] = a->numbers[i] == a->expected[i] ? INT64_MAX : i;
}

/* Entry i of those that came, whose rows are in the order in which their queries were sent, goes to its own row. */
struct bi_ranks_place_entries {
    const int64_t *came;    /* (rows + 1): where each row begins among what came */
    const int64_t *sent;    /* (rows): the query of each */
    const int64_t *offsets; /* (rows + 1) */
    int64_t rows, entry_size;
    const void *entries;
    void *out;
};

BI_FN void bi_step_place_entries(const struct bi_ranks_place_entries *a, int64_t i)
{
    const int64_t row = bi_upper_bound_i64(a->came, a->rows + 1, i) - 1;
    const int64_t to = a->offsets[a->sent[row]] + (i - a->came[row]);
    bi_ranks_copy((char *)a->out + to * a->entry_size, (const char *)a->entries + i * a->entry_size, a->entry_size);
}

#endif
