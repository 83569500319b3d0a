/* Words of a tree on CUDA: bits for a goal, then vertices and triangles of the mesh. A word has 64 positions of the bit
 * field; its triangle is the node that covers all of them. A block takes THREADS words: each thread checks one word and
 * lists it if it has more than one leaf. Warps then process the listed words, a lane two positions each.
 *
 * The triangle of a word maps to that of any other word by an affine map. So split points and corners of the nodes
 * within a word are computed once, in eighths of the triangle's legs, and mapped into each word. Six levels of
 * bisection divide each leg into eight, so eighths are integers. */
#include "terrain/cuda/terrain.cuh"
#include "core/cuda/warp.cuh"

enum { THREADS = 256 /* not measured */, WARPS = THREADS / 32 };

/* The affine frame of a word's triangle: its right angle, and an eighth of each leg, (ux, uy) and (vx, vy). */
struct word_frame {
    int x, y;
    short ux, uy, vx, vy;
};

struct words_shared {
    uint32_t count;
    uint16_t list[THREADS]; /* words with more than one leaf; their order varies, results do not */
    word_frame frame[THREADS];
    unsigned long long bits[THREADS];
};

/* A point in the frame: (a, b) eighths of the legs. */
struct eighths {
    int a, b;
};

/* The triangle of a node within the word, whose own node is 1. */
__device__ __forceinline__ bi_terrain_triangle triangle_in_eighths(uint32_t node)
{
    const bi_terrain_triangle whole = {8, 0, 0, 8, 0, 0};
    return bi_terrain_descend(whole, node, bosc_cbt_level(node));
}

/* The point at which the node of the split bit at position p > 0 is split. */
__device__ __forceinline__ eighths split_point_in_eighths(int p)
{
    const int size = bosc_cbt_trailing_zeros((uint64_t)p) + 1;
    const bi_terrain_triangle t = triangle_in_eighths((uint32_t)((64 >> size) + (p >> size)));
    const bi_terrain_point m = bi_terrain_midpoint(&t);
    return {m.x, m.y};
}

__device__ __forceinline__ bi_terrain_point map_point(const word_frame &f, eighths e)
{
    return {f.x + e.a * f.ux + e.b * f.vx, f.y + e.a * f.uy + e.b * f.vy};
}

/* True if the word's triangle lies in the raster. Then all nodes in it are live and not clamped. */
__device__ __forceinline__ bool frame_in_raster(const bi_terrain_grid &g, const word_frame &f)
{
    return bi_terrain_max3(f.x, f.x + 8 * f.ux, f.x + 8 * f.vx) <= g.last_x &&
           bi_terrain_max3(f.y, f.y + 8 * f.uy, f.y + 8 * f.vy) <= g.last_y;
}

/* Empties the list. The barrier makes that visible before a thread adds a word. */
__device__ __forceinline__ void clear_word_list(words_shared &sh)
{
    if (threadIdx.x == 0) sh.count = 0;
    __syncthreads();
}

/* Lists the thread's word, with its frame. */
__device__ __forceinline__ void list_word(words_shared &sh, const bi_terrain_word &w)
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

/* The criterion of bi_terrain_refine_words. BY_ERRORS compares stored errors with a threshold: the most frequent case,
 * compiled apart since it needs fewer registers. BY_GOAL adds cameras, regions and hysteresis, BY_STATES commands. */
enum refine_kind { BY_ERRORS, BY_GOAL, BY_STATES };

/* True if the diamond with this middle is split by the goal. For words inside the raster. */
template <refine_kind KIND>
__device__ __forceinline__ bool exceeds_threshold(const bi_terrain_refinement &a, float threshold, bi_terrain_point m,
                                                  uint64_t position)
{
    const bi_terrain_criterion &c = a.criterion;
    if (KIND == BY_ERRORS) return bi_f32_from_bits(c.errors[(int64_t)m.y * c.grid.pitch + m.x]) > threshold;
    const bool was_split = c.keep_factor < 1 && bosc_cbt_bit(a.old_bits, position);
    return bi_terrain_error_ratio(&c, m.x, m.y, was_split) > threshold;
}

