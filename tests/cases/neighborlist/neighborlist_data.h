/* Systems of atoms for cases: cells of all shapes, atoms inside and outside of them. */
#ifndef TESTS_CASES_NEIGHBORLIST_DATA_H
#define TESTS_CASES_NEIGHBORLIST_DATA_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/neighborlist.h"
#include "support/arrays.h"
#include "support/suite.h"

enum cell_shape { CUBIC, ORTHORHOMBIC, TRICLINIC, SHEARED, THIN, ROTATED, LEFT_HANDED, CELL_SHAPES };

struct atoms {
    struct reference_atoms reference;
    double *positions, *cells;
    int64_t *offsets;
    uint8_t *periodic;
    bosc_dtype dtype;
    void *typed; /* (n x stride) of the dtype */
    int64_t stride;
    double cutoff;
};

static inline void make_cell(struct suite_random *r, enum cell_shape shape, double size, double *cell)
{
    static const double shapes[CELL_SHAPES][9] = {
        {1, 0, 0, 0, 1, 0, 0, 0, 1},      {1, 0, 0, 0, 0.6, 0, 0, 0, 1.7}, {1, 0, 0, 0.5, 0.9, 0, 0.3, 0.4, 0.8},
        {1, 0, 0, 3, 1, 0, -2, 5, 1},     {3, 0, 0, 0, 2, 0, 0, 0, 0.05},  {0.8, 0.6, 0, -0.6, 0.8, 0, 0.1, 0.2, 1},
        {0, 1, 0, 1, 0.1, 0, 0.1, 0.2, 1}};
    for (int k = 0; k < 9; k++) cell[k] = shapes[shape][k] * size;
    if (shape == ROTATED || shape == SHEARED)
        for (int k = 0; k < 9; k++) cell[k] += (suite_unit(r) - 0.5) * 0.1 * size;
}

/* Makes systems with about `each` atoms. on_lattice: coordinates are multiples of 1/8 in F64, so that distances equal
 * the cutoff. */
static inline struct atoms make_atoms(struct suite_random *r, bosc_dtype dtype, int64_t system_count, int64_t each,
                                      bool on_lattice)
{
    struct atoms a = {.dtype = dtype, .stride = 3 + (int64_t)suite_below(r, 2)};
    a.offsets = suite_alloc((size_t)(system_count + 1) * sizeof *a.offsets);
    a.cells = suite_alloc((size_t)system_count * 9 * sizeof *a.cells);
    a.periodic = suite_alloc((size_t)system_count * 3);
    a.offsets[0] = 0;
    for (int64_t s = 0; s < system_count; s++)
        a.offsets[s + 1] = a.offsets[s] + (system_count == 1 ? each : (int64_t)suite_below(r, 2 * (uint64_t)each + 1));
    const int64_t n = a.offsets[system_count];
    a.positions = suite_alloc((size_t)(3 * n + 1) * sizeof *a.positions);
    a.typed = suite_alloc((size_t)(a.stride * n + 1) * bosc_dtype_size(dtype));
    memset(a.typed, 0, (size_t)(a.stride * n + 1) * bosc_dtype_size(dtype));
    a.cutoff = on_lattice ? 1.25 : 0.5 + suite_unit(r);
    /* Systems: a cell, its periodicity, and atoms at random fractions. */
    for (int64_t s = 0; s < system_count; s++) {
        const enum cell_shape shape = on_lattice ? CUBIC : (enum cell_shape)suite_below(r, CELL_SHAPES);
        const double size = on_lattice ? 2 : 1 + 2 * suite_unit(r), spread = suite_below(r, 3) ? 1 : 8;
        double *cell = a.cells + 9 * s;
        make_cell(r, shape, size, cell);
        for (int c = 0; c < 3; c++) {
            a.periodic[3 * s + c] = suite_below(r, 3) > 0;
            if (!a.periodic[3 * s + c] && suite_below(r, 2)) memset(cell + 3 * c, 0, 3 * sizeof *cell);
        }
        for (int64_t i = a.offsets[s]; i < a.offsets[s + 1]; i++) {
            const double u[3] = {suite_unit(r), suite_unit(r), suite_unit(r)};
            for (int c = 0; c < 3; c++) {
                double x = 0;
                for (int k = 0; k < 3; k++) x += (u[k] - 0.5) * spread * cell[3 * k + c];
                for (int k = 0; k < 3; k++)
                    if (!a.periodic[3 * s + k]) x += (suite_unit(r) - 0.5) * 2;
                if (on_lattice) x = floor(x * 8) / 8;
                if (dtype == BOSC_F32)
                    ((float *)a.typed)[i * a.stride + c] = (float)x;
                else
                    ((double *)a.typed)[i * a.stride + c] = x;
                a.positions[3 * i + c] = dtype == BOSC_F32 ? (double)(float)x : x;
            }
        }
    }
    a.reference = (struct reference_atoms){n, system_count, a.positions, a.offsets, a.cells, a.periodic};
    return a;
}

static inline void free_atoms(struct atoms *a)
{
    free(a->positions);
    free(a->cells);
    free(a->offsets);
    free(a->periodic);
    free(a->typed);
}

static inline bosc_neighborlist_systems systems_of(const struct atoms *a)
{
    return (bosc_neighborlist_systems){.size = sizeof(bosc_neighborlist_systems),
                                       .positions = a->typed,
                                       .n = a->reference.n,
                                       .stride = a->stride,
                                       .system_count = a->reference.system_count,
                                       .offsets = a->offsets,
                                       .cells = a->cells,
                                       .periodic = a->periodic};
}

#endif
