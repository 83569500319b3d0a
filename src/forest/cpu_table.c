/* The table of spanning forests on the CPU. */
#include "forest/msf.h"

const struct bi_forest_ops bi_forest_ops_cpu = {.msf = NULL};
