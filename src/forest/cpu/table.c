/* The table of spanning forests on the CPU. */
#include "core/steps.h"
#include "forest/forest.h"
#include "forest/steps/steps.h"

#define STEP_LIST "forest/steps/steps.def"
#define STEP_TABLE static const struct bi_forest_steps steps
#include "core/step_table.inc"

const struct bi_forest_ops bi_forest_ops_cpu = {.steps = &steps,
                                                .msf_admits = bi_msf_cpu_admits,
                                                .msf = bi_msf_cpu,
                                                .msf_entries = bi_msf_cpu_entries,
                                                .components = bi_components_cpu,
                                                .components_entries = bi_components_cpu_entries,
                                                .prefers_merges = bi_linkage_cpu_prefers_merges,
                                                .merge_clusters = bi_linkage_cpu_merge,
                                                .admits_prim = bi_emst_cpu_admits_prim,
                                                .prefers_prim = bi_emst_cpu_prefers_prim,
                                                .grow_tree = bi_emst_cpu_grow,
                                                .msf_parts = bi_msf_cpu_parts,
                                                .components_parts = bi_components_cpu_parts};
