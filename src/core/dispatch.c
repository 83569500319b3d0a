/* The tables of operations of all rooms, by backend and CPU level (core/tables.def). */
#include "core/backend.h"

#include "core/cpu/level.h"

#define BI_TABLE(name, type) extern const struct type type##_cpu, type##_cuda;
#define BI_TABLE_BY_LEVEL(name, type) extern const struct type type##_cpu_v1, type##_cpu_v3, type##_cpu_v4, type##_cuda;
#include "core/tables.def"
#undef BI_TABLE_BY_LEVEL
#undef BI_TABLE

#define BI_TABLE(name, type) .name = &type##_cpu,

#define BI_TABLE_BY_LEVEL(name, type) .name = &type##_cpu_v1,
static const struct bi_ops ops_cpu_v1 = {
#include "core/tables.def"
};
#undef BI_TABLE_BY_LEVEL

#if BI_LAST_LEVEL >= 3
#define BI_TABLE_BY_LEVEL(name, type) .name = &type##_cpu_v3,
static const struct bi_ops ops_cpu_v3 = {
#include "core/tables.def"
};
#undef BI_TABLE_BY_LEVEL
#endif

#if BI_LAST_LEVEL == 4
#define BI_TABLE_BY_LEVEL(name, type) .name = &type##_cpu_v4,
static const struct bi_ops ops_cpu_v4 = {
#include "core/tables.def"
};
#undef BI_TABLE_BY_LEVEL
#endif
#undef BI_TABLE

#ifdef BOSC_HAVE_CUDA
#define BI_TABLE(name, type) .name = &type##_cuda,
#define BI_TABLE_BY_LEVEL BI_TABLE
static const struct bi_ops ops_cuda = {
#include "core/tables.def"
};
#endif

const struct bi_ops *bi_ops_of(bosc_backend backend, bosc_cpu_level level)
{
#ifdef BOSC_HAVE_CUDA
    if (backend == BOSC_BACKEND_CUDA) return &ops_cuda;
#endif
    (void)backend;
    return BI_LEVEL_PICK(level, ops_cpu);
}
