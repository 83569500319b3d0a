/* Finds a constellation of 12 stars by hashing in a picture of the sky that is turned, scaled and shifted, lacks two of
 * the stars and shows 60 others. */
#include <boscage/boscage.h>

#include <stdio.h>
#include <stdlib.h>

enum { STARS = 12, LOST = 2, OTHERS = 60, SKY = STARS - LOST + OTHERS };

/* The picture: x' = 1.5 x - 2 y + 7, y' = 2 x + 1.5 y - 3, which turns by 53 degrees and scales by 2.5. */
static void take_picture(const double *stars, const double *others, double *sky)
{
    for (int i = 0; i < STARS - LOST; i++) {
        const double x = stars[2 * i], y = stars[2 * i + 1];
        sky[2 * i] = 1.5 * x - 2 * y + 7;
        sky[2 * i + 1] = 2 * x + 1.5 * y - 3;
    }
    for (int i = 0; i < 2 * OTHERS; i++) sky[2 * (STARS - LOST) + i] = 5 * others[i] + (i % 2 ? -3 : 5);
}

int main(void)
{
    double stars[2 * STARS], others[2 * OTHERS], sky[2 * SKY];
    uint32_t ids[STARS];
    bosc_ctx *ctx = NULL;
    bosc_geometric *table = NULL;
    bosc_geometric_opts opts = {.size = sizeof opts, .kind = BOSC_GEOMETRIC_SIMILARITY, .id_bits = 32};
    bosc_geometric_match match = {.size = sizeof match};

    bosc_status status = bosc_ctx_create(NULL, &ctx);
    if (!status) status = bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 1, STARS, 2, BOSC_F64, stars);
    if (!status) status = bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 2, OTHERS, 2, BOSC_F64, others);
    if (!status) status = bosc_geometric_create(ctx, &opts, &table);
    if (!status) status = bosc_geometric_build(ctx, table, stars, STARS);
    if (!status) {
        take_picture(stars, others, sky);
        status = bosc_geometric_find(ctx, table, sky, SKY, ids, &match);
    }
    if (status) {
        fprintf(stderr, "geometric: %s %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");
    } else if (!match.found) { /* no failure: the constellation is not in the picture */
        printf("not found\n");
    } else {
        const double *t = match.transform;
        int right = 0;
        for (uint32_t i = 0; i < STARS - LOST; i++) right += ids[i] == i;
        printf("x' = %.3f x %+.3f y %+.3f, y' = %.3f x %+.3f y %+.3f\n", t[0], t[1], t[2], t[3], t[4], t[5]);
        printf("%lld of %d stars found, %d at their places, after %lld bases of the picture\n",
               (long long)match.inliers, STARS, right, (long long)match.trials);
    }
    bosc_geometric_free(table);
    bosc_ctx_free(ctx);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
