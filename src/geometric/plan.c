/* How a model of n points is hashed: which bases, how many points in each, and the memory that takes. */
#include "geometric/drivers.h"

enum {
    ALL_POINTS = 64,     /* the largest model whose bases have coordinates of all points, by default */
    NEIGHBOURS = 24,     /* of larger ones */
    BASES_PER_POINT = 4, /* of neighbours */
    TRIPLES_PER_POINT = 16,
    MAX_ENTRIES = 1 << 24 /* unless the caller wants more */
};
#define VOTE_RADIUS 0.02
#define NEIGHBOUR_VOTE_RADIUS 0.05

int64_t bi_geometric_neighbour_count(const bosc_geometric_opts *opts, int64_t n)
{
    if (opts->neighbours == 0) return n <= ALL_POINTS ? 0 : NEIGHBOURS;
    return opts->neighbours < n - 1 ? opts->neighbours : 0;
}

struct bi_geometric_neighbours bi_geometric_neighbours_of(int64_t count, int64_t n, bool affine)
{
    if (count > n - 1) count = n - 1;
    struct bi_geometric_neighbours found = {.count = count, .low = (uint32_t)count / 6, .high = (uint32_t)count};
    if (affine) found.high /= 2;
    if (affine && found.high < found.low + 2) found.high = found.low + 2;
    return found;
}

uint64_t bi_geometric_count_bases(int64_t n, const struct bi_geometric_neighbours *neighbours, bool affine)
{
    uint64_t all = (uint64_t)n;
    if (neighbours->count) return all * bi_geometric_choices(neighbours->low, neighbours->high, affine);
    return all * (all - 1) * (affine ? all - 2 : 1);
}

/* How many bases of a model are looked at. */
static int64_t usual_bases(const bosc_geometric_opts *opts, int64_t n, const struct bi_geometric_neighbours *neighbours,
                           uint64_t all)
{
    int64_t count = opts->max_bases;
    if (count == 0 && neighbours->count) {
        int64_t most = MAX_ENTRIES / neighbours->count;
        count = n * (opts->kind == BOSC_GEOMETRIC_AFFINE ? TRIPLES_PER_POINT : BASES_PER_POINT);
        if (count > most) count = most;
    } else if (count == 0) {
        int64_t usual = (int64_t)(1 << 22) / n;
        count = usual < 64 ? 64 : usual > 16384 ? 16384 : usual;
    }
    return (uint64_t)count < all ? count : (int64_t)all;
}

bosc_status bi_geometric_plan(bosc_ctx *ctx, const bosc_geometric_opts *opts, int64_t n,
                              struct bi_geometric_choice *choice)
{
    *choice = (struct bi_geometric_choice){.n = n, .seed = opts->seed, .model = true};
    choice->affine = opts->kind == BOSC_GEOMETRIC_AFFINE;
    int64_t count = bi_geometric_neighbour_count(opts, n);
    if (count) choice->neighbours = bi_geometric_neighbours_of(count, n, choice->affine);
    choice->all = bi_geometric_count_bases(n, &choice->neighbours, choice->affine);
    choice->count = usual_bases(opts, n, &choice->neighbours, choice->all);
    int64_t per = count ? count : n;
    if (choice->count > (int64_t)UINT32_MAX / per - 1)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld bases of %lld points are more than 2^32 entries",
                       (long long)choice->count, (long long)per);
    return BOSC_OK;
}

double bi_geometric_vote_radius(const bosc_geometric_opts *opts, int64_t neighbours)
{
    if (opts->vote_radius > 0) return opts->vote_radius;
    return neighbours ? NEIGHBOUR_VOTE_RADIUS : VOTE_RADIUS;
}

bosc_status bi_geometric_plan_bytes(bosc_ctx *ctx, const struct bi_geometric_choice *choice,
                                    struct bi_geometric_bytes *bytes)
{
    int64_t n = choice->n, count = choice->neighbours.count, entries = choice->count * (count ? count : n);
    int64_t corners = BI_GEOMETRIC_CORNERS * sizeof(uint32_t), grid_kept, grid_scratch, tree_scratch = 0;
    bosc_voxelgrid_opts grid = {.size = sizeof grid, .dim = 2, .cell = 1, .id_bits = 32};
    BI_TRY(bosc_voxelgrid_bytes(ctx, &grid, entries, &grid_kept, &grid_scratch));
    bytes->tree = 0;
    if (count) BI_TRY(bosc_kdtree_bytes(ctx, &bi_geometric_tree_opts, n, &bytes->tree, &tree_scratch));
    bytes->points = 16 * n;
    bytes->list = corners * choice->count;
    bytes->kept = bytes->points + bytes->list + grid_kept;
    bytes->entries = entries;
    /* The points, bases before and after the short ones are left out, coordinates; rows of neighbours, and as many
     * numbers and distances while they are looked for. */
    int64_t lists = 16 * n + (2 * corners + 1) * choice->count + 8 * entries + (count ? 24 * n * (count + 1) : 0);
    bytes->scratch = lists + grid_scratch + tree_scratch;
    return BOSC_OK;
}
