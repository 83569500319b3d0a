/* Words of a tree on CUDA: bits grown for a goal, vertices and triangles of a mesh. A block takes some words, a thread
 * each to see which have more than one leaf; of those a warp takes one at a time, a lane two places. What lies where
 * within a word is the same in all words but for a linear map: it is worked out once, in eighths of the legs of the
 * word's triangle. */
#include "terrain/cuda/terrain.cuh"
#include "core/cuda/warp.cuh"

enum { THREADS = 256, WARPS = THREADS / 32 };

/* The right angle of a word's triangle, and an eighth of the way from there to its other corners. */
struct word_frame {
    int x, y;
    short ux, uy, vx, vy;
};

struct words_shared {
    uint32_t count;
    uint16_t list[THREADS]; /* words with much to do, in any order: nothing shows it */
    word_frame frame[THREADS];
    unsigned long long bits[THREADS];
};

struct eighths {
    int a, b;
};

__device__ __forceinline__ bi_terrain_triangle in_eighths(uint32_t node)
{
    const bi_terrain_triangle whole = {8, 0, 0, 8, 0, 0};
    return bi_terrain_descend(whole, node, bosc_cbt_level(node));
}

/* The middle of the node that place p > 0 splits. */
__device__ __forceinline__ eighths middle_of(int p)
{
    const int size = bosc_cbt_trailing_zeros((uint64_t)p) + 1;
    const bi_terrain_triangle t = in_eighths((uint32_t)((64 >> size) + (p >> size)));
    const bi_terrain_point m = bi_terrain_midpoint(&t);
    return {m.x, m.y};
}

__device__ __forceinline__ bi_terrain_point point_at(const word_frame &f, eighths e)
{
    return {f.x + e.a * f.ux + e.b * f.vx, f.y + e.a * f.uy + e.b * f.vy};
}

/* Is all of the word's triangle in the raster? Then what lies in it is live and not moved. */
__device__ __forceinline__ bool inside(const bi_terrain_grid &g, const word_frame &f)
{
    return bi_terrain_max3(f.x, f.x + 8 * f.ux, f.x + 8 * f.vx) <= g.last_x &&
           bi_terrain_max3(f.y, f.y + 8 * f.uy, f.y + 8 * f.vy) <= g.last_y;
}

__device__ __forceinline__ void begin_words(words_shared &sh)
{
    if (threadIdx.x == 0) sh.count = 0;
    __syncthreads();
}

__device__ __forceinline__ void busy(words_shared &sh, const bi_terrain_word &w)
{
    const bi_terrain_triangle &t = w.t;
    sh.frame[threadIdx.x] = {t.px,
                             t.py,
                             (short)((t.lx - t.px) / 8),
                             (short)((t.ly - t.py) / 8),
                             (short)((t.rx - t.px) / 8),
                             (short)((t.ry - t.py) / 8)};
    sh.list[atomicAdd(&sh.count, 1u)] = (uint16_t)threadIdx.x;
}

/* What bi_terrain_refine_words goes by: errors alone, which is the usual case and needs few registers, or all there
 * is. */
enum grow_kind { BY_ERRORS, BY_GOAL, BY_STATES };

/* Is the diamond with this middle to be split? For words inside the raster. */
template <grow_kind KIND>
__device__ __forceinline__ bool grows(const bi_terrain_refinement &a, float threshold, bi_terrain_point m,
                                      uint64_t place)
{
    const bi_terrain_criterion &c = a.criterion;
    if (KIND == BY_ERRORS) return bi_f32_from_bits(c.errors[(int64_t)m.y * c.grid.pitch + m.x]) > threshold;
    const bool was = c.keep < 1 && bosc_cbt_bit(a.before, place);
    return bi_terrain_error_ratio(&c, m.x, m.y, was) > threshold;
}

/* As bi_terrain_refined_bit. */
template <grow_kind KIND>
__device__ __forceinline__ bool bit_of(const bi_terrain_refinement &a, float threshold, const bi_terrain_word &w, int p)
{
    if (KIND != BY_ERRORS) return bi_terrain_refined_bit(&a, &w, p);
    const bi_terrain_grid &g = a.criterion.grid;
    int32_t level;
    if (w.first + (uint64_t)p == 0) return true;
    const bi_terrain_triangle t = bi_terrain_split_triangle(&g, &w, p, &level);
    if (level < g.first) return true;
    const bi_terrain_point m = bi_terrain_midpoint(&t);
    return level < g.depth && bi_terrain_has_area(&g, &t) &&
           bi_f32_from_bits(a.criterion.errors[bi_terrain_slot(&g, m.x, m.y)]) > threshold;
}

