/* boscage hash over ranks. */
#ifndef TOOL_COMMANDS_HASH_RANKS_H
#define TOOL_COMMANDS_HASH_RANKS_H

#include "tool/ranks.h"

/* Columns and options of a lookup, and its answers. */
struct table_work {
    struct input_rows keys, values, queries;
    bosc_array out, found; /* values, out: empty for a set */
    bosc_hash_opts opts;
    bosc_ranks_hash_info info;
};
int lookup_over_ranks(struct job *job, const struct ranks *ranks, struct table_work *w);
int unique_over_ranks(struct job *job, const struct ranks *ranks, const struct input_rows *keys, bosc_array *ids,
                      bosc_array *unique);

#endif
