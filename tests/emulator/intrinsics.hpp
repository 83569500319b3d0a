/* CUDA's built-in functions, over the fibers of simt.hpp. */
#ifndef EMULATOR_INTRINSICS_HPP
#define EMULATOR_INTRINSICS_HPP

/* Barriers. */
static inline void __syncthreads(const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    emulator::barrier(emulator::BARRIER, 0, file, line);
}
static inline int __syncthreads_count(int p, const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    return emulator::barrier(emulator::BARRIER_COUNT, p, file, line);
}
static inline int __syncthreads_or(int p, const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    return emulator::barrier(emulator::BARRIER_OR, p, file, line);
}
static inline int __syncthreads_and(int p, const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    return emulator::barrier(emulator::BARRIER_AND, p, file, line);
}
static inline void __syncwarp(unsigned mask = ~0u) { emulator::collective(emulator::SYNC, mask, 0, 0); }
static inline void __threadfence() { emulator::fence(true); }
static inline void __threadfence_system() { emulator::fence(true); }
static inline void __threadfence_block() { emulator::fence(false); }
static inline void __nanosleep(unsigned) { emulator::yield(); }
static inline void __trap() { abort(); }

/* Shuffles: `width` cuts the warp into sections, as in CUDA. */
template <class T> T __shfl_sync(unsigned mask, T v, int lane, int width = 32)
{
    unsigned me = emulator::self->lane, w = (unsigned)width;
    return emulator::shuffle(mask, v, (me & ~(w - 1)) | ((unsigned)lane & (w - 1)));
}
template <class T> T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32)
{
    unsigned me = emulator::self->lane, within = me & ((unsigned)width - 1);
    return emulator::shuffle(mask, v, within >= delta ? me - delta : me);
}
template <class T> T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32)
{
    unsigned me = emulator::self->lane, within = me & ((unsigned)width - 1);
    return emulator::shuffle(mask, v, within + delta < (unsigned)width ? me + delta : me);
}
template <class T> T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32)
{
    unsigned me = emulator::self->lane, w = (unsigned)width, source = me ^ (unsigned)bits;
    return emulator::shuffle(mask, v, source < (me & ~(w - 1)) + w ? source : me);
}

/* Votes and reductions. */
static inline unsigned __ballot_sync(unsigned mask, int p)
{
    return (unsigned)emulator::collective(emulator::BALLOT, mask, p != 0, 0);
}
static inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
static inline int __all_sync(unsigned mask, int p) { return __ballot_sync(mask, !p) == 0; }
template <class T> unsigned __match_any_sync(unsigned mask, T v)
{
    return (unsigned)emulator::collective(emulator::MATCH, mask, emulator::pack(v), 0);
}
static inline unsigned __reduce_add_sync(unsigned mask, unsigned v)
{
    return (unsigned)emulator::collective(emulator::ADD, mask, v, 0);
}
static inline int __reduce_add_sync(unsigned mask, int v)
{
    return (int)(unsigned)emulator::collective(emulator::ADD, mask, (unsigned)v, 0);
}
static inline unsigned __reduce_min_sync(unsigned mask, unsigned v)
{
    return (unsigned)emulator::collective(emulator::MIN_U, mask, v, 0);
}
static inline unsigned __reduce_max_sync(unsigned mask, unsigned v)
{
    return (unsigned)emulator::collective(emulator::MAX_U, mask, v, 0);
}
static inline int __reduce_min_sync(unsigned mask, int v)
{
    return (int)emulator::collective(emulator::MIN_S, mask, (uint64_t)(int64_t)v, 0);
}
static inline int __reduce_max_sync(unsigned mask, int v)
{
    return (int)emulator::collective(emulator::MAX_S, mask, (uint64_t)(int64_t)v, 0);
}
static inline unsigned __reduce_and_sync(unsigned mask, unsigned v)
{
    return (unsigned)emulator::collective(emulator::AND, mask, v, 0);
}
static inline unsigned __reduce_or_sync(unsigned mask, unsigned v)
{
    return (unsigned)emulator::collective(emulator::OR, mask, v, 0);
}
static inline unsigned __reduce_xor_sync(unsigned mask, unsigned v)
{
    return (unsigned)emulator::collective(emulator::XOR, mask, v, 0);
}

