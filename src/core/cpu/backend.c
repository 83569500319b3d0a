/* The CPU backend: memory from the C library; all operations finish before they return. */
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "base/bits.h"
#include "base/fault.h"
#include "core/call.h"
#include "core/cpu/collectives.h"

static bosc_status cpu_open(bosc_ctx *ctx, const bosc_ctx_opts *opts)
{
    (void)ctx, (void)opts;
    return BOSC_OK;
}

static void cpu_close(bosc_ctx *ctx) { (void)ctx; }

static bosc_status cpu_sync(bosc_ctx *ctx)
{
    return bi_fault(BI_FAULT_STREAM) ? bi_fail(ctx, BOSC_ERR_DEVICE, "waiting: injected fault") : BOSC_OK;
}

/* Large blocks use large pages, which avoid TLB misses of random accesses. 2 MiB: the large page of x86-64. */
enum { LARGE_PAGE = 1 << 21, LARGE_BLOCK = 2 * LARGE_PAGE };

static void *cpu_alloc(int32_t device, size_t bytes)
{
    (void)device;
    if (bytes < LARGE_BLOCK) return aligned_alloc(64, bi_round_up(bytes, 64));
    void *memory = aligned_alloc(LARGE_PAGE, bi_round_up(bytes, LARGE_PAGE));
#ifdef MADV_HUGEPAGE
    if (memory) (void)madvise(memory, bytes, MADV_HUGEPAGE); /* only a hint */
#endif
    return memory;
}

static void cpu_release(int32_t device, void *memory, size_t bytes)
{
    (void)device, (void)bytes;
    free(memory);
}

static bosc_status cpu_copy(bosc_ctx *ctx, void *to, const void *from, size_t bytes)
{
    if (bi_fault(BI_FAULT_COPY)) return bi_fail(ctx, BOSC_ERR_DEVICE, "copy: injected fault");
    if (bytes) memmove(to, from, bytes);
    return BOSC_OK;
}

static bosc_status cpu_fill(bosc_ctx *ctx, void *memory, int byte, size_t bytes)
{
    if (bi_fault(BI_FAULT_COPY)) return bi_fail(ctx, BOSC_ERR_DEVICE, "fill: injected fault");
    if (bytes) memset(memory, byte, bytes);
    return BOSC_OK;
}

static bool cpu_reaches(bosc_ctx *ctx, const void *p)
{
    (void)ctx, (void)p;
    return true;
}

const struct bi_backend bi_backend_cpu = {
    .id = BOSC_BACKEND_CPU,
    .name = "cpu",
    .open = cpu_open,
    .close = cpu_close,
    .sync = cpu_sync,
    .alloc = cpu_alloc,
    .release = cpu_release,
    .copy = cpu_copy,
    .fill = cpu_fill,
    .reaches = cpu_reaches,
    .first_batch =
        BI_THREAD_ITEMS / 2, /* some 20 us of simple items, so that slow ones do not delay the first report */
    .core = &bi_core_cpu,
};
