/* A sorted list of the k nearest nodes so far, in registers. */
#ifndef BI_KDTREE_CUDA_SEARCH_NEAREST_LIST_CUH
#define BI_KDTREE_CUDA_SEARCH_NEAREST_LIST_CUH

#include "kdtree/cuda/search/index.cuh"

/* A neighbour, ordered by (distance, id). NaN counts as infinite; the empty one, (infinity, BI_KDTREE_NONE), is
 * last. */
template <class D> struct bi_kdtree_neighbour {
    D d;
    uint32_t name;

    static __device__ __forceinline__ bi_kdtree_neighbour of(D distance, uint32_t id)
    {
        return {distance == distance ? distance : (D)INFINITY, id};
    }
    __device__ __forceinline__ D distance() const { return d; }
    __device__ __forceinline__ uint32_t id() const { return name; }
    __device__ __forceinline__ bool precedes(const bi_kdtree_neighbour &other) const
    {
        return d < other.d || (d == other.d && name < other.name);
    }
};

/* Float distance and id in the bits of one double, so that one comparison orders both: non-negative floats are ordered
 * as their bits, and so are non-negative doubles up to infinity. */
template <> struct bi_kdtree_neighbour<float> {
    double bits;

    static __device__ __forceinline__ bi_kdtree_neighbour of(float distance, uint32_t id)
    {
        return {bi_f64_from_bits((uint64_t)bi_f32_bits(fminf(distance, INFINITY)) << 32 | id)};
    }
    __device__ __forceinline__ float distance() const { return bi_f32_from_bits((uint32_t)(bi_f64_bits(bits) >> 32)); }
    __device__ __forceinline__ uint32_t id() const { return (uint32_t)bi_f64_bits(bits); }
    __device__ __forceinline__ bool precedes(const bi_kdtree_neighbour &other) const { return bits < other.bits; }
};

template <class D>
__device__ __forceinline__ void bi_kdtree_sort_neighbours(bi_kdtree_neighbour<D> &a, bi_kdtree_neighbour<D> &b)
{
    const bool swapped = b.precedes(a);
    const bi_kdtree_neighbour<D> first = swapped ? b : a;
    b = swapped ? a : b;
    a = first;
}

/* Writes entry `to` of the output. */
template <class D>
__device__ __forceinline__ void bi_kdtree_write_neighbour(const bi_kdtree_neighbour<D> &x, int64_t to, void *ids,
                                                          D *dist2, bool wide)
{
    const uint32_t id = x.id();
    if (wide)
        static_cast<int64_t *>(ids)[to] = id == BI_KDTREE_NONE ? -1 : (int64_t)id;
    else
        static_cast<uint32_t *>(ids)[to] = id;
    if (dist2) dist2[to] = x.distance();
}

/* True if rows of answers are written 16 bytes at a time: k is a multiple of 4, ids have 32 bits, and both arrays begin
 * at multiples of 16 bytes. */
static __device__ __forceinline__ bool bi_kdtree_writes_vectors(int k, const void *ids, const void *dist2, bool wide)
{
    return k % 4 == 0 && !wide && (reinterpret_cast<uintptr_t>(ids) | reinterpret_cast<uintptr_t>(dist2)) % 16 == 0;
}

/* Writes entries `to` to `to` + 3 of the output, 16 bytes at a time. */
static __device__ __forceinline__ void bi_kdtree_write_vectors(const bi_kdtree_neighbour<float> *x, int64_t to,
                                                               void *ids, float *dist2)
{
    *reinterpret_cast<float4 *>(static_cast<uint32_t *>(ids) + to) =
        make_float4(bi_f32_from_bits(x[0].id()), bi_f32_from_bits(x[1].id()), bi_f32_from_bits(x[2].id()),
                    bi_f32_from_bits(x[3].id()));
    if (dist2)
        *reinterpret_cast<float4 *>(dist2 + to) =
            make_float4(x[0].distance(), x[1].distance(), x[2].distance(), x[3].distance());
}
static __device__ __forceinline__ void bi_kdtree_write_vectors(const bi_kdtree_neighbour<double> *x, int64_t to,
                                                               void *ids, double *dist2)
{
    *reinterpret_cast<float4 *>(static_cast<uint32_t *>(ids) + to) =
        make_float4(bi_f32_from_bits(x[0].id()), bi_f32_from_bits(x[1].id()), bi_f32_from_bits(x[2].id()),
                    bi_f32_from_bits(x[3].id()));
    if (dist2) {
        *reinterpret_cast<double2 *>(dist2 + to) = make_double2(x[0].distance(), x[1].distance());
        *reinterpret_cast<double2 *>(dist2 + to + 2) = make_double2(x[2].distance(), x[3].distance());
    }
}

