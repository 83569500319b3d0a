/* Powers of two that bring coordinates to where squares of their differences are in range. */
#ifndef BI_CLUSTER_SCALE_H
#define BI_CLUSTER_SCALE_H

#include "cluster/cluster.h"
#include "cluster/steps/hdbscan.h"

/* Sets factor to 2^exponent: the product of two doubles, as it may be no double. |exponent| <= 2,000. */
void bi_cluster_split_power(int exponent, double factor[2]);

/* Finds the largest exponent of n rows in reach, and the least one of numbers other than 0 (UINT32_MAX: none); both are
 * biased by 1023. Waits. */
bosc_status bi_cluster_find_exponents(bosc_ctx *ctx, int64_t n, struct bi_hdbscan_rows *rows, uint32_t exponents[2]);

/* Brings the largest of n rows of doubles near 1, if squares of their differences may be out of range. factor: receives
 * the power of two, else 1. Waits. */
bosc_status bi_cluster_make_ordinary(bosc_ctx *ctx, int64_t n, int32_t dim, double *x, double factor[2]);

#endif
