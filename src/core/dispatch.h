/* The rooms' tables of operations on one backend. A driver calls ctx->ops->ROOM->operation and never tests which
 * backend it runs on: an operation of only one backend is an entry that the other leaves NULL or zero. */
#ifndef BI_CORE_DISPATCH_H
#define BI_CORE_DISPATCH_H

#include <boscage/context.h>

struct bi_ops {
#define BI_TABLE(name, type) const struct type *name;
#define BI_TABLE_BY_LEVEL BI_TABLE
#include "core/tables.def"
#undef BI_TABLE_BY_LEVEL
#undef BI_TABLE
};

/* The tables of a backend; on the CPU, those of a level. */
const struct bi_ops *bi_ops_of(bosc_backend backend, bosc_cpu_level level);

#endif
