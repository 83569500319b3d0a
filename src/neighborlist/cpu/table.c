/* The CPU's table of neighbour lists. */
#include "core/steps.h"
#include "neighborlist/cpu/search.h"

#define STEP_LIST "neighborlist/steps/steps.def"
#define STEP_TABLE static const struct bi_neighborlist_steps cpu_steps
#include "core/step_table.inc"

static bosc_status write_rows(bosc_ctx *ctx, const struct bi_neighborlist_output *output)
{
    return cpu_steps.write_row(ctx, output->view.n, output);
}

const struct bi_neighborlist_ops bi_neighborlist_ops_cpu = {.steps = &cpu_steps,
                                                            .bins_per_cutoff = 1,
                                                            .count_rows = bi_neighborlist_cpu_count_rows,
                                                            .fill_rows = bi_neighborlist_cpu_fill_rows,
                                                            .write = write_rows};
