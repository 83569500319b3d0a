/* The functions of NCCL, opened at run time. */
#ifndef BI_COMM_NCCL_H
#define BI_COMM_NCCL_H

#include <boscage/nccl.h>

#include "comm/comm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The used part of NCCL's interface (nccl.h), which all versions from 2.14 on have. */
typedef struct ncclComm *bi_nccl_comm;

enum bi_nccl_result { BI_NCCL_SUCCESS = 0, BI_NCCL_IN_PROGRESS = 7 };
enum { BI_NCCL_INT8 = 0, BI_NCCL_MIN_VERSION = 21400 };
#define BI_NCCL_MAGIC 0xcafebeefu

/* ncclConfig_t of version 2.14; later versions read only its first `size` bytes. */
struct bi_nccl_config {
    size_t size;
    unsigned magic, version;
    int blocking;
};

/* An open library: BI_NCCL_FUNCTION(name without nccl, result, arguments). */
#define BI_NCCL_FUNCTIONS(BI_NCCL_FUNCTION)                                                                            \
    BI_NCCL_FUNCTION(GetVersion, int, (int *version))                                                                  \
    BI_NCCL_FUNCTION(GetErrorString, const char *, (int result))                                                       \
    BI_NCCL_FUNCTION(GetUniqueId, int, (bosc_nccl_id * id))                                                            \
    BI_NCCL_FUNCTION(CommInitRankConfig, int,                                                                          \
                     (bi_nccl_comm * comm, int ranks, bosc_nccl_id id, int rank, struct bi_nccl_config *config))       \
    BI_NCCL_FUNCTION(CommFinalize, int, (bi_nccl_comm comm))                                                           \
    BI_NCCL_FUNCTION(CommDestroy, int, (bi_nccl_comm comm))                                                            \
    BI_NCCL_FUNCTION(CommAbort, int, (bi_nccl_comm comm))                                                              \
    BI_NCCL_FUNCTION(CommGetAsyncError, int, (bi_nccl_comm comm, int *result))                                         \
    BI_NCCL_FUNCTION(CommCount, int, (bi_nccl_comm comm, int *count))                                                  \
    BI_NCCL_FUNCTION(CommUserRank, int, (bi_nccl_comm comm, int *rank))                                                \
    BI_NCCL_FUNCTION(CommCuDevice, int, (bi_nccl_comm comm, int *device))                                              \
    BI_NCCL_FUNCTION(GroupStart, int, (void))                                                                          \
    BI_NCCL_FUNCTION(GroupEnd, int, (void))                                                                            \
    BI_NCCL_FUNCTION(Send, int, (const void *sent, size_t count, int type, int peer, bi_nccl_comm comm, void *stream)) \
    BI_NCCL_FUNCTION(Recv, int, (void *received, size_t count, int type, int peer, bi_nccl_comm comm, void *stream))   \
    BI_NCCL_FUNCTION(AllGather, int,                                                                                   \
                     (const void *sent, void *received, size_t count, int type, bi_nccl_comm comm, void *stream))

struct bi_nccl {
#define BI_NCCL_MEMBER(name, result_t, arguments) result_t(*name) arguments;
    BI_NCCL_FUNCTIONS(BI_NCCL_MEMBER)
#undef BI_NCCL_MEMBER
};

/* Opens the library. BOSC_ERR_BACKEND, with the reason in the message, if it cannot be used. */
bosc_status bi_nccl_open(bosc_ctx *ctx, const char *library, struct bi_nccl *nccl);

#ifdef __cplusplus
}
#endif
#endif
