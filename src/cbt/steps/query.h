/* Steps for queries about single leaves and nodes. */
#ifndef BI_CBT_STEPS_QUERY_H
#define BI_CBT_STEPS_QUERY_H

#include <boscage/device/cbt.h>

#include "cbt/steps/nodes.h"

/* Item i: one leaf, or one node. */
struct bi_cbt_query {
    bosc_cbt_view view;
    const int64_t *leaves;
    void *nodes;
    int64_t *answers;
    bool is_64bit;
};

BI_FN void bi_step_cbt_decode_at(const struct bi_cbt_query *a, int64_t i)
{
    bi_cbt_store_node(a->nodes, i, bosc_cbt_leaf_node(&a->view, a->leaves[i]), a->is_64bit);
}

BI_FN void bi_step_cbt_encode(const struct bi_cbt_query *a, int64_t i)
{
    a->answers[i] = bosc_cbt_leaf_index(&a->view, bi_cbt_load_node(a->nodes, i, a->is_64bit));
}

BI_FN void bi_step_cbt_heap_read(const struct bi_cbt_query *a, int64_t i)
{
    a->answers[i] = bosc_cbt_leaves_below(&a->view, bi_cbt_load_node(a->nodes, i, a->is_64bit));
}

#endif
