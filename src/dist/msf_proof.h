/* What the proof of spanning forests over ranks is made of. */
#ifndef BI_DIST_MSF_PROOF_H
#define BI_DIST_MSF_PROOF_H

#include "dist/forest.h"

/* What can be wrong, in the order in which it is told. */
enum bi_dist_msf_fault {
    BI_DIST_MSF_ABSENT,
    BI_DIST_MSF_REPEATED,
    BI_DIST_MSF_CYCLE,
    BI_DIST_MSF_APART,
    BI_DIST_MSF_LIGHTER,
    BI_DIST_MSF_FAULTS
};

struct bi_dist_msf_proof {
    bosc_ctx *ctx;
    bosc_comm *comm;
    const struct bi_dist_steps *steps;
    const struct bi_core_ops *core;
    struct bi_dist_part *part;
    const void *given; /* the caller's */
    int64_t count;

    struct bi_exchange exchange; /* ended by the call, whatever fails */
    struct bi_dist_edges edges;  /* all that are given, by turn: ascending by (rank, id) */
    struct bi_dist_rounds rounds;
    uint32_t *labels; /* of the trees of the edges given */
    int64_t *faults;  /* the backend's: the smallest edge id of each kind, none: INT64_MAX */
    int64_t found[BI_DIST_MSF_FAULTS];
};

/* ---- msf_proof.c ---- */

/* proof->found becomes what all ranks have found until now. */
bosc_status bi_dist_msf_share_faults(struct bi_dist_msf_proof *proof, bosc_status mine);
bool bi_dist_msf_is_right(const struct bi_dist_msf_proof *proof);

/* ---- msf_given.c ---- */

/* The edges given that a rank has, ascending by id; and their index, where there are any. */
struct bi_dist_msf_given {
    struct bi_dist_edges own;
    struct bi_dist_forest_word *words;
};

/* Finds the edges given in the graph, each on the rank that has it. Takes scratch. */
bosc_status bi_dist_msf_find_given(struct bi_dist_msf_proof *proof, struct bi_dist_msf_given *given);

/* Gives all of them to all ranks: proof->edges, which has room. */
bosc_status bi_dist_msf_replicate(struct bi_dist_msf_proof *proof, const struct bi_dist_edges *own);

/* ---- msf_sharded_verify.c ---- */

/* The proof where no rank has all vertices. Takes scratch. */
bosc_status bi_dist_msf_prove_sharded(struct bi_dist_msf_proof *proof, const struct bi_dist_msf_given *given);

#endif