template <grow_kind KIND>
static __global__ void __launch_bounds__(THREADS) bi_terrain_refine_words(const bi_terrain_refinement a, int64_t words)
{
    BI_SHARED(words_shared, sh);
    const int64_t first = blockIdx.x * (int64_t)THREADS, word = first + threadIdx.x;
    const int lane = (int)(threadIdx.x % 32);
    const float threshold = a.threshold ? *a.threshold : a.min_threshold;
    begin_words(sh);
    if (word < words) {
        const bi_terrain_word w = bi_terrain_word_of(&a.criterion.grid, word);
        const bool begins = bit_of<KIND>(a, threshold, w, 0);
        sh.bits[threadIdx.x] = begins;
        if (begins && bit_of<KIND>(a, threshold, w, 32)) busy(sh, w);
    }
    __syncthreads();
    const eighths low_middle = middle_of(lane ? lane : 1), high_middle = middle_of(lane + 32);
#pragma unroll 2
    for (uint32_t i = threadIdx.x / 32; i < sh.count; i += WARPS) {
        const uint32_t at = sh.list[i];
        const word_frame f = sh.frame[at];
        bool low, high;
        if (KIND != BY_STATES && inside(a.criterion.grid, f)) {
            const uint64_t place = (uint64_t)(first + at) << 6;
            low = grows<KIND>(a, threshold, point_at(f, low_middle), place + (uint64_t)lane);
            high = grows<KIND>(a, threshold, point_at(f, high_middle), place + 32 + (uint64_t)lane);
        } else {
            const bi_terrain_word w = bi_terrain_word_of(&a.criterion.grid, first + at);
            low = lane == 0 || bit_of<KIND>(a, threshold, w, lane);
            high = bit_of<KIND>(a, threshold, w, lane + 32);
        }
        const unsigned lows = __ballot_sync(~0u, low || lane == 0), highs = __ballot_sync(~0u, high);
        if (lane == 0) sh.bits[at] = (unsigned long long)highs << 32 | lows;
    }
    __syncthreads();
    if (word < words) a.bits[word] = sh.bits[threadIdx.x];
}

static unsigned blocks_of(int64_t words) { return (unsigned)bi_div_up(words, THREADS); }
static int64_t words_of(const bi_terrain_grid &g) { return (int64_t)1 << (g.depth - 6); }

bosc_status bi_terrain_cuda_refine(bosc_ctx *ctx, const bi_terrain_refinement *a)
{
    const int64_t words = words_of(a->criterion.grid);
    const unsigned blocks = blocks_of(words);
    if (a->states) return BI_RUN(ctx, bi_terrain_refine_words<BY_STATES>, blocks, THREADS, 0, *a, words);
    if (a->criterion.plain && a->criterion.keep == 1)
        return BI_RUN(ctx, bi_terrain_refine_words<BY_ERRORS>, blocks, THREADS, 0, *a, words);
    return BI_RUN(ctx, bi_terrain_refine_words<BY_GOAL>, blocks, THREADS, 0, *a, words);
}

/* A vertex at the image of a middle: in `mine` if it is in the block of samples `main`, else at once. */
__device__ __forceinline__ void use_middle(const bi_terrain_mesh &a, bi_terrain_point m, int64_t main,
                                           unsigned long long *mine)
{
    const int x = bi_terrain_min(m.x, a.grid.last_x), y = bi_terrain_min(m.y, a.grid.last_y);
    const int64_t block = (int64_t)(y >> 3) * a.across + (x >> 3);
    const unsigned long long bit = 1ull << ((y & 7) * 8 + (x & 7));
    if (block == main)
        *mine |= bit;
    else
        bi_atomic_or_u64(a.vertex_bits + block, bit);
}

