#include "tool/output/arrays.h"

#include <math.h>

#include "tool/job.h"
#include "tool/output/report.h"
#include "tool/tool.h"

const char *dtype_code(bosc_dtype dtype)
{
    switch (dtype) {
    case BOSC_F32: return "f4";
    case BOSC_F64: return "f8";
    case BOSC_I32: return "i4";
    case BOSC_I64: return "i8";
    case BOSC_U32: return "u4";
    case BOSC_U64: return "u8";
    case BOSC_U8: return "u1";
    case BOSC_I8: return "i1";
    case BOSC_I16: return "i2";
    case BOSC_U16: return "u2";
    }
    return "?";
}

double coordinate(const bosc_array *points, int64_t at)
{
    switch (points->dtype) {
    case BOSC_F32: return (double)((const float *)points->data)[at];
    case BOSC_F64: return ((const double *)points->data)[at];
    case BOSC_I32: return (double)((const int32_t *)points->data)[at];
    default: return (double)((const int64_t *)points->data)[at];
    }
}

size_t square_size(bosc_dtype dtype) { return dtype == BOSC_F32 ? sizeof(float) : sizeof(double); }

void squares_to_distances(bosc_dtype dtype, void *squares, int64_t count)
{
    double *d = squares;
    const float *f = squares;
    for (int64_t i = count; i-- > 0;) d[i] = sqrt(dtype == BOSC_F32 ? (double)f[i] : d[i]);
}

int arrays_write(struct job *job, const char *const *paths, const bosc_array *arrays, int count)
{
    bosc_io_error error;
    const char *wanted_paths[OPTION_COUNT];
    bosc_array wanted[OPTION_COUNT];
    int32_t found = 0;
    if (job->silent) return EXIT_DONE;
    for (int i = 0; i < count; i++) {
        if (!paths[i]) continue;
        wanted_paths[found] = paths[i];
        wanted[found++] = arrays[i];
    }
    if (!found) return EXIT_DONE;
    double start = job_now();
    bosc_status status = bosc_arrays_write(wanted_paths, wanted, found, &error);
    job_add_seconds(job, "write", start);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

void widen_ids(int32_t id_bits, void *ids, int64_t count)
{
    int64_t *wide = ids;
    const uint32_t *narrow = ids;
    if (id_bits == 64) return;
    for (int64_t i = count; i-- > 0;) wide[i] = narrow[i] == UINT32_MAX ? -1 : (int64_t)narrow[i];
}