/* Sorts N neighbours, a power of 2, by Batcher's bitonic network (Sorting Networks and Their Applications, 1968). */
template <class D, int N> __device__ __forceinline__ void bi_kdtree_bitonic_sort(bi_kdtree_neighbour<D> *a)
{
#pragma unroll
    for (int run = 2; run <= N; run *= 2)
#pragma unroll
        for (int step = run / 2; step > 0; step /= 2)
#pragma unroll
            for (int i = 0; i < N; i++)
                if ((i & step) == 0) {
                    if ((i & run) == 0)
                        bi_kdtree_sort_neighbours(a[i], a[i + step]);
                    else
                        bi_kdtree_sort_neighbours(a[i + step], a[i]);
                }
}

/* The K nearest in order. K is a power of 2, or one more. All loops are unrolled, so that the list stays in
 * registers. */
template <class D, int K> struct bi_kdtree_nearest_list {
    enum { BATCH = K >= 32 ? 32 : K >= 16 ? 16 : K >= 8 ? 8 : K >= 4 ? 4 : K >= 2 ? 2 : 1 };
    bi_kdtree_neighbour<D> at[K];

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int i = 0; i < K; i++) at[i] = bi_kdtree_neighbour<D>::of((D)INFINITY, BI_KDTREE_NONE);
    }

    __device__ __forceinline__ bi_kdtree_neighbour<D> last() const { return at[K - 1]; }

    __device__ __forceinline__ void add(const bi_kdtree_neighbour<D> &x)
    {
        if (!x.precedes(at[K - 1])) return;
        bool before = true;
#pragma unroll
        for (int i = K - 1; i > 0; i--) {
            const bool further = x.precedes(at[i - 1]);
            at[i] = further ? at[i - 1] : before ? x : at[i];
            before = further;
        }
        at[0] = before ? x : at[0];
    }

    /* Adds BATCH neighbours in any order. */
    __device__ __forceinline__ void add_all(bi_kdtree_neighbour<D> *x)
    {
        bi_kdtree_bitonic_sort<D, BATCH>(x);
        merge(x);
    }

    /* Adds BATCH sorted neighbours by a bitonic merge: comparing each with the opposite one of the list leaves the
     * nearest half in the list. If K is BATCH + 1, the last is the nearest of the other half and the last so far. */
    __device__ __forceinline__ void merge(bi_kdtree_neighbour<D> *x)
    {
#pragma unroll
        for (int i = 0; i < BATCH; i++) {
            bi_kdtree_neighbour<D> &other = x[BATCH - 1 - i];
            bi_kdtree_sort_neighbours(at[i], other);
            if (K > BATCH && other.precedes(at[K - 1])) at[K - 1] = other;
        }
#pragma unroll
        for (int step = BATCH / 2; step > 0; step /= 2)
#pragma unroll
            for (int i = 0; i < BATCH; i++)
                if ((i & step) == 0) bi_kdtree_sort_neighbours(at[i], at[i + step]);
    }

    /* Writes the first k to row `row`. */
    __device__ __forceinline__ void write(int64_t row, int k, void *ids, D *dist2, bool wide) const
    {
        if constexpr (K % 4 == 0) {
            if (bi_kdtree_writes_vectors(k, ids, dist2, wide)) {
#pragma unroll
                for (int i = 0; i < K; i += 4) {
                    if (i >= k) break;
                    bi_kdtree_write_vectors(at + i, row * k + i, ids, dist2);
                }
                return;
            }
        }
#pragma unroll
        for (int i = 0; i < K; i++) {
            if (i >= k) break;
            bi_kdtree_write_neighbour(at[i], row * k + i, ids, dist2, wide);
        }
    }
};

#endif
