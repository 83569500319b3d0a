/* Handles of device memory between processes of one host (CUDA's inter-process communication). A process exports an
 * allocation once, with its first use in a window; the other ranks map it once, and windows then name it by a
 * number. */
#ifndef BI_COMM_IPC_H
#define BI_COMM_IPC_H

#include "comm/comm.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_ipc; /* of one end: exported allocations of this rank, and mapped ones of the others */

/* A position in an exported allocation. */
struct bi_ipc_address {
    int32_t slot; /* number of the allocation among the rank's exported ones */
    int64_t offset;
};

/* Finds out if all ranks are of CUDA devices of one host and can map each other's memory, by trial. All ranks call it
 * and agree. *ipc: set on success; NULL: they cannot. Fails only if a rank was lost. */
bosc_status bi_ipc_connect(bosc_ctx *ctx, bosc_comm *comm, struct bi_ipc **ipc);

/* Finds the address of `items`, in memory of the context's device, and exports its allocation if that is new. False: it
 * cannot be exported, for example memory of a pool. *has_new: set to true if an export waits for bi_ipc_announce. */
bool bi_ipc_export(bosc_ctx *ctx, struct bi_ipc *ipc, const void *items, struct bi_ipc_address *address, bool *has_new);

/* Sends new exports to the other ranks. All ranks call it if one has such. */
bosc_status bi_ipc_announce(bosc_ctx *ctx, bosc_comm *comm, struct bi_ipc *ipc);

/* Returns the address of another rank in this process, and maps its allocation first if needed. NULL: the device
 * refuses. */
char *bi_ipc_import(bosc_ctx *ctx, struct bi_ipc *ipc, int32_t rank, struct bi_ipc_address address);

/* The exchange of bi_transport.all_to_all, of device memory: each rank copies its blocks from the mapped arrays of the
 * others. Every rank calls it. *is_done: false if an array cannot be exported, on all ranks. */
bosc_status bi_ipc_all_to_all(bosc_ctx *ctx, bosc_comm *comm, const void *sent, const int64_t *sent_offsets,
                              void *received, const int64_t *received_offsets, bool *is_done);

/* NULL is allowed. */
void bi_ipc_free(struct bi_ipc *ipc);

#ifdef __cplusplus
}
#endif
#endif