/* The same as bi_terrain_refined_bit, for any word. */
template <refine_kind KIND>
__device__ __forceinline__ bool compute_bit(const bi_terrain_refinement &a, float threshold, const bi_terrain_word &w,
                                            int p)
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

/* Computes the new bits of all words: by errors above the threshold, or by the states of diamonds (bits computed
 * before, which say split, merge or neither; a neighbour may prevent a merge). A node is split only if all nodes above
 * it are; so a word whose own node is not split has no bit but perhaps its first one. a.threshold NULL means
 * a.min_threshold. Each word's node lies in one root triangle. */
template <refine_kind KIND>
static __global__ void __launch_bounds__(THREADS) bi_terrain_refine_words(const bi_terrain_refinement a, int64_t words)
{
    BI_SHARED(words_shared, sh);
    const int64_t first = blockIdx.x * (int64_t)THREADS, word = first + threadIdx.x;
    const int lane = (int)(threadIdx.x % 32);
    const float threshold = a.threshold ? *a.threshold : a.min_threshold;
    /* 1. A thread a word: its first bit, which splits a larger node, and the bit of its own node, at position 32. */
    clear_word_list(sh);
    if (word < words) {
        const bi_terrain_word w = bi_terrain_word_of(&a.criterion.grid, word);
        const bool first_bit = compute_bit<KIND>(a, threshold, w, 0);
        sh.bits[threadIdx.x] = first_bit;
        if (first_bit && compute_bit<KIND>(a, threshold, w, 32)) list_word(sh, w);
    }
    __syncthreads(); /* the list and the first bits are complete */
    /* 2. A warp a listed word: each lane decides the bits at positions `lane` and `lane` + 32. */
    const eighths low_point = split_point_in_eighths(lane ? lane : 1), high_point = split_point_in_eighths(lane + 32);
#pragma unroll 2 /* the loads of two words overlap */
    for (uint32_t i = threadIdx.x / 32; i < sh.count; i += WARPS) {
        const uint32_t at = sh.list[i];
        const word_frame f = sh.frame[at];
        bool low, high;
        if (KIND != BY_STATES && frame_in_raster(a.criterion.grid, f)) {
            const uint64_t position = (uint64_t)(first + at) << 6;
            low = exceeds_threshold<KIND>(a, threshold, map_point(f, low_point), position + (uint64_t)lane);
            high = exceeds_threshold<KIND>(a, threshold, map_point(f, high_point), position + 32 + (uint64_t)lane);
        } else {
            const bi_terrain_word w = bi_terrain_word_of(&a.criterion.grid, first + at);
            low = lane == 0 || compute_bit<KIND>(a, threshold, w, lane);
            high = compute_bit<KIND>(a, threshold, w, lane + 32);
        }
        const unsigned low_bits = __ballot_sync(~0u, low || lane == 0), high_bits = __ballot_sync(~0u, high);
        if (lane == 0) sh.bits[at] = (unsigned long long)high_bits << 32 | low_bits;
    }
    __syncthreads(); /* words written by other warps */
    /* 3. Store the words, neighbours by neighbours. */
    if (word < words) a.bits[word] = sh.bits[threadIdx.x];
}

static unsigned block_count(int64_t words) { return (unsigned)bi_div_up(words, THREADS); }
static int64_t word_count(const bi_terrain_grid &g) { return (int64_t)1 << (g.depth - 6); }

bosc_status bi_terrain_cuda_refine(bosc_ctx *ctx, const bi_terrain_refinement *a)
{
    const int64_t words = word_count(a->criterion.grid);
    const unsigned blocks = block_count(words);
    if (a->states) return BI_RUN(ctx, bi_terrain_refine_words<BY_STATES>, blocks, THREADS, 0, *a, words);
    if (a->criterion.plain && a->criterion.keep_factor == 1)
        return BI_RUN(ctx, bi_terrain_refine_words<BY_ERRORS>, blocks, THREADS, 0, *a, words);
    return BI_RUN(ctx, bi_terrain_refine_words<BY_GOAL>, blocks, THREADS, 0, *a, words);
}

