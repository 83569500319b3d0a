/* The loop of a search: batches of scene bases vote, the best of each batch are verified, and matches that cannot be
 * bettered are accepted. */
#include <string.h>

#include "core/call.h"
#include "geometric/search_phases.h"

/* True if a better match of the model would have been seen by now, with probability 0.999. If the scene had more
 * inliers than this match, a basis of inliers would be drawn at least as often as one of this match's inliers; a
 * quarter of such bases is assumed to be long and sharp enough. With neighbours, or several models, the basis must also
 * be in the table. Source of the rule: Fischler and Bolles, Random Sample Consensus (1981). */
static bool is_certain(const struct bi_geometric_search *f, const bosc_geometric_match *match)
{
    const struct bi_geometric_model *model = &f->models[match->model];
    double inliers = (double)match->inliers, m = (double)f->scene.input_count, drawn = 0.25, missed = 1;
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
    if (found && f->exclusive && accepted->count < accepted->capacity) return bi_geometric_remove_inliers(f, number);
    return BOSC_OK;
}

/* Accepts, best first, all certain matches, or, if `all`, all found ones. */
static bosc_status accept_matches(struct bi_geometric_search *f, bool all)
{
    const bosc_geometric_match *match;
    while (f->accepted.count < f->accepted.capacity && (match = select_match(f, all))) BI_TRY(accept_match(f, match));
    return BOSC_OK;
}

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

bosc_status bi_geometric_search_models(struct bi_geometric_search *f)
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
