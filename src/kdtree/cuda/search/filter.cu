/* The k nearest in many dimensions by the filter (filter.cuh): radii of queries from a sample of the nodes, candidates
 * by the pass over all pairs, then their exact distances. */
#include "core/cuda/warp.cuh"
#include "kdtree/cuda/search/filter_measure.cuh"
#include "kdtree/cuda/search/wide_boxes.cuh"

enum {
    THREADS = 128, /* not measured */
    WARPS = THREADS / 32,
    ROWS = BI_KDTREE_FILTER_ROWS,
    SAMPLE_BYTES = 256 << 20, /* scratch: of the rounded sample, */
    BATCH_BYTES = 512 << 20,  /* of a batch of queries, */
#ifdef BI_EMULATE             /* small, so that some cases exceed them */
    CHUNK_BYTES = 64 << 10,   /* and of a chunk of rounded points */
    FILTERED_NODES = 512,     /* with wide boxes: nodes, and pairs, with which the filter is an alternative */
    FILTERED_PAIRS = 1 << 14,
    MEASURED_NODES = 256, /* trees of so few nodes are measured whole. Not measured */
    LEAST_CAPACITY = 96,  /* candidates of a query, at least */
    MOST_BATCH = 256      /* queries of a batch */
#else
    CHUNK_BYTES = 512 << 20,
    FILTERED_NODES = 1 << 14, /* not measured */
    FILTERED_PAIRS = 1 << 30, /* fewer pairs take too little time for a choice. Not measured */
    MEASURED_NODES = 1024,
    LEAST_CAPACITY = 256,
    MOST_BATCH = 1 << 16
#endif
};

/* --- Sizes -------------------------------------------------------------------------------------------------------- */

/* The sizes of a search. A sample of one in `every` nodes has the k-th nearest of a query at about rank k * every of
 * all, and the pass over it costs 1 / every of the whole one. */
struct filter_plan {
    int32_t steps, groups, fold, capacity;
    int64_t every, sample, chunk, batch; /* nodes of the sample; nodes rounded at once; queries of a batch */
};

static int64_t round_rows(int64_t count) { return bi_div_up(count, ROWS) * ROWS; }

/* Blocks have 128 or 256 queries. */
static int64_t round_queries(int64_t count)
{
    return count > ROWS ? bi_div_up(count, 2 * ROWS) * 2 * ROWS : (int64_t)ROWS;
}

static size_t batch_query_bytes(const filter_plan &p)
{
    return (size_t)p.steps * 32 + sizeof(bi_kdtree_filter_query) +
           sizeof(uint32_t) * (size_t)(p.groups + p.capacity + 2);
}

static filter_plan make_plan(const bosc_kdtree_opts *opts, int64_t n, int64_t m, int64_t k)
{
    /* One in 32 nodes for one neighbour. More for more, so that both passes and the candidates cost about as much. */
    static const int64_t every_of_root[] = {32, 32, 16, 10, 8, 6, 5};
    filter_plan p = {};
    int root = 0;
    while (root < 6 && root * root < k) root++;
    p.steps = opts->dim <= 16 ? 1 : (int32_t)bi_div_up(opts->dim, 32) * 2;
    /* 1. The sample: at least 64 nodes a neighbour, at most SAMPLE_BYTES. */
    const int64_t row = (int64_t)p.steps * 32, most = SAMPLE_BYTES / row;
    p.every = every_of_root[root];
    if (n / p.every < 64 * k) p.every = n / (64 * k) > 1 ? n / (64 * k) : 1;
    if (bi_div_up(n, p.every) > most) p.every = bi_div_up(n, most);
    p.sample = bi_div_up(n, p.every);
    const int64_t tiles = round_rows(p.sample) / BI_KDTREE_FILTER_HALF;
    p.fold = (int32_t)bi_div_up(tiles * 4, BI_KDTREE_FILTER_MOST_GROUPS);
    p.groups = (int32_t)bi_div_up(tiles, p.fold) * 4;
    /* 2. Candidates: k * every are expected, and twice as many and 16 * every next to never exceeded: the distances of
     * the sample are about a Poisson process. Where bounds are loose there are more. */
    int64_t capacity = (16 + 3 * k) * p.every;
    if (capacity < LEAST_CAPACITY) capacity = LEAST_CAPACITY;
    if (capacity > n) capacity = n;
    p.capacity = (int32_t)capacity;
    /* 3. Parts that fit their scratch. */
    p.chunk = round_rows(n) < CHUNK_BYTES / row ? round_rows(n) : CHUNK_BYTES / row / ROWS * ROWS;
    if (p.chunk < ROWS) p.chunk = ROWS;
    p.batch = (int64_t)(BATCH_BYTES / batch_query_bytes(p)) / (2 * ROWS) * (2 * ROWS);
    if (p.batch > MOST_BATCH) p.batch = MOST_BATCH;
    if (p.batch > round_queries(m)) p.batch = round_queries(m);
    if (p.batch < ROWS) p.batch = ROWS;
    return p;
}