/* Marks the sample at the image of a split point as a vertex: in `own_bits` if it lies in block `main_block` of
 * samples, else directly in memory. */
__device__ __forceinline__ void mark_vertex_at(const bi_terrain_mesh &a, bi_terrain_point m, int64_t main_block,
                                               unsigned long long *own_bits)
{
    const int x = bi_terrain_min(m.x, a.grid.last_x), y = bi_terrain_min(m.y, a.grid.last_y);
    const int64_t block = (int64_t)(y >> 3) * a.across + (x >> 3);
    const unsigned long long bit = 1ull << ((y & 7) * 8 + (x & 7));
    if (block == main_block)
        *own_bits |= bit;
    else
        bi_atomic_or_u64(a.vertex_bits + block, bit);
}

/* Marks the vertices of the mesh, which are the split points of the tree: see bi_step_terrain_mark_vertices. A triangle
 * of a word mostly lies in one block of 8 x 8 samples, so its marks need few atomic operations. The caller has zeroed
 * vertex_bits; another step marks the corners. Each word's node lies in one root triangle. */
static __global__ void __launch_bounds__(THREADS) bi_terrain_mark_words(const bi_terrain_mesh a, int64_t words)
{
    BI_SHARED(words_shared, sh);
    const int64_t word = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    const int lane = (int)(threadIdx.x % 32);
    /* 1. A thread a word: list it if it has split bits beyond the first one; mark the split point of the first bit. */
    clear_word_list(sh);
    if (word < words) {
        const unsigned long long bits = a.view.bits[word];
        sh.bits[threadIdx.x] = bits;
        if (bits >> 1) list_word(sh, bi_terrain_word_of(&a.grid, word));
        if (bits & 1 && word > 0) { /* it splits a node larger than the word */
            int32_t level;
            bi_terrain_word w = {};
            w.first = (uint64_t)word << 6;
            const bi_terrain_triangle t = bi_terrain_split_triangle(&a.grid, &w, 0, &level);
            if (level >= a.grid.first) mark_vertex_at(a, bi_terrain_midpoint(&t), -1, nullptr);
        }
    }
    __syncthreads(); /* the list is complete */
    /* 2. A warp a listed word: marks in the block of samples that contains most of its triangle are combined. */
    const eighths low = split_point_in_eighths(lane ? lane : 1), high = split_point_in_eighths(lane + 32);
    for (uint32_t i = threadIdx.x / 32; i < sh.count; i += WARPS) {
        const uint32_t at = sh.list[i];
        const word_frame f = sh.frame[at];
        const unsigned long long bits = sh.bits[at];
        const int x = f.x + bi_terrain_min(0, 8 * (f.ux + f.vx)), y = f.y + bi_terrain_min(0, 8 * (f.uy + f.vy));
        const int64_t main_block = (int64_t)(y >> 3) * a.across + (x >> 3);
        unsigned long long own_bits = 0;
        if (lane > 0 && bits >> lane & 1) mark_vertex_at(a, map_point(f, low), main_block, &own_bits);
        if (bits >> (lane + 32) & 1) mark_vertex_at(a, map_point(f, high), main_block, &own_bits);
        const unsigned low_bits = bi_warp_or((unsigned)own_bits);
        const unsigned high_bits = bi_warp_or((unsigned)(own_bits >> 32));
        if (lane == 0 && (low_bits | high_bits))
            bi_atomic_or_u64(a.vertex_bits + main_block, (unsigned long long)high_bits << 32 | low_bits);
    }
}

bosc_status bi_terrain_cuda_mark_vertices(bosc_ctx *ctx, const bi_terrain_mesh *a)
{
    const int64_t words = word_count(a->grid);
    return BI_RUN(ctx, bi_terrain_mark_words, block_count(words), THREADS, 0, *a, words);
}

