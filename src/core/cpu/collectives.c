/* The table of the CPU's collectives. */
#include "core/cpu/collectives.h"

const struct bi_core_ops bi_core_cpu = {0};
