/* Round 0: every vertex chooses its lightest edge in one pass over the arcs, which also lists the light edges. */
#include "forest/cuda/msf.cuh"

template <class K> struct sample {
    K key;
    uint32_t id;
    __device__ __forceinline__ bool precedes(const sample &other) const
    {
        return key != other.key ? key < other.key : id < other.id;
    }
};

/* Where few of the samples are light, chooses among more of them: of n light samples the share of light edges has an
 * error of 1 / sqrt(n). Too few light edges make the lists of heavy ones long: of 1 G random edges 24 of 1,024 samples
 * are light. Graphs of fewer arcs gain less than the samples take. */
#ifdef BI_EMULATE /* small inputs must reach every branch */
enum { MANY_ARCS = 1500 };
#else
enum { MANY_ARCS = 1 << 28 };
#endif
enum { LIGHT_SAMPLES = 256, MOST_SAMPLES = 1 << 14, SAMPLE_BATCH = 8 };
static const float FEW_LIGHT = 1.f / 16; /* so that the light samples, and as many again, fit the shared ones */

template <class K> struct samples_shared {
    sample<K> item[BI_MSF_SAMPLES];
    unsigned kept;
};

/* Keeps those of `count` more samples that have keys up to `limit`, sorted; BI_MSF_SAMPLES at most. Returns their
 * number, which may be larger. */
template <class K>
static __device__ unsigned keep_samples(const bi_msf_csr<K> &rows, samples_shared<K> &sh, unsigned count, K limit)
{
    if (threadIdx.x == 0) sh.kept = 0;
    __syncthreads(); /* the counter is clear; all threads have read the limit among the items */
    for (unsigned i0 = threadIdx.x; i0 < count; i0 += BI_MSF_SAMPLE_THREADS * SAMPLE_BATCH) {
        uint32_t arc[SAMPLE_BATCH];
        K key[SAMPLE_BATCH];
        /* 1. Loads overlap. 2. Append the light samples. */
#pragma unroll
        for (unsigned k = 0; k < SAMPLE_BATCH; k++) {
            arc[k] = bi_msf_sample_index(BI_MSF_SAMPLES + i0 + k * BI_MSF_SAMPLE_THREADS, rows.arcs);
            key[k] = bi_msf_arc_key(rows, arc[k]);
        }
        for (unsigned k = 0; k < SAMPLE_BATCH; k++) {
            if (i0 + k * BI_MSF_SAMPLE_THREADS >= count || key[k] > limit) continue;
            const unsigned at = atomicAdd(&sh.kept, 1u);
            if (at < BI_MSF_SAMPLES) sh.item[at] = {key[k], rows.ids[arc[k]]};
        }
    }
    __syncthreads(); /* all samples are appended */
    const unsigned kept = sh.kept;
    for (unsigned i = threadIdx.x; i < BI_MSF_SAMPLES; i += BI_MSF_SAMPLE_THREADS)
        if (i >= kept) sh.item[i] = {(K) ~(K)0, BI_MSF_NONE};
    bi_msf_sort_samples(sh.item);
    return kept;
}

/* The threshold is a quantile of sampled arcs by (key, id), so that it also divides edges of equal weight. With
 * light_fraction >= 1 all arcs are light; below 0 the caller has set the threshold. */
