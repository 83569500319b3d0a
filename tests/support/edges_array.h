/* Graphs as arrays, for the checks of array readers: a first row (n, m, type of the weights or 0), then a row (u, v,
 * weight) per edge. */
#ifndef TESTS_SUPPORT_EDGES_ARRAY_H
#define TESTS_SUPPORT_EDGES_ARRAY_H

#include <stdlib.h>

#include "io/file/array.h"
#include "io/graph/edge_list.h"

static inline double edges_weight(const bosc_edges *edges, int64_t i)
{
    const void *w = edges->weights;
    if (!w) return 1;
    switch (edges->dtype) {
    case BOSC_I32: return ((const int32_t *)w)[i];
    case BOSC_I64: return (double)((const int64_t *)w)[i];
    case BOSC_U32: return ((const uint32_t *)w)[i];
    case BOSC_U64: return (double)((const uint64_t *)w)[i];
    case BOSC_F32: return (double)((const float *)w)[i];
    case BOSC_F64: return ((const double *)w)[i];
    default: abort();
    }
}

static inline bosc_status edges_array(enum bi_edges_format format, const struct bi_bytes *in, bosc_array *array,
                                      bosc_io_error *error)
{
    bosc_edges edges = {0};
    bosc_status status = bi_edges_parse(format, in, &edges, error);
    if (status != BOSC_OK) {
        if (edges.u || edges.v || edges.weights || edges.n || edges.m) abort();
        return status;
    }
    int64_t shape[2] = {edges.m + 1, 3};
    status = bi_array_new(in->name, BOSC_F64, 2, shape, array, error);
    double *row = array->data;
    if (status == BOSC_OK) {
        row[0] = (double)edges.n;
        row[1] = (double)edges.m;
        row[2] = edges.weights ? edges.dtype : 0;
    }
    for (int64_t i = 0; i < edges.m && status == BOSC_OK; i++) {
        row += 3;
        row[0] = edges.u[i];
        row[1] = edges.v[i];
        row[2] = edges_weight(&edges, i);
        if (edges.u[i] >= edges.n || edges.v[i] >= edges.n) abort();
    }
    bosc_edges_free(&edges);
    return status;
}

static inline bosc_status gr_array(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    return edges_array(BI_EDGES_GR, in, array, error);
}

static inline bosc_status mtx_array(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    return edges_array(BI_EDGES_MTX, in, array, error);
}

static inline bosc_status list_array(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    return edges_array(BI_EDGES_LIST, in, array, error);
}

static inline bosc_status metis_array(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    return edges_array(BI_EDGES_METIS, in, array, error);
}

#endif