/* Writes vertices. A warp takes 32 blocks of samples and processes the blocks with vertices one after another. */
static __global__ void __launch_bounds__(THREADS) bi_terrain_emit_vertices(const bi_terrain_mesh a)
{
    const int lane = (int)(threadIdx.x % 32);
    const int64_t first = (blockIdx.x * (int64_t)THREADS + threadIdx.x) & ~(int64_t)31, word = first + lane;
    /* 1. A lane loads a block: its vertices, and the number of vertices in earlier blocks. */
    const unsigned long long used = word < a.words ? a.vertex_bits[word] : 0;
    const uint32_t exclusive_prefix = word < a.words ? a.first_vertex[word] : 0;
    /* 2. A lane writes two samples of each block. */
    for (unsigned left = __ballot_sync(~0u, used != 0); left; left &= left - 1) {
        const int from = __ffs((int)left) - 1;
        const unsigned long long bits = __shfl_sync(~0u, used, from);
        const uint32_t base = __shfl_sync(~0u, exclusive_prefix, from);
        for (int bit = lane; bit < 64; bit += 32)
            if (bits >> bit & 1)
                bi_terrain_write_vertex(&a, first + from, bit, base + (uint32_t)__popcll(bits & ((1ull << bit) - 1)));
    }
}

bosc_status bi_terrain_cuda_write_vertices(bosc_ctx *ctx, const bi_terrain_mesh *a)
{
    return BI_RUN(ctx, bi_terrain_emit_vertices, block_count(a->words), THREADS, 0, *a);
}

struct leaves_shared {
    words_shared words;
    uint32_t corners[128];           /* by node within a word: six coordinates in eighths, 4 bits each */
    long long at[THREADS];           /* number of the word's first triangle */
    uint32_t numbers[WARPS][3 * 64]; /* vertex numbers of a word's triangles */
};

/* Fills the table of corners: 64 leaves and the nodes above them, one thread a node. */
__device__ __forceinline__ void tabulate_corners(leaves_shared &sh)
{
    if (threadIdx.x == 0 || threadIdx.x >= 128) return;
    const bi_terrain_triangle t = triangle_in_eighths(threadIdx.x);
    sh.corners[threadIdx.x] = (uint32_t)(t.lx | t.ly << 4 | t.rx << 8 | t.ry << 12 | t.px << 16 | t.py << 20);
}

/* The triangle of the leaf that begins at position p of a word with several leaves. */
__device__ __forceinline__ bi_terrain_triangle leaf_triangle(const leaves_shared &sh, const word_frame &f,
                                                             unsigned long long bits, int p)
{
    /* log2 of its positions: up to the next leaf, or for the last leaf to the end of the word */
    const unsigned long long higher = p == 63 ? 0 : bits >> (p + 1);
    const int size = higher ? bosc_cbt_trailing_zeros((uint64_t)(bosc_cbt_trailing_zeros(higher) + 1))
                            : bosc_cbt_trailing_zeros((uint64_t)p);
    const uint32_t c = sh.corners[(64 >> size) + (p >> size)];
    const bi_terrain_point l = map_point(f, {(int)(c & 15), (int)(c >> 4 & 15)});
    const bi_terrain_point r = map_point(f, {(int)(c >> 8 & 15), (int)(c >> 12 & 15)});
    const bi_terrain_point q = map_point(f, {(int)(c >> 16 & 15), (int)(c >> 20 & 15)});
    return {l.x, l.y, r.x, r.y, q.x, q.y};
}

/* The triangle of a leaf that is alone in its word: it has 64 positions or more. */
__device__ __forceinline__ bi_terrain_triangle single_leaf_triangle(const bi_terrain_mesh &a, int64_t word)
{
    const uint64_t position = (uint64_t)word << 6;
    return bi_terrain_triangle_of(&a.grid,
                                  bosc_cbt_node(position, bosc_cbt_log2_size_at(&a.view, position), a.grid.depth));
}

/* Sets live[] of the block's words to the bits of the live leaves, which have an area and are in the mesh. All threads
 * call it after load_words. `first`: number of the block's first word. */
