/* Searches for models in a scene. Batches of scene bases vote, the best of each batch are verified, and matches that
 * cannot be bettered are accepted. The points of exclusive matches leave the scene. */
#include <string.h>

#include "core/call.h"
#include "core/carve.h"
#include "geometric/search.h"

enum { LOOK_UP_ITEMS = 90 }; /* cost of a voxel look-up in simple items: affects the fraction of progress only */

/* ---- state and memory ---- */

struct bi_geometric_search bi_geometric_init_search(bosc_ctx *ctx, const bosc_geometric *table, int64_t scene_count,
                                                    int64_t capacity, bool return_ids)
{
    int64_t most = table->opts.instances ? scene_count : table->count;
    return (struct bi_geometric_search){
        .ctx = ctx,
        .table = table,
        .form = bi_geometric_form_of(&table->opts),
        .models = bi_geometric_models_in(&table->copy),
        .instances = table->opts.instances,
        .exclusive = table->opts.exclusive || table->opts.instances,
        .scene = {.input_count = scene_count, .count = scene_count},
        .best = {.open_count = table->count},
        .accepted = {.return_ids = return_ids, .capacity = capacity < most ? capacity : most}};
}

/* Returns the number of ids of accepted matches at most: with instances, matches share no scene point. */
static int64_t max_accepted_ids(const struct bi_geometric_search *f)
{
    if (!f->instances) return f->table->n;
    double taken = (double)f->scene.input_count / f->table->opts.min_fraction + (double)f->table->largest,
           rows = (double)f->accepted.capacity * (double)f->table->largest;
    return (int64_t)(taken < rows ? taken : rows);
}

/* Carves the host arrays, or measures them. */
static void lay_out_arrays(struct bi_geometric_search *f, struct bi_carver *c)
{
    int64_t m = f->scene.input_count, n = f->table->largest, models = f->table->count, dim = f->form.dim;
    int64_t capacity = f->accepted.capacity, rows = f->accepted.return_ids ? capacity * n : 0;
    BI_CARVE(c, f->scene.host_points, m * dim);
    BI_CARVE(c, f->scene.input_ids, m);
    BI_CARVE(c, f->pairs.owner, m);
    BI_CARVE(c, f->pairs.dist2, n);
    BI_CARVE(c, f->pairs.moved, n * dim);
    BI_CARVE(c, f->pairs.ids, n);
    BI_CARVE(c, f->pairs.last_ids, n);
    BI_CARVE(c, f->pairs.moved_ids, n);
    BI_CARVE(c, f->pairs.nearest, n);
    BI_CARVE(c, f->best.match, models);
    BI_CARVE(c, f->best.ids, f->table->n);
    BI_CARVE(c, f->best.active, 2 * models);
    BI_CARVE(c, f->best.closed, models);
    BI_CARVE(c, f->accepted.match, capacity);
    BI_CARVE(c, f->accepted.offsets, capacity + 1);
    BI_CARVE(c, f->accepted.ids, max_accepted_ids(f));
    BI_CARVE(c, f->accepted.rank, capacity);
    f->accepted.rows = bi_carve(c, rows, (size_t)f->table->opts.id_bits / 8);
}

/* Allocates the host memory of a search and sets its start. */
static bosc_status allocate_search(struct bi_geometric_search *f)
{
    struct bi_carver c = {NULL, 0};
    void *memory;
    lay_out_arrays(f, &c);
    BI_TRY(bi_host_scratch(f->ctx, c.used, &memory));
    c = (struct bi_carver){memory, 0};
    lay_out_arrays(f, &c);
    memset(f->best.match, 0, (size_t)f->table->count * sizeof *f->best.match);
    memset(f->best.closed, 0, (size_t)f->table->count);
    for (int64_t i = 0; i < f->scene.input_count; i++) {
        f->pairs.owner[i] = -1;
        f->scene.input_ids[i] = i;
    }
    f->accepted.offsets[0] = 0;
    return BOSC_OK;
}