/* --- Radii -------------------------------------------------------------------------------------------------------- */

struct radius_args {
    bi_kdtree_filter_query *queries;
    const uint32_t *bounds; /* groups of each query; bits of floats */
    uint32_t *counts;
    bi_kdtree_filter_map map;
    int64_t count, padded;
    int32_t groups, k, capacity;
    double limit;       /* squared distance */
    double unit, least; /* of the type of distances: 2^-precision; half of the smallest number above 0 */
};

/* Returns an upper bound of the k-th smallest of the bounds of a query, by binary search over the upper 20 bits. */
static __device__ __forceinline__ float kth_bound(const uint32_t *bounds, int groups, int k)
{
    uint32_t low = 0;
    for (int bit = 30; bit >= 11; bit--) {
        const uint32_t probe = low | 1u << bit;
        uint32_t below = 0;
        for (int i = (int)threadIdx.x % 32; i < groups; i += 32) below += bounds[i] < probe;
        if (bi_warp_sum(below) < (uint32_t)k) low = probe;
    }
    return bi_f32_from_bits(low | 0x7ff);
}

/* Replaces the squares of queries by thresholds, a warp a query. Computed squared distances have relative errors of at
 * most (dim + 3) unit, and absolute ones of dim * least. So a node whose computed distance is at most that of the k-th
 * in the sample, which is at most `bound`, is at most `radius` from the query. */
static __global__ void __launch_bounds__(THREADS) bi_kdtree_filter_set_radii(const radius_args a)
{
    const int64_t number = blockIdx.x * (int64_t)WARPS + threadIdx.x / 32;
    if (number >= a.padded || !bi_kdtree_chooses_filter(a.map.choice)) return;
    /* 1. Bound the distance of the k-th. */
    const float bound = number < a.count ? kth_bound(a.bounds + number * a.groups, a.groups, a.k) : 0;
    if (threadIdx.x % 32 != 0) return;
    /* 2. Enlarge it by the errors of computed distances. */
    bi_kdtree_filter_query q = a.queries[number];
    const double relative = 1 + (a.map.dim + 3) * a.unit * 1.001, scale = bi_kdtree_filter_scale(a.map);
    const double least = 2 * sqrt(a.map.dim * a.least) * scale;
    double radius = bound < 0x1p60f ? bound * relative + least : (double)INFINITY;
    const double within = sqrt(a.limit * relative) * scale * (1 + 0x1p-40) + least;
    if (within < radius) radius = within;
    /* 3. Without a radius no point becomes a candidate; the count shows that all nodes must be measured. */
    if (radius + q.error < 0x1p60 && q.length < INFINITY) { /* its square is a float */
        q.radius = (float)((radius + q.error) * (1 + 0x1p-22));
        q.square = 0.5f * (1 - 0x1p-20f) * q.square;
    } else {
        q = {INFINITY, 0, 0, 0};
        if (number < a.count) a.counts[number] = (uint32_t)a.capacity + 1;
    }
    a.queries[number] = q;
}

/* --- Searches ----------------------------------------------------------------------------------------------------- */

/* The arrays of a search, in scratch. */
struct filter_memory {
    bi_kdtree_filter_map map;
    bi_kdtree_filter_rows points, sample, queries;
    uint32_t *bounds, *counts, *lists, *unlisted, *unlisted_count;
};

/* Returns the next array of a block of scratch; *bytes = its end. base NULL: only the end. */
template <class E> static E *next_array(char *base, size_t *bytes, int64_t count)
{
    char *at = base ? base + *bytes : nullptr;
    *bytes += bi_round_up((size_t)count * sizeof(E), 256);
    return reinterpret_cast<E *>(at);
}

static bi_kdtree_filter_rows points_at(char *base, size_t *bytes, int64_t padded, int32_t steps, int32_t log_tile)
{
    bi_kdtree_filter_rows rows = {};
    rows.words = next_array<uint4>(base, bytes, padded * steps * 2);
    rows.halves = next_array<float>(base, bytes, padded);
    rows.tiles = next_array<bi_kdtree_filter_tile>(base, bytes, padded >> log_tile);
    rows.padded = padded;
    rows.log_tile = log_tile;
    return rows;
}

