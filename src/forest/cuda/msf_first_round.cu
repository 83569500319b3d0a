/* Round 0: every vertex takes its lightest edge in one pass over the arcs, which also lists the light edges. */
#include "forest/cuda/msf.cuh"

template <class K> struct sample {
    K key;
    uint32_t id;
    __device__ __forceinline__ bool before(const sample &other) const
    {
        return key != other.key ? key < other.key : id < other.id;
    }
};

/* The threshold is a quantile of sampled arcs; by (key, id), so that it also parts edges of one weight. */
template <class K>
static __device__ void choose_threshold(const bi_msf_csr<K> &rows, struct bi_msf_control *control, float light_fraction)
{
    struct samples_shared {
        sample<K> item[BI_MSF_SAMPLES];
    };
    BI_SHARED(samples_shared, sh);
    sample<K> *samples = sh.item;
    if (light_fraction >= 1) {
        if (threadIdx.x == 0) control->threshold_key = ~0ull, control->threshold_id = BI_MSF_NONE;
        return;
    }
    for (uint32_t i = threadIdx.x; i < BI_MSF_SAMPLES; i += BI_MSF_SAMPLE_THREADS) {
        uint32_t arc = bi_msf_sample_place(i, rows.arcs);
        samples[i].key = bi_msf_arc_key(rows, arc);
        samples[i].id = rows.ids[arc];
    }
    bi_msf_sort_samples(samples);
    if (threadIdx.x == 0) {
        const sample<K> &chosen = samples[(int)(light_fraction * BI_MSF_SAMPLES)];
        control->threshold_key = chosen.key;
        control->threshold_id = chosen.id;
    }
}

/* Block 0 chooses the threshold; the others find the row of the first arc of each tile. */
template <class K>
static __global__ void __launch_bounds__(BI_MSF_SAMPLE_THREADS)
    bi_msf_prepare(bi_msf_csr<K> rows, bi_msf_state<K> s, uint32_t tiles, float light_fraction)
{
    if (blockIdx.x == 0) {
        choose_threshold(rows, s.control, light_fraction);
        return;
    }
    uint32_t tile = (blockIdx.x - 1) * BI_MSF_SAMPLE_THREADS + threadIdx.x;
    if (tile >= tiles) return;
    uint32_t low = 0, high = rows.n; /* offsets[low] <= the arc < offsets[high] */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (rows.offsets[middle] <= tile * BI_MSF_TILE)
            low = middle;
        else
            high = middle;
    }
    s.tile_row[tile] = low;
}

/* An arc, the lightest so far; `at` is BI_MSF_NONE before the first. */
template <class K> struct lightest {
    K key;
    uint32_t at;
};

template <class K>
__device__ __forceinline__ bool is_lighter(const bi_msf_csr<K> &rows, const lightest<K> &a, const lightest<K> &b)
{
    if (a.at == BI_MSF_NONE || b.at == BI_MSF_NONE) return b.at == BI_MSF_NONE && a.at != BI_MSF_NONE;
    return a.key != b.key ? a.key < b.key : a.at != b.at && rows.ids[a.at] < rows.ids[b.at];
}

template <class K> __device__ __forceinline__ lightest<K> warp_lightest(const bi_msf_csr<K> &rows, lightest<K> own)
{
    for (int d = 16; d > 0; d /= 2) {
        lightest<K> other = {__shfl_xor_sync(~0u, own.key, d), __shfl_xor_sync(~0u, own.at, d)};
        if (is_lighter(rows, other, own)) own = other;
    }
    return own;
}

/* The vertex's choice is known. */
template <class K>
__device__ __forceinline__ void choose(const bi_msf_csr<K> &rows, const bi_msf_state<K> &s, uint32_t row, lightest<K> x)
{
    s.next[row] = x.at == BI_MSF_NONE ? row : rows.neighbours[x.at];
    if (x.at == BI_MSF_NONE) return;
    s.row_key[row] = x.key;
    bi_msf_take(rows, s, rows.ids[x.at], x.key);
}

/* `light` has a slice for each warp: places in the tile of its light arcs, then of those that it lists, whose other
 * ends are in `other`. */
