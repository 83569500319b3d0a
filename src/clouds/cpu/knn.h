/* The CPU's fused searches of batches of clouds, among 3-D floats: the k nearest, for k up to BI_CLOUDS_SHORT, and all
 * points within a radius. */
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

/* Counts the points within the radius of the rows of a part, or fills their rows. */
void bi_clouds_find_within_v1(const struct bi_clouds_query *a, struct bi_span part, bool fills);
void bi_clouds_find_within_v3(const struct bi_clouds_query *a, struct bi_span part, bool fills);
void bi_clouds_find_within_v4(const struct bi_clouds_query *a, struct bi_span part, bool fills);

/* Entries of the table (clouds/clouds.h). */
bosc_status bi_cpu_clouds_knn(bosc_ctx *ctx, int64_t n, const void *args, bool *served);
bosc_status bi_cpu_clouds_radius(bosc_ctx *ctx, int64_t n, const void *args, bool fills, bool *served);

#endif