static __global__ void __launch_bounds__(THREADS) bi_terrain_mark_words(const bi_terrain_mesh a, int64_t words)
{
    BI_SHARED(words_shared, sh);
    const int64_t word = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    const int lane = (int)(threadIdx.x % 32);
    begin_words(sh);
    if (word < words) {
        const unsigned long long bits = a.view.bits[word];
        sh.bits[threadIdx.x] = bits;
        if (bits >> 1) busy(sh, bi_terrain_word_of(&a.grid, word));
        if (bits & 1 && word > 0) { /* a larger node is split here */
            int32_t level;
            bi_terrain_word w = {};
            w.first = (uint64_t)word << 6;
            const bi_terrain_triangle t = bi_terrain_split_triangle(&a.grid, &w, 0, &level);
            if (level >= a.grid.first) use_middle(a, bi_terrain_midpoint(&t), -1, nullptr);
        }
    }
    __syncthreads();
    const eighths low = middle_of(lane ? lane : 1), high = middle_of(lane + 32);
    for (uint32_t i = threadIdx.x / 32; i < sh.count; i += WARPS) {
        const uint32_t at = sh.list[i];
        const word_frame f = sh.frame[at];
        const unsigned long long bits = sh.bits[at];
        const int x = f.x + bi_terrain_min(0, 8 * (f.ux + f.vx)), y = f.y + bi_terrain_min(0, 8 * (f.uy + f.vy));
        const int64_t main = (int64_t)(y >> 3) * a.across + (x >> 3);
        unsigned long long mine = 0;
        if (lane > 0 && bits >> lane & 1) use_middle(a, point_at(f, low), main, &mine);
        if (bits >> (lane + 32) & 1) use_middle(a, point_at(f, high), main, &mine);
        const unsigned lows = bi_warp_or((unsigned)mine);
        const unsigned highs = bi_warp_or((unsigned)(mine >> 32));
        if (lane == 0 && (lows | highs)) bi_atomic_or_u64(a.vertex_bits + main, (unsigned long long)highs << 32 | lows);
    }
}

bosc_status bi_terrain_cuda_mark_vertices(bosc_ctx *ctx, const bi_terrain_mesh *a)
{
    const int64_t words = words_of(a->grid);
    return BI_RUN(ctx, bi_terrain_mark_words, blocks_of(words), THREADS, 0, *a, words);
}

/* A warp takes 32 blocks of samples, and those with vertices one after another. */
static __global__ void __launch_bounds__(THREADS) bi_terrain_emit_vertices(const bi_terrain_mesh a)
{
    const int lane = (int)(threadIdx.x % 32);
    const int64_t first = (blockIdx.x * (int64_t)THREADS + threadIdx.x) & ~(int64_t)31, word = first + lane;
    const unsigned long long used = word < a.words ? a.vertex_bits[word] : 0;
    const uint32_t before = word < a.words ? a.first_vertex[word] : 0;
    for (unsigned left = __ballot_sync(~0u, used != 0); left; left &= left - 1) {
        const int from = __ffs((int)left) - 1;
        const unsigned long long bits = __shfl_sync(~0u, used, from);
        const uint32_t base = __shfl_sync(~0u, before, from);
        for (int bit = lane; bit < 64; bit += 32)
            if (bits >> bit & 1)
                bi_terrain_write_vertex(&a, first + from, bit, base + (uint32_t)__popcll(bits & ((1ull << bit) - 1)));
    }
}

bosc_status bi_terrain_cuda_write_vertices(bosc_ctx *ctx, const bi_terrain_mesh *a)
{
    return BI_RUN(ctx, bi_terrain_emit_vertices, blocks_of(a->words), THREADS, 0, *a);
}

struct leaves_shared {
    words_shared words;
    uint32_t corners[128];           /* of the nodes of a word, six numbers of 4 bits */
    long long at[THREADS];           /* triangles before the word */
    uint32_t numbers[WARPS][3 * 64]; /* of the vertices of a word's triangles */
};

__device__ __forceinline__ void make_corners(leaves_shared &sh)
{
    if (threadIdx.x == 0 || threadIdx.x >= 128) return;
    const bi_terrain_triangle t = in_eighths(threadIdx.x);
    sh.corners[threadIdx.x] = (uint32_t)(t.lx | t.ly << 4 | t.rx << 8 | t.ry << 12 | t.px << 16 | t.py << 20);
}