static filter_memory memory_at(char *base, size_t *bytes, const filter_plan &p, int32_t dim)
{
    filter_memory memory = {};
    *bytes = 0;
    memory.map = {next_array<double>(base, bytes, dim), next_array<uint32_t>(base, bytes, 1), dim, p.steps, {}};
    memory.points = points_at(base, bytes, p.chunk, p.steps, 7);
    memory.sample = points_at(base, bytes, round_rows(p.sample), p.steps, 6);
    memory.queries.words = next_array<uint4>(base, bytes, p.batch * p.steps * 2);
    memory.queries.queries = next_array<bi_kdtree_filter_query>(base, bytes, p.batch);
    memory.bounds = next_array<uint32_t>(base, bytes, p.batch * p.groups);
    memory.counts = next_array<uint32_t>(base, bytes, p.batch);
    memory.lists = next_array<uint32_t>(base, bytes, p.batch * p.capacity);
    memory.unlisted = next_array<uint32_t>(base, bytes, p.batch);
    memory.unlisted_count = next_array<uint32_t>(base, bytes, 1);
    return memory;
}
static_assert(1 << 7 == ROWS && 1 << 6 == BI_KDTREE_FILTER_HALF, "tiles");

size_t bi_kdtree_filter_bytes(const bosc_kdtree_opts *opts, int64_t n, int64_t m, int64_t k)
{
    size_t bytes;
    if (n <= MEASURED_NODES) return 0;
    filter_plan plan = make_plan(opts, n, m, k);
    plan.groups = BI_KDTREE_FILTER_MOST_GROUPS + 4; /* fewer nodes may have more groups */
    memory_at(nullptr, &bytes, plan, opts->dim);
    return bytes;
}

bool bi_kdtree_has_filter(const bosc_kdtree *tree, int64_t k)
{
    return tree->opts.dim > BI_KDTREE_WIDE_MOST_DIM && tree->nodes > 0 && k <= BI_KDTREE_MOST_NEAREST &&
           bi_kdtree_filter_multiplies();
}

bool bi_kdtree_may_filter(const bosc_kdtree *tree, int64_t m, int64_t k)
{
    return bi_kdtree_has_wide_boxes(&tree->opts) && k <= BI_KDTREE_MOST_NEAREST && tree->nodes >= FILTERED_NODES &&
           m >= FILTERED_PAIRS / tree->nodes && bi_kdtree_filter_multiplies();
}

/* A search of one tree. */
struct filter_search {
    const bosc_kdtree *tree;
    bi_kdtree_cuda_search a;
    filter_plan plan;
    filter_memory memory;
};

static struct bi_kdtree_rows nodes_from(const filter_search &s, int64_t first, int64_t count)
{
    const size_t row = (size_t)s.a.dim * bosc_dtype_size(s.tree->opts.dtype);
    return {static_cast<const char *>(s.a.nodes.points) + (size_t)first * row, count, s.a.dim};
}

static struct bi_kdtree_rows queries_from(const filter_search &s, int64_t first, int64_t count)
{
    const size_t row = (size_t)s.a.stride * bosc_dtype_size(s.tree->opts.dtype);
    return {static_cast<const char *>(s.a.queries) + (size_t)first * row, count, s.a.stride};
}

/* Sets the radii of the rounded queries by a pass over the sample. */
static bosc_status find_radii(bosc_ctx *ctx, const filter_search &s, bi_kdtree_filter_scan scan)
{
    const bool single = s.tree->opts.dtype == BOSC_F32;
    radius_args a = {scan.queries.queries,
                     scan.bounds,
                     scan.counts,
                     s.memory.map,
                     scan.queries.count,
                     scan.queries.padded,
                     scan.groups,
                     s.a.k,
                     scan.capacity,
                     s.a.limit,
                     single ? 0x1p-24 : 0x1p-53,
                     single ? 0x1p-150 : 0x1p-1074};
    auto kernel = bi_kdtree_filter_set_radii;
    scan.points = s.memory.sample;
    BI_TRY(
        ctx->backend->fill(ctx, scan.bounds, 0x7f, (size_t)(scan.queries.padded * scan.groups) * sizeof *scan.bounds));
    BI_TRY(bi_kdtree_filter_bound(ctx, scan));
    return BI_RUN(ctx, kernel, (unsigned)bi_div_up(a.padded, WARPS), THREADS, 0, a);
}

