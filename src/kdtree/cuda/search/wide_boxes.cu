/* Searches in 5 to 16 dimensions by wide boxes. A warp searches for one query: each lane bounds the distance of one of
 * 32 boxes, the nearest box is opened first, and the lanes measure the 32 nodes of a leaf. Bounds sum the squares of
 * differences from boxes in the order of coordinates, as distances do. Rounding is monotonic, so no node in a box is
 * nearer than its bound. */
#include "core/cuda/sort_rows.cuh"
#include "core/cuda/warp.cuh"
#include "kdtree/cuda/search/collectors.cuh"
#include "kdtree/cuda/search/warp_walk.cuh"
#include "kdtree/cuda/search/wide_boxes.cuh"

enum {
    THREADS = 128, /* not measured */
    WARPS = THREADS / 32,
    PROBES = 64,              /* queries that count the leaves they open. Not measured */
    OPENED_PART = 32,         /* each opens at most a 32nd of the leaves, */
    CHOOSING = PROBES / 4 * 3 /* and the filter is chosen if the mean exceeds three quarters of that */
};
static constexpr uint32_t VISITED = UINT32_MAX; /* the key of a box that was visited or is none */

/* --- The index ---------------------------------------------------------------------------------------------------- */

template <class T> struct index_args {
    const T *rows;
    const uint32_t *row_ids;
    uint32_t n;
    int32_t dim;
    bi_kdtree_wide_index index;
};

/* Writes coordinate c of box j: the least `low` and the greatest `high` of all lanes, which all call this. */
template <class D> static __device__ __forceinline__ void write_box(D *boxes, uint32_t j, int dim, int c, D low, D high)
{
    low = bi_warp_min(low);
    high = bi_warp_max(high);
    if (threadIdx.x % 32 != 0) return;
    D *to = boxes + ((size_t)(j / BI_KDTREE_WIDE) * (uint32_t)dim + (uint32_t)c) * (2 * BI_KDTREE_WIDE);
    to[j % BI_KDTREE_WIDE] = low;
    to[BI_KDTREE_WIDE + j % BI_KDTREE_WIDE] = high;
}

/* Copies the nodes of each leaf, a warp a leaf, and writes its box. index.ids holds the order at first; each warp
 * replaces its own part by ids. */
template <class T> static __global__ void __launch_bounds__(THREADS) make_leaves(const index_args<T> a)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    const uint32_t leaf = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (leaf >= a.index.counts[0]) return;
    const uint32_t at = leaf * BI_KDTREE_WIDE + lane, row = a.index.ids[min(at, a.n - 1)];
    T *to = static_cast<T *>(a.index.points) + (size_t)leaf * (uint32_t)a.dim * BI_KDTREE_WIDE + lane;
    for (int c = 0; c < a.dim; c++) {
        const T x = a.rows[(size_t)row * (uint32_t)a.dim + (uint32_t)c];
        to[c * BI_KDTREE_WIDE] = x;
        write_box(static_cast<D *>(a.index.boxes[0]), leaf, a.dim, c, (D)x, (D)x);
    }
    __syncwarp(); /* lanes without a node have read the order of the last one, which its lane overwrites */
    a.index.ids[at] = at < a.n ? a.row_ids[row] : BI_KDTREE_NONE;
}

/* Writes the boxes of a level, `count` of them, around 32 boxes of the level below, a warp a box. */
template <class D>
static __global__ void __launch_bounds__(THREADS)
    make_boxes(const D *below, uint32_t below_count, D *boxes, uint32_t count, int dim)
{
    const uint32_t j = blockIdx.x * WARPS + threadIdx.x / 32;
    if (j >= count) return;
    const uint32_t own = min(j * BI_KDTREE_WIDE + threadIdx.x % 32, below_count - 1);
    for (int c = 0; c < dim; c++) {
        const D *from = below + ((size_t)j * (uint32_t)dim + (uint32_t)c) * (2 * BI_KDTREE_WIDE) + own % BI_KDTREE_WIDE;
        write_box(boxes, j, dim, c, from[0], from[BI_KDTREE_WIDE]);
    }
}

static bi_kdtree_wide_index index_of(const bosc_kdtree *tree)
{
    size_t bytes;
    return bi_kdtree_wide_index_at(static_cast<char *>(tree->index.data), &tree->opts, tree->nodes, &bytes);
}

