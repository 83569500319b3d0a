/* Concurrent binary trees on a CUDA device, by ranks and by the published layout beside it (a heap of sums, made level
 * by level and descended for every leaf): bench_cbt_cuda [-d deepest, 10 to 30] [-p 0: without the published layout].
 * Each call is captured into a graph, which is launched many times in a row; times are those of one launch. Trees are
 * full, or filled to about a quarter by random splits. A cycle changes some leaves in a hundred and decodes all; the
 * next one undoes the changes, so the graph holds two. The leaves must follow each other without gaps, and their number
 * must be the one at the start. Arrays of 32-bit nodes on the device. Source: Dupuy, Concurrent Binary
 * Trees (2020), section 5. */
#include <boscage/device/cbt.h>

#include "harness/cuda.cuh"

enum { THREADS = 256, ROUNDS = 5 };

static __device__ uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

/* Gives the command to `parts` in a thousand of the leaves. */
static __global__ void draw_commands(uint8_t *commands, int64_t n, uint32_t seed, uint32_t parts, uint8_t command)
{
    const int64_t l = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (l < n) commands[l] = mix((uint32_t)l * 2654435761u + seed) % 1000 < parts ? command : 0;
}

/* Commands that restore the leaves before an update. */
static __global__ void make_inverse_commands(const uint32_t *was, const uint32_t *is, const int64_t *sources, int64_t n,
                                             uint8_t *commands)
{
    const int64_t l = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (l >= n) return;
    const int32_t before = bosc_cbt_level(was[sources[l]]), now = bosc_cbt_level(is[l]);
    commands[l] = now < before ? BOSC_CBT_SPLIT : now > before ? BOSC_CBT_MERGE : BOSC_CBT_KEEP;
}

/* Counts leaves that do not end where the next one begins, or the last one at the end of the bit field. */
static __global__ void count_bad_leaves(const uint32_t *nodes, int64_t n, int32_t depth, unsigned long long *bad)
{
    const int64_t l = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (l >= n) return;
    const uint64_t end = l == n - 1 ? (uint64_t)1 << depth : bosc_cbt_first_bit(nodes[l + 1], depth);
    const uint64_t begin = bosc_cbt_first_bit(nodes[l], depth);
    if (begin + ((uint64_t)1 << (depth - bosc_cbt_level(nodes[l]))) != end || (l == 0 && begin != 0))
        atomicAdd(bad, 1ull);
}

static unsigned grid(int64_t n) { return (unsigned)((n + THREADS - 1) / THREADS); }

struct subject {
    int32_t depth;
    bosc_cbt *tree;
    int64_t leaves, changed; /* number of leaves before and after the change */
    device_array<uint32_t> nodes;
    device_array<uint8_t> there, back; /* commands that change the tree, and commands that undo it */

    subject(int32_t d, bool full, bosc_cbt_layout layout)
        : depth(d), nodes(((int64_t)1 << (full ? d : d - 1)) + 64), there((int64_t)1 << d), back((int64_t)1 << d)
    {
        bosc_cbt_opts o = {};
        o.size = sizeof o;
        o.depth = d;
        o.level = full ? d : d - 4;
        o.layout = layout;
        o.id_bits = 32;
        BENCH(bosc_cbt_create(bench.ctx, &o, &tree));
        for (uint32_t round = 0; round < ROUNDS && !full; round++) {
            count(&leaves);
            draw_commands<<<grid(leaves), THREADS, 0, stream>>>(there.p, leaves, round, 320, BOSC_CBT_SPLIT);
            BENCH(bosc_cbt_update(bench.ctx, tree, there.p, leaves, nullptr, 0));
        }
        count(&leaves);
        plan(full);
    }
    ~subject() { bosc_cbt_free(tree); }

    void count(int64_t *n)
    {
        bosc_cbt_info info = {};
        info.size = sizeof info;
        BENCH(bosc_cbt_get_info(bench.ctx, tree, &info));
        *n = info.leaves;
    }

    void decode(int64_t n) { BENCH(bosc_cbt_decode(bench.ctx, tree, 0, n, nodes.p)); }
    void change() { BENCH(bosc_cbt_update(bench.ctx, tree, there.p, leaves, nullptr, 0)); }
    void restore() { BENCH(bosc_cbt_update(bench.ctx, tree, back.p, changed, nullptr, 0)); }

