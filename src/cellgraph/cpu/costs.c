/* Costs of AUTO on the CPU, for one thread. */
#include "cellgraph/costs.h"

#include "cellgraph/steps/sample.h"

const struct bi_cellgraph_costs bi_cellgraph_costs_cpu = {
    .pair = 1.5,
    .pair_word = 1.0,
    .row = 12,
    .dictionary = 1000,
    .dictionary_vertex = 25,
    .probe = 2.6,
    .vote = 1.0,
    .hit = 45,
    .hit_word = 3.7,
    .cached_vertices = 8192,
    .join = 800,
    .join_vertex = 4.5,
    .join_word = 1.6,
    .join_pair = 3.5,
    .join_pair_word = 0.4,
    .halves = 10000,
    .halves_vertex = 200,
    .halves_probe = 4,
    .max_group = 1e30,
    .max_pairs = 24,
    .plain_pairs = 3,
    .compare_all = 32,
    .max_sample = BI_CELLGRAPH_CPU_SAMPLE,
};
