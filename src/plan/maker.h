/* The making of constraints from candidates, in host memory. */
#ifndef BI_PLAN_MAKER_H
#define BI_PLAN_MAKER_H

#include "plan/exact.h"
#include "plan/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A list in host memory that grows. */
struct bi_plan_list {
    struct bi_block block;
    int64_t count;
    size_t item;
};

/* At most so many parts has a coefficient: it is a multiple of 2^-486 below 2^312, and from a part to the next go 50
 * bits at least. */
enum { BI_PLAN_PARTS = 18 };

/* Signs that are known of all rotations. */
enum { BI_PLAN_VARIES = 2, BI_PLAN_UNUSED = 3 };

struct bi_plan_maker {
    bosc_ctx *ctx;
    const struct bi_memory *host; /* of all blocks */
    bosc_plan_scene scene;        /* with every field set */
    bool keep_duplicates;
    struct bi_plan_side robot, obstacle;
    struct bi_plan_order order;
    struct bi_block signs;  /* (candidates) int8: 1, 0, -1, BI_PLAN_VARIES */
    struct bi_block needed; /* (candidates) bool */
    struct bi_block refs;   /* (candidates) */
    struct bi_block slots;  /* int32, by hash: constraints */
    uint64_t slot_mask;
    struct bi_plan_list rows, offsets, parts, candidate_of, hashes;
    struct bi_plan_list edge_facet, facet_edge, vertex_solid, solid_vertex;
    int64_t longest; /* parts of a constraint */
    int64_t culled, merged;
    bool flat, always;
};

/* ---- builds: build.c ---- */

/* Checks a scene and makes a maker for it, which has the handle's blocks until bi_plan_end gives them back. */
bosc_status bi_plan_begin(bosc_ctx *ctx, bosc_plan *plan, const bosc_plan_scene *scene, struct bi_plan_maker *m);
void bi_plan_end(bosc_plan *plan, struct bi_plan_maker *m);

/* The features of the scene, and the order of the candidates that they make. */
bosc_status bi_plan_number(struct bi_plan_maker *m);

/* ---- what a handle holds: install.c ---- */

struct bi_plan_bytes {
    size_t host, device;
};

/* The handle gets what was made: in the blocks of before where they are large enough, so that only the device can fail
 * from there on; then the handle is empty. Else in others, and on failure it stays as it was. */
bosc_status bi_plan_install(const struct bi_plan_maker *m, bosc_plan *plan);

/* Bytes of a handle that gets as much as is counted in the maker. */
struct bi_plan_bytes bi_plan_count_bytes(const struct bi_plan_maker *m);

/* The blocks of a handle become at least so long. What they hold stays. */
bosc_status bi_plan_grow(bosc_ctx *ctx, bosc_plan *plan, struct bi_plan_bytes bytes);

/* Room for `more` items behind those of the list; their place, or NULL and a message. */
void *bi_plan_list_extend(const struct bi_plan_maker *m, struct bi_plan_list *list, int64_t more);

/* ---- which candidates matter: relevant.c ---- */

/* Signs of half-spaces that are the same everywhere, the pairs that may touch, and which candidates they need. */
bosc_status bi_plan_find_relevant(struct bi_plan_maker *m);

/* Whether c + <u v', R> has one sign for all R: that, 0 where it is 0 everywhere, or BI_PLAN_VARIES. */
int bi_plan_constant_sign(const struct bi_exact *u, const struct bi_exact *v, const struct bi_exact *c);

/* ---- their forms: forms.c ---- */

/* A plane through three points: its normal and, if c is not NULL, what makes N . x + c zero there. */
void bi_plan_exact_plane(const double *p, const double *q, const double *r, struct bi_exact *normal,
                         struct bi_exact *c);

/* The coefficients of <G, R> + c. */
void bi_plan_form_of(const struct bi_exact *g, const struct bi_exact *c, struct bi_exact *form);
void bi_plan_screw_form(const double *k, const double *l, const double *a, const double *b, struct bi_exact *form);
void bi_plan_half_space_form(const struct bi_exact *u, const struct bi_exact *v, const struct bi_exact *c,
                             struct bi_exact *form);
/* u, v and c of two balls. */
void bi_plan_ball_parts(const double *robot, const double *obstacle, struct bi_exact *u, struct bi_exact *v,
                        struct bi_exact *c);

/* ---- what they become: merge.c ---- */

/* The form of a candidate becomes a constraint, or a reference to one of which it is a multiple. */
bosc_status bi_plan_add_form(struct bi_plan_maker *m, int64_t candidate, const struct bi_exact *form);

/* All candidates that matter, in their order: make.c. First, room for what is known of each. */
bosc_status bi_plan_reserve_candidates(struct bi_plan_maker *m);
bosc_status bi_plan_make(struct bi_plan_maker *m);

static inline bi_plan_ref *bi_plan_refs_of(const struct bi_plan_maker *m) { return (bi_plan_ref *)m->refs.data; }
static inline int8_t *bi_plan_signs_of(const struct bi_plan_maker *m) { return (int8_t *)m->signs.data; }
static inline bool *bi_plan_needed_of(const struct bi_plan_maker *m) { return (bool *)m->needed.data; }

#ifdef __cplusplus
}
#endif
#endif
