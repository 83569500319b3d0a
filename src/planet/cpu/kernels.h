/* The hot loops of planets on the CPU, compiled for each level; and the operations that run them. */
#ifndef BI_PLANET_CPU_KERNELS_H
#define BI_PLANET_CPU_KERNELS_H

#include "core/cpu/level.h"
#include "core/cpu/threads.h"
#include "planet/steps/steps.h"

/* Marks of corner 0 of a leaf; those of corner v are shifted left by v. */
enum { BI_PLANET_OWNED = 1, BI_PLANET_VISITED = 8 };

struct bi_planet_kernels {
    /* Writes the commands of the leaves of a part. */
    void (*mark)(const struct bi_planet_mark *a, struct bi_span part);
    /* Derives the leaves of a part; true if one is new. */
    bool (*derive)(const struct bi_planet_shape *a, struct bi_span part);
    /* Marks the corners that the leaves of a part own, in a->owned; returns their number. One thread marks the leaves
     * of a chunk, part by part in ascending order. */
    uint32_t (*own)(const struct bi_planet_mesh *a, struct bi_span chunk, struct bi_span part);
    /* Writes the vertices that the leaves of a part own, numbered from `number` on, and their numbers to the triangles;
     * returns the next number. counted: own() has marked them; else one thread writes all leaves, part by part. */
    uint32_t (*write)(const struct bi_planet_mesh *a, struct bi_span part, uint32_t number, bool counted);
};

extern const struct bi_planet_kernels bi_planet_kernels_v1, bi_planet_kernels_v3, bi_planet_kernels_v4;

/* As the entries of struct bi_planet_ops. */
bosc_status bi_planet_cpu_mark(bosc_ctx *ctx, int64_t leaves, const struct bi_planet_mark *a);
bosc_status bi_planet_cpu_derive(bosc_ctx *ctx, int64_t leaves, const struct bi_planet_shape *a);
bosc_status bi_planet_cpu_write_mesh(bosc_ctx *ctx, int64_t leaves, struct bi_planet_mesh *a);

#endif