/* The triangle of the leaf at place p of a word with more of them. */
__device__ __forceinline__ bi_terrain_triangle leaf_in(const leaves_shared &sh, const word_frame &f,
                                                       unsigned long long bits, int p)
{
    const unsigned long long threshold = p == 63 ? 0 : bits >> (p + 1);
    const int size = threshold ? bosc_cbt_trailing_zeros((uint64_t)(bosc_cbt_trailing_zeros(threshold) + 1))
                               : bosc_cbt_trailing_zeros((uint64_t)p);
    const uint32_t c = sh.corners[(64 >> size) + (p >> size)];
    const bi_terrain_point l = point_at(f, {(int)(c & 15), (int)(c >> 4 & 15)});
    const bi_terrain_point r = point_at(f, {(int)(c >> 8 & 15), (int)(c >> 12 & 15)});
    const bi_terrain_point q = point_at(f, {(int)(c >> 16 & 15), (int)(c >> 20 & 15)});
    return {l.x, l.y, r.x, r.y, q.x, q.y};
}

/* The one leaf of a word, of 64 places or more. */
__device__ __forceinline__ bi_terrain_triangle lone_leaf(const bi_terrain_mesh &a, int64_t word)
{
    const uint64_t place = (uint64_t)word << 6;
    return bi_terrain_triangle_of(&a.grid, bosc_cbt_node(place, bosc_cbt_log2_size_at(&a.view, place), a.grid.depth));
}

/* Of the leaves of each word, in bits[], those that are in the mesh: their bits in live[]. */
__device__ __forceinline__ void find_live(const bi_terrain_mesh &a, leaves_shared &sh, int64_t first,
                                          unsigned long long *live)
{
    const int lane = (int)(threadIdx.x % 32);
    const unsigned long long own = sh.words.bits[threadIdx.x];
    live[threadIdx.x] = 0;
    if (own && !(own & (own - 1))) {
        const bi_terrain_triangle t = lone_leaf(a, first + threadIdx.x);
        live[threadIdx.x] = bi_terrain_has_area(&a.grid, &t);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x / 32; i < sh.words.count; i += WARPS) {
        const uint32_t at = sh.words.list[i];
        const word_frame f = sh.words.frame[at];
        const unsigned long long bits = sh.words.bits[at];
        unsigned found[2];
        if (inside(a.grid, f)) {
            if (lane == 0) live[at] = bits;
            continue;
        }
        for (int half = 0; half < 2; half++) {
            const int p = lane + 32 * half;
            bool in = bits >> p & 1;
            if (in) {
                const bi_terrain_triangle t = leaf_in(sh, f, bits, p);
                in = bi_terrain_has_area(&a.grid, &t);
            }
            found[half] = __ballot_sync(~0u, in);
        }
        if (lane == 0) live[at] = (unsigned long long)found[1] << 32 | found[0];
    }
    __syncthreads();
}

struct live_shared {
    leaves_shared leaves;
    unsigned long long live[THREADS];
};

/* Reads words, and makes a list of those with more than one leaf. */
__device__ __forceinline__ void take_words(const bi_terrain_mesh &a, leaves_shared &sh, int64_t words, int64_t word)
{
    const unsigned long long bits = word < words ? a.view.bits[word] : 0;
    make_corners(sh);
    begin_words(sh.words);
    sh.words.bits[threadIdx.x] = bits;
    if (bits & (bits - 1)) busy(sh.words, bi_terrain_word_of(&a.grid, word));
    __syncthreads();
}

static __global__ void __launch_bounds__(THREADS) bi_terrain_count_words(const bi_terrain_mesh a, int64_t words)
{
    BI_SHARED(live_shared, sh);
    const int64_t first = blockIdx.x * (int64_t)THREADS;
    take_words(a, sh.leaves, words, first + threadIdx.x);
    find_live(a, sh.leaves, first, sh.live);
    const int64_t block = first / BOSC_CBT_BLOCK_WORDS + threadIdx.x;
    if (threadIdx.x >= THREADS / BOSC_CBT_BLOCK_WORDS || block >= a.view.blocks) return;
    int64_t count = 0;
    for (int w = 0; w < BOSC_CBT_BLOCK_WORDS; w++) count += __popcll(sh.live[threadIdx.x * BOSC_CBT_BLOCK_WORDS + w]);
    a.counts[block] = count;
}

