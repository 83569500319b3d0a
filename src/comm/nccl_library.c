/* Opens NCCL at run time, so that programs without it need not have it installed. */
#include <dlfcn.h>
#include <string.h>

#include "comm/nccl_library.h"

static bosc_status load_function(bosc_ctx *ctx, void *library, const char *file, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    if (!symbol) return bi_fail(ctx, BOSC_ERR_BACKEND, "library: %s has no %s", file, name);
    memcpy(function, &symbol, sizeof symbol);
    return BOSC_OK;
}

static bosc_status load_functions(bosc_ctx *ctx, void *library, const char *file, struct bi_nccl *nccl)
{
    int version = 0;
#define BI_NCCL_LOAD(name, result_t, arguments) BI_TRY(load_function(ctx, library, file, "nccl" #name, &nccl->name));
    BI_NCCL_FUNCTIONS(BI_NCCL_LOAD)
#undef BI_NCCL_LOAD
    if (nccl->GetVersion(&version) == BI_NCCL_SUCCESS && version >= BI_NCCL_MIN_VERSION) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_BACKEND, "library: %s is version %d of NCCL, older than %d", file, version,
                   (int)BI_NCCL_MIN_VERSION);
}

bosc_status bi_nccl_open(bosc_ctx *ctx, const char *given, struct bi_nccl *nccl)
{
    const char *file = given ? given : "libnccl.so.2";
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) return bi_fail(ctx, BOSC_ERR_BACKEND, "library: NCCL cannot be opened: %s", dlerror());
    const bosc_status status = load_functions(ctx, library, file, nccl);
    if (status != BOSC_OK) (void)dlclose(library); /* on success it stays open: it may run threads of its own */
    return status;
}
