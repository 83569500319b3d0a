/* Small systems: a block reads a system and compares all its pairs in shared memory, without bins. A warp searches
 * around one atom, a lane an other atom: the difference of their fractions bounds the images that may be near, mostly
 * one or two. Candidates are in the order of the row, so rows need no sort. */
#include "neighborlist/cuda/systems.cuh"

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "neighborlist/steps/search.h"

/* WARPS: of a block; 4 are slower on an H200, 16 as fast. */
#ifdef BI_EMULATE
enum { WARPS = 2 };
#else
enum { WARPS = 8 };
#endif
enum {
    THREADS = WARPS * 32,
    ATOMS = BI_NEIGHBORLIST_SMALL_SYSTEM,
    IMAGES = 32, /* bits of a mask */
    SHIFTS = 320 /* 306 are enough for 32 images */
};

struct system_shared {
    float x[ATOMS], y[ATOMS], z[ATOMS];                      /* as gather_atom writes them */
    float fraction[BI_NEIGHBORLIST_DIM][ATOMS];              /* within the cell; 0 along open axes */
    float shift_x[SHIFTS], shift_y[SHIFTS], shift_z[SHIFTS]; /* of the cells around: see shift_slot */
    float reach[BI_NEIGHBORLIST_DIM];                        /* of a search, as a fraction; 0 along open axes */
    int32_t most[BI_NEIGHBORLIST_DIM];                       /* images are -most to most */
    bool fits;
};

/* The images of one atom seen from another: along axis c from `from` to `to`. */
struct image_range {
    int32_t from[BI_NEIGHBORLIST_DIM], to[BI_NEIGHBORLIST_DIM];
};

/* Finds the atoms of a system: *begin, and their number. False, and no atoms, if the offsets are bad. */
static __device__ bool find_atoms(const bi_neighborlist_input &in, int64_t system, int64_t *begin, int64_t *count)
{
    *begin = in.offsets ? in.offsets[system] : 0;
    const int64_t end = in.offsets ? in.offsets[system + 1] : in.n;
    const bool good = *begin >= 0 && end >= *begin && end <= in.n;
    *count = good ? end - *begin : 0;
    return good;
}

/* Computes the reach and the number of images; fits: false if masks or shifts have too few elements. One thread.
 * Fractions in float and their differences err by less than 2^-20 up to a reach of 32, and the reach is 2^-18 more. */
static __device__ void measure_images(const bi_neighborlist_system &s, system_shared *sh)
{
    int64_t images = 1, shifts = 1;
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) {
        const double reach = s.periodic[c] ? s.reach[c] / s.bins[c] : 0;
        const bool is_short = reach < IMAGES;
        sh->reach[c] = s.periodic[c] && is_short ? (float)reach * (1 + 0x1p-20f) + 0x1p-18f : 0;
        sh->most[c] = s.periodic[c] && is_short ? (int32_t)(sh->reach[c] + 1 + 0x1p-10f) : 0;
        images *= is_short ? (int32_t)(2 * sh->reach[c] + 0x1p-16f) + 1 : IMAGES + 1;
        shifts *= 2 * sh->most[c] + 1;
    }
    sh->fits = images <= IMAGES && shifts <= SHIFTS;
}

static __device__ int32_t shift_slot(const system_shared *sh, int32_t m0, int32_t m1, int32_t m2)
{
    return ((m0 + sh->most[0]) * (2 * sh->most[1] + 1) + m1 + sh->most[1]) * (2 * sh->most[2] + 1) + m2 + sh->most[2];
}

/* Writes the shift of each image, and the wrapped positions and fractions of the atoms. The whole block calls it. */
static __device__ void gather_system(const bi_neighborlist_view &v, const bi_neighborlist_system &s, int64_t begin,
                                     int64_t count, system_shared *sh)
{
    const int32_t none[BI_NEIGHBORLIST_DIM] = {0, 0, 0};
    const int32_t width1 = 2 * sh->most[1] + 1, width2 = 2 * sh->most[2] + 1;
    for (int32_t e = (int32_t)threadIdx.x; e < (2 * sh->most[0] + 1) * width1 * width2; e += THREADS) {
        const double m0 = e / width2 / width1 - sh->most[0], m1 = e / width2 % width1 - sh->most[1],
                     m2 = e % width2 - sh->most[2];
        sh->shift_x[e] = (float)((m0 * s.axes[0][0] + m1 * s.axes[1][0]) + m2 * s.axes[2][0]);
        sh->shift_y[e] = (float)((m0 * s.axes[0][1] + m1 * s.axes[1][1]) + m2 * s.axes[2][1]);
        sh->shift_z[e] = (float)((m0 * s.axes[0][2] + m1 * s.axes[1][2]) + m2 * s.axes[2][2]);
    }
    for (int32_t i = (int32_t)threadIdx.x; i < count; i += THREADS) {
        const bi_neighborlist_atom atom = v.atoms[begin + i];
        sh->x[i] = (float)bi_neighborlist_wrapped(&s, &atom, none, 0);
        sh->y[i] = (float)bi_neighborlist_wrapped(&s, &atom, none, 1);
        sh->z[i] = (float)bi_neighborlist_wrapped(&s, &atom, none, 2);
        for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++)
            sh->fraction[c][i] =
                s.periodic[c] ? (float)(bi_neighborlist_fraction(&s, atom.at, c) - bi_neighborlist_wrap(&atom, c)) : 0;
    }
}

