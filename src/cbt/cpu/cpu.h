/* Declarations shared by the CPU's files of concurrent binary trees. */
#ifndef BI_CBT_CPU_CPU_H
#define BI_CBT_CPU_CPU_H

#include "cbt/cbt.h"
#include "cbt/steps/steps.h"

struct bi_cbt_cpu_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "cbt/cpu/steps.def"
#undef BI_STEP
};

int64_t bi_cbt_cpu_scratch(int64_t blocks);
bosc_status bi_cbt_cpu_decode(bosc_ctx *ctx, const struct bi_cbt_decode *a);
bosc_status bi_cbt_cpu_change(bosc_ctx *ctx, bosc_cbt *tree, const struct bi_cbt_change *a,
                              enum bi_cbt_outcome *outcome);
bosc_status bi_cbt_cpu_install(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits);
bosc_status bi_cbt_cpu_reduce_heap(bosc_ctx *ctx, const struct bi_cbt_reduction *a);
bosc_status bi_cbt_cpu_for_each_in_heap(bosc_ctx *ctx, const bosc_cbt_heap_view *view, bosc_cbt_visit_fn visit,
                                        void *user);

#endif