template <class K> struct tile_shared {
    K keys[BI_MSF_TILE];
    uint32_t row[BI_MSF_TILE], other[BI_MSF_TILE];
    uint16_t light[BI_MSF_TILE];
    uint32_t total, base;
    uint2 ends;
};

/* Arcs of a row that are in the tile: [begin, end) from the tile's first. */
struct row_span {
    uint32_t row, begin, end;
};

/* Of the arcs that share the lightest key that of the smallest id. */
template <bool CHECKED, class K>
static __device__ __forceinline__ uint32_t break_ties(const bi_msf_csr<K> &rows, const tile_shared<K> &sh,
                                                      uint32_t first, row_span p, uint32_t from, uint32_t step, K key)
{
    uint32_t best = BI_MSF_NONE, best_id = BI_MSF_NONE;
    for (uint32_t i = p.begin + from; i < p.end; i += step) {
        if (sh.keys[i] != key || bi_msf_missing<CHECKED>(rows, p.row, first + i, key)) continue;
        uint32_t id = rows.ids[first + i];
        if (id >= best_id) continue;
        best_id = id;
        best = first + i;
    }
    return best;
}

template <bool CHECKED, class K>
__device__ __forceinline__ lightest<K> scan_row(const bi_msf_csr<K> &rows, tile_shared<K> &sh, uint32_t first,
                                                row_span p, uint32_t from, uint32_t step)
{
    lightest<K> best = {(K) ~(K)0, BI_MSF_NONE};
    bool tie = false;
    uint32_t i = p.begin + from;
    if (!CHECKED && i < p.end) {
        best.key = sh.keys[i];
        best.at = i;
        sh.row[i] = p.row;
        i += step;
    }
    for (; i < p.end; i += step) {
        K key = sh.keys[i];
        sh.row[i] = p.row;
        if (CHECKED && bi_msf_missing<CHECKED>(rows, p.row, first + i, key)) continue;
        bool lighter = key < best.key || (CHECKED && best.at == BI_MSF_NONE);
        tie = !lighter && (tie || key == best.key);
        best.key = lighter ? key : best.key;
        best.at = lighter ? i : best.at;
    }
    if (tie)
        best.at = break_ties<CHECKED>(rows, sh, first, p, from, step, best.key);
    else if (best.at != BI_MSF_NONE)
        best.at += first;
    return best;
}

/* Where a row's arcs are; nowhere after the last. */
template <class K> __device__ __forceinline__ uint2 range_of(const bi_msf_csr<K> &rows, uint32_t row, uint32_t row_to)
{
    return row <= row_to ? make_uint2(rows.offsets[row], rows.offsets[row + 1]) : make_uint2(0, 0);
}

/* The rows of a tile, 32 to a warp: a thread reads a short one, the warp a long one. `range` is that of the
 * thread's first row, asked for beforehand. */
template <bool CHECKED, class K>
static __device__ __forceinline__ void choose_in_tile(const bi_msf_csr<K> &rows, const bi_msf_state<K> &s,
                                                      tile_shared<K> &sh, uint32_t first, uint32_t count,
                                                      uint32_t row_from, uint32_t row_to, uint2 range)
{
    unsigned lane = threadIdx.x % 32;
    for (uint32_t row0 = row_from + (threadIdx.x - lane); row0 <= row_to; row0 += BI_MSF_TILE_THREADS) {
        uint32_t row = row0 + lane, begin = range.x, end = range.y;
        range = range_of(rows, row + BI_MSF_TILE_THREADS, row_to);
        bool empty = begin == end, before = begin<first, beyond = end> first + count;
        row_span p = {row, before ? 0 : begin - first, beyond ? count : end - first};
        uint32_t length = empty || p.end <= p.begin || begin >= first + count ? 0 : p.end - p.begin;
        lightest<K> best = {0, BI_MSF_NONE};
        if (length && length <= BI_MSF_LONG_ROW) best = scan_row<CHECKED>(rows, sh, first, p, 0, 1);
        for (unsigned rest = __ballot_sync(~0u, length > BI_MSF_LONG_ROW); rest; rest &= rest - 1) {
            int from = __ffs((int)rest) - 1;
            row_span q = {__shfl_sync(~0u, p.row, from), __shfl_sync(~0u, p.begin, from),
                          __shfl_sync(~0u, p.end, from)};
            lightest<K> found = warp_lightest(rows, scan_row<CHECKED>(rows, sh, first, q, lane, 32));
            if ((int)lane == from) best = found;
        }
        if (row > row_to || (!empty && !length)) continue;
        if (empty || (!before && !beyond))
            choose(rows, s, row, best);
        else if (before)
            sh.ends.x = best.at;
        else
            sh.ends.y = best.at;
    }
}