template <class K>
static __device__ void choose_threshold(const bi_msf_csr<K> &rows, struct bi_msf_control *control, float light_fraction)
{
    BI_SHARED(samples_shared<K>, sh);
    if (light_fraction >= 1) {
        if (threadIdx.x == 0) control->threshold_key = ~0ull, control->threshold_id = BI_MSF_NONE;
        return;
    }
    if (light_fraction < 0) return;
    /* 1. The quantile of some samples. */
    for (uint32_t i = threadIdx.x; i < BI_MSF_SAMPLES; i += BI_MSF_SAMPLE_THREADS) {
        uint32_t arc = bi_msf_sample_index(i, rows.arcs);
        sh.item[i].key = bi_msf_arc_key(rows, arc);
        sh.item[i].id = rows.ids[arc];
    }
    bi_msf_sort_samples(sh.item);
    unsigned index = (unsigned)(light_fraction * BI_MSF_SAMPLES);
    sample<K> chosen = sh.item[index];
    /* 2. If few are light, the quantile of more samples. Kept are those up to twice the first quantile, and 16 in 1,024
     * more for its error. If too many or too few are kept, the first quantile stays. */
    if (light_fraction < FEW_LIGHT && rows.arcs >= MANY_ARCS) {
        const unsigned count = (unsigned)fminf(LIGHT_SAMPLES / light_fraction, MOST_SAMPLES);
        const unsigned kept = keep_samples(rows, sh, count, sh.item[2 * index + 16].key);
        index = (unsigned)(light_fraction * (float)count);
        if (index < kept && kept <= BI_MSF_SAMPLES) chosen = sh.item[index];
    }
    if (threadIdx.x == 0) {
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

/* The lightest arc so far; `at` is BI_MSF_NONE before the first. */
template <class K> struct lightest_arc {
    K key;
    uint32_t at;
};

/* True if arc a is lighter than b; any arc is lighter than none. Ids are read only if keys tie. */
template <class K>
__device__ __forceinline__ bool is_lighter(const bi_msf_csr<K> &rows, const lightest_arc<K> &a,
                                           const lightest_arc<K> &b)
{
    if (a.at == BI_MSF_NONE || b.at == BI_MSF_NONE) return b.at == BI_MSF_NONE && a.at != BI_MSF_NONE;
    return a.key != b.key ? a.key < b.key : a.at != b.at && rows.ids[a.at] < rows.ids[b.at];
}

/* Reduces the choices of each 2^log2 successive lanes. All lanes call it. */
template <class K>
__device__ __forceinline__ lightest_arc<K> lanes_lightest(const bi_msf_csr<K> &rows, lightest_arc<K> own, unsigned log2)
{
    for (unsigned d = 1u << log2 >> 1; d > 0; d /= 2) {
        lightest_arc<K> other = {__shfl_xor_sync(~0u, own.key, d), __shfl_xor_sync(~0u, own.at, d)};
        if (is_lighter(rows, other, own)) own = other;
    }
    return own;
}

/* Writes a vertex's choice as the record of a rank. */
template <class K>
static __device__ __forceinline__ void write_record(const bi_msf_csr<K> &rows, const bi_msf_share &share, uint32_t row,
                                                    lightest_arc<K> x)
{
    const bool any = x.at != BI_MSF_NONE; /* else all words are ones */
    const uint64_t id = any ? share.first + rows.ids[x.at] : ~0ull, other = any ? rows.neighbours[x.at] : ~0ull;
    const uint64_t rank = any ? x.key : ~0ull;
    if (sizeof(K) == 4) {
        reinterpret_cast<ulonglong2 *>(share.records)[row] = make_ulonglong2(rank << 32 | other, id);
        return;
    }
    uint64_t *record = share.records + 3 * (uint64_t)row;
    record[0] = rank;
    record[1] = id;
    record[2] = other;
}

/* Records a vertex's choice: the other end, the key, and the edge's mark. */
template <class K>
__device__ __forceinline__ void record_choice(const bi_msf_csr<K> &rows, const bi_msf_state<K> &s, uint32_t row,
                                              lightest_arc<K> x)
{
    if (s.share.records) {
        write_record(rows, s.share, row, x);
        return;
    }
    s.next[row] = x.at == BI_MSF_NONE ? row : rows.neighbours[x.at];
    if (x.at == BI_MSF_NONE) return;
    s.row_key[row] = x.key;
    bi_msf_mark_edge(rows, s, rows.ids[x.at], x.key);
}

/* Shared memory of a tile. Each warp has a slice of `light`: tile positions of its light arcs, later of the arcs that
 * it lists; `other` holds the other ends of these. */
template <class K> struct tile_shared {
    K keys[BI_MSF_TILE];
    uint32_t row[BI_MSF_TILE], other[BI_MSF_TILE];
    uint16_t light[BI_MSF_TILE];
    uint32_t total, base;
    uint2 ends;
};

/* The arcs of a row inside a tile: [begin, end), relative to the tile. */
struct row_span {
    uint32_t row, begin, end;
};

/* Finds, among a row's arcs from, from + step, ... with the lightest key, the one of the smallest id. `first`: the
 * tile's first arc. */
template <bool CHECKED, class K>
static __device__ __forceinline__ uint32_t break_ties(const bi_msf_csr<K> &rows, const tile_shared<K> &sh,
                                                      uint32_t first, row_span p, uint32_t from, uint32_t step, K key)
{
    uint32_t best = BI_MSF_NONE, best_id = BI_MSF_NONE;
    for (uint32_t i = p.begin + from; i < p.end; i += step) {
        if (sh.keys[i] != key || bi_msf_arc_excluded<CHECKED>(rows, p.row, first + i, key)) continue;
        uint32_t id = rows.ids[first + i];
        if (id >= best_id) continue;
        best_id = id;
        best = first + i;
    }
    return best;
}

/* The lightest of a row's arcs from, from + step, ...; also stores the row of each arc in shared memory. Ids are read
 * only if keys tie. */
template <bool CHECKED, class K>
__device__ __forceinline__ lightest_arc<K> scan_row(const bi_msf_csr<K> &rows, tile_shared<K> &sh, uint32_t first,
                                                    row_span p, uint32_t from, uint32_t step)
{
    lightest_arc<K> best = {(K) ~(K)0, BI_MSF_NONE};
    bool tie = false;
    uint32_t i = p.begin + from;
    /* Unchecked, the first arc is the first candidate. */
    if (!CHECKED && i < p.end) {
        best.key = sh.keys[i];
        best.at = i;
        sh.row[i] = p.row;
        i += step;
    }
    for (; i < p.end; i += step) {
        K key = sh.keys[i];
        sh.row[i] = p.row;
        if (CHECKED && bi_msf_arc_excluded<CHECKED>(rows, p.row, first + i, key)) continue;
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

/* The range of a row's arcs; empty after the last row. */
template <class K> __device__ __forceinline__ uint2 range_of(const bi_msf_csr<K> &rows, uint32_t row, uint32_t row_to)
{
    return row <= row_to ? make_uint2(rows.offsets[row], rows.offsets[row + 1]) : make_uint2(0, 0);
}

static __device__ __forceinline__ uint32_t warp_max(uint32_t x)
{
    for (int d = 16; d > 0; d /= 2) x = max(x, __shfl_xor_sync(~0u, x, d));
    return x;
}

/* log2 of the lanes that read a row together: as many as let the block's threads read all rows of the tile at once. */
static __device__ __forceinline__ unsigned lanes_log2_of(uint32_t rows)
{
    unsigned log2 = 0;
    while (log2 < 5 && rows << (log2 + 1) <= (uint32_t)BI_MSF_TILE_THREADS) log2++;
    return log2;
}

/* Chooses the lightest arcs of a tile's rows: 2^log2 lanes read a short row, the warp a long one. The rows are row_from
 * to row_to, inclusive; the last may begin in the next tile. first, count: the tile's arcs. The caller adds barriers:
 * before, for sh.keys and sh.ends; after, for sh.row and sh.ends, which are written. `range` is that of the thread's
 * first row, loaded in advance; so is the next one in the loop. */
template <bool CHECKED, class K>
static __device__ __forceinline__ void choose_in_tile(const bi_msf_csr<K> &rows, const bi_msf_state<K> &s,
                                                      tile_shared<K> &sh, uint32_t first, uint32_t count,
                                                      uint32_t row_from, uint32_t row_to, unsigned log2, uint2 range)
{
    const unsigned lane = threadIdx.x % 32, lanes = 1u << log2, own = lane & (lanes - 1),
                   step = BI_MSF_TILE_THREADS >> log2;
    for (uint32_t row0 = row_from + ((threadIdx.x - lane) >> log2); row0 <= row_to; row0 += step) {
        /* 1. The part of the lane's row inside the tile. */
        uint32_t row = row0 + (lane >> log2), begin = range.x, end = range.y;
        range = range_of(rows, row + step, row_to);
        bool empty = begin == end, starts_earlier = (begin < first), ends_later = (end > first + count);
        row_span p = {row, starts_earlier ? 0 : begin - first, ends_later ? count : end - first};
        uint32_t length = empty || p.end <= p.begin || begin >= first + count ? 0 : p.end - p.begin;
        lightest_arc<K> best = {0, BI_MSF_NONE};
        /* 2. Short rows by their lanes, long rows by the warp one after the other, unless many are about as long. */
        unsigned rest = __ballot_sync(~0u, own == 0 && length > (uint32_t)BI_MSF_LONG_ROW << log2);
        if (rest && warp_max(length) <= ((unsigned)BI_MSF_LONG_SHARE << log2) * (unsigned)__popc(rest)) rest = 0;
        if (length && !(rest >> (lane - own) & 1)) best = scan_row<CHECKED>(rows, sh, first, p, own, lanes);
        best = lanes_lightest(rows, best, log2);
        for (; rest; rest &= rest - 1) {
            int from = __ffs((int)rest) - 1;
            row_span q = {__shfl_sync(~0u, p.row, from), __shfl_sync(~0u, p.begin, from),
                          __shfl_sync(~0u, p.end, from)};
            lightest_arc<K> found = lanes_lightest(rows, scan_row<CHECKED>(rows, sh, first, q, lane, 32), 5);
            if ((int)lane == from) best = found;
        }
        /* 3. Rows inside the tile are decided; for others the tile's choice is left to bi_msf_reduce_split_rows. */
        if (own > 0 || row > row_to || (!empty && !length)) continue;
        if (empty || (!starts_earlier && !ends_later))
            record_choice(rows, s, row, best);
        else if (starts_earlier)
            sh.ends.x = best.at;
        else
            sh.ends.y = best.at;
    }
}

/* Stores the tile positions of the warp's light arcs in its slice of `light`; returns their number. */
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

/* Reduces the warp's light arcs to those u -> v with u < v that count, and stores their other ends; returns their
 * number. */
template <bool CHECKED, class K>
static __device__ __forceinline__ uint32_t select_forward(const bi_msf_csr<K> &rows, const bi_msf_state<K> &s,
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
        if (keep && bi_msf_arc_excluded<CHECKED>(rows, sh.row[i], first + i, sh.keys[i])) keep = false;
        unsigned votes = __ballot_sync(~0u, keep);
        __syncwarp(); /* all lanes have read before any overwrites */
        uint32_t to = slice + kept + (uint32_t)__popc(votes & ((1u << lane) - 1));
        if (keep) {
            sh.light[to] = (uint16_t)i;
            sh.other[to] = other;
        }
        kept += (uint32_t)__popc(votes);
    }
    __syncwarp(); /* the slice is visible to the whole warp */
    return kept;
}

/* Appends the light arcs of the tile to the list. */
template <bool CHECKED, class K>
static __device__ __forceinline__ void list_light(const bi_msf_csr<K> &rows, const bi_msf_state<K> &s,
                                                  tile_shared<K> &sh, uint32_t first, uint32_t noted)
{
    unsigned lane = threadIdx.x % 32;
    uint32_t slice = threadIdx.x / 32 * (BI_MSF_TILE / BI_MSF_TILE_WARPS), offset = 0;
    uint32_t kept = select_forward<CHECKED>(rows, s, sh, first, noted);
    /* 1. Each warp gets an offset in the block's part of the list. */
    if (lane == 0 && kept) offset = atomicAdd(&sh.total, kept);
    offset = __shfl_sync(~0u, offset, 0);
    __syncthreads(); /* all warps have counted */
    /* 2. One atomic allocates the block's part. */
    if (threadIdx.x == 0 && sh.total) {
        sh.base = atomicAdd(&s.control->listed[0], sh.total);
        if ((uint64_t)sh.base + sh.total > s.capacity) bi_store_relaxed(&s.control->overflow, (unsigned)BI_MSF_NO_ROOM);
    }
    __syncthreads(); /* all threads see the part */
    /* 3. Each warp writes its edges. */
    uint64_t to = kept ? (uint64_t)sh.base + offset : 0;
    for (uint32_t j = lane; j < kept && to + j < s.capacity; j += 32) {
        uint32_t i = sh.light[slice + j];
        bi_msf_edge<K> e = {};
        e.u = sh.row[i];
        e.v = sh.other[slice + j];
        e.key = sh.keys[i];
        e.id = rows.ids[first + i];
        bi_msf_store_edge(s, to + j, e);
    }
}

/* A block per tile, all tiles: chooses the lightest arcs of the tile's rows and lists its light arcs. There are arcs.
 * bi_msf_prepare has set the threshold and tile_row; control->listed[0] is 0 before. A row in several tiles is decided
 * later, from their tile_ends. If the list is full, sets control->overflow; the host then runs all again with a list
 * for all edges. */
template <bool CHECKED, class K>
static __global__ void __launch_bounds__(BI_MSF_TILE_THREADS, BI_MSF_TILE_BLOCKS)
    bi_msf_lightest_arcs(bi_msf_csr<K> rows, bi_msf_state<K> s, uint32_t tiles)
{
    BI_SHARED(tile_shared<K>, sh);
    uint32_t tile = blockIdx.x, first = tile * BI_MSF_TILE;
    uint32_t count = rows.arcs - first < BI_MSF_TILE ? rows.arcs - first : (uint32_t)BI_MSF_TILE;
    /* 1. Load the keys of the tile; they are read once, hence the evict-first loads (__ldcs). */
    K key[BI_MSF_TILE_ITEMS];
#pragma unroll
    for (int k = 0; k < BI_MSF_TILE_ITEMS; k++) {
        uint32_t i = k * BI_MSF_TILE_THREADS + threadIdx.x;
        key[k] = i < count ? __ldcs(&rows.keys[first + i]) : 0;
    }
    /* 2. Loads needed after the barrier are issued before it. */
    uint32_t row_from = tile ? s.tile_row[tile] : 0, row_to = tile + 1 < tiles ? s.tile_row[tile + 1] : rows.n - 1;
    const unsigned log2 = lanes_log2_of(row_to - row_from + 1);
    uint2 range = range_of(rows, row_from + (threadIdx.x >> log2), row_to);
#pragma unroll
    for (int k = 0; k < BI_MSF_TILE_ITEMS; k++) {
        key[k] = bi_msf_key_rank(rows, key[k]);
        sh.keys[k * BI_MSF_TILE_THREADS + threadIdx.x] = key[k];
    }
    /* 3. Find light arcs while the keys are in registers. */
    if (threadIdx.x == 0) {
        sh.ends = make_uint2(BI_MSF_NONE, BI_MSF_NONE);
        sh.total = 0;
    }
    uint32_t noted = note_light(sh, key, count, (K)s.control->threshold_key);
    __syncthreads(); /* all keys are in shared memory */
    /* 4. Choose the lightest arc of each row. */
    if (log2 == 0) /* a constant, as short rows are the usual case */
        choose_in_tile<CHECKED>(rows, s, sh, first, count, row_from, row_to, 0, range);
    else
        choose_in_tile<CHECKED>(rows, s, sh, first, count, row_from, row_to, log2, range);
    __syncthreads(); /* rows of arcs and tile ends are complete */
    /* 5. Publish the ends; list the light arcs. */
    if (threadIdx.x == 0) s.tile_ends[tile] = sh.ends;
    list_light<CHECKED>(rows, s, sh, first, noted);
}

/* A row that extends beyond its first tile: a warp reduces the choices of its tiles. */
template <class K>
static __global__ void __launch_bounds__(256)
    bi_msf_reduce_split_rows(bi_msf_csr<K> rows, bi_msf_state<K> s, uint32_t tiles)
{
    uint32_t tile = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32; /* 8 warps a block */
    if (tile + 1 >= tiles) return;
    uint32_t row = s.tile_row[tile + 1], begin = rows.offsets[row];
    /* The row of the next tile's first arc is this warp's if it begins in this tile. */
    if (begin < tile * BI_MSF_TILE || begin >= (tile + 1) * BI_MSF_TILE) return;
    uint32_t last = (rows.offsets[row + 1] - 1) / BI_MSF_TILE;
    lightest_arc<K> best = {0, BI_MSF_NONE};
    for (uint32_t t = tile + lane; t <= last; t += 32) {
        uint32_t at = t == tile ? s.tile_ends[t].y : s.tile_ends[t].x;
        lightest_arc<K> x = {at == BI_MSF_NONE ? 0 : bi_msf_arc_key(rows, at), at};
        if (is_lighter(rows, x, best)) best = x;
    }
    best = lanes_lightest(rows, best, 5);
    if (lane == 0) record_choice(rows, s, row, best);
}

/* Roots get numbers: of two vertices that chose each other the smaller is a root. The others point at their choice, or
 * are BI_MSF_FINISHED, without a number, if no arc counts. components[0] is 0 before, and becomes the number of roots.
 * Adds all marked edges and their ranks to the sums, each at the end that is no root (s.row_key NULL: no ranks). */
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
    /* 1. Load the choices of all the thread's vertices, then find roots; count and sum the edges of the others. */
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
        K key = s.row_key ? s.row_key[v] : 0;
        edges++;
        low += (uint32_t)key;
        high += (uint64_t)key >> 32;
    }
    /* 2. Rank the block's roots; one atomic allocates their numbers. */
    uint32_t total = bi_msf_block_rank<BI_MSF_ROUND_THREADS, BI_MSF_BATCH>(root, rank, sh.counts);
    if (threadIdx.x == 0) sh.base = total ? atomicAdd(&s.control->components[0], total) : 0;
    __syncthreads(); /* all threads see the base */
    /* 3. Write the pointers. */
#pragma unroll
    for (int k = 0; k < BI_MSF_BATCH; k++) {
        uint32_t v = first + k * BI_MSF_ROUND_THREADS;
        if (v < rows.n)
            s.pointer[v] = root[k] ? BI_MSF_RESOLVED | (sh.base + rank[k]) : next[k] == v ? BI_MSF_FINISHED : next[k];
    }
    /* 4. Add the block's sums. */
    bi_msf_add_sums(s.control, edges, low, high);
}

/* Points every vertex at its root's number, and initialises the tables of level 0. Other threads may shorten the same
 * path; every value still leads to the root. */
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
    if (x & BI_MSF_RESOLVED) return;
    while (!(x & BI_MSF_RESOLVED)) x = bi_load_relaxed(&s.pointer[x]);
    bi_store_relaxed(&s.pointer[v], x);
}

