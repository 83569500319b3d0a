/* What came before a tile, at sizes whose tree of tiles is of several heights: blocks of one warp take groups of tiles
 * whose totals are given, and every tile must get the scan of those before it, in bits. Argument: number of tiles. */
#include <cstdio>
#include <vector>

#include "core/cuda/ops.cuh"
#include "core/cuda/prefix.cuh"

enum { GROUP = 4 };

static __global__ void prefixes(const float *totals, int64_t tiles, float *out, unsigned long long *ticket,
                                bi_nodes<float> nodes)
{
    int lane = (int)threadIdx.x;
    long long group = 0;
    if (lane == 0) group = (long long)atomicAdd(ticket, 1ull);
    group = __shfl_sync(~0u, group, 0);
    int64_t tile = group * GROUP;
    int first = (int)(tile % 32), count = (int)min((int64_t)GROUP, tiles - tile);
    bool mine = lane >= first && lane < first + count;
    bi_own_tiles<float> own = {first, count, {mine ? totals[tile + lane - first] : 0.0f, false}};
    if (mine) bi_publish(nodes, tile + lane - first, own.total);
    bi_item<float> row = bi_row_of_tiles<bi_sum_of_floats<float>, false>(nodes, tiles, tile + count - 1, own);
    if (mine) out[tile + lane - first] = row.value;
}

int main(int argc, char **argv)
{
    int64_t tiles = argc > 1 ? atoll(argv[1]) : 40000, count = bi_node_count(tiles);
    std::vector<float> totals((size_t)tiles), out((size_t)tiles);
    std::vector<unsigned long long> words((size_t)count + 1);
    for (int64_t t = 0; t < tiles; t++) totals[(size_t)t] = 1.0f / (float)(1 + t * 2654435761u % 1000);
    bi_nodes<float> nodes = {words.data() + 1, nullptr};
    BI_LAUNCH(prefixes, dim3((unsigned)((tiles + GROUP - 1) / GROUP)), dim3(32), 0, nullptr, totals.data(), tiles,
              out.data(), words.data(), nodes);
    (void)cudaDeviceSynchronize();
    static struct bi_scan_f32 plain;
    for (int64_t t = 0; t < tiles; t++) {
        float want = bi_scan_push_f32(&plain, totals[(size_t)t], false);
        if (want == out[(size_t)t]) continue;
        printf("tile %lld of %lld: %a, not %a\n", (long long)t, (long long)tiles, out[(size_t)t], want);
        return 1;
    }
    return 0;
}