template <class T> static bosc_status make_index(bosc_ctx *ctx, const bosc_kdtree *tree)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    const index_args<T> a = {static_cast<const T *>(tree->points.data), static_cast<const uint32_t *>(tree->ids.data),
                             (uint32_t)tree->nodes, tree->opts.dim, index_of(tree)};
    const bi_kdtree_order_points points = {a.rows, tree->opts.dtype, a.dim, a.dim, a.n};
    const bi_kdtree_wide_index &index = a.index;
    auto leaves = make_leaves<T>;
    auto boxes = make_boxes<D>;
    BI_TRY(bi_kdtree_order_by_extent(ctx, &points, index.ids, index.points));
    BI_TRY(BI_RUN(ctx, leaves, (unsigned)bi_div_up(index.counts[0], WARPS), THREADS, 0, a));
    for (int level = 1; level < index.levels; level++)
        BI_TRY(BI_RUN(ctx, boxes, (unsigned)bi_div_up(index.counts[level], WARPS), THREADS, 0,
                      static_cast<const D *>(index.boxes[level - 1]), index.counts[level - 1],
                      static_cast<D *>(index.boxes[level]), index.counts[level], a.dim));
    return BOSC_OK;
}

bosc_status bi_kdtree_make_wide_boxes(bosc_ctx *ctx, const bosc_kdtree *tree)
{
    switch (tree->opts.dtype) {
    case BOSC_F32: return make_index<float>(ctx, tree);
    case BOSC_F64: return make_index<double>(ctx, tree);
    case BOSC_I32: return make_index<int32_t>(ctx, tree);
    default: return make_index<int64_t>(ctx, tree);
    }
}

/* --- Walks -------------------------------------------------------------------------------------------------------- */

struct search_args {
    bi_kdtree_cuda_search a;
    bi_kdtree_wide_index index;
    bi_kdtree_choice choice;
};

/* Keys of the boxes of the groups on the path of each warp, a row a level; a lane reads its own ones alone. The keys
 * of level 0 stay in registers. */
struct walk_shared {
    uint32_t keys[WARPS][BI_KDTREE_WIDE_LEVELS][32];
};

/* key_of_bound returns a key that ascends with bounds: the bits of a float, the upper 32 bits of a double. A bound is
 * NaN only if all distances are infinite; its key is that of infinity. bound_of_key returns the least bound with a key.
 */
static __device__ __forceinline__ uint32_t key_of_bound(float bound) { return bi_f32_bits(fminf(bound, INFINITY)); }
static __device__ __forceinline__ uint32_t key_of_bound(double bound)
{
    const double least = bound < (double)INFINITY ? bound : (double)INFINITY;
    return (uint32_t)(bi_f64_bits(least) >> 32);
}
template <class D> static __device__ __forceinline__ D bound_of_key(uint32_t key)
{
    return sizeof(D) == sizeof(float) ? (D)bi_f32_from_bits(key) : (D)bi_f64_from_bits((uint64_t)key << 32);
}

/* The walk of a warp for one query. CAPACITY: most coordinates. */
template <class T, int CAPACITY> struct wide_walk {
    typedef typename bi_kdtree_distance_of<T>::type D;
    const search_args &s;
    D q[CAPACITY];

    __device__ __forceinline__ wide_walk(const search_args &of, uint32_t number) : s(of)
    {
        const T *row = static_cast<const T *>(s.a.queries) + number * s.a.stride;
#pragma unroll
        for (int c = 0; c < CAPACITY; c++) q[c] = c < s.a.dim ? (D)row[c] : 0;
    }

    /* Returns the key of box 32 group + lane of a level. */
    __device__ __forceinline__ uint32_t box_key(int level, uint32_t group) const
    {
        const uint32_t lane = threadIdx.x % 32;
        const D *box = static_cast<const D *>(s.index.boxes[level]) +
                       (size_t)group * (uint32_t)s.a.dim * (2 * BI_KDTREE_WIDE) + lane;
        if (group * BI_KDTREE_WIDE + lane >= s.index.counts[level]) return VISITED;
        D sum = 0;
#pragma unroll
        for (int c = 0; c < CAPACITY; c++) {
            if (c >= s.a.dim) continue;
            const D gap = bi_kdtree_gap<D>(q[c], box[c * 2 * BI_KDTREE_WIDE], box[(c * 2 + 1) * BI_KDTREE_WIDE]);
            sum = c == 0 ? gap : sum + gap;
        }
        return key_of_bound(sum);
    }

    /* Returns the squared distance of this lane's node of a leaf; *id = its id, NONE if the leaf has no such node. */
    __device__ __forceinline__ D measure(uint32_t leaf, uint32_t *id) const
    {
        const uint32_t lane = threadIdx.x % 32;
        const T *p = static_cast<const T *>(s.index.points) + (size_t)leaf * (uint32_t)s.a.dim * BI_KDTREE_WIDE + lane;
        *id = s.index.ids[leaf * BI_KDTREE_WIDE + lane];
        D sum = 0;
#pragma unroll
        for (int c = 0; c < CAPACITY; c++) {
            if (c >= s.a.dim) continue;
            const D d = q[c] - (D)p[c * BI_KDTREE_WIDE];
            sum = c == 0 ? d * d : sum + d * d;
        }
        return sum;
    }

    /* Visits all leaves whose bound is at most found.worst(), the nearest box of each group first. `keys`: the warp's
     * rows of walk_shared. */
    template <class FOUND> __device__ __forceinline__ void walk(uint32_t (*keys)[32], FOUND &found) const
    {
        const int top = s.index.levels - 1, lane = threadIdx.x % 32;
        int level = top;
        uint32_t group = 0, key = box_key(level, 0);
        for (;;) {
            const uint32_t least = bi_warp_min(key);
            if (least == VISITED || bound_of_key<D>(least) > found.worst()) {
                if (level == top) return;
                key = keys[++level][lane];
                group /= BI_KDTREE_WIDE;
                continue;
            }
            const int nearest = __ffs((int)__ballot_sync(~0u, key == least)) - 1;
            if (lane == nearest) key = VISITED;
            const uint32_t box = group * BI_KDTREE_WIDE + (uint32_t)nearest;
            if (level == 0) {
                uint32_t id;
                const D d = measure(box, &id);
                found.add(d, id);
            } else {
                keys[level][lane] = key;
                group = box;
                key = box_key(--level, group);
            }
        }
    }
};

