/* Memory of emulated devices that several processes map: calls of CUDA, and of the emulator. Processes call
 * emulated_share_memory() before they allocate; AddressSanitizer then does not watch the ends of device memory. */
#ifndef EMULATOR_PROCESSES_HPP
#define EMULATOR_PROCESSES_HPP

#include "cuda_runtime.h"

struct cudaIpcMemHandle_t {
    char reserved[64];
};
enum { cudaIpcMemLazyEnablePeerAccess = 1 };

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *memory);
cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle, unsigned flags);
cudaError_t cudaIpcCloseMemHandle(void *memory);

extern "C" void emulated_share_memory();

/* As the driver's query: the allocation that has p, and its number. False: other processes cannot map it. */
bool emulated_find_allocation(const void *p, void **begin, uint64_t *id);

#endif
