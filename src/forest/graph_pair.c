/* Entries that are arcs: the two of each edge are found. Forward arcs (u < v) and back arcs (u > v) are two lists with
 * the same keys; sorted, arc k of the one belongs to arc k of the other. */
#include "base/bits.h"
#include "forest/graph_build.h"

bosc_status bi_graph_pair_arcs(struct bi_graph_build *b)
{
    return bi_fail(b->ctx, BOSC_ERR_LIMIT, "opts: BOSC_ARCS_BOTH is not there yet");
}