/* --- Collectors --------------------------------------------------------------------------------------------------- */

/* As those of collectors.cuh, but a warp has one query, and add() receives a node of a leaf from each lane. All lanes
 * call the functions. */

template <class D> struct nearest_found {
    bi_kdtree_nearest_lanes<D> nearest;
    D limit;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &a, uint32_t)
    {
        limit = (D)a.limit;
        nearest.clear(a.k);
    }
    __device__ __forceinline__ D worst() const
    {
        const D d = nearest.last.distance();
        return d < limit ? d : limit;
    }
    __device__ __forceinline__ void add(D d, uint32_t id)
    {
        bi_kdtree_neighbour<D> x = bi_kdtree_neighbour<D>::of(d, id);
        if (id == BI_KDTREE_NONE || x.distance() > limit) x = bi_kdtree_neighbour<D>::of((D)INFINITY, BI_KDTREE_NONE);
        nearest.add_near(x);
    }
    __device__ __forceinline__ void end(const bi_kdtree_cuda_search &a, uint32_t number) const
    {
        nearest.write(bi_kdtree_row_of(a, number), a.ids, static_cast<D *>(a.dist2), a.wide);
    }
};

/* Opens at most `most` leaves, and adds their number to *count. */
template <class D> struct probe_found : nearest_found<D> {
    uint32_t opened, most;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &a, uint32_t leaves)
    {
        nearest_found<D>::begin(a, 0);
        opened = 0;
        most = leaves;
    }
    __device__ __forceinline__ D worst() const { return opened < most ? nearest_found<D>::worst() : -1; }
    __device__ __forceinline__ void add(D d, uint32_t id)
    {
        nearest_found<D>::add(d, id);
        opened++;
    }
};

template <class D> struct count_found {
    D limit;
    int64_t count;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &a, uint32_t)
    {
        limit = (D)a.limit;
        count = 0;
    }
    __device__ __forceinline__ D worst() const { return limit; }
    /* Returns the lanes whose nodes count. NaN is infinite. */
    __device__ __forceinline__ uint32_t mark(D d, uint32_t id) const
    {
        return __ballot_sync(~0u, id != BI_KDTREE_NONE && (d <= limit || limit == (D)INFINITY));
    }
    __device__ __forceinline__ void add(D d, uint32_t id) { count += __popc(mark(d, id)); }
    __device__ __forceinline__ void end(const bi_kdtree_cuda_search &a, uint32_t number) const
    {
        if (threadIdx.x % 32 == 0) a.counts[number] = count;
    }
};

template <class D> struct row_found : count_found<D> {
    bi_kdtree_row_writer<D> row;

    __device__ __forceinline__ void begin(const bi_kdtree_cuda_search &a, uint32_t number)
    {
        count_found<D>::begin(a, number);
        row.begin(a, number);
    }
    __device__ __forceinline__ void add(D d, uint32_t id)
    {
        const uint32_t marks = this->mark(d, id);
        const int64_t at = row.count + __popc(marks & bi_lanes_below());
        if (marks >> threadIdx.x % 32 & 1 && at < row.capacity)
            bi_row_set(&row.row, at, (double)(d == d ? d : (D)INFINITY), id);
        row.count += __popc(marks);
    }
    __device__ __forceinline__ void end(const bi_kdtree_cuda_search &a, uint32_t number) const
    {
        __syncwarp(); /* lane 0 sorts what all lanes wrote */
        if (threadIdx.x % 32 == 0) row.end(a, number);
    }
};