__device__ __forceinline__ void find_live_leaves(const bi_terrain_mesh &a, leaves_shared &sh, int64_t first,
                                                 unsigned long long *live)
{
    const int lane = (int)(threadIdx.x % 32);
    const unsigned long long own = sh.words.bits[threadIdx.x];
    /* 1. Words with one leaf: a thread each. */
    live[threadIdx.x] = 0;
    if (own && !(own & (own - 1))) {
        const bi_terrain_triangle t = single_leaf_triangle(a, first + threadIdx.x);
        live[threadIdx.x] = bi_terrain_has_area(&a.grid, &t);
    }
    __syncthreads(); /* step 2 overwrites the zeros of other threads */
    /* 2. Words with several leaves: a warp each; all leaves are live in words inside the raster. */
    for (uint32_t i = threadIdx.x / 32; i < sh.words.count; i += WARPS) {
        const uint32_t at = sh.words.list[i];
        const word_frame f = sh.words.frame[at];
        const unsigned long long bits = sh.words.bits[at];
        unsigned found[2];
        if (frame_in_raster(a.grid, f)) {
            if (lane == 0) live[at] = bits;
            continue;
        }
        for (int half = 0; half < 2; half++) {
            const int p = lane + 32 * half;
            bool in = bits >> p & 1;
            if (in) {
                const bi_terrain_triangle t = leaf_triangle(sh, f, bits, p);
                in = bi_terrain_has_area(&a.grid, &t);
            }
            found[half] = __ballot_sync(~0u, in);
        }
        if (lane == 0) live[at] = (unsigned long long)found[1] << 32 | found[0];
    }
    __syncthreads(); /* live[] is complete */
}

struct live_shared {
    leaves_shared leaves;
    unsigned long long live[THREADS];
};

/* Loads the block's words, and lists the words with more than one leaf. The barrier completes words, list and table. */
__device__ __forceinline__ void load_words(const bi_terrain_mesh &a, leaves_shared &sh, int64_t words, int64_t word)
{
    const unsigned long long bits = word < words ? a.view.bits[word] : 0;
    tabulate_corners(sh);
    clear_word_list(sh.words);
    sh.words.bits[threadIdx.x] = bits;
    if (bits & (bits - 1)) list_word(sh.words, bi_terrain_word_of(&a.grid, word));
    __syncthreads();
}

/* Counts the live leaves of each block of the tree: THREADS words are whole blocks. */
static __global__ void __launch_bounds__(THREADS) bi_terrain_count_words(const bi_terrain_mesh a, int64_t words)
{
    BI_SHARED(live_shared, sh);
    const int64_t first = blockIdx.x * (int64_t)THREADS;
    load_words(a, sh.leaves, words, first + threadIdx.x);
    find_live_leaves(a, sh.leaves, first, sh.live);
    const int64_t block = first / BOSC_CBT_BLOCK_WORDS + threadIdx.x;
    if (threadIdx.x >= THREADS / BOSC_CBT_BLOCK_WORDS || block >= a.view.blocks) return;
    int64_t count = 0;
    for (int w = 0; w < BOSC_CBT_BLOCK_WORDS; w++) count += __popcll(sh.live[threadIdx.x * BOSC_CBT_BLOCK_WORDS + w]);
    a.counts[block] = count;
}

bosc_status bi_terrain_cuda_count_triangles(bosc_ctx *ctx, const bi_terrain_mesh *a)
{
    const int64_t words = word_count(a->grid);
    return BI_RUN(ctx, bi_terrain_count_words, block_count(words), THREADS, 0, *a, words);
}

/* Writes triangles in the order of leaves. fits: the raster fills its squares, so all leaves are live. The vertices
 * are numbered, and a.first_triangle holds the exclusive prefixes by blocks of the tree. a.triangles is not NULL. */
