/* The cycles of concurrent binary trees that programs time: full trees and trees filled to a quarter, of any layout. */
#ifndef BENCH_HARNESS_CBT_CYCLE_H
#define BENCH_HARNESS_CBT_CYCLE_H

#include "harness/bench.h"

struct bench_cbt_times {
    int64_t leaves;
    struct bench_times decode, reduce, cycle; /* cycle: decode, merge a few leaves, reduce, split them again, reduce */
};

/* Makes the tree (quarter: a quarter of its leaves, split at random from level depth - 4 on), times it, and checks
 * every leaf before and after. opts says depth, layout and decoding; nodes are of 32 bits. */
struct bench_cbt_times bench_cbt_time(const bosc_cbt_opts *opts, bool quarter, int repeats);

#endif
