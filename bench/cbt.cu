/* Concurrent binary trees on a CUDA device, by ranks and by the published layout beside it (a heap of sums, made level
 * by level and descended for every leaf): bench_cbt_cuda [deepest [0]], of depths 10 to 30; 0: without the published
 * layout. Each call is captured into a graph, which is launched many times in a row; times are medians of the runs, for
 * one launch. Trees are full, or filled to about a quarter by random splits. A cycle changes some leaves in a hundred
 * and decodes all: every other one undoes what the one before did, so the graph holds two. Every leaf that is decoded
 * is compared with the one before it, and all with those at the start. Arrays of 32-bit nodes on the device. Source:
 * Dupuy, Concurrent Binary Trees (2020), section 5. */
#include <boscage/boscage.h>
#include <boscage/device/cbt.h>

#include "harness/cuda.cuh"

enum { RUNS = 9, THREADS = 256, ROUNDS = 5 };

static bool wrong;

/* What f queues, as a graph. It runs once before, so that memory is there. */
template <class F> static cudaGraphExec_t capture(const F &f)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    f();
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    f();
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    return exec;
}

/* Microseconds of a launch, of as many in a row as take some milliseconds. */
template <class F> static double median_us(const F &f)
{
    cudaGraphExec_t exec = capture(f);
    cudaEvent_t begin, end;
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    std::vector<double> us;
    int launches = 4;
    for (int i = -2; i < RUNS; i++) {
        float ms;
        CUDA(cudaEventRecord(begin, stream));
        for (int k = 0; k < launches; k++) CUDA(cudaGraphLaunch(exec, stream));
        CUDA(cudaEventRecord(end, stream));
        CUDA(cudaEventSynchronize(end));
        CUDA(cudaEventElapsedTime(&ms, begin, end));
        if (i == -1) launches = std::max(2, std::min(400, 2 * (int)(1.5 * launches / ms)));
        if (i >= 0) us.push_back(1000.0 * ms / launches);
    }
    CUDA(cudaEventDestroy(begin));
    CUDA(cudaEventDestroy(end));
    CUDA(cudaGraphExecDestroy(exec));
    std::sort(us.begin(), us.end());
    return us[RUNS / 2];
}

static __device__ uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

/* A command for parts of a thousand of the leaves. */
static __global__ void draw(uint8_t *commands, int64_t n, uint32_t seed, uint32_t parts, uint8_t command)
{
    const int64_t l = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (l < n) commands[l] = mix((uint32_t)l * 2654435761u + seed) % 1000 < parts ? command : 0;
}

/* What brings the leaves back that there were. */
static __global__ void undo(const uint32_t *was, const uint32_t *is, const int64_t *sources, int64_t n,
                            uint8_t *commands)
{
    const int64_t l = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (l >= n) return;
    const int32_t before = bosc_cbt_level(was[sources[l]]), now = bosc_cbt_level(is[l]);
    commands[l] = now < before ? BOSC_CBT_SPLIT : now > before ? BOSC_CBT_MERGE : BOSC_CBT_KEEP;
}

/* Leaves follow each other from the first place to the last. */
static __global__ void judge(const uint32_t *nodes, int64_t n, int32_t depth, unsigned long long *bad)
{
    const int64_t l = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (l >= n) return;
    const uint64_t end = l == n - 1 ? (uint64_t)1 << depth : bosc_cbt_place(nodes[l + 1], depth);
    const uint64_t begin = bosc_cbt_place(nodes[l], depth);
    if (begin + ((uint64_t)1 << (depth - bosc_cbt_level(nodes[l]))) != end || (l == 0 && begin != 0))
        atomicAdd(bad, 1ull);
}

static unsigned grid(int64_t n) { return (unsigned)((n + THREADS - 1) / THREADS); }

struct subject {
    int32_t depth;
    bosc_cbt *tree;
    int64_t leaves, changed; /* of the tree, and when it is changed */
    device_array<uint32_t> nodes;
    device_array<uint8_t> there, back; /* commands that change it, and undo that */

    subject(int32_t d, bool full, bosc_cbt_layout layout)
        : depth(d), nodes(((int64_t)1 << (full ? d : d - 1)) + 64), there((int64_t)1 << d), back((int64_t)1 << d)
    {
        bosc_cbt_opts o = {};
        o.size = sizeof o;
        o.depth = d;
        o.level = full ? d : d - 4;
        o.layout = layout;
        o.id_bits = 32;
        BOSC(bosc_cbt_create(ctx, &o, &tree));
        for (uint32_t round = 0; round < ROUNDS && !full; round++) {
            count(&leaves);
            draw<<<grid(leaves), THREADS, 0, stream>>>(there.p, leaves, round, 320, BOSC_CBT_SPLIT);
            BOSC(bosc_cbt_update(ctx, tree, there.p, leaves, nullptr, 0));
        }
        count(&leaves);
        plan(full);
    }
    ~subject() { bosc_cbt_free(tree); }

