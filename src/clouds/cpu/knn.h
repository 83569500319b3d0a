/* The CPU's fused searches of batches of clouds. */
#ifndef BI_CLOUDS_CPU_KNN_H
#define BI_CLOUDS_CPU_KNN_H

#include "clouds/clouds.h"

/* An entry of the table (clouds/clouds.h). */
bosc_status bi_cpu_clouds_knn(bosc_ctx *ctx, int64_t n, const void *args, bool *served);

#endif