    void plan(bool full)
    {
        const int64_t room = leaves + leaves / 50 + 64;
        device_array<int64_t> sources(room);
        device_array<uint32_t> before(leaves);
        check();
        CUDA(cudaMemcpyAsync(before.p, nodes.p, (size_t)leaves * 4, cudaMemcpyDeviceToDevice, stream));
        draw_commands<<<grid(leaves), THREADS, 0, stream>>>(there.p, leaves, 99, 10,
                                                            full ? BOSC_CBT_MERGE : BOSC_CBT_SPLIT);
        BENCH(bosc_cbt_update(bench.ctx, tree, there.p, leaves, sources.p, room));
        count(&changed);
        decode(changed);
        make_inverse_commands<<<grid(changed), THREADS, 0, stream>>>(before.p, nodes.p, sources.p, changed, back.p);
        restore();
        check();
    }

    void check()
    {
        unsigned long long found = 0;
        int64_t now;
        device_array<unsigned long long> bad(1);
        count(&now);
        CUDA(cudaMemsetAsync(bad.p, 0, sizeof found, stream));
        CUDA(cudaMemsetAsync(nodes.p, 0x55, (size_t)leaves * 4, stream));
        decode(leaves);
        count_bad_leaves<<<grid(leaves), THREADS, 0, stream>>>(nodes.p, leaves, depth, bad.p);
        CUDA(cudaMemcpyAsync(&found, bad.p, sizeof found, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        bench_check(found == 0 && now == leaves, "leaves of depth %d", (int)depth);
    }
};

static bench_times half(bench_times t) { return {t.least / 2, t.median / 2}; }

static void time_tree(int32_t depth, bool full, bosc_cbt_layout layout)
{
    subject s(depth, full, layout);
    const char *data =
        bench_text("%d%s%s", (int)depth, full ? "" : "/4", layout == BOSC_CBT_PUBLISHED ? ", publ." : "");
    const auto row = [&](const char *name, bench_times times) {
        s.check();
        device_row(name, data, s.leaves, times, NULL);
    };
    row("decode", graph_time([&] { s.decode(s.leaves); }));
    row("commands, update, reduce", half(graph_time([&] { s.change(), s.restore(); })));
    row("cycle: that, and decode", half(graph_time([&] {
            BENCH(bosc_cbt_update_and_decode(bench.ctx, s.tree, s.there.p, s.leaves, nullptr, s.nodes.p, s.changed));
            BENCH(bosc_cbt_update_and_decode(bench.ctx, s.tree, s.back.p, s.changed, nullptr, s.nodes.p, s.leaves));
        })));
    CUDA(cudaMemsetAsync(s.there.p, 0, (size_t)s.leaves, stream));
    row("commands that change nothing", graph_time([&] { s.change(); }));
    row("leaves counted anew", graph_time([&] { BENCH(bosc_cbt_recount(bench.ctx, s.tree)); }));
    const bench_times node = graph_time([&] {
        BENCH(bosc_cbt_split(bench.ctx, s.tree, s.nodes.p, 1));
        BENCH(bosc_cbt_merge(bench.ctx, s.tree, s.nodes.p, 1));
        BENCH(bosc_cbt_reduce(bench.ctx, s.tree));
    });
    device_row("two nodes recorded, reduce", data, s.leaves, node, NULL);
}

int main(int argc, char **argv)
{
    static const int depths[] = {10, 15, 17, 20, 25, 28, 30};
    int64_t deepest = 25, peer = 1;
    const bench_option own[] = {{'d', BENCH_INTEGER, &deepest, "deepest trees, 10 to 30"},
                                {'p', BENCH_INTEGER, &peer, "0: without the published layout"}};
    bench.repeats = 9;
    bench_options(argc, argv, "(not used)", own, 2);
    if (deepest < 10 || deepest > 30) bench_fail("-d: %lld is not from 10 to 30", (long long)deepest);
    open_device();
    for (int depth : depths) {
        for (int quarter = 0; quarter < 2 && depth <= deepest; quarter++) {
            time_tree(depth, !quarter, BOSC_CBT_RANKED);
            if (peer) time_tree(depth, !quarter, BOSC_CBT_PUBLISHED);
        }
    }
    return close_device();
}