/* The light ones among the warp's arcs, noted in its slice of `light`; returns how many. */
template <class K>
static __device__ __forceinline__ uint32_t note_light(tile_shared<K> &sh, const K (&key)[BI_MSF_TILE_ITEMS],
                                                      uint32_t count, K threshold)
{
    unsigned lane = threadIdx.x % 32;
    uint32_t noted = 0, slice = threadIdx.x / 32 * (BI_MSF_TILE / BI_MSF_TILE_WARPS);
#pragma unroll
    for (int k = 0; k < BI_MSF_TILE_ITEMS; k++) {
        uint32_t i = k * BI_MSF_TILE_THREADS + threadIdx.x;
        bool light = i < count && key[k] <= threshold;
        unsigned votes = __ballot_sync(~0u, light);
        if (light) sh.light[slice + noted + __popc(votes & ((1u << lane) - 1))] = (uint16_t)i;
        noted += (uint32_t)__popc(votes);
    }
    return noted;
}

/* Of the warp's light arcs keeps those u -> v with u < v, with their other ends; returns how many. */
template <bool CHECKED, class K>
static __device__ __forceinline__ uint32_t keep_forward(const bi_msf_csr<K> &rows, const bi_msf_state<K> &s,
                                                        tile_shared<K> &sh, uint32_t first, uint32_t noted)
{
    unsigned lane = threadIdx.x % 32;
    uint32_t kept = 0, slice = threadIdx.x / 32 * (BI_MSF_TILE / BI_MSF_TILE_WARPS),
             threshold_id = s.control->threshold_id;
    K threshold = (K)s.control->threshold_key;
    for (uint32_t j0 = 0; j0 < noted; j0 += 32) {
        bool keep = j0 + lane < noted;
        uint32_t i = keep ? sh.light[slice + j0 + lane] : 0, other = keep ? rows.neighbours[first + i] : 0;
        keep = keep && other > sh.row[i];
        if (keep && sh.keys[i] == threshold) keep = rows.ids[first + i] <= threshold_id;
        if (keep && bi_msf_missing<CHECKED>(rows, sh.row[i], first + i, sh.keys[i])) keep = false;
        unsigned votes = __ballot_sync(~0u, keep);
        __syncwarp(); /* all have read what is overwritten now */
        uint32_t to = slice + kept + (uint32_t)__popc(votes & ((1u << lane) - 1));
        if (keep) {
            sh.light[to] = (uint16_t)i;
            sh.other[to] = other;
        }
        kept += (uint32_t)__popc(votes);
    }
    __syncwarp();
    return kept;
}

/* Lists the light arcs. */
template <bool CHECKED, class K>
static __device__ __forceinline__ void list_light(const bi_msf_csr<K> &rows, const bi_msf_state<K> &s,
                                                  tile_shared<K> &sh, uint32_t first, uint32_t noted)
{
    unsigned lane = threadIdx.x % 32;
    uint32_t slice = threadIdx.x / 32 * (BI_MSF_TILE / BI_MSF_TILE_WARPS), offset = 0;
    uint32_t kept = keep_forward<CHECKED>(rows, s, sh, first, noted);
    if (lane == 0 && kept) offset = atomicAdd(&sh.total, kept);
    offset = __shfl_sync(~0u, offset, 0);
    __syncthreads();
    if (threadIdx.x == 0 && sh.total) {
        sh.base = atomicAdd(&s.control->listed[0], sh.total);
        if ((uint64_t)sh.base + sh.total > s.capacity) bi_store_relaxed(&s.control->overflow, (unsigned)BI_MSF_NO_ROOM);
    }
    __syncthreads();
    uint64_t to = kept ? (uint64_t)sh.base + offset : 0;
    for (uint32_t j = lane; j < kept && to + j < s.capacity; j += 32) {
        uint32_t i = sh.light[slice + j];
        bi_msf_edge<K> e = {};
        e.u = sh.row[i];
        e.v = sh.other[slice + j];
        e.key = sh.keys[i];
        e.id = rows.ids[first + i];
        s.list[to + j] = e;
    }
}

