/* The faults that the ranks find in a proof. */
#include "ranks/forest/proof.h"

bool bi_ranks_msf_is_valid(const struct bi_ranks_msf_proof *p)
{
    for (int k = 0; k < BI_RANKS_MSF_FAULTS; k++)
        if (p->found[k] != INT64_MAX) return false;
    return true;
}

bosc_status bi_ranks_msf_reduce_faults(struct bi_ranks_msf_proof *p, bosc_status local_status)
{
    int64_t own[BI_RANKS_MSF_FAULTS];
    const int64_t *all = p->comm->gather;
    if (local_status == BOSC_OK) local_status = bi_read_back(p->ctx, own, p->faults, sizeof own);
    BI_TRY(bi_comm_agree(p->ctx, p->comm, local_status));
    BI_TRY(bi_comm_all_gather(p->ctx, p->comm, own, sizeof own, p->comm->gather));
    for (int k = 0; k < BI_RANKS_MSF_FAULTS; k++) {
        p->found[k] = INT64_MAX;
        for (int32_t r = 0; r < p->comm->rank_count; r++)
            if (all[r * BI_RANKS_MSF_FAULTS + k] < p->found[k]) p->found[k] = all[r * BI_RANKS_MSF_FAULTS + k];
    }
    return BOSC_OK;
}