/* Returns the images of atom j that may be near atom i: all m with |f_j + m - f_i| <= reach along each axis. */
static __device__ image_range find_images(const system_shared *sh, int32_t i, int32_t j)
{
    image_range range;
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) {
        const float between = sh->fraction[c][i] - sh->fraction[c][j];
        range.from[c] = max((int32_t)ceilf(between - sh->reach[c]), -sh->most[c]);
        range.to[c] = min((int32_t)floorf(between + sh->reach[c]), sh->most[c]);
    }
    return range;
}

/* The system that a warp searches in, and the squares of bi_neighborlist_accept. */
struct system_search {
    bi_neighborlist_view view;
    const bi_neighborlist_system *system;
    const system_shared *sh;
    int64_t begin;
    int32_t count;
    float square_limit, square_sure;
    double square;
    bool half;
};

/* True if image m of atom j is a neighbour of atom i by the distance in double. */
static __device__ bool is_near(const system_search &a, int32_t i, int32_t j, const int32_t *m)
{
    const bi_neighborlist_atom *from = &a.view.atoms[a.begin + i], *to = &a.view.atoms[a.begin + j];
    int32_t shift[BI_NEIGHBORLIST_DIM];
    double vector[BI_NEIGHBORLIST_DIM];
    bi_neighborlist_entry_shift(bi_neighborlist_entry(0, m), from, to, shift);
    return bi_neighborlist_vector(a.system, from, to, shift, vector) <= a.square;
}

/* True if image m of atom j is a neighbour of atom i, of a half list if need be. */
static __device__ bool accept_image(const system_search &a, int32_t i, int32_t j, const int32_t *m)
{
    const system_shared *sh = a.sh;
    const int32_t slot = shift_slot(sh, m[0], m[1], m[2]);
    const float dx = sh->x[j] - sh->x[i] + sh->shift_x[slot], dy = sh->y[j] - sh->y[i] + sh->shift_y[slot],
                dz = sh->z[j] - sh->z[i] + sh->shift_z[slot];
    const float square = dx * dx + dy * dy + dz * dz;
    if (square > a.square_limit || (i == j && (m[0] | m[1] | m[2]) == 0)) return false;
    if (a.half && !bi_neighborlist_in_half((uint32_t)i, (uint32_t)j, m)) return false;
    return square <= a.square_sure || is_near(a, i, j, m);
}

static __device__ int32_t count_images(const image_range &range)
{
    int32_t count = 1;
    for (int c = 0; c < BI_NEIGHBORLIST_DIM; c++) count *= max(range.to[c] - range.from[c] + 1, 0);
    return count;
}

/* Advances to the next image of a range, in ascending order. One loop over all images, as in nested loops the lanes of
 * a warp would take the most steps of any lane along each axis. */
static __device__ void advance_image(const image_range &range, int32_t *m)
{
    m[2]++;
    if (m[2] > range.to[2]) {
        m[2] = range.from[2];
        m[1]++;
    }
    if (m[1] > range.to[1]) {
        m[1] = range.from[1];
        m[0]++;
    }
}

/* Masks the neighbours among the images of a range, in ascending order. */
static __device__ uint32_t find_near_images(const system_search &a, int32_t i, int32_t j, const image_range &range)
{
    const int32_t count = count_images(range);
    int32_t m[BI_NEIGHBORLIST_DIM] = {range.from[0], range.from[1], range.from[2]};
    uint32_t mask = 0;
    for (int32_t k = 0; k < count; k++) {
        if (accept_image(a, i, j, m)) mask |= 1u << k;
        advance_image(range, m);
    }
    return mask;
}

/* Writes the entries of a mask. */
static __device__ void write_entries(uint32_t mask, uint32_t j, const image_range &range, unsigned long long *out)
{
    int32_t m[BI_NEIGHBORLIST_DIM] = {range.from[0], range.from[1], range.from[2]};
    for (; mask; mask >>= 1) {
        if (mask & 1) *out++ = bi_neighborlist_entry(j, m);
        advance_image(range, m);
    }
}

/* Returns the number of neighbours of atom i. The whole warp calls it. */
static __device__ uint32_t count_atom(const system_search &a, int32_t i)
{
    uint32_t count = 0;
    for (int32_t j = (int32_t)(threadIdx.x % 32); j < a.count; j += 32)
        count += (uint32_t)__popc(find_near_images(a, i, j, find_images(a.sh, i, j)));
    return bi_warp_sum(count);
}

