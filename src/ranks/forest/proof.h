/* What the proof of spanning forests over ranks is made of. */
#ifndef BI_RANKS_FOREST_PROOF_H
#define BI_RANKS_FOREST_PROOF_H

#include "ranks/forest/forest.h"

/* What can be wrong, in the order in which it is told. */
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
    struct bi_ranks_part *part;
    const void *given; /* the caller's */
    int64_t count;

    struct bi_exchange exchange; /* ended by the call, whatever fails */
    struct bi_ranks_edges edges; /* all that are given, by turn: ascending by (rank, id) */
    struct bi_ranks_rounds rounds;
    uint32_t *labels; /* of the trees of the edges given */
    int64_t *faults;  /* the backend's: the smallest edge id of each kind, none: INT64_MAX */
    int64_t found[BI_RANKS_MSF_FAULTS];
};

/* ---- msf_proof.c ---- */

/* proof->found becomes what all ranks have found until now. */
bosc_status bi_ranks_msf_share_faults(struct bi_ranks_msf_proof *proof, bosc_status local_status);
bool bi_ranks_msf_is_right(const struct bi_ranks_msf_proof *proof);

/* ---- msf_given.c ---- */

/* The edges given that a rank has, ascending by id; and their index, where there are any. */
struct bi_ranks_msf_given {
    struct bi_ranks_edges own;
    struct bi_ranks_forest_word *words;
};

/* Finds the edges given in the graph, each on the rank that has it. Takes scratch. */
bosc_status bi_ranks_msf_find_given(struct bi_ranks_msf_proof *proof, struct bi_ranks_msf_given *given);

/* Gives all of them to all ranks: proof->edges, which has room. */
bosc_status bi_ranks_msf_replicate(struct bi_ranks_msf_proof *proof, const struct bi_ranks_edges *own);

/* ---- msf_sharded_verify.c ---- */

/* The proof where no rank has all vertices. Takes scratch. */
bosc_status bi_ranks_msf_prove_sharded(struct bi_ranks_msf_proof *proof, const struct bi_ranks_msf_given *given);

#endif
