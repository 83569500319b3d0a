/* The table of hash tables on the CPU. */
#include "core/steps.h"
#include "hash/cpu/bucketed.h"
#include "hash/cpu/key_range.h"
#include "hash/cpu/ordered.h"
#include "hash/steps/steps.h"

#define STEP_LIST "hash/steps/steps.def"
#define STEP_TABLE static const struct bi_hash_steps steps
#include "core/step_table.inc"

const struct bi_hash_ops bi_hash_ops_cpu = {
    .steps = &steps,
    .partition = bi_hash_partition_cpu,
    .fill = bi_hash_fill_cpu,
    .build = bi_hash_build_cpu,
    .find = bi_hash_find_cpu,
    .find_key_range = bi_hash_find_key_range_cpu,
    .build_bytes = bi_hash_build_bytes_cpu,
    .fill_slots = bi_hash_fill_slots_cpu,
    .find_slots = bi_hash_find_slots_cpu,
    .directory_bytes = bi_hash_directory_bytes_cpu,
    .index_slots = bi_hash_index_slots_cpu,
    .number_keys = bi_hash_number_keys_cpu,
    .reduce_repeats = bi_hash_reduce_repeats_cpu,
    .has_repeats = bi_hash_has_repeats_cpu,
};
