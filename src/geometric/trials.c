/* How many bases of a scene are tried, and how many of them at once. */
#include "geometric/find.h"

enum {
    BATCH_ENTRIES = 1 << 22,    /* coordinates looked up in a batch, votes expected, and counters, at most */
    NEIGHBOUR_BATCH = 64,       /* where neighbours take part, a few bases often suffice; */
    NEIGHBOUR_ENTRIES = 1 << 24 /* each of them has few coordinates, and fewer at once would leave a device idle */
};

/* How many entries of the table a coordinate meets: they lie in about ten units of area, or twenty of volume. */
static double expected_votes(const bosc_geometric *table)
{
    double r = table->vote_radius;
    return (table->opts.dim == 3 ? 0.2 * r : 0.3) * r * r * (double)table->entries;
}

void bi_geometric_plan_search(struct bi_geometric_search *f)
{
    const bosc_geometric *table = f->table;
    bool near = table->neighbours > 0;
    f->all = 0;
    f->per = f->m;
    f->neighbours.count = 0;
    if (near && f->m > 0) f->neighbours.count = table->neighbours < f->m - 1 ? table->neighbours : f->m - 1;
    if (f->neighbours.count) f->per = f->neighbours.count;
    if (f->m >= f->form.corners) f->all = bi_geometric_count_bases(f->m, f->neighbours.count, f->form.corners);
    f->trials = table->opts.max_trials > 0 ? table->opts.max_trials : near ? 1024 : 4096;
    if (f->all < (uint64_t)f->trials) f->trials = (int64_t)f->all;
    double entries = f->neighbours.count ? NEIGHBOUR_ENTRIES : BATCH_ENTRIES;
    double batch = entries / ((double)(f->m > 0 ? f->per : 1) * (1 + expected_votes(table)));
    double most = entries / (double)table->bases;
    if (batch > most) batch = most;
    int64_t usual = f->neighbours.count ? NEIGHBOUR_BATCH : BI_GEOMETRIC_BATCH;
    f->batch = batch < 1 ? 1 : batch > (double)usual ? usual : (int64_t)batch;
}
