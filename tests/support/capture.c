#include "support/capture.h"

#ifdef CAPTURE_GRAPHS
#include <cuda_runtime_api.h>

#include "core/call.h"

static void check_cuda(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) suite_fail(__FILE__, __LINE__, "%s: CUDA error %d", what, (int)error);
}

bool capture_begin(bosc_ctx *ctx)
{
    if (ctx->backend->id != BOSC_BACKEND_CUDA) return false;
    check_cuda(cudaStreamBeginCapture(ctx->stream, cudaStreamCaptureModeThreadLocal), "begin of a capture");
    return true;
}

void *capture_end(bosc_ctx *ctx)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    check_cuda(cudaStreamEndCapture(ctx->stream, &graph), "end of a capture");
    check_cuda(cudaGraphInstantiate(&exec, graph, 0), "a graph");
    check_cuda(cudaGraphDestroy(graph), "a graph's end");
    return exec;
}

static void launch_graph(bosc_ctx *ctx, void *graph)
{
    check_cuda(cudaGraphLaunch(graph, ctx->stream), "a graph's launch");
}

void capture_close(struct capture *c)
{
    if (c->graph) check_cuda(cudaGraphExecDestroy(c->graph), "a graph's end");
    c->graph = NULL;
}
#else
bool capture_begin(bosc_ctx *ctx) { return ctx == NULL; }
void *capture_end(bosc_ctx *ctx) { return ctx; }
static void launch_graph(bosc_ctx *ctx, void *graph) { CHECK(ctx == graph); }
void capture_close(struct capture *c) { c->graph = NULL; }
#endif

void capture_open(struct capture *c, bosc_ctx *ctx, void (*calls)(bosc_ctx *ctx, void *user), void *user)
{
    *c = (struct capture){ctx, calls, user, NULL};
    calls(ctx, user);
    CHECK_OK(ctx, bosc_ctx_sync(ctx));
    if (!capture_begin(ctx)) return;
    calls(ctx, user);
    c->graph = capture_end(ctx);
}

void capture_replay(const struct capture *c)
{
    if (c->graph)
        launch_graph(c->ctx, c->graph);
    else
        c->calls(c->ctx, c->user);
    CHECK_OK(c->ctx, bosc_ctx_sync(c->ctx));
}
