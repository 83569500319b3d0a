/* Costs of AUTO on CUDA; in C, for designated initialisers. */
#include "cellgraph/cellgraph.h"
#include "cellgraph/steps/sample.h"

const struct bi_cellgraph_costs bi_cellgraph_costs_cuda = {
    .pair = 0.001,
    .row = 450,
    .row_word = 170,
    .dictionary = 36000,
    .dictionary_vertex = 0.15,
    .probe_wait = 115,
    .vote = 0.0005,
    .join = 10000,
    .join_vertex = 0.035,
    .join_word = 0.012,
    .join_pair = 0.02,
    .halves = 120000,
    .halves_vertex = 0.5,
    .halves_letter = 4000,
    .hidden_group = 0.5,
    .max_group = 1.25 * BI_CELLGRAPH_MAX_GROUP, /* samples overestimate groups */
    .max_pairs = 64,
    .plain_pairs = 3,
    .count_probes = 10000,
    /* Measured on an H200: from 50 to 100,000 rows of 8 and 12 bits, and to 10,000 of 16, TABLE is faster than ZOBRIST
     * (0.056 to 0.12 ms, ZOBRIST 0.060 to 0.18); for 1 M rows of 8 and 12 bits it is slower by a quarter to a half.
     * Rows of equal words contend there. The limits themselves are not measured. */
    .table_words = 1000,
    .table_free = 1 << 20,
    .table_rows = 64,
    .rows_free = 1 << 18,
    .compare_all = 16,
    .join_unseen = 200,
    .max_sample = BI_CELLGRAPH_CUDA_SAMPLE,
};