/* Writes the row of atom i, 32 other atoms at a time. The whole warp calls it. */
static __device__ void fill_atom(const system_search &a, int32_t i)
{
    unsigned long long *out = (unsigned long long *)a.view.entries + a.view.offsets[a.begin + i];
    for (int32_t first = 0; first < a.count; first += 32) {
        const int32_t j = first + (int32_t)(threadIdx.x % 32);
        image_range range = {};
        uint32_t mask = 0;
        if (j < a.count) {
            range = find_images(a.sh, i, j);
            mask = find_near_images(a, i, j, range);
        }
        const uint32_t own = (uint32_t)__popc(mask), upto = bi_warp_inclusive_sum(own);
        if (mask) write_entries(mask, (uint32_t)(a.begin + j), range, out + (upto - own));
        out += __shfl_sync(~0u, upto, 31);
    }
}

static __device__ system_search search_of(const bi_neighborlist_small &a, int64_t system, int64_t begin, int64_t count,
                                          const system_shared *sh)
{
    const bi_neighborlist_system *s = &a.frames.view.systems[system];
    return {a.frames.view, s, sh, begin, (int32_t)count, s->square_limit, s->square_sure, a.square, a.half};
}

/* Reads a system as the steps frame, read_atom and shape_bins do, and counts its rows. */
static __global__ void __launch_bounds__(THREADS) bi_neighborlist_count_systems(const bi_neighborlist_small a)
{
    BI_SHARED(system_shared, sh);
    const bi_neighborlist_frames &f = a.frames;
    if (blockIdx.x == 0 && threadIdx.x == 0) f.view.offsets[f.input.n] = 0;
    for (int64_t system = blockIdx.x; system < f.input.system_count; system += gridDim.x) {
        int64_t begin, count;
        const bool good = find_atoms(f.input, system, &begin, &count);
        /* 1. Axes, atoms, bins. */
        if (threadIdx.x == 0) bi_step_frame(&f, system);
        if (good && count > ATOMS && threadIdx.x == 0)
            bi_atomic_min_u64(&f.found[BI_NEIGHBORLIST_TOO_LARGE], (uint64_t)system);
        if (!good || count > ATOMS) continue;
        __syncthreads(); /* the system is visible to all threads */
        for (int64_t i = threadIdx.x; i < count; i += THREADS) bi_neighborlist_read_atom(&f, begin + i, system);
        __syncthreads(); /* all atoms, and the extremes of the system */
        const bi_neighborlist_system &s = f.view.systems[system];
        if (threadIdx.x == 0) {
            bi_step_shape_bins(&f, system);
            measure_images(s, &sh);
            if (!sh.fits) bi_atomic_min_u64(&f.found[BI_NEIGHBORLIST_TOO_LARGE], (uint64_t)system);
        }
        __syncthreads(); /* reach and images */
        /* 2. Count. */
        if (sh.fits) gather_system(f.view, s, begin, count, &sh);
        __syncthreads(); /* positions and shifts */
        const system_search search = search_of(a, system, begin, count, &sh);
        for (int32_t i = (int32_t)(threadIdx.x / 32); i < count && sh.fits; i += WARPS) {
            const uint32_t found = count_atom(search, i);
            if (threadIdx.x % 32 == 0) f.view.offsets[begin + i] = found;
        }
        __syncthreads(); /* all reads of shared memory, before the next system */
    }
}

/* Fills the rows that bi_neighborlist_count_systems counted, once their offsets are there. */
static __global__ void __launch_bounds__(THREADS) bi_neighborlist_fill_systems(const bi_neighborlist_small a)
{
    BI_SHARED(system_shared, sh);
    const bi_neighborlist_frames &f = a.frames;
    /* 1. Does nothing if the list cannot be filled. */
    const bool good = bi_neighborlist_is_good(f.found) && f.found[BI_NEIGHBORLIST_TOO_LARGE] == UINT64_MAX;
    if (!good || f.view.offsets[f.input.n] > a.capacity) return;
    /* 2. Fills the rows of each system. */
    for (int64_t system = blockIdx.x; system < f.input.system_count; system += gridDim.x) {
        int64_t begin, count;
        (void)find_atoms(f.input, system, &begin, &count);
        const bi_neighborlist_system &s = f.view.systems[system];
        if (threadIdx.x == 0) measure_images(s, &sh);
        __syncthreads(); /* reach and images */
        gather_system(f.view, s, begin, count, &sh);
        __syncthreads(); /* positions and shifts */
        const system_search search = search_of(a, system, begin, count, &sh);
        for (int32_t i = (int32_t)(threadIdx.x / 32); i < count; i += WARPS) fill_atom(search, i);
        __syncthreads(); /* all reads of shared memory, before the next system */
    }
}

bosc_status bi_neighborlist_cuda_count_systems(bosc_ctx *ctx, const bi_neighborlist_small *small)
{
    return BI_RUN(ctx, bi_neighborlist_count_systems, bi_grid_size(ctx, small->frames.input.system_count, 1), THREADS,
                  0, *small);
}

bosc_status bi_neighborlist_cuda_fill_systems(bosc_ctx *ctx, const bi_neighborlist_small *small)
{
    return BI_RUN(ctx, bi_neighborlist_fill_systems, bi_grid_size(ctx, small->frames.input.system_count, 1), THREADS, 0,
                  *small);
}
