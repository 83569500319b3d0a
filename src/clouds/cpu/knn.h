/* The CPU's fused searches of batches of clouds: the k nearest of 3-D floats, for k up to BI_CLOUDS_SHORT. */
#ifndef BI_CLOUDS_CPU_KNN_H
#define BI_CLOUDS_CPU_KNN_H

#include "clouds/clouds.h"
#include "clouds/steps/query.h"
#include "core/cpu/level.h"
#include "core/cpu/threads.h"

/* Searches around the rows of a part. */
void bi_clouds_find_nearest_v1(const struct bi_clouds_query *a, struct bi_span part);
void bi_clouds_find_nearest_v3(const struct bi_clouds_query *a, struct bi_span part);
void bi_clouds_find_nearest_v4(const struct bi_clouds_query *a, struct bi_span part);

/* An entry of the table (clouds/clouds.h). */
bosc_status bi_cpu_clouds_knn(bosc_ctx *ctx, int64_t n, const void *args, bool *served);

#endif