/* Allocates the backend memory. */
static bosc_status allocate_search_scratch(struct bi_geometric_search *f)
{
    struct bi_geometric_scene *scene = &f->scene;
    if (f->table->count > 1) BI_TRY(bi_scratch_of(f->ctx, f->table->count, 1, &f->best.device_closed));
    if (f->exclusive && f->accepted.capacity > 1)
        BI_TRY(bi_scratch_of(f->ctx, scene->input_count * f->form.dim, sizeof *scene->remainder, &scene->remainder));
    return BOSC_OK;
}

bool bi_geometric_is_better(const bosc_geometric_match *a, const bosc_geometric_match *b)
{
    if (a->found != b->found) return a->found > b->found;
    if (a->inliers != b->inliers) return a->inliers > b->inliers;
    if (a->error != b->error) return a->error < b->error;
    return a->model < b->model;
}

/* ---- number of trials ---- */

enum {
    BATCH_ENTRIES = 1 << 22,    /* limit of a batch's queries, expected votes and counters: bounds its scratch */
    NEIGHBOUR_BATCH = 64,       /* with neighbours a few bases often suffice, ... */
    NEIGHBOUR_ENTRIES = 1 << 24 /* ... but smaller batches leave a device idle. Not measured */
};

/* Returns the expected number of table entries within the vote radius of a coordinate: entries lie in about ten units
 * of area, or twenty of volume. */
static double expected_votes(const bosc_geometric *table)
{
    double r = table->vote_radius;
    return (table->opts.dim == 3 ? 0.2 * r : 0.3) * r * r * (double)table->entries;
}

/* Sets the number of trials on the remaining points, and the size of a batch. */
static void set_trial_budget(struct bi_geometric_search *f)
{
    const bosc_geometric *table = f->table;
    struct bi_geometric_trials *t = &f->trials;
    const int64_t m = f->scene.count;
    bool near = table->neighbours > 0;
    t->possible_bases = 0;
    t->points_per_basis = m;
    t->neighbours.count = 0;
    if (near && m > 0) t->neighbours.count = table->neighbours < m - 1 ? table->neighbours : m - 1;
    if (t->neighbours.count) t->points_per_basis = t->neighbours.count;
    if (m >= f->form.corners) t->possible_bases = bi_geometric_count_bases(m, t->neighbours.count, f->form.corners);
    t->budget = table->opts.max_trials > 0 ? table->opts.max_trials : near ? 1024 : 4096; /* the documented defaults */
    if (t->possible_bases < (uint64_t)t->budget) t->budget = (int64_t)t->possible_bases;
    /* A batch is as large as its queries, votes and counters (one per model basis) allow. */
    double entries = t->neighbours.count ? NEIGHBOUR_ENTRIES : BATCH_ENTRIES;
    double batch = entries / ((double)(m > 0 ? t->points_per_basis : 1) * (1 + expected_votes(table)));
    double most = entries / (double)table->bases;
    if (batch > most) batch = most;
    int64_t usual = t->neighbours.count ? NEIGHBOUR_BATCH : BI_GEOMETRIC_BATCH;
    t->batch = batch < 1 ? 1 : batch > (double)usual ? usual : (int64_t)batch;
}

/* ---- removal of points ---- */

/* Compacts the remaining points; owner[p] becomes the new number of point p, -1 if it is removed. */
static void compact_scene(struct bi_geometric_search *f, const int64_t *ids, int64_t n)
{
    struct bi_geometric_scene *scene = &f->scene;
    int64_t *new_id = f->pairs.owner, left = 0;
    int dim = f->form.dim;
    for (int64_t p = 0; p < scene->count; p++) new_id[p] = 0;
    for (int64_t i = 0; i < n; i++)
        if (ids[i] >= 0) new_id[ids[i]] = -1;
    for (int64_t p = 0; p < scene->count; p++) {
        if (new_id[p] < 0) continue;
        memmove(scene->host_points + dim * left, scene->host_points + dim * p,
                (size_t)dim * sizeof *scene->host_points);
        scene->input_ids[left] = scene->input_ids[p];
        new_id[p] = left++;
    }
    scene->count = left;
}

/* Renumbers the ids of a model's best match; true if it lost some. */
static bool renumber_match(const struct bi_geometric_search *f, int64_t model)
{
    int64_t *ids = f->best.ids + f->models[model].first_point;
    bool lost = false;
    for (int64_t i = 0; i < f->models[model].n; i++) {
        if (ids[i] < 0) continue;
        ids[i] = f->pairs.owner[ids[i]];
        lost |= ids[i] < 0;
    }
    return lost;
}

