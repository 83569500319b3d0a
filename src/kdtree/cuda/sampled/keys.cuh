/* The keys by which the fast builder orders points. It compares floats: the coordinates of float points, and rounded
 * coordinates of other types. Rounding is monotonic, so brackets, bins and pivots hold for rounded coordinates too.
 * Where two rounded coordinates are equal and may differ in the rows, the rows decide. */
#ifndef BI_KDTREE_CUDA_SAMPLED_KEYS_CUH
#define BI_KDTREE_CUDA_SAMPLED_KEYS_CUH

#include "kdtree/cuda/cuda.cuh"

/* The least (as complement) and the greatest key of each coordinate over all rows, and the coordinates, as bits, with a
 * double that is no float; all 0 before they are found. */
struct bi_kdtree_ends {
    unsigned long long least[4], greatest[4];
    uint32_t rounded;
};

/* Keys of float points: the coordinates. */
struct bi_kdtree_float_keys {
    using base = bi_kdtree_float_keys;
    using of_blocks = base;                    /* keys of the kernels that build subtrees */
    using of_shared = base;                    /* keys that a block's shared memory is declared for */
    static constexpr bool BY_SUPERKEY = false; /* brackets are compared by whole superkeys */
    static constexpr bool ON_GRID = false;     /* coordinates are those of a block's grid (subtree.cuh) */
    /* Number of 32-bit words of a coordinate in a superkey: in selections, and in sorts. */
    static constexpr int SELECT_WORDS = 1, SORT_WORDS = 1;

    /* Point i of a pass. */
    template <int DIM> __device__ __forceinline__ bi_kdtree_point<DIM> read(const bi_kdtree_source &s, uint32_t i) const
    {
        return bi_kdtree_read_point<DIM>(s, i);
    }

    /* Returns the coordinates of `flat`, as bits, whose equal floats imply equal keys. */
    __device__ __forceinline__ uint32_t exact_flat(uint32_t flat) const { return flat; }

    template <int DIM>
    __device__ __forceinline__ bool precedes(const bi_kdtree_point<DIM> &a, const bi_kdtree_point<DIM> &b, int d) const
    {
        return bi_kdtree_point_precedes<DIM>(a, b, d);
    }

    /* The same without branches, where lanes of a warp would differ. */
    template <int DIM>
    __device__ __forceinline__ bool precedes_evenly(const bi_kdtree_point<DIM> &a, const bi_kdtree_point<DIM> &b,
                                                    int d) const
    {
        bool less = a.id < b.id;
#pragma unroll
        for (int t = DIM - 1; t >= 0; t--) {
            const int c = d + t < DIM ? d + t : d + t - DIM;
            const float x = bi_kdtree_coordinate<DIM>(a, c), y = bi_kdtree_coordinate<DIM>(b, c);
            less = x < y || (x == y && less);
        }
        return less;
    }

    /* Word w of coordinate c in a selection's superkey; `empty` where it is 0 for all points. */
    template <int DIM> __device__ __forceinline__ uint32_t select_word(const bi_kdtree_point<DIM> &p, int c, int) const
    {
        return bi_key_u32_of_f32(bi_kdtree_coordinate<DIM>(p, c));
    }
    __device__ __forceinline__ bool empty_select_word(int, int) const { return false; }

    /* Word w of coordinate c, whose float is x, in a sort's superkey. */
    __device__ __forceinline__ uint32_t sort_word(float x, uint32_t, int, int) const { return bi_key_u32_of_f32(x); }

    /* Writes the point as node i of the tree. */
    template <int DIM>
    __device__ __forceinline__ void store(const bi_kdtree_array &nodes, uint32_t i, const bi_kdtree_point<DIM> &p) const
    {
        bi_kdtree_store_point<DIM>(nodes, i, p);
    }

    /* Writes point(0), ..., point(count - 1) as nodes `first`, first + 1, ...; called by a block. */
    template <int DIM, int THREADS, class POINT>
    __device__ __forceinline__ void store_all(const bi_kdtree_array &nodes, uint32_t first, uint32_t count,
                                              POINT point) const
    {
        for (uint32_t i = threadIdx.x; i < count; i += THREADS) store<DIM>(nodes, first + i, point(i));
    }
};

/* Keys of rows of another type: coordinates of an integer type less the least one, as floats; doubles as floats.
 * CACHED: ends are read through the read-only path. Measured on an H200, 2^20 doubles inexact as floats, half of them
 * equal: 5.57 ms, with plain loads in blocks 4.72; with plain loads where medians are resolved lattices take 2.78, not
 * 2.40. */
