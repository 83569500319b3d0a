/* Refines an octahedron to level 60 around a point of one of its faces, like a globe below a landing observer: its
 * surface stays closed, and the number of triangles small. */
#include <boscage/boscage.h>

#include <stdio.h>
#include <stdlib.h>

enum { DEPTH = 60, ROOTS = 8 };

/* Faces 0 to 3 lie around the north pole, 4 to 7 around the south pole; their bases are on the equator, base to base.
 * Edge 1 of a northern face is edge 2 of the next one; southern faces have the opposite order. */
static void glue(int64_t glued[ROOTS][3])
{
    for (int64_t r = 0; r < 4; r++) {
        const int64_t next = (r + 1) % 4, before = (r + 3) % 4;
        glued[r][0] = 3 * (4 + r);
        glued[r][1] = 3 * next + 2;
        glued[r][2] = 3 * before + 1;
        glued[4 + r][0] = 3 * r;
        glued[4 + r][1] = 3 * (4 + before) + 2;
        glued[4 + r][2] = 3 * (4 + next) + 1;
    }
}

int main(void)
{
    int64_t glued[ROOTS][3], leaf = 0;
    const int64_t face = 2;
    const double point[2] = {0.25, 0.6180339887498949};
    uint64_t node = 0;
    bosc_ctx *ctx = NULL;
    bosc_bisectors *globe = NULL;
    bosc_bisectors_opts opts = {.size = sizeof opts, .depth = DEPTH, .root_count = ROOTS, .glued = glued[0]};
    bosc_bisectors_info info = {.size = sizeof info};
    glue(glued);

    bosc_status status = bosc_ctx_create(NULL, &ctx);
    if (!status) status = bosc_bisectors_create(ctx, &opts, &globe);
    for (int level = 0; level < DEPTH && !status; level++) {
        status = bosc_bisectors_locate(ctx, globe, &face, point, 1, &leaf);
        if (!status) status = bosc_bisectors_decode(ctx, globe, leaf, 1, &node);
        if (!status) status = bosc_bisectors_split(ctx, globe, &node, 1);
        if (!status)
            status = bosc_bisectors_update(ctx, globe, NULL, 0, NULL, 0); /* also splits what conformity requires */
    }
    if (!status) status = bosc_bisectors_get_info(ctx, globe, &info);

    if (status)
        fprintf(stderr, "bisector: %s %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");
    else
        printf("%lld triangles, the smallest on level %d\n", (long long)info.leaves, (int)info.deepest);
    bosc_bisectors_free(globe);
    bosc_ctx_free(ctx);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
