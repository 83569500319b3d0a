/* The table of graphs and spanning forests on the CPU. */
#include "forest/cpu_msf.h"

const struct bi_forest_ops bi_forest_ops_cpu = {
    .msf = bi_cpu_msf, .components = bi_cpu_components, .back = bi_cpu_graph_back};