template <class K>
bosc_status bi_msf_choose_at_vertices(bosc_ctx *ctx, const bi_msf_csr<K> &rows, const bi_msf_state<K> &s, bool checked,
                                      float light_fraction)
{
    uint32_t tiles = (uint32_t)bi_div_up(rows.arcs, BI_MSF_TILE);
    BI_TRY(BI_RUN(ctx, bi_msf_prepare<K>, (unsigned)bi_div_up(tiles, BI_MSF_SAMPLE_THREADS) + 1, BI_MSF_SAMPLE_THREADS,
                  0, rows, s, tiles, light_fraction));
    if (checked)
        BI_TRY(BI_RUN(ctx, (bi_msf_lightest_arcs<true, K>), tiles, BI_MSF_TILE_THREADS, 0, rows, s, tiles));
    else
        BI_TRY(BI_RUN(ctx, (bi_msf_lightest_arcs<false, K>), tiles, BI_MSF_TILE_THREADS, 0, rows, s, tiles));
    return BI_RUN(ctx, bi_msf_reduce_split_rows<K>, (unsigned)bi_div_up(tiles, 8), 256, 0, rows, s, tiles);
}

template <class K>
bosc_status bi_msf_first_round(bosc_ctx *ctx, const bi_msf_csr<K> &rows, const bi_msf_state<K> &s, bool checked,
                               float light_fraction)
{
    BI_TRY(bi_msf_choose_at_vertices(ctx, rows, s, checked, light_fraction));
    return bi_msf_contract_choices(ctx, rows, s);
}

