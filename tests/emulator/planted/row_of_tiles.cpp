/* The prefix of a tile, at sizes whose tree of tiles has several heights: blocks of one warp take groups of tiles with
 * given totals, and every tile must get the scan of the tiles before it, bit for bit. Totals of 4 bytes have one word,
 * those of 8 bytes two. Argument: number of tiles. */
#include <cstdio>
#include <vector>

#include "core/cuda/ops.cuh"
#include "core/cuda/prefix.cuh"

enum { GROUP = 4 };

template <class T>
static __global__ void prefixes(const T *totals, int64_t tiles, T *out, unsigned long long *ticket,
                                bi_tile_totals<T> nodes)
{
    int lane = (int)threadIdx.x;
    long long group = 0;
    if (lane == 0) group = (long long)atomicAdd(ticket, 1ull);
    group = __shfl_sync(~0u, group, 0);
    int64_t tile = group * GROUP;
    int first = (int)(tile % 32), count = (int)min((int64_t)GROUP, tiles - tile);
    bool is_own = lane >= first && lane < first + count;
    bi_own_tiles<T> own = {first, count, {is_own ? totals[tile + lane - first] : (T)0, false}};
    if (is_own) bi_publish_total(nodes, tile + lane - first, own.total);
    BI_SHARED(bi_path_totals<T>, path);
    bi_publish_rows<bi_sum_of_floats<T>, false>(nodes, tiles, tile + count - 1, own, &path);
    bi_await_path(nodes, tiles, tile + count - 1, 0, 1, &path);
    __syncwarp();
    bi_item<T> row = bi_scan_row_of_tiles<bi_sum_of_floats<T>, false>(&path, tiles, tile + count - 1);
    if (is_own) out[tile + lane - first] = row.value;
}

template <class T, class SCAN> static bool is_right(int64_t tiles, T (*push)(SCAN *, T, bool))
{
    int64_t count = bi_tile_total_count(tiles);
    std::vector<T> totals((size_t)tiles), out((size_t)tiles);
    std::vector<unsigned long long> words((size_t)count * bi_words_of_total<T>);
    unsigned long long ticket = 0;
    for (int64_t t = 0; t < tiles; t++) totals[(size_t)t] = (T)1 / (T)(1 + t * 2654435761u % 1000);
    bi_tile_totals<T> nodes = {words.data()};
    BI_LAUNCH(prefixes<T>, dim3((unsigned)((tiles + GROUP - 1) / GROUP)), dim3(32), 0, nullptr, totals.data(), tiles,
              out.data(), &ticket, nodes);
    (void)cudaDeviceSynchronize();
    static SCAN plain;
    for (int64_t t = 0; t < tiles; t++) {
        T want = push(&plain, totals[(size_t)t], false);
        if (want == out[(size_t)t]) continue;
        printf("tile %lld of %lld: %a, not %a\n", (long long)t, (long long)tiles, (double)out[(size_t)t], (double)want);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    int64_t tiles = argc > 1 ? atoll(argv[1]) : 40000;
    return !is_right(tiles, bi_scan_push_f32) || !is_right(tiles, bi_scan_push_f64);
}