/* Atomics: relaxed, as CUDA's are. */
#define EMULATOR_ATOMIC(name, builtin)                       \
    template <class T> T name(T *p, std::common_type_t<T> v) \
    {                                                        \
        emulator::perhaps_yield();                           \
        T old = builtin(p, v, __ATOMIC_RELAXED);             \
        emulator::perhaps_yield();                           \
        return old;                                          \
    }
EMULATOR_ATOMIC(atomicAdd, __atomic_fetch_add)
EMULATOR_ATOMIC(atomicSub, __atomic_fetch_sub)
EMULATOR_ATOMIC(atomicAnd, __atomic_fetch_and)
EMULATOR_ATOMIC(atomicOr, __atomic_fetch_or)
EMULATOR_ATOMIC(atomicXor, __atomic_fetch_xor)
EMULATOR_ATOMIC(atomicExch, __atomic_exchange_n)
#undef EMULATOR_ATOMIC
template <class T> T atomicCAS(T *p, std::common_type_t<T> expected, std::common_type_t<T> v)
{
    emulator::perhaps_yield();
    T old = expected;
    __atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    emulator::perhaps_yield();
    return old;
}
template <class T> T atomicMin(T *p, std::common_type_t<T> v)
{
    emulator::perhaps_yield();
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (v < old && !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
    return old;
}
template <class T> T atomicMax(T *p, std::common_type_t<T> v)
{
    emulator::perhaps_yield();
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (v > old && !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
    return old;
}

/* Loads and stores between blocks. A load that another thread waits on lets others run. */
template <class T> T bi_load_acquire(const T *p)
{
    emulator::yield();
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
template <class T> T bi_load_relaxed(const T *p)
{
    emulator::yield();
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}
static inline void bi_load_relaxed_pair(const unsigned long long *p, unsigned long long v[2])
{
    v[0] = bi_load_relaxed(p);
    v[1] = bi_load_relaxed(p + 1);
}
template <class T> void bi_store_release(T *p, std::common_type_t<T> v)
{
    emulator::perhaps_yield();
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
    emulator::perhaps_yield();
}
template <class T> void bi_store_relaxed(T *p, std::common_type_t<T> v)
{
    emulator::perhaps_yield();
    __atomic_store_n(p, v, __ATOMIC_RELAXED);
    emulator::perhaps_yield();
}
static inline void bi_notify_host(unsigned long long *p, unsigned long long v) { bi_store_relaxed(p, v); }

template <class T> T bi_load_hint(const T *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
static inline uint4 bi_load_hint_shared(const uint4 *p)
{
    return {bi_load_hint(&p->x), bi_load_hint(&p->y), bi_load_hint(&p->z), bi_load_hint(&p->w)};
}

/* Cache hints. */
template <class T> T __ldg(const T *p) { return *p; }
template <class T> T __ldcs(const T *p) { return *p; }
template <class T> T __ldcg(const T *p) { return *p; }
template <class T> T __ldca(const T *p) { return *p; }
template <class T> void __stcs(T *p, std::common_type_t<T> v) { *p = v; }
template <class T> void __stcg(T *p, std::common_type_t<T> v) { *p = v; }

/* Bits and numbers. */
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __brev(unsigned x)
{
    unsigned r = 0;
    for (int i = 0; i < 32; i++) r |= ((x >> i) & 1u) << (31 - i);
    return r;
}
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((uint64_t)a * b) >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    __extension__ typedef unsigned __int128 wide;
    return (unsigned long long)(((wide)a * b) >> 64);
}
static inline unsigned __float_as_uint(float x) { return emulator::unpack<unsigned>(emulator::pack(x)); }
static inline int __float_as_int(float x) { return emulator::unpack<int>(emulator::pack(x)); }
static inline float __uint_as_float(unsigned x) { return emulator::unpack<float>(emulator::pack(x)); }
static inline float __int_as_float(int x) { return emulator::unpack<float>(emulator::pack(x)); }
static inline long long __double_as_longlong(double x) { return emulator::unpack<long long>(emulator::pack(x)); }
static inline double __longlong_as_double(long long x) { return emulator::unpack<double>(emulator::pack(x)); }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline float __saturatef(float a) { return fminf(fmaxf(a, 0.0f), 1.0f); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __dsqrt_rn(double a) { return sqrt(a); }
template <class T> T min(T a, T b) { return b < a ? b : a; }
template <class T> T max(T a, T b) { return a < b ? b : a; }

#endif
