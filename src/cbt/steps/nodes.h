/* Arrays of nodes of 32 or 64 bits. */
#ifndef BI_CBT_STEPS_NODES_H
#define BI_CBT_STEPS_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/step.h"

BI_FN uint64_t bi_cbt_load_node(const void *nodes, int64_t i, bool is_64bit)
{
    return is_64bit ? ((const uint64_t *)nodes)[i] : ((const uint32_t *)nodes)[i];
}

BI_FN void bi_cbt_store_node(void *nodes, int64_t i, uint64_t node, bool is_64bit)
{
    if (is_64bit)
        ((uint64_t *)nodes)[i] = node;
    else
        ((uint32_t *)nodes)[i] = (uint32_t)node;
}

#endif
