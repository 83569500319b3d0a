/* CUDA's thread model for a host compiler. Every CUDA thread is a fiber; all run on one OS thread, a few blocks at a
 * time, in an order drawn from a seed. Everything that CUDA leaves open is drawn at random: which blocks start first,
 * who runs
 * after a barrier, where a thread is stopped between atomics. Under ThreadSanitizer fibers are threads, and only what
 * orders memory on the device (barriers, __syncwarp, fences, acquire and release, launches) orders it there;
 * shuffles, votes and plain atomics do not. */
#ifndef EMULATOR_SIMT_HPP
#define EMULATOR_SIMT_HPP

#include <math.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "cuda_runtime.h"
#include "vectors.hpp"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline // as the compiler likes: kernels with all of it inlined take twice as long to compile
#define BI_NOINLINE __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

/* Chooses the order of the launches that follow; otherwise it comes from BI_EMULATOR_SEED, or is 1. */
extern "C" void bi_emulator_seed(uint64_t seed);

namespace emulator
{

struct block;

/* The built-in variables of a CUDA thread. */
struct thread {
    uint3 index;
    unsigned lane;
    struct block *of;
};
struct place {
    dim3 grid, block;
};
extern struct thread *self;
extern struct place launch_place;
const uint3 &block_index();

/* A kernel with its arguments. It is no std::function, whose header compiles slowly in each .cu file. */
struct bound_kernel {
    virtual ~bound_kernel() = default;
    virtual void run() const = 0;
};
template <class F> struct bound_call : bound_kernel {
    const F call;
    explicit bound_call(const F &f) : call(f) {}
    void run() const override { call(); }
};
template <class... P> bound_kernel *bind_kernel(void (*kernel)(P...), P... given)
{
    auto call = [=] { kernel(given...); };
    return new bound_call<decltype(call)>(call);
}

/* Queues a launch, if it is allowed; `kernel` is its address, for attributes. Each thread runs `body`, which the call
 * takes over. */
void launch(const void *kernel, cudaStream_t stream, bound_kernel *body, dim3 grid, dim3 block, size_t shared_bytes);

template <class... P, class... A>
void launch_kernel(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream, A &&...given)
{
    bound_kernel *body = bind_kernel<P...>(kernel, static_cast<P>(given)...);
    launch(reinterpret_cast<const void *>(kernel), stream, body, grid, block, shared_bytes);
}

void *shared(const void *site, size_t bytes);
void *shared_dynamic();

enum barrier_kind { BARRIER, BARRIER_COUNT, BARRIER_OR, BARRIER_AND };
int barrier(enum barrier_kind kind, int predicate, const char *file, int line);

enum collective_kind { SYNC, SHUFFLE, BALLOT, MATCH, ADD, MIN_U, MAX_U, MIN_S, MAX_S, AND, OR, XOR };
/* All lanes of `mask` that have not exited take part; `source` is the lane that SHUFFLE reads. */
uint64_t collective(enum collective_kind kind, unsigned mask, uint64_t value, unsigned source);

void fence(bool whole_device);
void perhaps_yield(); /* a place where another thread may come first */
void yield();

template <class T> uint64_t pack(T v)
{
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable<T>::value, "a shuffle moves at most 8 bytes");
    uint64_t u = 0;
    __builtin_memcpy(&u, &v, sizeof v);
    return u;
}
template <class T> T unpack(uint64_t u)
{
    T v;
    __builtin_memcpy(&v, &u, sizeof v);
    return v;
}
template <class T> T shuffle(unsigned mask, T v, unsigned source)
{
    return unpack<T>(collective(SHUFFLE, mask, pack(v), source));
}

} // namespace emulator

#define threadIdx (::emulator::self->index)
#define blockIdx (::emulator::block_index())
#define blockDim (::emulator::launch_place.block)
#define gridDim (::emulator::launch_place.grid)
static const int warpSize = 32;

#define BI_LAUNCH(kernel, grid, block, shared_bytes, stream, ...) \
    ::emulator::launch_kernel(kernel, grid, block, shared_bytes, (cudaStream_t)(stream), __VA_ARGS__)

/* Blocks that surely run at once. */
unsigned bi_launch_cooperative_limit(int threads, unsigned blocks);
template <class... P, class... A>
cudaError_t bi_launch_cooperative(void (*kernel)(P...), unsigned grid, unsigned block, size_t shared_bytes,
                                  cudaStream_t stream, A &&...given)
{
    if (grid > bi_launch_cooperative_limit((int)block, grid)) return cudaErrorCooperativeLaunchTooLarge;
    emulator::launch_kernel(kernel, grid, block, shared_bytes, stream, given...);
    return cudaSuccess;
}
#define BI_LAUNCH_COOPERATIVE(kernel, grid, block, shared_bytes, stream, ...) \
    bi_launch_cooperative(kernel, grid, block, shared_bytes, (cudaStream_t)(stream), __VA_ARGS__)

/* The address of the static names the place, so that a kernel may have several. */
#define BI_SHARED(type, name)           \
    static const char name##_site_ = 0; \
    type &name = *static_cast<type *>(::emulator::shared(&name##_site_, sizeof(type)))

#define BI_SHARED_DYNAMIC(type, name) type *name = static_cast<type *>(::emulator::shared_dynamic())

#include "intrinsics.hpp"

#endif