/* Searches for query `number`, a warp a query. */
template <class T, int CAPACITY, class FOUND>
static __global__ void __launch_bounds__(THREADS) search_boxes(const search_args s)
{
    BI_SHARED(walk_shared, sh);
    const uint32_t number = blockIdx.x * WARPS + threadIdx.x / 32;
    if (number >= s.a.m || bi_kdtree_has_bad_query(s.a) || !bi_kdtree_chooses_boxes(s.choice)) return;
    const wide_walk<T, CAPACITY> walk(s, number);
    FOUND found;
    found.begin(s.a, number);
    walk.walk(sh.keys[threadIdx.x / 32], found);
    found.end(s.a, number);
}

/* Counts the leaves that evenly spread queries open, a warp a query. */
template <class T, int CAPACITY> static __global__ void __launch_bounds__(THREADS) probe_boxes(const search_args s)
{
    BI_SHARED(walk_shared, sh);
    const uint32_t probe = blockIdx.x * WARPS + threadIdx.x / 32;
    const wide_walk<T, CAPACITY> walk(s, (uint32_t)((uint64_t)probe * s.a.m / PROBES));
    probe_found<typename bi_kdtree_distance_of<T>::type> found;
    found.begin(s.a, s.choice.most / CHOOSING);
    walk.walk(sh.keys[threadIdx.x / 32], found);
    if (threadIdx.x % 32 == 0) atomicAdd(s.choice.count, found.opened);
}

/* --- Launches ----------------------------------------------------------------------------------------------------- */

template <class T, class FOUND> static bosc_status launch_search(bosc_ctx *ctx, const search_args &s)
{
    auto eight = search_boxes<T, 8, FOUND>;
    auto sixteen = search_boxes<T, BI_KDTREE_WIDE_MOST_DIM, FOUND>;
    const unsigned blocks = (unsigned)bi_div_up(s.a.m, WARPS);
    return s.a.dim <= 8 ? BI_RUN(ctx, eight, blocks, THREADS, 0, s) : BI_RUN(ctx, sixteen, blocks, THREADS, 0, s);
}

template <class T> static bosc_status launch_kind(bosc_ctx *ctx, const search_args &s)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    if (s.a.kind == BI_KDTREE_FIND_NEAREST) return launch_search<T, nearest_found<D>>(ctx, s);
    if (s.a.kind == BI_KDTREE_FIND_COUNT) return launch_search<T, count_found<D>>(ctx, s);
    const bi_row_out rows = {s.a.ids, s.a.dist2, 0, s.a.wide, sizeof(D) == 4, false};
    BI_TRY(ctx->backend->fill(ctx, s.a.long_rows, 0, sizeof *s.a.long_rows));
    BI_TRY((launch_search<T, row_found<D>>(ctx, s)));
    return bi_cuda_sort_rows(ctx, &rows, s.a.offsets, s.a.long_rows);
}

template <class T> static bosc_status launch_probe(bosc_ctx *ctx, const search_args &s)
{
    auto eight = probe_boxes<T, 8>;
    auto sixteen = probe_boxes<T, BI_KDTREE_WIDE_MOST_DIM>;
    return s.a.dim <= 8 ? BI_RUN(ctx, eight, PROBES / WARPS, THREADS, 0, s)
                        : BI_RUN(ctx, sixteen, PROBES / WARPS, THREADS, 0, s);
}

bosc_status bi_kdtree_choose(bosc_ctx *ctx, const bosc_kdtree *tree, const bi_kdtree_cuda_search &a,
                             bi_kdtree_choice *choice)
{
    search_args s = {a, index_of(tree), {}};
    s.choice.most = (s.index.counts[0] / OPENED_PART + 1) * CHOOSING;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *s.choice.count, &s.choice.count));
    BI_TRY(ctx->backend->fill(ctx, s.choice.count, 0, sizeof *s.choice.count));
    *choice = s.choice;
    switch (tree->opts.dtype) {
    case BOSC_F32: return launch_probe<float>(ctx, s);
    case BOSC_F64: return launch_probe<double>(ctx, s);
    case BOSC_I32: return launch_probe<int32_t>(ctx, s);
    default: return launch_probe<int64_t>(ctx, s);
    }
}

bosc_status bi_kdtree_search_wide(bosc_ctx *ctx, const bosc_kdtree *tree, const bi_kdtree_cuda_search &a,
                                  const bi_kdtree_choice &choice)
{
    const search_args s = {a, index_of(tree), choice};
    switch (tree->opts.dtype) {
    case BOSC_F32: return launch_kind<float>(ctx, s);
    case BOSC_F64: return launch_kind<double>(ctx, s);
    case BOSC_I32: return launch_kind<int32_t>(ctx, s);
    default: return launch_kind<int64_t>(ctx, s);
    }
}
