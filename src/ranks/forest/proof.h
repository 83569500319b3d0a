/* State of the proof of spanning forests over ranks. */
#ifndef BI_RANKS_FOREST_PROOF_H
#define BI_RANKS_FOREST_PROOF_H

#include "ranks/forest/forest.h"

/* Faults, in the order in which they are reported. */
enum bi_ranks_msf_fault {
    BI_RANKS_MSF_ABSENT,
    BI_RANKS_MSF_REPEATED,
    BI_RANKS_MSF_CYCLE,
    BI_RANKS_MSF_APART,
    BI_RANKS_MSF_LIGHTER,
    BI_RANKS_MSF_FAULTS
};

struct bi_ranks_msf_proof {
    bosc_ctx *ctx;
    bosc_comm *comm;
    const struct bi_ranks_steps *steps;
    const struct bi_core_ops *core;
    struct bi_ranks_forest_slice *slice;
    const void *input; /* the caller's ids */
    int64_t count;

    struct bi_exchange exchange; /* ended by the public call, after a failure too */
    struct bi_ranks_edges edges; /* all input edges, ascending by (rank, id) */
    struct bi_ranks_rounds rounds;
    uint32_t *labels; /* of the input forest's trees */
    int64_t *faults;  /* backend memory: the smallest edge id of each kind; none: INT64_MAX */
    int64_t found[BI_RANKS_MSF_FAULTS];
};

/* ---- proof.c ---- */

/* proof->found becomes the faults of all ranks so far. */
bosc_status bi_ranks_msf_reduce_faults(struct bi_ranks_msf_proof *proof, bosc_status local_status);
/* True if no fault was found so far. */
bool bi_ranks_msf_is_valid(const struct bi_ranks_msf_proof *proof);

/* ---- proof_input.c ---- */

/* The input edges of a rank, ascending by id, and their index, if there are any. */
struct bi_ranks_msf_input {
    struct bi_ranks_edges own;
    struct bi_ranks_forest_word *words;
};

/* Finds the input edges in the graph, each on its own rank. Takes scratch. */
bosc_status bi_ranks_msf_find_input(struct bi_ranks_msf_proof *proof, struct bi_ranks_msf_input *input);

/* Replicates the input edges on all ranks: proof->edges, which has room. */
bosc_status bi_ranks_msf_replicate_input(struct bi_ranks_msf_proof *proof, const struct bi_ranks_edges *own);

/* ---- verify_sharded.c ---- */

/* The proof with distributed vertices. Takes scratch. */
bosc_status bi_ranks_msf_prove_sharded(struct bi_ranks_msf_proof *proof, const struct bi_ranks_msf_input *input);

#endif
