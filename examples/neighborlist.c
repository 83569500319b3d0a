/* Argon at rest and in motion: the Lennard-Jones energy of a face-centred cubic crystal, by a half list with a skin
 * that is built again only when an atom has moved by more than half the skin. */
#include <boscage/boscage.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 6, N = 4 * SIDE * SIDE * SIDE, STEPS = 20 };

static const double EDGE = 1.5496; /* of a cubic cell, in units of the potential's diameter */

static void make_crystal(double *positions)
{
    static const double corners[4][3] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
    for (int i = 0; i < N; i++) {
        const int cell = i / 4, at[3] = {cell / (SIDE * SIDE), cell / SIDE % SIDE, cell % SIDE};
        for (int c = 0; c < 3; c++) positions[3 * i + c] = EDGE * (at[c] + corners[i % 4][c]);
    }
}

/* Sums 4 (r^-12 - r^-6) over the pairs of the list. */
static bosc_status sum_energy(bosc_ctx *ctx, const bosc_neighborlist *list, double *energy, int64_t *count)
{
    bosc_status status = bosc_neighborlist_pairs(ctx, list, 0, NULL, count);
    if (status) return status;
    double *distances = malloc(sizeof *distances * (size_t)(*count + 1));
    if (!distances) return BOSC_ERR_NOMEM;
    bosc_neighborlist_arrays arrays = {.size = sizeof arrays, .capacity = *count, .distances = distances};
    status = bosc_neighborlist_pairs(ctx, list, 0, &arrays, count);
    *energy = 0;
    for (int64_t e = 0; e < *count && !status; e++) {
        const double r6 = 1 / (distances[e] * distances[e] * distances[e] * distances[e] * distances[e] * distances[e]);
        *energy += 4 * (r6 * r6 - r6);
    }
    free(distances);
    return status;
}

/* Steps of a shear: the list is built where it must be. */
static bosc_status shear_crystal(bosc_ctx *ctx, bosc_neighborlist *list, double *positions)
{
    const double size = SIDE * EDGE, cell[9] = {size, 0, 0, 0, size, 0, 0, 0, size};
    const bosc_neighborlist_systems crystal = {.size = sizeof crystal, .positions = positions, .n = N, .cells = cell};
    double energy = 0;
    int64_t count = 0;
    int builds = 1;
    bosc_status status = bosc_neighborlist_build(ctx, list, &crystal);
    if (!status) status = sum_energy(ctx, list, &energy, &count);
    if (!status) printf("%d atoms, %lld pairs: energy %.4f an atom\n", N, (long long)count, energy / N);
    for (int step = 0; step < STEPS && !status; step++) {
        int32_t needs_build = 0;
        for (int i = 0; i < N; i++) positions[3 * i] += 0.02 * sin(6.283185307179586 * positions[3 * i + 2] / size);
        status = bosc_neighborlist_move(ctx, list, positions, 0, &needs_build);
        if (!status && needs_build) status = bosc_neighborlist_build(ctx, list, &crystal);
        builds += needs_build;
        if (!status) status = sum_energy(ctx, list, &energy, &count);
    }
    if (!status) printf("after %d steps: energy %.4f an atom, %d builds\n", STEPS, energy / N, builds);
    return status;
}

int main(void)
{
    bosc_ctx_opts where = {.size = sizeof where, .backend = BOSC_BACKEND_AUTO};
    const bosc_neighborlist_opts what = {.size = sizeof what, .dtype = BOSC_F64, .half = 1, .cutoff = 2.5, .skin = 0.3};
    bosc_ctx *ctx = NULL;
    bosc_neighborlist *list = NULL;
    static double positions[3 * N];
    make_crystal(positions);
    bosc_status status = bosc_ctx_create(&where, &ctx);
    if (!status) status = bosc_neighborlist_create(ctx, &what, &list);
    if (!status) status = shear_crystal(ctx, list, positions);
    if (status) fprintf(stderr, "%s: %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");
    bosc_neighborlist_free(list);
    bosc_ctx_free(ctx);
    return status != BOSC_OK;
}