/* Lists the candidates among all nodes, a chunk at a time; a single chunk is rounded once for all batches. */
static bosc_status find_candidates(bosc_ctx *ctx, const filter_search &s, bi_kdtree_filter_scan scan)
{
    const int64_t n = s.tree->nodes;
    for (int64_t first = 0; first < n; first += s.plan.chunk) {
        const int64_t count = n - first < s.plan.chunk ? n - first : s.plan.chunk;
        const struct bi_kdtree_rows rows = nodes_from(s, first, count);
        scan.points = s.memory.points;
        scan.points.count = count;
        scan.points.padded = round_rows(count);
        scan.first = (uint32_t)first;
        if (n > s.plan.chunk)
            BI_TRY(bi_kdtree_filter_round(ctx, s.tree->opts.dtype, &rows, 1, &s.memory.map, &scan.points));
        BI_TRY(bi_kdtree_filter_list(ctx, scan));
    }
    return BOSC_OK;
}

/* Searches for a batch of queries. */
static bosc_status search_batch(bosc_ctx *ctx, const filter_search &s, int64_t first, int64_t count)
{
    const filter_memory &memory = s.memory;
    const struct bi_kdtree_rows rows = queries_from(s, first, count);
    bi_kdtree_filter_scan scan = {};
    /* 1. Round the queries. */
    scan.queries = memory.queries;
    scan.queries.count = count;
    scan.queries.padded = round_queries(count);
    scan.steps = s.plan.steps;
    scan.product_error = bi_tensor_error(s.plan.steps);
    scan.bounds = memory.bounds;
    scan.groups = s.plan.groups;
    scan.fold = s.plan.fold;
    scan.counts = memory.counts;
    scan.lists = memory.lists;
    scan.capacity = s.plan.capacity;
    scan.choice = memory.map.choice;
    BI_TRY(ctx->backend->fill(ctx, scan.counts, 0, (size_t)scan.queries.padded * sizeof *scan.counts));
    BI_TRY(bi_kdtree_filter_round(ctx, s.tree->opts.dtype, &rows, 1, &memory.map, &scan.queries));
    /* 2. Bound their distances, and list candidates. */
    BI_TRY(find_radii(ctx, s, scan));
    BI_TRY(find_candidates(ctx, s, scan));
    /* 3. Measure the candidates, or all nodes. */
    const bi_kdtree_filter_batch m = {s.a,
                                      first,
                                      (uint32_t)count,
                                      memory.counts,
                                      memory.lists,
                                      s.plan.capacity,
                                      memory.unlisted,
                                      memory.unlisted_count,
                                      memory.map.choice};
    return bi_kdtree_filter_measure(ctx, s.tree->opts.dtype, m);
}

/* Rounds the sample, and all points if they fit, then searches batch by batch. */
static bosc_status search_batches(bosc_ctx *ctx, const filter_search &s)
{
    const int64_t n = s.tree->nodes;
    const bosc_dtype dtype = s.tree->opts.dtype;
    const struct bi_kdtree_rows nodes = nodes_from(s, 0, n);
    bi_kdtree_filter_rows sample = s.memory.sample, points = s.memory.points;
    sample.count = s.plan.sample;
    points.count = n;
    BI_TRY(bi_kdtree_filter_find_map(ctx, dtype, &nodes, &s.memory.map));
    BI_TRY(bi_kdtree_filter_round(ctx, dtype, &nodes, s.plan.every, &s.memory.map, &sample));
    if (n <= s.plan.chunk) BI_TRY(bi_kdtree_filter_round(ctx, dtype, &nodes, 1, &s.memory.map, &points));
    for (int64_t first = 0; first < s.a.m; first += s.plan.batch)
        BI_TRY(search_batch(ctx, s, first, s.a.m - first < s.plan.batch ? s.a.m - first : s.plan.batch));
    return BOSC_OK;
}

static bosc_status search_in_scratch(bosc_ctx *ctx, filter_search s, size_t bytes, const bi_kdtree_choice &choice)
{
    void *memory;
    BI_TRY(bi_scratch(ctx, bytes, &memory));
    s.memory = memory_at(static_cast<char *>(memory), &bytes, s.plan, s.tree->opts.dim);
    s.memory.map.choice = choice;
    return search_batches(ctx, s);
}

bosc_status bi_kdtree_search_filtered(bosc_ctx *ctx, const bosc_kdtree *tree, const bi_kdtree_cuda_search &a,
                                      const bi_kdtree_choice &choice)
{
    filter_search s = {tree, a, {}, {}};
    size_t bytes;
    if (tree->nodes <= MEASURED_NODES) {
        bi_kdtree_filter_batch m = {};
        m.a = a;
        m.count = a.m;
        m.choice = choice;
        return bi_kdtree_filter_measure(ctx, tree->opts.dtype, m);
    }
    s.plan = make_plan(&tree->opts, tree->nodes, a.m, a.k);
    memory_at(nullptr, &bytes, s.plan, tree->opts.dim);
    BI_RETURN_WITH_SCRATCH(ctx, search_in_scratch(ctx, s, bytes, choice));
}