/* Removes the scene points of a model's best match from the scene, and refines the other matches that used some of
 * them. Only for exclusive matches, if another one may follow: otherwise `remainder` has no memory. The numbers of
 * trials continue. The caller has stored the match; 0 votes mean none. An empty scene is not searched: its tree is
 * stale. */
static bosc_status remove_inliers(struct bi_geometric_search *f, int64_t model)
{
    struct bi_geometric_scene *scene = &f->scene;
    struct bi_geometric_candidates *best = &f->best;
    int64_t old_count = scene->count, active_count = 0, lost_count = 0, *lost = best->active + f->table->count;
    /* 1. Compact the scene; the model loses its match, and matches that lost points become inactive. */
    compact_scene(f, best->ids + f->models[model].first_point, f->models[model].n);
    for (int64_t k = 0; k < best->active_count; k++) {
        int64_t other = best->active[k];
        if (other != model && renumber_match(f, other))
            lost[lost_count++] = other;
        else if (other != model)
            best->active[active_count++] = other;
    }
    best->match[model].votes = 0;
    best->active_count = active_count;
    for (int64_t p = 0; p < old_count; p++) f->pairs.owner[p] = -1;
    /* 2. Search the remaining points from here on. */
    set_trial_budget(f);
    size_t bytes = (size_t)(scene->count * f->form.dim) * sizeof *scene->host_points;
    BI_TRY(f->ctx->backend->copy(f->ctx, scene->remainder, scene->host_points, bytes));
    BI_TRY(f->ctx->backend->sync(f->ctx)); /* later removals overwrite host_points */
    scene->points = scene->remainder;
    if (scene->count > 0)
        BI_TRY(bi_geometric_build_tree(f->ctx, scene->points, scene->count, f->form.dim, &scene->tree));
    /* 3. Refine matches that lost points. They become active again, except those without a transform. */
    for (int64_t k = 0; k < lost_count; k++) BI_TRY(bi_geometric_refine_remaining(f, lost[k]));
    return BOSC_OK;
}

/* ---- the loop ---- */

/* True if a better match of the model would have been seen by now, with probability 0.999. If the scene had more
 * inliers than this match, a basis of inliers would be drawn at least as often as one of this match's inliers; a
 * quarter of such bases is assumed to be long and sharp enough. With neighbours, or several models, the basis must also
 * be in the table. Source of the rule: Fischler and Bolles, Random Sample Consensus (1981). */
static bool is_certain(const struct bi_geometric_search *f, const bosc_geometric_match *match)
{
    const struct bi_geometric_model *model = &f->models[match->model];
    double inliers = (double)match->inliers, m = (double)f->scene.input_count;
    double drawn = 0.25, missed = 1; /* probabilities: of a basis of inliers in a trial; of none in all trials */
    if (inliers >= f->table->opts.stop_fraction * (double)model->n) return true;
    if (inliers < f->table->opts.min_fraction * (double)model->n) return false;
    for (int c = 0; c < f->form.corners; c++) drawn *= (inliers - c) / (m - c);
    if (f->table->neighbours || f->table->count > 1) drawn *= (double)model->bases / (double)model->possible_bases;
    /* missed = (1 - drawn)^trials, by squaring: the same bits everywhere, unlike pow(). */
    double power = 1 - drawn;
    for (int64_t t = f->trials.done; t > 0; t /= 2, power *= power)
        if (t % 2) missed *= power;
    return missed <= 1e-3;
}

/* Returns the best certain match of the open models, or, if `all`, the best found one; NULL: none. */
static const bosc_geometric_match *select_match(const struct bi_geometric_search *f, bool all)
{
    const bosc_geometric_match *best = NULL;
    for (int64_t k = 0; k < f->best.active_count; k++) {
        const bosc_geometric_match *match = &f->best.match[f->best.active[k]];
        if (f->best.closed[match->model] || !(all ? match->found : is_certain(f, match))) continue;
        if (!best || bi_geometric_is_better(match, best)) best = match;
    }
    return best;
}

