/* Five parts, each known by 15 points on its surface, are hashed in one table. A scan has one of them once, another one
 * twice, and 30 other points: one search finds the parts and their positions. */
#include <boscage/boscage.h>

#include <stdio.h>
#include <stdlib.h>

enum { PARTS = 5, POINTS = 15, OTHERS = 30, SCAN = 3 * POINTS + OTHERS };

/* Adds a part to the scan, turned about the third axis by a rotation of cosine c and sine s. */
static void add_part(const double *part, double c, double s, const double *to, double *scan)
{
    for (int i = 0; i < POINTS; i++) {
        const double *p = part + 3 * i;
        scan[3 * i] = c * p[0] - s * p[1] + to[0];
        scan[3 * i + 1] = s * p[0] + c * p[1] + to[1];
        scan[3 * i + 2] = p[2] + to[2];
    }
}

int main(void)
{
    static double parts[3 * POINTS * PARTS], others[3 * OTHERS], scan[3 * SCAN];
    static int64_t ids[SCAN * POINTS];
    static bosc_geometric_match matches[SCAN];
    const double places[3][3] = {{2, 0, 1}, {-3, 4, 0}, {0, -3, -2}};
    int64_t offsets[PARTS + 1], count = 0;
    bosc_ctx *ctx = NULL;
    bosc_geometric *table = NULL;
    bosc_geometric_opts opts = {.size = sizeof opts, .kind = BOSC_GEOMETRIC_RIGID, .dim = 3, .instances = 1};
    opts.min_fraction = 0.7;

    bosc_status status = bosc_ctx_create(NULL, &ctx);
    if (!status) status = bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 1, PARTS * POINTS, 3, BOSC_F64, parts);
    if (!status) status = bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 2, OTHERS, 3, BOSC_F64, others);
    for (int k = 0; k <= PARTS; k++) offsets[k] = k * POINTS;
    if (!status) status = bosc_geometric_create(ctx, &opts, &table);
    if (!status) status = bosc_geometric_build_models(ctx, table, parts, offsets, PARTS);
    add_part(parts + 3 * POINTS * 2, 0.6, 0.8, places[0], scan);
    add_part(parts + 3 * POINTS * 4, 0, 1, places[1], scan + 3 * POINTS);
    add_part(parts + 3 * POINTS * 4, -0.8, 0.6, places[2], scan + 6 * POINTS);
    for (int i = 0; i < 3 * OTHERS; i++) scan[9 * POINTS + i] = 8 * others[i] - 4;
    matches[0].size = sizeof matches[0];
    if (!status) status = bosc_geometric_find_models(ctx, table, scan, SCAN, ids, matches, SCAN, &count);
    if (status) fprintf(stderr, "geometric: %s %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");
    for (int64_t k = 0; k < count; k++) { /* the best first; row k of ids has the scan's points of match k */
        const double *t = matches[k].transform;
        printf("part %d, %lld of %d points, its first is number %lld: moved to %.2f %.2f %.2f\n", (int)matches[k].model,
               (long long)matches[k].inliers, POINTS, (long long)ids[k * POINTS], t[3], t[7], t[11]);
    }
    bosc_geometric_free(table);
    bosc_ctx_free(ctx);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