    void count(int64_t *n)
    {
        bosc_cbt_info info = {};
        info.size = sizeof info;
        BOSC(bosc_cbt_get_info(ctx, tree, &info));
        *n = info.leaves;
    }

    void decode(int64_t n) { BOSC(bosc_cbt_decode(ctx, tree, 0, n, nodes.p)); }
    void change() { BOSC(bosc_cbt_update(ctx, tree, there.p, leaves, nullptr, 0)); }
    void restore() { BOSC(bosc_cbt_update(ctx, tree, back.p, changed, nullptr, 0)); }

    void plan(bool full)
    {
        const int64_t room = leaves + leaves / 50 + 64;
        device_array<int64_t> sources(room);
        device_array<uint32_t> before(leaves);
        check();
        CUDA(cudaMemcpyAsync(before.p, nodes.p, (size_t)leaves * 4, cudaMemcpyDeviceToDevice, stream));
        draw<<<grid(leaves), THREADS, 0, stream>>>(there.p, leaves, 99, 10, full ? BOSC_CBT_MERGE : BOSC_CBT_SPLIT);
        BOSC(bosc_cbt_update(ctx, tree, there.p, leaves, sources.p, room));
        count(&changed);
        decode(changed);
        undo<<<grid(changed), THREADS, 0, stream>>>(before.p, nodes.p, sources.p, changed, back.p);
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
        judge<<<grid(leaves), THREADS, 0, stream>>>(nodes.p, leaves, depth, bad.p);
        CUDA(cudaMemcpyAsync(&found, bad.p, sizeof found, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        wrong |= found != 0 || now != leaves;
    }
};

static void report(const char *name, const subject &s, double us)
{
    printf("  %-34s %10.2f us  %8.3f ns a leaf  %s\n", name, us, 1000.0 * us / (double)s.leaves,
           wrong ? "WRONG" : "right");
    fflush(stdout);
}

static void run(int32_t depth, bool full, bosc_cbt_layout layout)
{
    subject s(depth, full, layout);
    printf("depth %d, %lld leaves, %s\n", (int)depth, (long long)s.leaves,
           layout == BOSC_CBT_PUBLISHED ? "published layout" : "ranked");
    report("decode", s, median_us([&] { s.decode(s.leaves); }));
    s.check();
    const double change = median_us([&] { s.change(), s.restore(); }) / 2;
    s.check();
    report("commands, update, reduce", s, change);
    const double cycle = median_us([&] {
                             BOSC(bosc_cbt_cycle(ctx, s.tree, s.there.p, s.leaves, nullptr, s.nodes.p, s.changed));
                             BOSC(bosc_cbt_cycle(ctx, s.tree, s.back.p, s.changed, nullptr, s.nodes.p, s.leaves));
                         }) /
                         2;
    s.check();
    report("cycle: that, and decode", s, cycle);
    CUDA(cudaMemsetAsync(s.there.p, 0, (size_t)s.leaves, stream));
    const double keep = median_us([&] { s.change(); });
    s.check();
    report("commands that change nothing", s, keep);
    const double anew = median_us([&] { BOSC(bosc_cbt_recount(ctx, s.tree)); });
    s.check();
    report("leaves counted anew", s, anew);
    const double node = median_us([&] {
        BOSC(bosc_cbt_split(ctx, s.tree, s.nodes.p, 1));
        BOSC(bosc_cbt_merge(ctx, s.tree, s.nodes.p, 1));
        BOSC(bosc_cbt_reduce(ctx, s.tree));
    });
    report("two nodes recorded, reduce", s, node);
}

int main(int argc, char **argv)
{
    static const int depths[] = {10, 15, 17, 20, 25, 28, 30};
    const int deepest = argc > 1 ? atoi(argv[1]) : 25;
    const bool peer = argc < 3 || atoi(argv[2]) != 0;
    if (deepest < 10 || deepest > 30) {
        fprintf(stderr, "usage: bench_cbt_cuda [deepest, 10 to 30 [0: without the published layout]]\n");
        return 2;
    }
    CUDA(cudaStreamCreate(&stream));
    bosc_ctx_opts o = {};
    o.size = sizeof o;
    o.backend = BOSC_BACKEND_CUDA;
    o.stream = stream;
    BOSC(bosc_ctx_create(&o, &ctx));
    for (int depth : depths) {
        for (int quarter = 0; quarter < 2 && depth <= deepest; quarter++) {
            run(depth, !quarter, BOSC_CBT_RANKED);
            if (peer) run(depth, !quarter, BOSC_CBT_PUBLISHED);
        }
    }
    bosc_ctx_free(ctx);
    CUDA(cudaStreamDestroy(stream));
    return wrong;
}
