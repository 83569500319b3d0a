/* Builds constraints from candidates, in host memory. */
#ifndef BI_PLAN_BUILDER_H
#define BI_PLAN_BUILDER_H

#include <string.h>

#include "plan/plan.h"
#include "plan/steps/forms.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- scene.c: the features of a scene, numbered ----
 *
 * Vertices of equal coordinates are merged, and so are edges between them. */

/* Bounds of a feature's distance from the origin, rounded outwards. */
struct bi_plan_shell {
    double low, high;
};

/* A robot or an obstacle. Its arrays are in its two blocks, in host memory. */
struct bi_plan_side {
    struct bi_plan_surface surface;
    const double *balls; /* the caller's */
    int64_t ball_count;
    const int64_t *vertex_ids;  /* (vertex_count) the first input vertex of each */
    const int32_t *planes;      /* (facet_count x 3) vertices that span the plane of each */
    const int32_t *end_offsets; /* (facet_count + 1) */
    const int32_t *ends;        /* vertices of a facet, in their order */
    struct bi_plan_shell *edge_shells, *facet_shells, *vertex_shells;
    struct bi_block numbers, doubles;
};

/* Checks the bodies, named "robot" or "obstacle" in messages, and numbers their features, in blocks of `host`. */
bosc_status bi_plan_read_side(bosc_ctx *ctx, const struct bi_memory *host, const char *name,
                              const bosc_plan_bodies *bodies, struct bi_plan_side *side);

/* True if exact arithmetic can represent x and its products: 0, or of size 2^-110 to 2^100. */
bool bi_plan_is_coordinate(double x);

/* ---- the builder ---- */

/* A list in host memory that grows. */
struct bi_plan_list {
    struct bi_block block;
    int64_t count;
    size_t item;
};

/* Parts of a coefficient at most: it is a multiple of 2^-486 below 2^312, and consecutive parts are at least 50 bits
 * apart. */
enum { BI_PLAN_PARTS = 18 };

/* Signs beside -1, 0 and 1: not the same at all rotations; not needed. */
enum { BI_PLAN_VARIES = 2, BI_PLAN_UNUSED = 3 };

struct bi_plan_builder {
    bosc_ctx *ctx;
    const struct bi_memory *host; /* of all blocks */
    bosc_plan_scene scene;        /* with defaults */
    bool keep_duplicates;
    struct bi_plan_side robot, obstacle;
    struct bi_plan_order order;
    struct bi_block signs;  /* (candidates) int8: 1, 0, -1, BI_PLAN_VARIES */
    struct bi_block needed; /* (candidates) bool */
    struct bi_block refs;   /* (candidates) */
    struct bi_block slots;  /* hash table of constraints, int32 */
    uint64_t slot_mask;
    struct bi_plan_list rows, offsets, parts, candidate_of, hashes;
    struct bi_plan_list edge_facet, facet_edge, vertex_solid, solid_vertex;
    int64_t longest; /* most parts of a constraint */
    int64_t culled, merged;
    bool flat;   /* see struct bi_plan_logic */
    bool always; /* robot and obstacle collide at all rotations */
};

/* ---- build.c ---- */

/* Checks a scene and initialises a builder, which borrows the handle's working blocks until bi_plan_end_build. */
bosc_status bi_plan_begin_build(bosc_ctx *ctx, bosc_plan *plan, const bosc_plan_scene *scene,
                                struct bi_plan_builder *m);
void bi_plan_end_build(bosc_plan *plan, struct bi_plan_builder *m);

/* Numbers the features of the scene, and orders their candidates. */
bosc_status bi_plan_number_features(struct bi_plan_builder *m);

/* Reserves the arrays of candidates. */
bosc_status bi_plan_reserve_candidates(struct bi_plan_builder *m);

/* ---- install.c: blocks of the handle ---- */

struct bi_plan_bytes {
    size_t host, device;
};

/* Installs the constraints. Large enough blocks are reused: then only the device can fail, which empties the
 * handle. Otherwise new blocks are allocated, and the handle is unchanged on failure. */
bosc_status bi_plan_install(const struct bi_plan_builder *m, bosc_plan *plan);

/* Returns the bytes of a handle with the counts of the builder. */
struct bi_plan_bytes bi_plan_count_bytes(const struct bi_plan_builder *m);

/* Grows the blocks of a handle to at least `bytes`; their content stays. */
bosc_status bi_plan_grow_blocks(bosc_ctx *ctx, bosc_plan *plan, struct bi_plan_bytes bytes);

/* ---- forms.c ---- */

/* Computes the plane N . x + c = 0 through three points. */
void bi_plan_exact_plane(const double *p, const double *q, const double *r, struct bi_exact *normal,
                         struct bi_exact *c);

/* Compute the coefficients of <G, R> + c: of two edges (c = 0), and for G = u v'. */
void bi_plan_screw_form(const double *k, const double *l, const double *a, const double *b, struct bi_exact *form);
void bi_plan_half_space_form(const struct bi_exact *u, const struct bi_exact *v, const struct bi_exact *c,
                             struct bi_exact *form);
/* Computes u, v and c of two balls. */
void bi_plan_ball_parts(const double *robot, const double *obstacle, struct bi_exact *u, struct bi_exact *v,
                        struct bi_exact *c);

/* Adds the form of a candidate as a constraint, or refers it to a constraint that it is a multiple of. */
bosc_status bi_plan_add_form(struct bi_plan_builder *m, int64_t candidate, const struct bi_exact *form);

/* ---- arrays of the builder ---- */

/* Appends `more` items to the list; returns the first, or NULL with a message. */
static inline void *bi_plan_list_extend(const struct bi_plan_builder *m, struct bi_plan_list *list, int64_t more)
{
    size_t need = (size_t)(list->count + more) * list->item, used = (size_t)list->count * list->item;
    if (need > list->block.bytes) {
        struct bi_block fresh = {0};
        if (bi_block_reserve(m->ctx, m->host, &fresh, need + need / 2 + 1024) != BOSC_OK) return NULL;
        if (used > 0) memcpy(fresh.data, list->block.data, used);
        bi_block_free(m->host, &list->block);
        list->block = fresh;
    }
    list->count += more;
    return (char *)list->block.data + used;
}

static inline bi_plan_ref *bi_plan_refs_of(const struct bi_plan_builder *m) { return (bi_plan_ref *)m->refs.data; }
static inline int8_t *bi_plan_signs_of(const struct bi_plan_builder *m) { return (int8_t *)m->signs.data; }
static inline bool *bi_plan_needed_of(const struct bi_plan_builder *m) { return (bool *)m->needed.data; }

#ifdef __cplusplus
}
#endif
#endif
