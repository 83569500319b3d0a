/* Tensor cores: products of halves (binary16), which are exact, added to floats. Only code for compute capability 8.0
 * or higher has them in this form: bi_has_tensor_cores. */
#ifndef BI_CORE_CUDA_TENSOR_CUH
#define BI_CORE_CUDA_TENSOR_CUH

#include "core/cuda/launch.cuh"

/* The layout of 16 rows of 16 halves over a warp: lane l has 8 of them. Word 0 has columns 2 (l % 4) and the next one
 * of row l / 4, word 1 the same columns of row l / 4 + 8; words 2 and 3 have the columns 8 to the right. A word has its
 * first column in its lower half. It is the layout of the left operand of mma.m16n8k16 in PTX; words 0 and 2 are its
 * right operand for rows 0 to 7, words 1 and 3 for rows 8 to 15. */

/* Bound of the error of sums, in units of 2^-23 times the sum of the magnitudes of all terms: for each step of 16
 * columns twice as many terms as it has, and 16. Tensor cores align the terms of a step, in parts of 4 to 16, to the
 * largest one, and truncate them and the sum to 24 bits or more; they add in any order. So a term and a sum lose less
 * than 2^-23 of the sum of magnitudes each. Sources: Fasi, Higham, Mikaitis, Pranesh, Numerical behavior of NVIDIA
 * tensor cores (PeerJ Computer Science 7, 2021); Khattak, Mikaitis, Accurate Models of NVIDIA Tensor Cores
 * (arXiv:2512.07004, 2025), for compute capability 9 and 10. */
static inline float bi_tensor_error(int steps) { return (float)(32 * steps + 16) * 0x1p-23f; }

#ifdef BI_EMULATE
template <class KERNEL> static bool bi_has_tensor_cores(KERNEL) { return true; }

/* Returns the bits of the half nearest to x, which is at most 65504. */
static inline uint32_t bi_half_bits(float x)
{
    const uint32_t sign = __float_as_uint(x) >> 16 & 0x8000;
    const float magnitude = fabsf(x);
    if (magnitude < 0x1p-14f) return sign | (uint32_t)lrintf(magnitude * 0x1p24f);
    const uint32_t bits = __float_as_uint(magnitude), odd = bits >> 13 & 1;
    return sign | (((bits + 0xfff + odd) >> 13) - (112u << 10));
}
static inline float bi_half_value(uint32_t half)
{
    const float magnitude =
        half >> 10 & 31 ? __uint_as_float(((half & 0x7fff) + (112u << 10)) << 13) : (float)(half & 0x3ff) * 0x1p-24f;
    return half & 0x8000 ? -magnitude : magnitude;
}

/* Truncates x to a multiple of `unit`, a power of two. */
static inline double bi_truncate_to(double x, double unit) { return trunc(x / unit) * unit; }

/* sum[2 i + j] = from[2 i + j] + row l / 4 + 8 i of a times row 2 (l % 4) + j of b, of 8 rows. As inexact as sources
 * describe: terms and sums are truncated to 24 bits. */
static inline void bi_add_products(float sum[4], const float from[4], const uint4 &a, uint32_t b_left, uint32_t b_right)
{
    const unsigned row = threadIdx.x % 32 / 4, column = threadIdx.x % 4;
    uint64_t left[2][4], right[2][4];
    for (int part = 0; part < 4; part++) {
        left[0][part] = __shfl_sync(~0u, (uint64_t)a.z << 32 | a.x, (int)row * 4 + part);
        left[1][part] = __shfl_sync(~0u, (uint64_t)a.w << 32 | a.y, (int)row * 4 + part);
        for (int j = 0; j < 2; j++)
            right[j][part] = __shfl_sync(~0u, (uint64_t)b_right << 32 | b_left, (int)(2 * column) * 4 + 4 * j + part);
    }
    for (int e = 0; e < 4; e++) {
        double terms[17] = {from[e]}, largest = fabs(terms[0]), total = 0;
        for (int k = 0; k < 16; k++) {
            terms[k + 1] = (double)bi_half_value((uint32_t)(left[e / 2][k / 4] >> 16 * (k % 4)) & 0xffff) *
                           (double)bi_half_value((uint32_t)(right[e % 2][k / 4] >> 16 * (k % 4)) & 0xffff);
            largest = fmax(largest, fabs(terms[k + 1]));
        }
        sum[e] = from[e];
        if (largest == 0 || largest == (double)INFINITY) continue; /* -infinity stays */
        for (const double term : terms) total += bi_truncate_to(term, ldexp(1, ilogb(largest) - 23));
        sum[e] = total == 0 ? 0 : (float)bi_truncate_to(total, ldexp(1, ilogb(total) - 23));
    }
}
#else
/* True if the code that the current device runs for this kernel uses tensor cores. A newer device also runs code for
 * compute capability 7.5, in which bi_add_products is empty. */
template <class KERNEL> static bool bi_has_tensor_cores(KERNEL kernel)
{
    cudaFuncAttributes code;
    if (cudaFuncGetAttributes(&code, kernel) == cudaSuccess) return code.ptxVersion >= 80 && code.binaryVersion >= 80;
    (void)cudaGetLastError(); /* the device has no such code, which is no failure */
    return false;
}

static __device__ __forceinline__ uint32_t bi_half_bits(float x)
{
    uint16_t half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(x));
    return half;
}
static __device__ __forceinline__ float bi_half_value(uint32_t half)
{
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"((uint16_t)half));
    return x;
}
static __device__ __forceinline__ void bi_add_products(float sum[4], const float from[4], const uint4 &a,
                                                       uint32_t b_left, uint32_t b_right)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%10, %11, %12, %13};"
                 : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
                 : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b_left), "r"(b_right), "f"(from[0]), "f"(from[1]),
                   "f"(from[2]), "f"(from[3]));
#endif
}
#endif

#endif
