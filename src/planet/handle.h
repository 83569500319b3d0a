/* The foundation of planets: checks of options, handles and arrays, and the planet's blocks. */
#ifndef BI_PLANET_HANDLE_H
#define BI_PLANET_HANDLE_H

#include "bisector/bisector.h"
#include "core/check.h"
#include "planet/planet.h"

/* Copies the options with defaults filled in, except the wavelength. */
bosc_status bi_planet_check_opts(bosc_ctx *ctx, const bosc_planet_opts *opts, bosc_planet_opts *full);

/* BOSC_ERR_ARG if the context cannot reach the planet; check_raster: or it has no raster; check_mesh: or it is
 * stale. */
bosc_status bi_planet_check(bosc_ctx *ctx, const bosc_planet *planet);
bosc_status bi_planet_check_raster(bosc_ctx *ctx, const bosc_planet *planet);
bosc_status bi_planet_check_mesh(bosc_ctx *ctx, const bosc_planet *planet);

/* Checks an array of n elements of `size` bytes: present, aligned to `align`, and no larger than memory. */
bosc_status bi_planet_check_array(bosc_ctx *ctx, const char *n_name, int64_t n, const char *name, const void *array,
                                  size_t size, size_t align);

/* Checks the size of a raster, and sets size and layout of cells in *view. */
bosc_status bi_planet_set_layout(bosc_ctx *ctx, int64_t width, int64_t height, struct bi_planet_view *view);

/* Number of cells of all levels. */
int64_t bi_planet_total_cells(const struct bi_planet_view *view);

/* Reserves the block for this many leaves; its contents are lost. */
bosc_status bi_planet_reserve_leaves(bosc_ctx *ctx, const bosc_planet *planet, struct bi_block *leaves, int64_t count);

static inline const struct bi_bisector_view *bi_planet_pool(const bosc_planet *planet) { return &planet->pool->view; }

#endif
