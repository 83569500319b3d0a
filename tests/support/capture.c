#include "support/capture.h"

#ifdef CAPTURE_GRAPHS
#include <cuda_runtime_api.h>

#include "core/context.h"

static bool on_device(bosc_ctx *ctx) { return ctx->backend->id == BOSC_BACKEND_CUDA; }

static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) suite_fail(__FILE__, __LINE__, "%s: %s", what, cudaGetErrorString(error));
}

static void record(struct capture *c)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStream_t stream = c->ctx->stream;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin of a capture");
    c->calls(c->ctx, c->user);
    check(cudaStreamEndCapture(stream, &graph), "end of a capture");
    check(cudaGraphInstantiate(&exec, graph, 0), "a graph");
    check(cudaGraphDestroy(graph), "a graph's end");
    c->graph = exec;
}
#endif

void capture_open(struct capture *c, bosc_ctx *ctx, void (*calls)(bosc_ctx *ctx, void *user), void *user)
{
    *c = (struct capture){ctx, calls, user, NULL};
    calls(ctx, user);
    CHECK_OK(ctx, bosc_sync(ctx));
#ifdef CAPTURE_GRAPHS
    if (on_device(ctx)) record(c);
#endif
}

void capture_replay(const struct capture *c)
{
#ifdef CAPTURE_GRAPHS
    if (c->graph)
        check(cudaGraphLaunch(c->graph, c->ctx->stream), "a graph's launch");
    else
        c->calls(c->ctx, c->user);
#else
    c->calls(c->ctx, c->user);
#endif
    CHECK_OK(c->ctx, bosc_sync(c->ctx));
}

void capture_close(struct capture *c)
{
#ifdef CAPTURE_GRAPHS
    if (c->graph) check(cudaGraphExecDestroy(c->graph), "a graph's end");
#endif
    c->graph = NULL;
}
