/* State of a search for models in a scene: the remaining scene, the trials, the best match of each model, the accepted
 * matches, and the working memory of verification. */
#ifndef BI_GEOMETRIC_SEARCH_H
#define BI_GEOMETRIC_SEARCH_H

#include "geometric/drivers.h"

enum { BI_GEOMETRIC_BATCH = 256 }; /* scene bases in a batch at most; chosen */

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

/* Allocates the search's host memory and sets its start; and its backend memory. */
bosc_status bi_geometric_allocate_search(struct bi_geometric_search *f);
bosc_status bi_geometric_allocate_search_scratch(struct bi_geometric_search *f);

/* True if match a is better than b: found, then more inliers, less error, smaller model number. */
bool bi_geometric_is_better(const bosc_geometric_match *a, const bosc_geometric_match *b);

static inline const double *bi_geometric_model_points(const struct bi_geometric_search *f, int64_t model)
{
    const double *points = bi_geometric_points_in(&f->table->copy, f->table->count);
    return points + f->form.dim * f->models[model].first_point;
}

#endif
