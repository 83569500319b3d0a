/* Inside arrangements: the room's table. */
#ifndef BI_ARRANGEMENT_ARRANGEMENT_H
#define BI_ARRANGEMENT_ARRANGEMENT_H

#include <boscage/arrangement.h>

#include "core/call.h"

struct bi_arrangement_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

struct bi_arrangement_ops {
    const struct bi_arrangement_steps *steps;
};

#endif
