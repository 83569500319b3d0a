/* NCCL is opened at run time, so that the library needs it no more than a program that never asks for it. */
#include <dlfcn.h>
#include <string.h>

#include "comm/nccl.h"

static bosc_status find(bosc_ctx *ctx, void *library, const char *file, const char *name, void *function)
{
    void *found = dlsym(library, name);
    if (!found) return bi_fail(ctx, BOSC_ERR_BACKEND, "library: %s has no %s", file, name);
    memcpy(function, &found, sizeof found);
    return BOSC_OK;
}

static bosc_status find_all(bosc_ctx *ctx, void *library, const char *file, struct bi_nccl *nccl)
{
    int version = 0;
#define BI_NCCL_FIND(name, result_t, arguments) BI_TRY(find(ctx, library, file, "nccl" #name, &nccl->name));
    BI_NCCL_FUNCTIONS(BI_NCCL_FIND)
#undef BI_NCCL_FIND
    if (nccl->GetVersion(&version) == BI_NCCL_SUCCESS && version >= BI_NCCL_LEAST_VERSION) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_BACKEND, "library: %s is version %d of NCCL, older than %d", file, version,
                   (int)BI_NCCL_LEAST_VERSION);
}

bosc_status bi_nccl_open(bosc_ctx *ctx, const char *given, struct bi_nccl *nccl)
{
    const char *file = given ? given : "libnccl.so.2";
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) return bi_fail(ctx, BOSC_ERR_BACKEND, "library: NCCL cannot be opened: %s", dlerror());
    const bosc_status status = find_all(ctx, library, file, nccl);
    if (status != BOSC_OK) (void)dlclose(library); /* else it stays open: it may have threads of its own */
    return status;
}
