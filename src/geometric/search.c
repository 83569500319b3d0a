/* The search proper: batches of scene bases vote, the best of each are verified, and matches that are good enough
 * stand. */
#include <string.h>

#include "core/call.h"
#include "geometric/find.h"

bool bi_geometric_is_better(const bosc_geometric_match *a, const bosc_geometric_match *b)
{
    if (a->found != b->found) return a->found > b->found;
    if (a->inliers != b->inliers) return a->inliers > b->inliers;
    if (a->error != b->error) return a->error < b->error;
    return a->model < b->model;
}

/* Whether a better match of a model would have been seen by now, with probability 0.999. If the scene had more inliers
 * than the best match, a basis of inliers alone would be drawn at least as often as from those; assume that a quarter
 * of such bases are neither too short nor too blurred. With neighbours, and of several models, it must be in the table
 * too. Source of the rule: Fischler and Bolles, Random Sample Consensus (1981). */
static bool is_certain(const struct bi_geometric_search *f, const bosc_geometric_match *match)
{
    const struct bi_geometric_model *model = &f->models[match->model];
    double inliers = (double)match->inliers, m = (double)f->scene_count, drawn = 0.25, missed = 1;
    if (inliers >= f->table->opts.stop_fraction * (double)model->n) return true;
    if (inliers < f->table->opts.min_fraction * (double)model->n) return false;
    for (int c = 0; c < f->form.corners; c++) drawn *= (inliers - c) / (m - c);
    if (f->table->neighbours || f->table->count > 1) drawn *= (double)model->bases / (double)model->all;
    double power = 1 - drawn;
    for (int64_t t = f->tried; t > 0; t /= 2, power *= power)
        if (t % 2) missed *= power;
    return missed <= 1e-3;
}

/* The best of the matches that are certain, or, if `all` are asked for, found; NULL if there is none. */
static const bosc_geometric_match *pick(const struct bi_geometric_search *f, bool all)
{
    const bosc_geometric_match *best = NULL;
    for (int64_t k = 0; k < f->active_count; k++) {
        const bosc_geometric_match *match = &f->best[f->active[k]];
        if (f->closed[match->model] || !(all ? match->found : is_certain(f, match))) continue;
        if (!best || bi_geometric_is_better(match, best)) best = match;
    }
    return best;
}

/* A match stands: it is kept, and its model is closed or looked for again. One that is certain but not found is not
 * kept. */
static bosc_status settle(struct bi_geometric_search *f, const bosc_geometric_match *match)
{
    int64_t number = match->model, n = f->models[number].n, first = f->models[number].first;
    bool found = match->found;
    if (found) {
        int64_t at = f->stand_first[f->stand_count];
        for (int64_t i = 0; i < n; i++) {
            int64_t id = f->best_ids[first + i];
            f->stand_ids[at + i] = id < 0 ? -1 : f->place[id];
        }
        f->stand[f->stand_count] = *match;
        f->stand[f->stand_count].trials = f->tried;
        f->stand_first[++f->stand_count] = at + n;
    }
    f->since = f->tried;
    if (!f->instances || !found) {
        f->closed[number] = 1;
        f->closed_changed = true;
        f->open--;
    }
    if (found && f->exclusive && f->stand_count < f->capacity) return bi_geometric_leave_out(f, number);
    return BOSC_OK;
}

/* Settles, the best first, matches that are certain, or all that are found. */
static bosc_status settle_best(struct bi_geometric_search *f, bool all)
{
    const bosc_geometric_match *match;
    while (f->stand_count < f->capacity && (match = pick(f, all))) BI_TRY(settle(f, match));
    return BOSC_OK;
}

static bosc_status try_batch(struct bi_geometric_search *f)
{
    int64_t left = f->since + f->trials - f->tried, count, wanted;
    do {
        count = wanted = left < f->batch ? left : f->batch;
        BI_TRY_WITH_SCRATCH(f->ctx, bi_geometric_vote_batch(f, &count));
        if (count < wanted) f->batch = count;
    } while (count < wanted);
    BI_TRY(bi_geometric_verify_best(f, count));
    f->tried += count;
    return settle_best(f, false);
}

bosc_status bi_geometric_run_search(struct bi_geometric_search *f)
{
    while (f->stand_count < f->capacity && f->open > 0 && f->trials > 0) {
        if (f->tried - f->since < f->trials) {
            BI_TRY(try_batch(f));
            continue;
        }
        int64_t before = f->stand_count;
        BI_TRY(settle_best(f, true));
        if (!f->instances || f->stand_count == before) break;
    }
    return BOSC_OK;
}
