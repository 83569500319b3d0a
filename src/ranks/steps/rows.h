/* Steps on CSR rows whose entries arrive from the owners of their queries. */
#ifndef BI_RANKS_STEPS_ROWS_H
#define BI_RANKS_STEPS_ROWS_H

#include "base/search.h"
#include "ranks/steps/route.h"

/* lengths[i] = length of row i. */
struct bi_ranks_row_lengths {
    const int64_t *offsets; /* (n + 1) */
    int64_t *lengths;       /* (n) */
};

BI_FN void bi_step_row_lengths(const struct bi_ranks_row_lengths *a, int64_t i)
{
    a->lengths[i] = a->offsets[i + 1] - a->offsets[i];
}

/* positions[i] = i if numbers[i] differs from expected[i], else INT64_MAX. */
struct bi_ranks_mark_differences {
    const int64_t *numbers, *expected;
    int64_t *positions;
};

BI_FN void bi_step_mark_differences(const struct bi_ranks_mark_differences *a, int64_t i)
{
    a->positions[i] = a->numbers[i] == a->expected[i] ? INT64_MAX : i;
}

/* Received entry i, in the order in which queries were sent, goes to the row of its own query. */
struct bi_ranks_scatter_entries {
    const int64_t *received_offsets; /* (rows + 1): offsets of the rows among the received entries */
    const int64_t *queries;          /* (rows): the query of each received row */
    const int64_t *offsets;          /* (rows + 1) */
    int64_t rows, entry_size;
    const void *entries;
    void *out;
};

BI_FN void bi_step_scatter_entries(const struct bi_ranks_scatter_entries *a, int64_t i)
{
    const int64_t row = bi_upper_bound_i64(a->received_offsets, a->rows + 1, i) - 1;
    const int64_t to = a->offsets[a->queries[row]] + (i - a->received_offsets[row]);
    bi_ranks_copy((char *)a->out + to * a->entry_size, (const char *)a->entries + i * a->entry_size, a->entry_size);
}

#endif
