/* Plain primitives, one element after the other. */
#ifndef TESTS_REFERENCE_PRIMS_H
#define TESTS_REFERENCE_PRIMS_H

#include <boscage/prims.h>

void reference_reduce(bosc_op op, bosc_dtype dtype, const void *in, int64_t n, void *result);
/* heads may be NULL. */
void reference_scan(bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in, const uint8_t *heads, int64_t n,
                    void *out);
int64_t reference_compact(size_t item_size, const void *in, const uint8_t *keep, int64_t n, void *out);
void reference_split(size_t item_size, const void *in, const uint32_t *bucket, int64_t n, int64_t n_buckets, void *out,
                     int64_t *offsets);
/* Sorts keys stably: order[i] is the index in `keys` of the i-th. */
void reference_order(bosc_dtype dtype, const void *keys, int64_t n, int64_t *order);
void reference_superkey(bosc_dtype dtype, const void *points, int64_t n, int32_t dim, int32_t first, uint32_t *perm);

#endif
