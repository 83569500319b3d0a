/* Ids of a rank's items among those of all ranks. */
#ifndef BI_DIST_STEPS_IDS_H
#define BI_DIST_STEPS_IDS_H

#include "base/step.h"

struct bi_dist_global_ids {
    int64_t first; /* items of the ranks below */
    int64_t *ids;  /* (n) */
};

BI_FN void bi_step_global_ids(const struct bi_dist_global_ids *a, int64_t i) { a->ids[i] = a->first + i; }

#endif
