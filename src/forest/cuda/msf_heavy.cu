/* Between the levels: finds the largest component, and lists the heavy edges between components from the others' rows.
 */
#include "forest/cuda/msf.cuh"

enum {
    VERTICES = 2 * BI_MSF_ROUND_THREADS, /* of a block */
    ITEMS = 2                            /* arcs of a thread at a time: loads in flight */
};

struct component_sample {
    uint32_t value;
    __device__ __forceinline__ bool precedes(const component_sample &other) const { return value < other.value; }
};

/* Finds the component in which most sampled arcs end: sorts the samples and finds the longest run. The grid has one
 * block. Does nothing after level 0 has failed. A wrong choice costs time, not correctness. */
template <class K>
static __global__ void __launch_bounds__(BI_MSF_SAMPLE_THREADS) bi_msf_find_giant(bi_msf_csr<K> rows, bi_msf_state<K> s)
{
    struct giant_shared {
        component_sample item[BI_MSF_SAMPLES];
        unsigned long long most;
    };
    BI_SHARED(giant_shared, sh);
    if (!s.control->components[1]) return;
    for (uint32_t i = threadIdx.x; i < BI_MSF_SAMPLES; i += BI_MSF_SAMPLE_THREADS)
        sh.item[i].value = bi_msf_component(s.pointer[rows.neighbours[bi_msf_sample_index(i, rows.arcs)]], s.pools[0]);
    if (threadIdx.x == 0) sh.most = 0; /* the sort begins with a barrier */
    bi_msf_sort_samples(sh.item);
    /* The first sample of each run searches its end. */
    for (uint32_t i = threadIdx.x; i < BI_MSF_SAMPLES; i += BI_MSF_SAMPLE_THREADS) {
        uint32_t value = sh.item[i].value, low = i, high = BI_MSF_SAMPLES;
        if (i > 0 && sh.item[i - 1].value == value) continue;
        while (high - low > 1) { /* item[low] == value < item[high] */
            uint32_t middle = low + (high - low) / 2;
            if (sh.item[middle].value == value)
                low = middle;
            else
                high = middle;
        }
        atomicMax(&sh.most, (unsigned long long)(high - i) << 32 | value);
    }
    __syncthreads(); /* the lengths of all runs are compared */
    if (threadIdx.x == 0) s.control->giant = (uint32_t)sh.most;
}

struct heavy_shared {
    uint32_t component[VERTICES], begin[VERTICES];
    uint32_t prefix[VERTICES]; /* arcs of the block's earlier vertices */
    uint32_t warp[BI_MSF_ROUND_THREADS / 32];
    uint32_t counts[BI_MSF_ROUND_THREADS / 32 * ITEMS + 1], base;
};

/* Exclusive scan of prefix[], which holds numbers of arcs; two adjacent elements a thread. Returns their sum. */
static __device__ __forceinline__ uint32_t scan_arcs(heavy_shared &sh)
{
    uint32_t a = sh.prefix[2 * threadIdx.x], b = sh.prefix[2 * threadIdx.x + 1], total;
    uint32_t start = bi_block_exclusive_sum<BI_MSF_ROUND_THREADS / 32>(a + b, sh.warp, &total);
    sh.prefix[2 * threadIdx.x] = start;
    sh.prefix[2 * threadIdx.x + 1] = start + a;
    __syncthreads(); /* the scanned array is visible */
    return total;
}

/* Stores the rows of the block's vertices outside the largest component. Returns the number of their arcs. */
template <class K>
static __device__ uint32_t gather_rows(const bi_msf_csr<K> &rows, const bi_msf_state<K> &s, heavy_shared &sh)
{
    uint32_t giant = s.control->giant;
    for (int k = 0; k < 2; k++) {
        uint32_t local = 2 * threadIdx.x + k, v = blockIdx.x * VERTICES + local, component = BI_MSF_NONE, arcs = 0;
        if (v < rows.n) component = bi_msf_component(s.pointer[v], s.pools[0]);
        if (component != BI_MSF_NONE && component != giant) {
            sh.begin[local] = rows.offsets[v];
            arcs = rows.offsets[v + 1] - rows.offsets[v];
        }
        sh.component[local] = component;
        sh.prefix[local] = arcs;
    }
    return scan_arcs(sh);
}

/* Reads the k-th arc of the block's rows as an edge between components; false if it is not to be listed. An edge
 * between two small components is listed from its smaller vertex; an edge into the largest from its other end. */
