/* Between the levels: the largest component, and the edges that were not light between the other components. */
#include "forest/cuda/msf.cuh"

enum { VERTICES = 2 * BI_MSF_ROUND_THREADS, ITEMS = 2 }; /* of a block; arcs of a thread at a time */

struct component_sample {
    uint32_t value;
    __device__ __forceinline__ bool before(const component_sample &other) const { return value < other.value; }
};

/* The component that most sampled arcs end in. */
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
        sh.item[i].value = bi_msf_component(s.pointer[rows.neighbours[bi_msf_sample_place(i, rows.arcs)]], s.pools[0]);
    if (threadIdx.x == 0) sh.most = 0; /* sorting begins with a barrier */
    bi_msf_sort_samples(sh.item);
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
    __syncthreads();
    if (threadIdx.x == 0) s.control->giant = (uint32_t)sh.most;
}

struct heavy_shared {
    uint32_t component[VERTICES], begin[VERTICES];
    uint32_t before[VERTICES]; /* arcs of the block's earlier vertices */
    uint32_t warp[BI_MSF_ROUND_THREADS / 32];
    uint32_t counts[BI_MSF_ROUND_THREADS / 32 * ITEMS + 1], base;
};

/* before[] from the numbers of arcs that lie in it. Two neighbours a thread. Returns their sum. */
static __device__ __forceinline__ uint32_t scan_arcs(heavy_shared &sh)
{
    uint32_t a = sh.before[2 * threadIdx.x], b = sh.before[2 * threadIdx.x + 1], total;
    uint32_t start = bi_block_exclusive_sum<BI_MSF_ROUND_THREADS / 32>(a + b, sh.warp, &total);
    sh.before[2 * threadIdx.x] = start;
    sh.before[2 * threadIdx.x + 1] = start + a;
    __syncthreads();
    return total;
}

/* Takes note of the block's vertices outside the largest component. Returns the number of their arcs. */
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
        sh.before[local] = arcs;
    }
    return scan_arcs(sh);
}

/* The k-th arc of the block, as an edge between components; false if it is not to be listed. An edge between two small
 * components is listed from its smaller vertex, one into the largest from the other side. */
template <bool CHECKED, class K>
static __device__ bool heavy_edge(const bi_msf_csr<K> &rows, const bi_msf_state<K> &s, const heavy_shared &sh,
                                  uint32_t k, bi_msf_edge<K> *e)
{
    K threshold = (K)s.control->threshold_key;
    uint32_t low = 0, high = VERTICES; /* before[low] <= k < before[high] */
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (sh.before[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    uint32_t arc = sh.begin[low] + (k - sh.before[low]), row = blockIdx.x * VERTICES + low;
    K key = bi_msf_arc_key(rows, arc);
    if (key < threshold || bi_msf_missing<CHECKED>(rows, row, arc, key)) return false;
    uint32_t other = rows.neighbours[arc], component = bi_msf_component(s.pointer[other], s.pools[0]);
    if (component == sh.component[low] || (row > other && component != s.control->giant)) return false;
    uint32_t id = rows.ids[arc];
    if (key == threshold && id <= s.control->threshold_id) return false;
    e->u = sh.component[low];
    e->v = component;
    e->key = key;
    e->id = id;
    return true;
}

template <bool CHECKED, class K>
static __global__ void __launch_bounds__(BI_MSF_ROUND_THREADS) bi_msf_heavy_arcs(bi_msf_csr<K> rows, bi_msf_state<K> s)
{
    BI_SHARED(heavy_shared, sh);
    if (!s.control->components[1]) return; /* level 0 was given up */
    uint32_t arcs = gather_rows(rows, s, sh);
    for (uint64_t k0 = 0; k0 < arcs; k0 += BI_MSF_ROUND_THREADS * ITEMS) {
        bi_msf_edge<K> e[ITEMS] = {};
        bool listed[ITEMS];
        uint32_t rank[ITEMS];
#pragma unroll
        for (int j = 0; j < ITEMS; j++) {
            uint64_t k = k0 + j * BI_MSF_ROUND_THREADS + threadIdx.x;
            listed[j] = k < arcs && heavy_edge<CHECKED>(rows, s, sh, (uint32_t)k, &e[j]);
        }
        uint32_t total = bi_msf_block_rank<BI_MSF_ROUND_THREADS, ITEMS>(listed, rank, sh.counts);
        if (threadIdx.x == 0) {
            sh.base = total ? atomicAdd(&s.control->listed[1], total) : 0;
            if ((uint64_t)sh.base + total > s.capacity)
                bi_store_relaxed(&s.control->overflow, (unsigned)BI_MSF_NO_ROOM);
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < ITEMS; j++) {
            uint64_t at = (uint64_t)sh.base + rank[j];
            listed[j] = listed[j] && at < s.capacity;
            if (listed[j]) s.list[at] = e[j];
        }
        bi_msf_offer(s, e, listed, listed);
        __syncthreads(); /* before counts and base are written again */
    }
}

template <class K>
bosc_status bi_msf_list_heavy(bosc_ctx *ctx, const bi_msf_csr<K> &rows, const bi_msf_state<K> &s, bool checked)
{
    unsigned blocks = (unsigned)bi_div_up(rows.n, VERTICES);
    BI_TRY(BI_RUN(ctx, bi_msf_find_giant<K>, 1, BI_MSF_SAMPLE_THREADS, 0, rows, s));
    if (checked) return BI_RUN(ctx, (bi_msf_heavy_arcs<true, K>), blocks, BI_MSF_ROUND_THREADS, 0, rows, s);
    return BI_RUN(ctx, (bi_msf_heavy_arcs<false, K>), blocks, BI_MSF_ROUND_THREADS, 0, rows, s);
}

template bosc_status bi_msf_list_heavy(bosc_ctx *, const bi_msf_csr<uint32_t> &, const bi_msf_state<uint32_t> &, bool);
template bosc_status bi_msf_list_heavy(bosc_ctx *, const bi_msf_csr<uint64_t> &, const bi_msf_state<uint64_t> &, bool);