bosc_status bi_terrain_cuda_count_triangles(bosc_ctx *ctx, const bi_terrain_mesh *a)
{
    const int64_t words = words_of(a->grid);
    return BI_RUN(ctx, bi_terrain_count_words, blocks_of(words), THREADS, 0, *a, words);
}

static __global__ void __launch_bounds__(THREADS)
    bi_terrain_emit_triangles(const bi_terrain_mesh a, int64_t words, bool fits)
{
    BI_SHARED(live_shared, sh);
    leaves_shared &leaves = sh.leaves;
    const int64_t first = blockIdx.x * (int64_t)THREADS, word = first + threadIdx.x;
    const int lane = (int)(threadIdx.x % 32), warp = (int)(threadIdx.x / 32);
    take_words(a, leaves, words, word);
    if (fits)
        sh.live[threadIdx.x] = leaves.words.bits[threadIdx.x];
    else
        find_live(a, leaves, first, sh.live);
    const uint32_t mine = (uint32_t)__popcll(sh.live[threadIdx.x]);
    const uint32_t upto = bi_warp_inclusive_sum(mine),
                   half = __shfl_sync(~0u, upto, 15); /* two blocks of the tree a warp */
    if (word < words) {
        const int64_t number = a.first_triangle[word / BOSC_CBT_BLOCK_WORDS] + (upto - mine) - (lane >= 16 ? half : 0);
        const unsigned long long bits = leaves.words.bits[threadIdx.x];
        leaves.at[threadIdx.x] = number;
        if (mine && !(bits & (bits - 1))) {
            const bi_terrain_triangle t = lone_leaf(a, word);
            bi_terrain_write_triangle(&a, &t, number);
        }
    }
    __syncthreads();
    for (uint32_t i = (uint32_t)warp; i < leaves.words.count; i += WARPS) {
        const uint32_t at = leaves.words.list[i];
        const word_frame f = leaves.words.frame[at];
        const unsigned long long bits = leaves.words.bits[at], live = sh.live[at];
        uint32_t *numbers = leaves.numbers[warp];
        for (int p = lane; p < 64; p += 32) {
            if (!(live >> p & 1)) continue;
            const bi_terrain_triangle t = leaf_in(leaves, f, bits, p);
            uint32_t *to = numbers + 3 * __popcll(live & ((1ull << p) - 1));
            to[0] = bi_terrain_vertex_index(&a, t.lx, t.ly);
            to[1] = bi_terrain_vertex_index(&a, t.rx, t.ry);
            to[2] = bi_terrain_vertex_index(&a, t.px, t.py);
        }
        __syncwarp();
        for (int k = lane; k < 3 * __popcll(live); k += 32) a.triangles[3 * leaves.at[at] + k] = numbers[k];
        __syncwarp();
    }
}

bosc_status bi_terrain_cuda_write_triangles(bosc_ctx *ctx, const bi_terrain_mesh *a)
{
    const int64_t words = words_of(a->grid);
    return BI_RUN(ctx, bi_terrain_emit_triangles, blocks_of(words), THREADS, 0, *a, words,
                  bi_terrain_fills_squares(&a->grid));
}

/* Counts of a block, then one addition to each of the 256 that are not 0. */
struct weigh_shared {
    uint32_t gain[256];
};

static __global__ void __launch_bounds__(THREADS) bi_terrain_gain_histogram(const bi_terrain_budget a, int64_t slots)
{
    BI_SHARED(weigh_shared, sh);
    sh.gain[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < slots; i += gridDim.x * (int64_t)THREADS) {
        uint32_t digit;
        const uint32_t more = bi_terrain_triangle_gain(&a, i, &digit);
        if (more) atomicAdd(&sh.gain[digit], more);
    }
    __syncthreads();
    if (sh.gain[threadIdx.x]) bi_atomic_fetch_add_u64(a.gain + threadIdx.x, sh.gain[threadIdx.x]);
}

bosc_status bi_terrain_cuda_count_gain(bosc_ctx *ctx, const bi_terrain_budget *a)
{
    const int64_t slots = (int64_t)a->criterion.grid.pitch * a->criterion.grid.rows;
    return BI_RUN(ctx, bi_terrain_gain_histogram, bi_grid(ctx, slots, THREADS), THREADS, 0, *a, slots);
}
