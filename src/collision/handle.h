/* The foundation of collisions: checks of options, handles and meshes. */
#ifndef BI_COLLISION_HANDLE_H
#define BI_COLLISION_HANDLE_H

#include "collision/collision.h"
#include "core/check.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Copies the options with defaults filled in. */
bosc_status bi_collision_check_opts(bosc_ctx *ctx, const bosc_collision_opts *opts, bosc_collision_opts *full);

/* Checks that the context can reach the handle. */
bosc_status bi_collision_check(bosc_ctx *ctx, const bosc_collision *collision);

/* Checks the mesh named "a" or "b", and describes it in *input. */
bosc_status bi_collision_check_mesh(bosc_ctx *ctx, const bosc_collision *collision, const char *name,
                                    const bosc_collision_mesh *mesh, struct bi_collision_input *input);

#ifdef __cplusplus
}
#endif
#endif