template <bool CHECKED, class K>
static __global__ void __launch_bounds__(BI_MSF_TILE_THREADS, BI_MSF_TILE_BLOCKS)
    bi_msf_lightest_arcs(bi_msf_csr<K> rows, bi_msf_state<K> s, uint32_t tiles)
{
    BI_SHARED(tile_shared<K>, sh);
    uint32_t tile = blockIdx.x, first = tile * BI_MSF_TILE;
    uint32_t count = rows.arcs - first < BI_MSF_TILE ? rows.arcs - first : (uint32_t)BI_MSF_TILE;
    K key[BI_MSF_TILE_ITEMS];
#pragma unroll
    for (int k = 0; k < BI_MSF_TILE_ITEMS; k++) {
        uint32_t i = k * BI_MSF_TILE_THREADS + threadIdx.x;
        key[k] = i < count ? __ldcs(&rows.keys[first + i]) : 0;
    }
    /* What is needed after the barrier is asked for before it. */
    uint32_t row_from = tile ? s.tile_row[tile] : 0, row_to = tile + 1 < tiles ? s.tile_row[tile + 1] : rows.n - 1;
    uint2 range = range_of(rows, row_from + threadIdx.x, row_to);
#pragma unroll
    for (int k = 0; k < BI_MSF_TILE_ITEMS; k++) {
        key[k] = bi_msf_key_rank(rows, key[k]);
        sh.keys[k * BI_MSF_TILE_THREADS + threadIdx.x] = key[k];
    }
    if (threadIdx.x == 0) {
        sh.ends = make_uint2(BI_MSF_NONE, BI_MSF_NONE);
        sh.total = 0;
    }
    uint32_t noted = note_light(sh, key, count, (K)s.control->threshold_key);
    __syncthreads();
    choose_in_tile<CHECKED>(rows, s, sh, first, count, row_from, row_to, range);
    __syncthreads();
    if (threadIdx.x == 0) s.tile_ends[tile] = sh.ends;
    list_light<CHECKED>(rows, s, sh, first, noted);
}

/* A row that goes on beyond the tile it begins in: a warp joins what its tiles found. */
template <class K>
static __global__ void __launch_bounds__(256) bi_msf_join_tiles(bi_msf_csr<K> rows, bi_msf_state<K> s, uint32_t tiles)
{
    uint32_t tile = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (tile + 1 >= tiles) return;
    uint32_t row = s.tile_row[tile + 1], begin = rows.offsets[row];
    if (begin < tile * BI_MSF_TILE || begin >= (tile + 1) * BI_MSF_TILE) return;
    uint32_t last = (rows.offsets[row + 1] - 1) / BI_MSF_TILE;
    lightest<K> best = {0, BI_MSF_NONE};
    for (uint32_t t = tile + lane; t <= last; t += 32) {
        uint32_t at = t == tile ? s.tile_ends[t].y : s.tile_ends[t].x;
        lightest<K> x = {at == BI_MSF_NONE ? 0 : bi_msf_arc_key(rows, at), at};
        if (is_lighter(rows, x, best)) best = x;
    }
    best = warp_lightest(rows, best);
    if (lane == 0) choose(rows, s, row, best);
}

/* Of two vertices that chose each other the smaller one is a root and gets a number; the others point at whom they
 * chose. */
