/* The foundation of planets: checks of options, handles and arrays, and the planet's blocks. */
#ifndef BI_PLANET_HANDLE_H
#define BI_PLANET_HANDLE_H

#include "bisector/bisector.h"
#include "core/check.h"
#include "planet/planet.h"

/* A copy of the options with the defaults filled in, but for the wavelength. */
bosc_status bi_planet_check_opts(bosc_ctx *ctx, const bosc_planet_opts *opts, bosc_planet_opts *full);

/* BOSC_ERR_ARG with the reason if the context cannot reach the planet; if it has no raster; or no whole mesh. */
bosc_status bi_planet_check(bosc_ctx *ctx, const bosc_planet *planet);
bosc_status bi_planet_check_raster(bosc_ctx *ctx, const bosc_planet *planet);
bosc_status bi_planet_check_mesh(bosc_ctx *ctx, const bosc_planet *planet);

/* Checks an array of n elements of `size` bytes: present, aligned to `align`, and no larger than memory. */
bosc_status bi_planet_check_array(bosc_ctx *ctx, const char *n_name, int64_t n, const char *name, const void *array,
                                  size_t size, size_t align);

/* Checks the size of a raster, and lays out its cells in *view. */
bosc_status bi_planet_lay_out(bosc_ctx *ctx, int64_t width, int64_t height, struct bi_planet_view *view);

/* Cells of all levels. */
int64_t bi_planet_cells(const struct bi_planet_view *view);

/* Makes the block large enough for this many leaves; what it holds does not stay. */
bosc_status bi_planet_reserve_leaves(bosc_ctx *ctx, const bosc_planet *planet, struct bi_block *leaves, int64_t count);

static inline const struct bi_bisector_view *bi_planet_pool(const bosc_planet *planet) { return &planet->pool->view; }

#endif
