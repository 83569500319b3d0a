/* Sets the number of scene bases that a search tries, and the number in one batch. */
#include "geometric/search_phases.h"

enum {
    BATCH_ENTRIES = 1 << 22,    /* limit of a batch's queries, expected votes and counters; chosen */
    NEIGHBOUR_BATCH = 64,       /* with neighbours a few bases often suffice, ... */
    NEIGHBOUR_ENTRIES = 1 << 24 /* ... but smaller batches leave a device idle: measured, docs/design/geometric.md */
};

/* Returns the expected number of table entries within the vote radius of a coordinate: entries lie in about ten units
 * of area, or twenty of volume. */
static double expected_votes(const bosc_geometric *table)
{
    double r = table->vote_radius;
    return (table->opts.dim == 3 ? 0.2 * r : 0.3) * r * r * (double)table->entries;
}

void bi_geometric_set_trial_budget(struct bi_geometric_search *f)
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