template <bool CACHED> struct bi_kdtree_keys_of_rows {
    using base = bi_kdtree_keys_of_rows;
    using of_blocks = bi_kdtree_keys_of_rows<false>;
    using of_shared = base;
    static constexpr bool BY_SUPERKEY = false, ON_GRID = false;
    /* Selections: the float, then the high and the low half of the key. Sorts: the halves. */
    static constexpr int SELECT_WORDS = 3, SORT_WORDS = 2;

    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    bool tests_doubles; /* ends->rounded is valid; false: no coordinate of doubles is exact */
    const bi_kdtree_ends *ends;

    operator bi_kdtree_keys_of_rows<!CACHED>() const { return {rows, dtype, tests_doubles, ends}; }

    template <class X> static __device__ __forceinline__ X load(const X *p)
    {
        if constexpr (CACHED) return __ldg(p);
        return *p;
    }

    __device__ __forceinline__ uint64_t key(uint32_t row, int c) const
    {
        return bi_kdtree_key(rows.data, (int64_t)row * rows.stride + c, dtype);
    }

    /* True if rounding coordinate c is exact: all doubles are floats, which points often were before; integers that
     * span at most 2^24 fit a float's 24 bits of significand. */
    __device__ __forceinline__ bool exact(int c) const
    {
        if (dtype == BOSC_F64) return tests_doubles && !(load(&ends->rounded) >> c & 1);
        return load(&ends->greatest[c]) - ~load(&ends->least[c]) <= 1u << 24;
    }

    /* True if rounding changes coordinate c of a row of doubles. */
    __device__ __forceinline__ bool rounds(uint32_t row, int c) const
    {
        if (dtype != BOSC_F64) return false;
        const double x = static_cast<const double *>(rows.data)[(int64_t)row * rows.stride + c];
        return (double)(float)x != x;
    }

    __device__ __forceinline__ float rounded(uint32_t row, int c) const
    {
        if (dtype == BOSC_F64) {
            const double x = static_cast<const double *>(rows.data)[(int64_t)row * rows.stride + c];
            return (float)x + 0.0f; /* no -0 */
        }
        const uint64_t above = key(row, c) - ~ends->least[c];
        return dtype == BOSC_I32 ? (float)(uint32_t)above : (float)above;
    }

    template <int DIM> __device__ __forceinline__ bi_kdtree_point<DIM> read(const bi_kdtree_source &s, uint32_t i) const
    {
        if (s.array.points) return bi_kdtree_load_point<DIM>(s.array, i);
        bi_kdtree_point<DIM> p;
#pragma unroll
        for (int c = 0; c < DIM; c++) p.x[c] = rounded(i, c);
        p.id = i;
        return p;
    }

    __device__ __forceinline__ uint32_t exact_flat(uint32_t flat) const
    {
        for (uint32_t left = flat; left; left &= left - 1) {
            const int c = __ffs((int)left) - 1;
            if (!exact(c)) flat &= ~(1u << c);
        }
        return flat;
    }

    template <int DIM>
    __device__ __forceinline__ bool precedes(const bi_kdtree_point<DIM> &a, const bi_kdtree_point<DIM> &b, int d) const
    {
        /* Not unrolled: kernels have many copies of the loop, and it goes on only where keys are equal. */
#pragma unroll 1
        for (int t = 0; t < DIM; t++, d = bi_kdtree_next_coordinate<DIM>(d)) {
            const float x = bi_kdtree_coordinate<DIM>(a, d), y = bi_kdtree_coordinate<DIM>(b, d);
            if (x != y) return x < y;
            if (exact(d)) continue;
            const uint64_t k = key(a.id, d), l = key(b.id, d);
            if (k != l) return k < l;
        }
        return a.id < b.id;
    }

    template <int DIM>
    __device__ __forceinline__ bool precedes_evenly(const bi_kdtree_point<DIM> &a, const bi_kdtree_point<DIM> &b,
                                                    int d) const
    {
        return precedes<DIM>(a, b, d);
    }

    template <int DIM>
    __device__ __forceinline__ uint32_t select_word(const bi_kdtree_point<DIM> &p, int c, int w) const
    {
        if (w == 0) return bi_key_u32_of_f32(bi_kdtree_coordinate<DIM>(p, c));
        return empty_select_word(c, w) ? 0 : (uint32_t)(key(p.id, c) >> (w == 1 ? 32 : 0));
    }
    __device__ __forceinline__ bool empty_select_word(int c, int w) const
    {
        return w > 0 && (exact(c) || (w == 1 && dtype == BOSC_I32));
    }

    __device__ __forceinline__ uint32_t sort_word(float x, uint32_t id, int c, int w) const
    {
        if (exact(c)) return w == 0 ? 0 : bi_key_u32_of_f32(x); /* the float decides, in the low word */
        return (uint32_t)(key(id, c) >> (w == 0 ? 32 : 0));
    }

    /* Copies rows to the EACH nodes first, first + stride, ... All reads, which are random, come before the writes, so
     * that they overlap. */
    template <class T, int DIM, int EACH>
    __device__ __forceinline__ void copy_rows(const bi_kdtree_array &nodes, uint32_t first, uint32_t stride,
                                              const uint32_t (&row)[EACH]) const
    {
        T x[EACH][DIM];
#pragma unroll
        for (int k = 0; k < EACH; k++)
#pragma unroll
            for (int c = 0; c < DIM; c++)
                if (row[k] != BI_KDTREE_NONE)
                    x[k][c] = static_cast<const T *>(rows.data)[(int64_t)row[k] * rows.stride + c] + T(0); /* no -0 */
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            if (row[k] == BI_KDTREE_NONE) continue;
            const int64_t node = first + k * (int64_t)stride;
#pragma unroll
            for (int c = 0; c < DIM; c++) static_cast<T *>(nodes.points)[node * DIM + c] = x[k][c];
            nodes.ids[node] = row[k];
        }
    }
    template <int DIM, int EACH>
    __device__ __forceinline__ void copy_any_rows(const bi_kdtree_array &nodes, uint32_t first, uint32_t stride,
                                                  const uint32_t (&row)[EACH]) const
    {
        if (dtype == BOSC_I32)
            copy_rows<int32_t, DIM>(nodes, first, stride, row);
        else if (dtype == BOSC_I64)
            copy_rows<int64_t, DIM>(nodes, first, stride, row);
        else
            copy_rows<double, DIM>(nodes, first, stride, row);
    }

    template <int DIM>
    __device__ __forceinline__ void store(const bi_kdtree_array &nodes, uint32_t i, const bi_kdtree_point<DIM> &p) const
    {
        const uint32_t row[1] = {p.id};
        copy_any_rows<DIM>(nodes, i, 0, row);
    }

    template <int DIM, int THREADS, class POINT>
    __device__ __forceinline__ void store_all(const bi_kdtree_array &nodes, uint32_t first, uint32_t count,
                                              POINT point) const
    {
        enum { EACH = 4 };
        for (uint32_t i = threadIdx.x; i < count; i += EACH * THREADS) {
            uint32_t row[EACH];
#pragma unroll
            for (int k = 0; k < EACH; k++)
                row[k] = i + k * THREADS < count ? point(i + k * THREADS).id : BI_KDTREE_NONE;
            copy_any_rows<DIM>(nodes, first + i, THREADS, row);
        }
    }
};

