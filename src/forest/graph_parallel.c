/* Parallel edges made one. */
#include "forest/graph_build.h"

bosc_status bi_graph_drop_parallel(struct bi_graph_build *b)
{
    return bi_fail(b->ctx, BOSC_ERR_LIMIT, "opts: parallel edges can only be kept yet");
}