/* Accepts a match: stores it, and closes its model or, with instances, leaves it open. A match that is certain but has
 * too few inliers only closes its model. */
static bosc_status accept_match(struct bi_geometric_search *f, const bosc_geometric_match *match)
{
    int64_t number = match->model, n = f->models[number].n, first = f->models[number].first_point;
    struct bi_geometric_accepted *accepted = &f->accepted;
    bool found = match->found;
    if (found) {
        int64_t at = accepted->offsets[accepted->count];
        for (int64_t i = 0; i < n; i++) {
            int64_t id = f->best.ids[first + i];
            accepted->ids[at + i] = id < 0 ? -1 : f->scene.input_ids[id];
        }
        accepted->match[accepted->count] = *match;
        accepted->match[accepted->count].trials = f->trials.done;
        accepted->offsets[++accepted->count] = at + n;
    }
    f->trials.done_at_match = f->trials.done;
    if (!f->instances || !found) {
        f->best.closed[number] = 1;
        f->best.closed_changed = true;
        f->best.open_count--;
    }
    if (found && f->exclusive && accepted->count < accepted->capacity) return remove_inliers(f, number);
    return BOSC_OK;
}

/* Accepts, best first, all certain matches, or, if `all`, all found ones. */
static bosc_status accept_matches(struct bi_geometric_search *f, bool all)
{
    const bosc_geometric_match *match;
    while (f->accepted.count < f->accepted.capacity && (match = select_match(f, all))) BI_TRY(accept_match(f, match));
    return BOSC_OK;
}

/* Lets a batch vote, in smaller ones if it has too many votes; verifies the best and accepts certain matches. */
static bosc_status try_batch(struct bi_geometric_search *f)
{
    struct bi_geometric_trials *t = &f->trials;
    int64_t left = t->done_at_match + t->budget - t->done, count, requested;
    do {
        count = requested = left < t->batch ? left : t->batch;
        BI_TRY_WITH_SCRATCH(f->ctx, bi_geometric_vote_batch(f, &count));
        if (count < requested) t->batch = count;
    } while (count < requested);
    BI_TRY(bi_geometric_verify_best(f, count));
    t->done += count;
    return accept_matches(f, false);
}

/* Tries bases until enough matches are accepted or the budget is spent. */
static bosc_status search_models(struct bi_geometric_search *f)
{
    while (f->accepted.count < f->accepted.capacity && f->best.open_count > 0 && f->trials.budget > 0) {
        if (f->trials.done - f->trials.done_at_match < f->trials.budget) {
            BI_TRY(try_batch(f));
            continue;
        }
        /* The budget is spent: accept all that is found. With instances, a new match starts a new budget. */
        int64_t last_count = f->accepted.count;
        BI_TRY(accept_matches(f, true));
        if (!f->instances || f->accepted.count == last_count) break;
    }
    return BOSC_OK;
}

bosc_status bi_geometric_search_scene(struct bi_geometric_search *f, const double *points)
{
    struct bi_geometric_scene *scene = &f->scene;
    const struct bi_geometric_trials *t = &f->trials;
    const void *reachable;
    bool staged = false;
    size_t bytes = (size_t)(scene->count * f->form.dim) * sizeof *points;
    /* 1. The number of trials and their cost. */
    set_trial_budget(f);
    /* Two look-ups of each coordinate and a counter of each basis; most searches end long before the last trial. */
    bi_progress_set_total(f->ctx, (double)t->budget *
                                      (LOOK_UP_ITEMS * (double)t->points_per_basis + 2 * (double)f->table->bases));
    /* 2. The memory, the points, and their tree. */
    BI_TRY(allocate_search(f));
    if (scene->count > 0)
        BI_TRY(bi_geometric_fetch_points(f->ctx, "scene", points, scene->count, f->form.dim, scene->host_points));
    if (t->budget == 0) return BOSC_OK; /* too few points for a basis */
    BI_TRY(allocate_search_scratch(f));
    BI_TRY(bi_stage_in(f->ctx, points, bytes, &reachable, &staged));
    scene->points = reachable;
    BI_TRY(bi_geometric_build_tree(f->ctx, reachable, scene->count, f->form.dim, &scene->tree));
    return search_models(f);
}
