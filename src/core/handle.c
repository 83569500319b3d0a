/* Public functions of contexts: create, free, wait, describe; memory and copies for callers. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/threads.h"
#include "core/call.h"
#include "core/check.h"
#include "core/cpu/level.h"

static const char *cuda_reason(void)
{
#ifdef BOSC_HAVE_CUDA
    return bi_cuda_reason();
#else
    return "this build has no CUDA backend";
#endif
}

int32_t bosc_device_count(void)
{
#ifdef BOSC_HAVE_CUDA
    return bi_cuda_device_count();
#else
    return 0;
#endif
}

const char *bosc_backend_reason(bosc_backend backend)
{
    switch (backend) {
    case BOSC_BACKEND_DEFAULT:
    case BOSC_BACKEND_CPU:
    case BOSC_BACKEND_AUTO: return "";
    case BOSC_BACKEND_CUDA: return cuda_reason();
    }
    return "no such backend";
}

bosc_cpu_level bosc_cpu_best_level(void) { return bi_cpu_best_level(); }

/* Returns the table of the requested backend, or NULL. */
static const struct bi_backend *find_backend(bosc_backend id)
{
#ifdef BOSC_HAVE_CUDA
    if (id == BOSC_BACKEND_CUDA || (id == BOSC_BACKEND_AUTO && bi_cuda_device_count() > 0)) return &bi_backend_cuda;
#endif
    return id == BOSC_BACKEND_CUDA ? NULL : &bi_backend_cpu;
}

static bosc_status check_opts(const bosc_ctx_opts *o)
{
    if ((int)o->backend < 0 || o->backend > BOSC_BACKEND_AUTO) return BOSC_ERR_ARG;
    if (o->device < 0 || o->threads < 0 || o->threads > BI_MAX_THREADS || o->reserved) return BOSC_ERR_ARG;
    if (!o->host.alloc != !o->host.release) return BOSC_ERR_ARG;
    if (!o->device_memory.alloc != !o->device_memory.release) return BOSC_ERR_ARG;
    switch (o->cpu_level) {
    case BOSC_CPU_BEST:
    case BOSC_CPU_V1:
    case BOSC_CPU_V3:
    case BOSC_CPU_V4: return BOSC_OK;
    }
    return BOSC_ERR_ARG;
}

/* Returns the requested number of threads, or fewer if the system limits them. */
static int32_t count_threads(const bosc_ctx_opts *o)
{
    int32_t requested = o->threads ? o->threads : bi_threads_default(), found = bi_threads_startable(requested);
    if (found < requested && o->log) {
        char line[96];
        snprintf(line, sizeof line, "threads: %d instead of %d: the system limits them", found, requested);
        o->log(o->log_user, BOSC_LOG_WARNING, line);
    }
    return found;
}

static void init_context(bosc_ctx *ctx, const bosc_ctx_opts *o, const struct bi_backend *backend)
{
    bool cpu = backend == &bi_backend_cpu;
    ctx->backend = backend;
    ctx->host = (struct bi_memory){.backend = &bi_backend_cpu, .device = -1, .hooks = o->host};
    ctx->memory =
        cpu ? ctx->host : (struct bi_memory){.backend = backend, .device = o->device, .hooks = o->device_memory};
    ctx->threads = ctx->max_threads = count_threads(o);
    ctx->thread_items = BI_THREAD_ITEMS;
    ctx->level = o->cpu_level ? o->cpu_level : bi_cpu_best_level();
    ctx->stores_wait = bi_cpu_stores_wait();
    ctx->ops = bi_ops_of(backend->id, ctx->level);
    ctx->log = o->log;
    ctx->log_user = o->log_user;
    ctx->progress.function = o->progress;
    ctx->progress.user = o->progress_user;
    ctx->progress.clock = bi_now;
}

/* True if options of this size would end inside an allocator. */
static bool ends_in_allocator(size_t size)
{
    size_t host = offsetof(bosc_ctx_opts, host), device = offsetof(bosc_ctx_opts, device_memory);
    return (size > host && size < host + sizeof(bosc_allocator)) ||
           (size > device && size < device + sizeof(bosc_allocator));
}

