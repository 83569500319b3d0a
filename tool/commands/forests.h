/* Forests of the commands: ids from files, weights among the results, --replicated. */
#ifndef TOOL_COMMANDS_FORESTS_H
#define TOOL_COMMANDS_FORESTS_H

#include "tool/ranks.h"

/* Reads the edge ids of --verify and checks that each is less than `entries`. They have id_bits; 32-bit ids are packed
 * at the front of the array. */
int read_forest_ids(struct job *job, const struct ranks *ranks, int32_t id_bits, int64_t entries,
                    struct input_rows *ids);

/* Adds the weight of a forest to the results. */
void report_weight(struct job *job, bosc_dtype weight, const bosc_msf_info *found);

/* Reads --replicated: the most bytes a rank may use for vertices that every rank holds; 0: no limit. */
int replicated_bytes(const struct job *job, const struct ranks *ranks, int64_t *bytes);

#endif