template <class K>
static __global__ void __launch_bounds__(BI_MSF_ROUND_THREADS)
    bi_msf_number_roots(bi_msf_csr<K> rows, bi_msf_state<K> s)
{
    struct roots_shared {
        uint32_t counts[BI_MSF_ROUND_THREADS / 32 * BI_MSF_BATCH + 1], base;
    };
    BI_SHARED(roots_shared, sh);
    bool root[BI_MSF_BATCH];
    uint32_t next[BI_MSF_BATCH], rank[BI_MSF_BATCH],
        first = blockIdx.x * (BI_MSF_ROUND_THREADS * BI_MSF_BATCH) + threadIdx.x;
    unsigned edges = 0;
    unsigned long long low = 0, high = 0;
#pragma unroll
    for (int k = 0; k < BI_MSF_BATCH; k++) {
        uint32_t v = first + k * BI_MSF_ROUND_THREADS;
        next[k] = v < rows.n ? s.next[v] : v;
    }
#pragma unroll
    for (int k = 0; k < BI_MSF_BATCH; k++) {
        uint32_t v = first + k * BI_MSF_ROUND_THREADS;
        root[k] = next[k] > v && v < rows.n && s.next[next[k]] == v;
        if (root[k] || next[k] == v) continue;
        K key = s.row_key[v];
        edges++;
        low += (uint32_t)key;
        high += (uint64_t)key >> 32;
    }
    uint32_t total = bi_msf_block_rank<BI_MSF_ROUND_THREADS, BI_MSF_BATCH>(root, rank, sh.counts);
    if (threadIdx.x == 0) sh.base = total ? atomicAdd(&s.control->components[0], total) : 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BI_MSF_BATCH; k++) {
        uint32_t v = first + k * BI_MSF_ROUND_THREADS;
        if (v < rows.n)
            s.pointer[v] = root[k] ? BI_MSF_SETTLED | (sh.base + rank[k]) : next[k] == v ? BI_MSF_FINISHED : next[k];
    }
    bi_msf_add_sums(s.control, edges, low, high);
}

/* Points every vertex at its root's number. Others may be pointed there meanwhile: either way leads to the root. */
template <class K>
static __global__ void __launch_bounds__(BI_MSF_ROUND_THREADS)
    bi_msf_flatten_pointers(bi_msf_csr<K> rows, bi_msf_state<K> s)
{
    uint32_t v = blockIdx.x * BI_MSF_ROUND_THREADS + threadIdx.x;
    if (v < s.control->components[0]) {
        s.best[v] = ~0ull;
        if (s.best_id) s.best_id[v] = BI_MSF_NONE;
        s.next[v] = v;
    }
    if (v >= rows.n) return;
    uint32_t x = bi_load_relaxed(&s.pointer[v]);
    if (x & BI_MSF_SETTLED) return;
    while (!(x & BI_MSF_SETTLED)) x = bi_load_relaxed(&s.pointer[x]);
    bi_store_relaxed(&s.pointer[v], x);
}

template <class K>
bosc_status bi_msf_first_round(bosc_ctx *ctx, const bi_msf_csr<K> &rows, const bi_msf_state<K> &s, bool checked,
                               float light_fraction)
{
    uint32_t tiles = (uint32_t)bi_div_up(rows.arcs, BI_MSF_TILE);
    unsigned vertices = (unsigned)bi_div_up(rows.n, BI_MSF_ROUND_THREADS);
    BI_TRY(BI_RUN(ctx, bi_msf_prepare<K>, (unsigned)bi_div_up(tiles, BI_MSF_SAMPLE_THREADS) + 1, BI_MSF_SAMPLE_THREADS,
                  0, rows, s, tiles, light_fraction));
    if (checked)
        BI_TRY(BI_RUN(ctx, (bi_msf_lightest_arcs<true, K>), tiles, BI_MSF_TILE_THREADS, 0, rows, s, tiles));
    else
        BI_TRY(BI_RUN(ctx, (bi_msf_lightest_arcs<false, K>), tiles, BI_MSF_TILE_THREADS, 0, rows, s, tiles));
    BI_TRY(BI_RUN(ctx, bi_msf_join_tiles<K>, (unsigned)bi_div_up(tiles, 8), 256, 0, rows, s, tiles));
    BI_TRY(BI_RUN(ctx, bi_msf_number_roots<K>, (unsigned)bi_div_up(vertices, BI_MSF_BATCH), BI_MSF_ROUND_THREADS, 0,
                  rows, s));
    return BI_RUN(ctx, bi_msf_flatten_pointers<K>, vertices, BI_MSF_ROUND_THREADS, 0, rows, s);
}

template bosc_status bi_msf_first_round(bosc_ctx *, const bi_msf_csr<uint32_t> &, const bi_msf_state<uint32_t> &, bool,
                                        float);
template bosc_status bi_msf_first_round(bosc_ctx *, const bi_msf_csr<uint64_t> &, const bi_msf_state<uint64_t> &, bool,
                                        float);
