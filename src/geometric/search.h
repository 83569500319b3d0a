/* State of a search for models in a scene: the remaining scene, the trials, the best match of each model, the accepted
 * matches, and the working memory of verification. */
#ifndef BI_GEOMETRIC_SEARCH_H
#define BI_GEOMETRIC_SEARCH_H

#include "geometric/drivers.h"

enum { BI_GEOMETRIC_BATCH = 256 }; /* scene bases in a batch at most. More: bases beyond the match; not measured */

/* An accepted match and its number in the order of acceptance. */
struct bi_geometric_rank {
    const bosc_geometric_match *match;
    int64_t number;
};

/* The scene: its `count` points that no exclusive match has removed yet. Points are numbered among these. */
struct bi_geometric_scene {
    int64_t input_count;  /* points of the caller's scene */
    int64_t count;        /* points that remain */
    const double *points; /* (count x dim) in the backend's memory: the caller's, staged, or `remainder` */
    double *remainder;    /* backend memory for points that remain after a removal */
    const bosc_kdtree *tree;
    double *host_points; /* (count x dim) */
    int64_t *input_ids;  /* (count) numbers of the points in the caller's scene */
};

/* Trials of scene bases, and the votes of the current batch. */
struct bi_geometric_trials {
    int64_t done, done_at_match;               /* bases tried in all; and when the last match was accepted */
    int64_t budget, batch;                     /* bases to try after a match; and in one batch */
    int64_t points_per_basis;                  /* points with coordinates in a scene basis */
    struct bi_geometric_neighbours neighbours; /* count 0: bases use all points */
    uint64_t possible_bases;
    uint64_t words[BI_GEOMETRIC_BATCH]; /* winner of each scene basis; see struct bi_geometric_best */
    struct bi_geometric_corners corners[BI_GEOMETRIC_BATCH];
};

/* The best match of each model so far, and the closed models, which are no longer searched for. */
struct bi_geometric_candidates {
    bosc_geometric_match *match; /* (models) votes 0: none */
    int64_t *ids;                /* (points of all models) scene points; -1: none */
    int64_t *active;             /* (2 x models) models that have a match, then space for models that lost points */
    int64_t active_count, open_count;
    uint8_t *closed, *device_closed; /* (models); device: in the backend's memory, NULL for a single model */
    bool closed_changed;             /* device_closed is out of date */
};

/* Accepted matches, in the order of acceptance. */
struct bi_geometric_accepted {
    bosc_geometric_match *match; /* (capacity) */
    int64_t *ids, *offsets;      /* offsets (capacity + 1) into ids: points in the caller's scene */
    int64_t count, capacity;
    struct bi_geometric_rank *rank; /* (capacity) for sorting, best first */
    bool return_ids;                /* the caller requested ids */
    char *rows;                     /* (capacity) rows of ids in the caller's type */
};

/* Pairs of model and scene points during verification, for the points of one model. */
struct bi_geometric_pairs {
    int64_t *ids, *last_ids;       /* scene point of each model point now, and in the last round; -1: none */
    double *dist2;                 /* squared distance of each pair */
    int64_t *owner;                /* (scene points) model point paired with a scene point; -1: none */
    double *moved;                 /* transformed model points in reach; then the distances of their nearest points */
    uint32_t *moved_ids, *nearest; /* their model points and nearest scene points */
};

struct bi_geometric_search {
    bosc_ctx *ctx;
    const bosc_geometric *table;
    struct bi_geometric_form form;
    const struct bi_geometric_model *models; /* host */
    bool instances, exclusive;
    struct bi_geometric_scene scene;
    struct bi_geometric_trials trials;
    struct bi_geometric_candidates best;
    struct bi_geometric_accepted accepted;
    struct bi_geometric_pairs pairs;
};

/* Returns a search of a scene of `scene_count` points for up to `capacity` matches, without memory. */
struct bi_geometric_search bi_geometric_init_search(bosc_ctx *ctx, const bosc_geometric *table, int64_t scene_count,
                                                    int64_t capacity, bool return_ids);

/* True if match a is better than b: found, then more inliers, less error, smaller model number. */
bool bi_geometric_is_better(const bosc_geometric_match *a, const bosc_geometric_match *b);

static inline const double *bi_geometric_model_points(const struct bi_geometric_search *f, int64_t model)
{
    const double *points = bi_geometric_points_in(&f->table->copy, f->table->count);
    return points + f->form.dim * f->models[model].first_point;
}

/* ---- phases, each in a file of its own ---- */

/* search.c: searches a scene; sets f->accepted and f->best. */
bosc_status bi_geometric_search_scene(struct bi_geometric_search *f, const double *points);

/* voting.c: lets the next *bases scene bases vote; trials.words[k] is the winner of basis k. If the batch has too many
 * votes, only halves *bases. */
bosc_status bi_geometric_vote_batch(struct bi_geometric_search *f, int64_t *bases);

/* verify.c: verifies the scene bases with the most votes in a batch of `count`, the first of equals first, and keeps
 * the best match of each model. */
bosc_status bi_geometric_verify_best(struct bi_geometric_search *f, int64_t count);

/* Refines a best match that has lost points from its remaining ones; it may be dropped. */
bosc_status bi_geometric_refine_remaining(struct bi_geometric_search *f, int64_t model);

#endif
