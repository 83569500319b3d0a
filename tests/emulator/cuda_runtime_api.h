/* Graphs recorded from a stream, for programs in C too. */
#ifndef EMULATOR_CUDA_RUNTIME_API_H
#define EMULATOR_CUDA_RUNTIME_API_H

#ifdef __cplusplus
#include "cuda_runtime.h"
extern "C" {
#else
typedef enum cudaError_t { cudaSuccess = 0 } cudaError_t;
typedef struct emulated_stream *cudaStream_t;
#endif

typedef enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal = 1 } cudaStreamCaptureMode;
typedef struct emulated_graph *cudaGraph_t;
typedef struct emulated_executable *cudaGraphExec_t;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);

#ifdef __cplusplus
}
#endif

#endif
