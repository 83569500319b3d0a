/* The table of spanning forests on CUDA. */
#include "forest/msf.h"

extern "C" const struct bi_forest_ops bi_forest_ops_cuda = {NULL};
