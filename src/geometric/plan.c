/* Plans a build: the number of bases of each model, the points in a basis, and the memory. */
#include "geometric/drivers.h"

enum {
    /* Defaults; the public ones are in boscage/geometric.h. More: larger tables, more recognised scenes. Not
     * measured. */
    ALL_POINTS = 64,     /* points of the largest model whose bases use all points */
    NEIGHBOURS = 24,     /* neighbours of a point in larger models */
    BASES_PER_POINT = 4, /* with neighbours: pairs, triples and quadruples of a point */
    TRIPLES_PER_POINT = 16,
    QUADRUPLES_PER_POINT = 48,
    LEAST_BASES = 64, /* bases of a model: at least and at most */
    MOST_BASES = 16384,
    ALL_ENTRIES = 1 << 22, /* entries of a table whose bases use all points, ... */
    NEAR_ENTRIES = 1 << 24 /* ... or neighbours */
};
#define VOTE_RADIUS 0.02
#define NEIGHBOUR_VOTE_RADIUS 0.05

struct bi_geometric_form bi_geometric_form_of(const bosc_geometric_opts *opts)
{
    struct bi_geometric_form form = {.dim = opts->dim, .affine = opts->kind == BOSC_GEOMETRIC_AFFINE};
    form.corners = form.dim + form.affine;
    form.rigid = opts->kind == BOSC_GEOMETRIC_RIGID;
    return form;
}

uint64_t bi_geometric_count_bases(int64_t n, int64_t neighbours, int corners)
{
    if (!neighbours) return bi_geometric_count_tuples((uint64_t)n, corners);
    return (uint64_t)n * bi_geometric_count_neighbour_tuples(bi_geometric_ranks_of(neighbours, corners), corners);
}

double bi_geometric_vote_radius(const bosc_geometric_opts *opts, int64_t neighbours)
{
    if (opts->vote_radius > 0) return opts->vote_radius;
    return neighbours ? NEIGHBOUR_VOTE_RADIUS : VOTE_RADIUS;
}

/* Returns the default number of candidate bases of a model of n points. */
static int64_t default_candidates(const struct bi_geometric_plan *plan, int64_t n)
{
    if (plan->neighbours) {
        static const int per_point[] = {BASES_PER_POINT, TRIPLES_PER_POINT, QUADRUPLES_PER_POINT};
        int64_t usual = n * per_point[plan->form.corners - 2], most = NEAR_ENTRIES / plan->neighbours * n / plan->n;
        return usual <= most ? usual : most < n ? n : most;
    }
    int64_t usual = ALL_ENTRIES / plan->n;
    return usual < LEAST_BASES ? LEAST_BASES : usual > MOST_BASES ? MOST_BASES : usual;
}

static struct bi_geometric_model plan_model(const bosc_geometric_opts *opts, const struct bi_geometric_plan *plan,
                                            int64_t first, int64_t n)
{
    struct bi_geometric_model m = {
        .first_point = first, .n = n, .points_per_basis = n, .first_candidate = plan->candidates};
    if (plan->neighbours) m.points_per_basis = plan->neighbours < n - 1 ? plan->neighbours : n - 1;
    m.possible_bases = bi_geometric_count_bases(n, plan->neighbours ? m.points_per_basis : 0, plan->form.corners);
    m.candidates = opts->max_bases ? opts->max_bases : default_candidates(plan, n);
    if ((uint64_t)m.candidates > m.possible_bases) m.candidates = (int64_t)m.possible_bases;
    return m;
}

bosc_status bi_geometric_plan_build(bosc_ctx *ctx, const bosc_geometric_opts *opts, const int64_t *offsets,
                                    int64_t count, struct bi_geometric_plan *plan, struct bi_geometric_model *models)
{
    *plan = (struct bi_geometric_plan){.form = bi_geometric_form_of(opts), .count = count, .n = offsets[count]};
    for (int64_t k = 0; k < count; k++)
        if (offsets[k + 1] - offsets[k] > plan->largest) plan->largest = offsets[k + 1] - offsets[k];
    if (opts->neighbours == 0)
        plan->neighbours = plan->largest <= ALL_POINTS ? 0 : NEIGHBOURS;
    else
        plan->neighbours = opts->neighbours < plan->largest - 1 ? opts->neighbours : 0;
    for (int64_t k = 0; k < count; k++) {
        struct bi_geometric_model m = plan_model(opts, plan, offsets[k], offsets[k + 1] - offsets[k]);
        if (m.candidates > ((int64_t)UINT32_MAX - plan->entries) / m.points_per_basis - 1)
            return bi_fail(ctx, BOSC_ERR_LIMIT,
                           "%s: %lld bases of %lld points, after %lld entries of other models, are "
                           "more than 2^32 entries",
                           count > 1 ? "offsets" : "n", (long long)m.candidates, (long long)m.points_per_basis,
                           (long long)plan->entries);
        if (models) models[k] = m;
        plan->candidates += m.candidates;
        plan->entries += m.candidates * m.points_per_basis;
    }
    return BOSC_OK;
}

bosc_status bi_geometric_plan_bytes(bosc_ctx *ctx, const struct bi_geometric_plan *plan,
                                    struct bi_geometric_bytes *bytes)
{
    int64_t dim = plan->form.dim, several = plan->count > 1, grid_kept, grid_scratch, tree_scratch = 0;
    int64_t corners = sizeof(struct bi_geometric_corners), points = 8 * dim * plan->n;
    bosc_voxelgrid_opts grid = {.size = sizeof grid, .dim = (int32_t)dim, .cell = 1, .id_bits = 32};
    bosc_kdtree_opts tree = bi_geometric_tree_opts(bi_geometric_tree_dim(plan));
    BI_TRY(bosc_voxelgrid_bytes(ctx, &grid, plan->entries, &grid_kept, &grid_scratch));
    bytes->tree = 0;
    if (plan->neighbours) BI_TRY(bosc_kdtree_bytes(ctx, &tree, plan->n, &bytes->tree, &tree_scratch));
    bytes->points = points;
    bytes->models = (int64_t)sizeof(struct bi_geometric_model) * plan->count;
    bytes->list = corners * plan->candidates;
    bytes->basis_of = several ? 4 * plan->entries : 0;
    bytes->kept = bytes->points + bytes->models + bytes->list + bytes->basis_of + grid_kept;
    bytes->entries = plan->entries;
    /* Points and models, bases before and after the selection of large ones, coordinates; rows of neighbours with the
     * ids and distances of their query, and the points with one more coordinate. */
    int64_t lists = points + bytes->models + (2 * corners + 1) * plan->candidates + 4 * dim * plan->entries +
                    8 * (plan->count + 1) + 4096;
    if (plan->neighbours) lists += 24 * plan->n * (plan->neighbours + 1) + several * 8 * (dim + 1) * plan->n;
    bytes->scratch = lists + grid_scratch + tree_scratch;
    return BOSC_OK;
}