typedef bi_kdtree_keys_of_rows<true> bi_kdtree_rounded_keys;
typedef bi_kdtree_rounded_keys::of_blocks bi_kdtree_rounded_block_keys;

/* The same keys for builds by superkey: brackets end with points, and superkeys and ids are compared
 * (sample_superkeys.cu). */
template <class KEYS> struct bi_kdtree_superkeys : KEYS {
    static constexpr bool BY_SUPERKEY = true;
    using of_blocks = typename KEYS::of_blocks;
};
template <> struct bi_kdtree_superkeys<bi_kdtree_float_keys> : bi_kdtree_float_keys {
    static constexpr bool BY_SUPERKEY = true;
    using of_blocks = bi_kdtree_superkeys;
    using of_shared = bi_kdtree_superkeys;
};

/* Keys of the points of a block, on its grid. */
struct bi_kdtree_grid_keys : bi_kdtree_superkeys<bi_kdtree_float_keys> {
    static constexpr bool ON_GRID = true;
};

/* A lossless map of keys to few bits: subtract `low`, then shift right. */
struct bi_kdtree_packing {
    uint32_t low, shift, bits;
};

/* Returns the packing of keys from `low` on, given the union of the bits of their differences from it. */
__device__ __forceinline__ bi_kdtree_packing bi_kdtree_packing_of(uint32_t low, uint32_t differences)
{
    bi_kdtree_packing packing = {low, 0, 0};
    if (differences) {
        packing.shift = (uint32_t)__ffs((int)differences) - 1;
        packing.bits = 32 - (uint32_t)__clz((int)differences) - packing.shift;
    }
    return packing;
}

#endif
