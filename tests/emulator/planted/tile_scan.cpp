/* Checks that the emulator finds bugs: a scan with decoupled look-back, compiled once right (PLANT 0) and once with
 * each of three bugs: a barrier removed (1), a bound off by one (2), a release store made plain (3). Sizes are around
 * the edges of a tile; each runs under several schedules. Exit status 1 for a wrong answer. */
#include <cstdio>
#include <vector>

#include "core/cuda/simt.cuh"

enum { TILE = 128 };

struct tile {
    unsigned state; /* 0: nothing known, 1: the sum of the tile, 2: of all up to its end */
    unsigned sum, total;
};

struct scan_shared {
    unsigned tile, before, warp_sum[TILE / 32];
};

static __device__ void publish(unsigned *state, unsigned v)
{
#if PLANT == 3
    *state = v;
    __nanosleep(1);
#else
    bi_store_release(state, v);
#endif
}

static __device__ unsigned look_back(const struct tile *tiles, unsigned of)
{
    unsigned sum = 0;
    for (unsigned p = of; p > 0;) {
        unsigned state = bi_load_acquire(&tiles[p - 1].state);
        if (state == 2) return sum + tiles[p - 1].total;
        if (state == 1) sum += tiles[--p].sum;
    }
    return sum;
}

static __global__ void scan(const unsigned *in, unsigned n, unsigned *out, struct tile *tiles, unsigned *ticket)
{
    BI_SHARED(scan_shared, sh);
    if (threadIdx.x == 0) sh.tile = atomicAdd(ticket, 1u);
    __syncthreads();
    unsigned own_tile = sh.tile, i = own_tile * TILE + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#if PLANT == 2
    bool within = i <= n;
#else
    bool within = i < n;
#endif
    /* 1. Scan each warp; its last lane publishes the sum of the warp. */
    unsigned v = within ? in[i] : 0;
    for (unsigned d = 1; d < 32; d *= 2) {
        unsigned left = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += left;
    }
    if (lane == 31) sh.warp_sum[warp] = v;
#if PLANT != 1
    __syncthreads();
#endif
    /* 2. Add the sums of the warps before; without the barrier (PLANT 1) they may not be written yet. */
    for (unsigned w = 0; w < warp; w++) v += sh.warp_sum[w];
    /* 3. The last thread publishes the total of the tile, looks back, and publishes the prefix. */
    if (threadIdx.x == TILE - 1) {
        tiles[own_tile].sum = v;
        publish(&tiles[own_tile].state, 1);
        sh.before = look_back(tiles, own_tile);
        tiles[own_tile].total = sh.before + v;
        publish(&tiles[own_tile].state, 2);
    }
    __syncthreads();
    if (within) out[i] = sh.before + v;
}

static bool right(unsigned n, uint64_t seed)
{
    unsigned tiles = (n + TILE - 1) / TILE, sum = 0;
    std::vector<unsigned> in(n), out(n, 0xdeadu);
    std::vector<tile> state(tiles, tile());
    unsigned ticket = 0;
    for (unsigned i = 0; i < n; i++) in[i] = (i * 2654435761u) >> 28;
    bi_emulator_seed(seed);
    BI_LAUNCH(scan, dim3(tiles), dim3(TILE), 0, nullptr, in.data(), n, out.data(), state.data(), &ticket);
    (void)cudaDeviceSynchronize();
    for (unsigned i = 0; i < n; i++) {
        sum += in[i];
        if (out[i] != sum) return false;
    }
    return true;
}

int main()
{
    static const unsigned sizes[] = {1, 31, 32, 33, TILE - 1, TILE, TILE + 1, 1000, 16 * TILE + 1};
    int wrong = 0, runs = 0;
    for (unsigned n : sizes)
        for (uint64_t seed = 1; seed <= SCHEDULES; seed++, runs++) wrong += !right(n, seed);
    if (wrong) printf("wrong answer in %d of %d runs\n", wrong, runs);
    return wrong > 0;
}