bosc_status bosc_ctx_create(const bosc_ctx_opts *opts, bosc_ctx **ctx)
{
    bosc_ctx_opts o = {0};
    if (!ctx) return BOSC_ERR_ARG;
    BI_SAVE_CALLER(1);
    o.size = sizeof o;
    if (opts) {
        if (!bi_is_struct_size(opts->size, sizeof o) || opts->size > sizeof o) return BOSC_ERR_ARG;
        if (ends_in_allocator(opts->size)) return BOSC_ERR_ARG;
        memcpy(&o, opts, opts->size);
    }
    BI_TRY(check_opts(&o));
    const struct bi_backend *backend = find_backend(o.backend);
    if (!backend || o.cpu_level > bi_cpu_best_level()) return BOSC_ERR_BACKEND;
    struct bi_memory host = {.backend = &bi_backend_cpu, .device = -1, .hooks = o.host};
    bosc_ctx *fresh = bi_memory_alloc(&host, sizeof *fresh);
    if (!fresh) return BOSC_ERR_NOMEM;
    memset(fresh, 0, sizeof *fresh);
    init_context(fresh, &o, backend);
    bosc_status status = backend->open(fresh, &o);
    if (status != BOSC_OK) {
        bi_memory_release(&host, fresh, sizeof *fresh);
        return status;
    }
    *ctx = fresh;
    return BOSC_OK;
}

void bosc_ctx_free(bosc_ctx *ctx)
{
    if (!ctx) return;
    BI_SAVE_CALLER(1);
    (void)ctx->backend->sync(ctx);
    bi_scratch_free(ctx);
    ctx->backend->close(ctx);
    bi_memory_release(&ctx->host, ctx, sizeof *ctx);
}

bosc_status bosc_ctx_sync(bosc_ctx *ctx)
{
    BI_ENTER(ctx);
    return ctx->backend->sync(ctx);
}

bosc_status bosc_ctx_set_stream(bosc_ctx *ctx, void *stream)
{
    BI_ENTER(ctx);
    if (!ctx->backend->use_stream) return BOSC_OK;
    if (ctx->backend->records(ctx)) return bi_fail(ctx, BOSC_ERR_ARG, "stream: the present one records a graph");
    return ctx->backend->use_stream(ctx, stream);
}

bosc_status bosc_ctx_trim(bosc_ctx *ctx)
{
    BI_TRY(bosc_ctx_sync(ctx));
    bi_scratch_free(ctx);
    return BOSC_OK;
}

bosc_status bosc_ctx_get_info(const bosc_ctx *ctx, bosc_ctx_info *info)
{
    if (!ctx || !info || !bi_is_struct_size(info->size, sizeof *info)) return BOSC_ERR_ARG;
    bosc_ctx_info full = {.backend = ctx->backend->id,
                          .cpu_level = ctx->level,
                          .threads = bi_threads_of_call(ctx->max_threads),
                          .device = ctx->memory.device,
                          .scratch_bytes = (int64_t)ctx->arena.held};
#ifdef BOSC_HAVE_CUDA
    if (ctx->backend == &bi_backend_cuda)
        bi_cuda_device_name(ctx->memory.device, full.device_name, sizeof full.device_name);
#endif
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}

bosc_status bosc_ctx_alloc(bosc_ctx *ctx, size_t bytes, void **memory)
{
    BI_ENTER(ctx);
    if (!memory) return bi_fail(ctx, BOSC_ERR_ARG, "memory: NULL");
    void *p = bi_memory_alloc(&ctx->memory, bytes);
    if (!p && bytes)
        return bi_fail(ctx, BOSC_ERR_NOMEM, "out of %s memory: %zu bytes were refused", ctx->backend->name, bytes);
    *memory = p;
    return BOSC_OK;
}

void bosc_ctx_release(bosc_ctx *ctx, void *memory, size_t bytes)
{
    if (ctx) bi_memory_release(&ctx->memory, memory, bytes);
}

bosc_status bosc_ctx_copy(bosc_ctx *ctx, void *to, const void *from, size_t bytes)
{
    BI_ENTER(ctx);
    if (bytes && !to) return bi_fail(ctx, BOSC_ERR_ARG, "to: NULL");
    if (bytes && !from) return bi_fail(ctx, BOSC_ERR_ARG, "from: NULL");
    if (!bytes) return BOSC_OK;
    BI_TRY(ctx->backend->copy(ctx, to, from, bytes));
    if (ctx->backend->reaches(ctx, to) && ctx->backend->reaches(ctx, from)) return BOSC_OK;
    return ctx->backend->sync(ctx);
}