static __global__ void __launch_bounds__(THREADS)
    bi_terrain_emit_triangles(const bi_terrain_mesh a, int64_t words, bool fits)
{
    BI_SHARED(live_shared, sh);
    leaves_shared &leaves = sh.leaves;
    const int64_t first = blockIdx.x * (int64_t)THREADS, word = first + threadIdx.x;
    const int lane = (int)(threadIdx.x % 32), warp = (int)(threadIdx.x / 32);
    load_words(a, leaves, words, word);
    if (fits)
        sh.live[threadIdx.x] = leaves.words.bits[threadIdx.x];
    else
        find_live_leaves(a, leaves, first, sh.live);
    /* 1. The number of the first triangle of each word. A warp has two blocks of the tree, of 16 words each: its sum
     * over the first one is subtracted from words of the second one. */
    const uint32_t own_count = (uint32_t)__popcll(sh.live[threadIdx.x]);
    const uint32_t inclusive = bi_warp_inclusive_sum(own_count), half = __shfl_sync(~0u, inclusive, 15);
    if (word < words) {
        const int64_t number =
            a.first_triangle[word / BOSC_CBT_BLOCK_WORDS] + (inclusive - own_count) - (lane >= 16 ? half : 0);
        const unsigned long long bits = leaves.words.bits[threadIdx.x];
        leaves.at[threadIdx.x] = number;
        /* 2. Leaves alone in their word. */
        if (own_count && !(bits & (bits - 1))) {
            const bi_terrain_triangle t = single_leaf_triangle(a, word);
            bi_terrain_write_triangle(&a, &t, number);
        }
    }
    __syncthreads(); /* numbers of other threads' words */
    /* 3. Words with several leaves: a warp collects vertex numbers in shared memory, then stores them side by side. */
    for (uint32_t i = (uint32_t)warp; i < leaves.words.count; i += WARPS) {
        const uint32_t at = leaves.words.list[i];
        const word_frame f = leaves.words.frame[at];
        const unsigned long long bits = leaves.words.bits[at], live = sh.live[at];
        uint32_t *numbers = leaves.numbers[warp];
        for (int p = lane; p < 64; p += 32) {
            if (!(live >> p & 1)) continue;
            const bi_terrain_triangle t = leaf_triangle(leaves, f, bits, p);
            uint32_t *to = numbers + 3 * __popcll(live & ((1ull << p) - 1));
            to[0] = bi_terrain_vertex_index(&a, t.lx, t.ly);
            to[1] = bi_terrain_vertex_index(&a, t.rx, t.ry);
            to[2] = bi_terrain_vertex_index(&a, t.px, t.py);
        }
        __syncwarp(); /* numbers of other lanes */
        for (int k = lane; k < 3 * __popcll(live); k += 32) a.triangles[3 * leaves.at[at] + k] = numbers[k];
        __syncwarp(); /* all lanes have read numbers[] before it is overwritten */
    }
}

bosc_status bi_terrain_cuda_write_triangles(bosc_ctx *ctx, const bi_terrain_mesh *a)
{
    const int64_t words = word_count(a->grid);
    return BI_RUN(ctx, bi_terrain_emit_triangles, block_count(words), THREADS, 0, *a, words,
                  bi_terrain_fills_squares(&a->grid));
}

/* A histogram of the block, added to the global one at the end. */
struct gain_shared {
    uint32_t gain[256];
};

static __global__ void __launch_bounds__(THREADS) bi_terrain_gain_histogram(const bi_terrain_budget a, int64_t slots)
{
    BI_SHARED(gain_shared, sh);
    sh.gain[threadIdx.x] = 0; /* one bin a thread */
    __syncthreads();          /* all bins are 0 */
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < slots; i += gridDim.x * (int64_t)THREADS) {
        uint32_t digit;
        const uint32_t gain = bi_terrain_triangle_gain(&a, i, &digit);
        if (gain) atomicAdd(&sh.gain[digit], gain);
    }
    __syncthreads(); /* the additions of all threads are done */
    if (sh.gain[threadIdx.x]) bi_atomic_fetch_add_u64(a.gain + threadIdx.x, sh.gain[threadIdx.x]);
}

bosc_status bi_terrain_cuda_count_gain(bosc_ctx *ctx, const bi_terrain_budget *a)
{
    const int64_t slots = (int64_t)a->criterion.grid.pitch * a->criterion.grid.rows;
    return BI_RUN(ctx, bi_terrain_gain_histogram, bi_grid_size(ctx, slots, THREADS), THREADS, 0, *a, slots);
}
