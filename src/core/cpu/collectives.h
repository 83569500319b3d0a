/* The CPU's collectives, on OpenMP. One file each: reduce.c, scan.c, compact.c, ... */
#ifndef BI_CORE_CPU_COLLECTIVES_H
#define BI_CORE_CPU_COLLECTIVES_H

#include "core/backend.h"

extern const struct bi_core_ops bi_core_cpu;

#endif