template <class K>
bosc_status bi_msf_contract_choices(bosc_ctx *ctx, const bi_msf_csr<K> &rows, const bi_msf_state<K> &s)
{
    unsigned vertices = (unsigned)bi_div_up(rows.n, BI_MSF_ROUND_THREADS);
    BI_TRY(BI_RUN(ctx, bi_msf_number_roots<K>, (unsigned)bi_div_up(vertices, BI_MSF_BATCH), BI_MSF_ROUND_THREADS, 0,
                  rows, s));
    return BI_RUN(ctx, bi_msf_flatten_pointers<K>, vertices, BI_MSF_ROUND_THREADS, 0, rows, s);
}

template bosc_status bi_msf_first_round(bosc_ctx *, const bi_msf_csr<uint32_t> &, const bi_msf_state<uint32_t> &, bool,
                                        float);
template bosc_status bi_msf_first_round(bosc_ctx *, const bi_msf_csr<uint64_t> &, const bi_msf_state<uint64_t> &, bool,
                                        float);
template bosc_status bi_msf_contract_choices(bosc_ctx *, const bi_msf_csr<uint32_t> &, const bi_msf_state<uint32_t> &);
template bosc_status bi_msf_choose_at_vertices(bosc_ctx *, const bi_msf_csr<uint32_t> &, const bi_msf_state<uint32_t> &,
                                               bool, float);
template bosc_status bi_msf_choose_at_vertices(bosc_ctx *, const bi_msf_csr<uint64_t> &, const bi_msf_state<uint64_t> &,
                                               bool, float);
