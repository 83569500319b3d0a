/* Ids of a rank's items among the items of all ranks. */
#ifndef BI_RANKS_STEPS_IDS_H
#define BI_RANKS_STEPS_IDS_H

#include "base/words.h"

struct bi_ranks_global_ids {
    int64_t first; /* number of items on lower ranks */
    int64_t *ids;  /* (n) */
};

BI_FN void bi_step_global_ids(const struct bi_ranks_global_ids *a, int64_t i) { a->ids[i] = a->first + i; }

/* out[i] = in[i], as words of 64 or 32 bits. */
struct bi_ranks_resize_ids {
    const int64_t *in;
    void *out;
    bool is_64bit;
};

BI_FN void bi_step_resize_ids(const struct bi_ranks_resize_ids *a, int64_t i)
{
    bi_set_word(a->out, a->is_64bit, i, (uint64_t)a->in[i]);
}

#endif