template <bool CHECKED, class K>
static __device__ bool read_heavy_arc(const bi_msf_csr<K> &rows, const bi_msf_state<K> &s, const heavy_shared &sh,
                                      uint32_t k, bi_msf_edge<K> *e)
{
    K threshold = (K)s.control->threshold_key;
    /* Binary search for the row that contains arc k. */
    uint32_t low = 0, high = VERTICES; /* prefix[low] <= k < prefix[high] */
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (sh.prefix[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    uint32_t arc = sh.begin[low] + (k - sh.prefix[low]), row = blockIdx.x * VERTICES + low;
    /* The key alone rejects most arcs. */
    K key = bi_msf_arc_key(rows, arc);
    const bool only_heavy = !s.share.lists_light;
    if ((only_heavy && key < threshold) || bi_msf_arc_excluded<CHECKED>(rows, row, arc, key)) return false;
    uint32_t other = rows.neighbours[arc], component = bi_msf_component(s.pointer[other], s.pools[0]);
    if (component == sh.component[low] || (row > other && component != s.control->giant)) return false;
    uint32_t id = rows.ids[arc];
    if (only_heavy && key == threshold && id <= s.control->threshold_id) return false;
    e->u = s.share.lists_vertices ? row : sh.component[low];
    e->v = s.share.lists_vertices ? other : component;
    e->key = key;
    e->id = id;
    return true;
}

/* Lists the heavy arcs, from the threshold of level 0 up, of a block's VERTICES vertices. Proposes each to the
 * components of level 1, whose tables are reset (s.best NULL: there are none). All threads share all arcs, so that long
 * rows do no harm. If the list is full, sets control->overflow, and the rounds of the level do nothing. */
template <bool CHECKED, class K>
static __global__ void __launch_bounds__(BI_MSF_ROUND_THREADS)
    bi_msf_list_heavy_arcs(bi_msf_csr<K> rows, bi_msf_state<K> s)
{
    BI_SHARED(heavy_shared, sh);
    if (!s.control->components[1]) return; /* level 0 has failed */
    uint32_t arcs = gather_rows(rows, s, sh);
    for (uint64_t k0 = 0; k0 < arcs; k0 += BI_MSF_ROUND_THREADS * ITEMS) {
        /* 1. Read arcs and decide. */
        bi_msf_edge<K> e[ITEMS] = {};
        bool listed[ITEMS];
        uint32_t rank[ITEMS];
#pragma unroll
        for (int j = 0; j < ITEMS; j++) {
            uint64_t k = k0 + j * BI_MSF_ROUND_THREADS + threadIdx.x;
            listed[j] = k < arcs && read_heavy_arc<CHECKED>(rows, s, sh, (uint32_t)k, &e[j]);
        }
        /* 2. Rank the listed arcs; one atomic allocates their range of the list. */
        uint32_t total = bi_msf_block_rank<BI_MSF_ROUND_THREADS, ITEMS>(listed, rank, sh.counts);
        if (threadIdx.x == 0) {
            sh.base = total ? atomicAdd(&s.control->listed[1], total) : 0;
            if ((uint64_t)sh.base + total > s.capacity)
                bi_store_relaxed(&s.control->overflow, (unsigned)BI_MSF_NO_ROOM);
        }
        __syncthreads(); /* all threads see the range */
                         /* 3. Write the edges and propose them. */
#pragma unroll
        for (int j = 0; j < ITEMS; j++) {
            uint64_t at = (uint64_t)sh.base + rank[j];
            listed[j] = listed[j] && at < s.capacity;
            if (listed[j]) bi_msf_store_edge(s, at, e[j]);
        }
        if (s.best) bi_msf_propose_edges(s, e, listed, listed);
        __syncthreads(); /* before counts and base are overwritten */
    }
}

template <class K>
bosc_status bi_msf_list_heavy(bosc_ctx *ctx, const bi_msf_csr<K> &rows, const bi_msf_state<K> &s, bool checked)
{
    unsigned blocks = (unsigned)bi_div_up(rows.n, VERTICES);
    BI_TRY(BI_RUN(ctx, bi_msf_find_giant<K>, 1, BI_MSF_SAMPLE_THREADS, 0, rows, s));
    if (checked) return BI_RUN(ctx, (bi_msf_list_heavy_arcs<true, K>), blocks, BI_MSF_ROUND_THREADS, 0, rows, s);
    return BI_RUN(ctx, (bi_msf_list_heavy_arcs<false, K>), blocks, BI_MSF_ROUND_THREADS, 0, rows, s);
}

template bosc_status bi_msf_list_heavy(bosc_ctx *, const bi_msf_csr<uint32_t> &, const bi_msf_state<uint32_t> &, bool);
template bosc_status bi_msf_list_heavy(bosc_ctx *, const bi_msf_csr<uint64_t> &, const bi_msf_state<uint64_t> &, bool);
