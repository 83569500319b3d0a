/* Times decoding and reduction of concurrent binary trees of any layout, full or filled to a quarter. */
#ifndef BENCH_HARNESS_CBT_CYCLE_H
#define BENCH_HARNESS_CBT_CYCLE_H

#include "harness/bench.h"

struct bench_cbt_times {
    int64_t leaves;
    struct bench_times decode, reduce, cycle; /* cycle: decode, merge a few leaves, reduce, split them again, reduce */
    double queued; /* seconds of one of many decodings with a wait behind the last; `decode` has a wait behind each */
};

/* Creates the tree (quarter: a quarter of its leaves, split at random from level depth - 4 on), times it, and checks
 * every leaf before and after. opts has the depth, layout and decoding; nodes have 32 bits. */
struct bench_cbt_times bench_cbt_time(const bosc_cbt_opts *opts, bool quarter, int repeats);

#endif
