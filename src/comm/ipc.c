/* Exported and mapped allocations of processes of one host. A handle is sent once: a slot stands for it in later
 * messages. CUDA gives a new allocation a new number (its id), also at the address of an old one. */
#include "comm/ipc.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "comm/device.h"

enum {
    SLOTS =
        64, /* exported allocations of a rank: scratch has a few, structures some ten. As many as bits of `dropped` */
    ANNOUNCED = 3,     /* handles in one small exchange */
    BOOT_BYTES = 36,   /* of Linux's boot id, a UUID as text */
    PROBE_BYTES = 4096 /* a page */
};

struct export
{
    struct bi_comm_allocation allocation;
    uint64_t last_use; /* number of the export call; 0: the slot is free */
    bool is_new;       /* not yet announced */
    unsigned char handle[BI_COMM_HANDLE];
};

struct import {
    bool is_announced;
    void *mapped; /* NULL: not yet */
    unsigned char handle[BI_COMM_HANDLE];
};

/* The message of a rank that has new exports, or none. */
struct announcement {
    uint64_t dropped; /* bit s: the allocation of slot s was freed */
    int32_t count, remaining;
    int32_t slots[ANNOUNCED];
    unsigned char handles[ANNOUNCED][BI_COMM_HANDLE];
};
_Static_assert(sizeof(struct announcement) <= BI_COMM_MESSAGE, "announcements are small exchanges");

struct bi_ipc {
    struct bi_memory host;
    const struct bi_comm_device *device_ops;
    int32_t rank_count, own;
    int32_t device; /* which has mapped the imports */
    uint64_t uses, dropped;
    struct announcement *gathered; /* (rank_count) */
    struct export exports[SLOTS];
    struct import imports[]; /* (rank_count, SLOTS) */
};

/* The imports, then the announcements of all ranks. */
static size_t ipc_bytes(int32_t ranks)
{
    return sizeof(struct bi_ipc) + (size_t)ranks * (SLOTS * sizeof(struct import) + sizeof(struct announcement));
}

/* An exchange that bosc_comm_info does not count: each one happens once for some memory. */
static bosc_status gather(bosc_ctx *ctx, bosc_comm *comm, const void *sent, size_t bytes, void *received)
{
    const bosc_status status = comm->transport->all_gather(ctx, comm, sent, bytes, received);
    if (status == BOSC_ERR_COMM) comm->broken = true;
    return status;
}

/* ---- connecting ---- */

/* The process of a rank, and the host it runs on. */
struct process {
    char boot_id[BOOT_BYTES];
    int32_t id; /* 0: no process of a CUDA device, or of an unknown host */
};

static struct process describe_process(const bosc_ctx *ctx)
{
    struct process p = {.id = 0};
    const int file = bi_comm_device_of(ctx) ? open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return p;
    if (read(file, p.boot_id, BOOT_BYTES) == BOOT_BYTES) p.id = (int32_t)getpid();
    (void)close(file);
    return p;
}

/* True if the ranks are different processes of one host. A process cannot map its own handles. */
static bool are_of_one_host(const struct process *all, int32_t ranks)
{
    for (int32_t a = 0; a < ranks; a++) {
        if (all[a].id == 0 || memcmp(all[a].boot_id, all[0].boot_id, BOOT_BYTES) != 0) return false;
        for (int32_t b = 0; b < a; b++)
            if (all[b].id == all[a].id) return false;
    }
    return true;
}

/* The trial's message. */
struct probe {
    int64_t is_ready;
    unsigned char handle[BI_COMM_HANDLE];
};

/* Allocates the memory that the others map on trial, and writes this rank's mark to it. */
static struct probe create_probe(bosc_ctx *ctx, const bosc_comm *comm, void *memory)
{
    const struct bi_comm_device *ops = bi_comm_device_of(ctx);
    struct bi_comm_allocation allocation;
    struct probe p = {.is_ready = 0};
    p.is_ready = memory && ctx->backend->fill(ctx, memory, comm->rank + 1, PROBE_BYTES) == BOSC_OK &&
                 ctx->backend->sync(ctx) == BOSC_OK && ops->find_allocation(ctx, memory, &allocation) &&
                 allocation.begin == memory && ops->export_allocation(&allocation, p.handle);
    return p;
}

/* Maps the memory of another rank, reads its mark, and ends the mapping. */
static bool can_read_probe(bosc_ctx *ctx, const struct probe *p, int32_t rank)
{
    const struct bi_comm_device *ops = bi_comm_device_of(ctx);
    unsigned char mark = 0;
    void *mapped = p->is_ready ? ops->import_allocation(p->handle) : NULL;
    if (!mapped) return false;
    const bool is_read = ctx->backend->copy(ctx, &mark, (char *)mapped + PROBE_BYTES - 1, 1) == BOSC_OK &&
                         ctx->backend->sync(ctx) == BOSC_OK;
    ops->close_import(ctx->memory.device, mapped);
    return is_read && mark == (unsigned char)(rank + 1);
}

/* Each rank maps a small allocation of every other one. *works: for all of them. */
static bosc_status try_mapping(bosc_ctx *ctx, bosc_comm *comm, bool *works)
{
    const struct probe *all = comm->gather;
    void *memory = ctx->backend->alloc(ctx->memory.device, PROBE_BYTES);
    const struct probe own = create_probe(ctx, comm, memory);
    bosc_status status = gather(ctx, comm, &own, sizeof own, comm->gather);
    int64_t result = status == BOSC_OK;
    for (int32_t r = 0; result && r < comm->rank_count; r++)
        result = all[r].is_ready && (r == comm->rank || can_read_probe(ctx, &all[r], r));
    BI_IF_OK(status, gather(ctx, comm, &result, sizeof result, comm->gather)); /* all have unmapped it */
    if (memory) ctx->backend->release(ctx->memory.device, memory, PROBE_BYTES);
    *works = status == BOSC_OK;
    for (int32_t r = 0; *works && r < comm->rank_count; r++) *works = ((const int64_t *)comm->gather)[r];
    return status;
}

bosc_status bi_ipc_connect(bosc_ctx *ctx, bosc_comm *comm, struct bi_ipc **ipc)
{
    bool works = false;
    *ipc = NULL;
    /* 1. Compare the hosts, then try. */
    const struct process own = describe_process(ctx);
    BI_TRY(gather(ctx, comm, &own, sizeof own, comm->gather));
    if (!are_of_one_host(comm->gather, comm->rank_count)) return BOSC_OK;
    BI_TRY(try_mapping(ctx, comm, &works));
    if (!works) return BOSC_OK;
    /* 2. Allocate. If a rank cannot, all exchange copies. */
    const size_t bytes = ipc_bytes(comm->rank_count);
    struct bi_ipc *fresh = bi_memory_alloc(&comm->host, bytes);
    const int64_t is_there = fresh != NULL, *all = comm->gather;
    const bosc_status status = gather(ctx, comm, &is_there, sizeof is_there, comm->gather);
    for (int32_t r = 0; r < comm->rank_count && status == BOSC_OK; r++) works = works && all[r];
    if (status != BOSC_OK || !works || !fresh) {
        bi_memory_release(&comm->host, fresh, bytes);
        return status;
    }
    memset(fresh, 0, bytes);
    fresh->host = comm->host;
    fresh->device_ops = bi_comm_device_of(ctx);
    fresh->rank_count = comm->rank_count;
    fresh->own = comm->rank;
    fresh->device = ctx->memory.device;
    fresh->gathered = (struct announcement *)(fresh->imports + (size_t)comm->rank_count * SLOTS);
    *ipc = fresh;
    return BOSC_OK;
}

/* ---- exports ---- */

/* Frees the slots of allocations that no longer exist. Other ranks map them until they receive the next announcement.
 * CUDA's reference leaves a cudaFree of mapped memory undefined. No agreement can precede a free, which one rank makes
 * alone. */
static void drop_freed(bosc_ctx *ctx, struct bi_ipc *ipc)
{
    for (int32_t s = 0; s < SLOTS; s++) {
        struct export *e = &ipc->exports[s];
        struct bi_comm_allocation now;
        if (e->last_use == 0 ||
            (ipc->device_ops->find_allocation(ctx, e->allocation.begin, &now) && now.id == e->allocation.id))
            continue;
        e->last_use = 0;
        e->is_new = false;
        ipc->dropped |= (uint64_t)1 << s;
    }
}

/* The slot of an allocation, or the one that a new export gets: a free one, or the least recently used. */
static int32_t find_slot(const struct bi_ipc *ipc, const struct bi_comm_allocation *allocation)
{
    int32_t oldest = 0;
    for (int32_t s = 0; s < SLOTS; s++) {
        const struct export *e = &ipc->exports[s];
        if (e->last_use && e->allocation.begin == allocation->begin && e->allocation.id == allocation->id) return s;
        if (e->last_use < ipc->exports[oldest].last_use) oldest = s;
    }
    return oldest;
}

bool bi_ipc_export(bosc_ctx *ctx, struct bi_ipc *ipc, const void *items, struct bi_ipc_address *address, bool *has_new)
{
    struct bi_comm_allocation found;
    if (!ipc->device_ops->find_allocation(ctx, items, &found)) return false;
    int32_t slot = find_slot(ipc, &found);
    const struct export *present = &ipc->exports[slot];
    if (!present->last_use || present->allocation.begin != found.begin || present->allocation.id != found.id) {
        struct export fresh = {.allocation = found, .is_new = true};
        if (!ipc->device_ops->export_allocation(&found, fresh.handle)) return false;
        drop_freed(ctx, ipc);
        slot = find_slot(ipc, &found);
        ipc->exports[slot] = fresh;
    }
    ipc->exports[slot].last_use = ++ipc->uses;
    if (ipc->exports[slot].is_new) *has_new = true;
    *address = (struct bi_ipc_address){slot, (const char *)items - (const char *)found.begin};
    return true;
}

/* The next exports that the other ranks do not know. */
static struct announcement list_new(struct bi_ipc *ipc)
{
    struct announcement a = {.dropped = ipc->dropped};
    ipc->dropped = 0;
    for (int32_t s = 0; s < SLOTS; s++) {
        if (!ipc->exports[s].is_new) continue;
        if (a.count == ANNOUNCED) {
            a.remaining++;
            continue;
        }
        memcpy(a.handles[a.count], ipc->exports[s].handle, BI_COMM_HANDLE);
        a.slots[a.count++] = s;
        ipc->exports[s].is_new = false;
    }
    return a;
}

/* ---- imports ---- */

static void close_import(const struct bi_ipc *ipc, struct import *i)
{
    if (i->mapped) ipc->device_ops->close_import(ipc->device, i->mapped);
    i->mapped = NULL;
}

static void receive_announcement(struct bi_ipc *ipc, int32_t rank, const struct announcement *a)
{
    struct import *imports = ipc->imports + (size_t)rank * SLOTS;
    for (int32_t s = 0; s < SLOTS; s++) {
        if (!(a->dropped >> s & 1)) continue;
        close_import(ipc, &imports[s]);
        imports[s].is_announced = false;
    }
    for (int32_t i = 0; i < a->count; i++) {
        struct import *fresh = &imports[a->slots[i]];
        close_import(ipc, fresh);
        fresh->is_announced = true;
        memcpy(fresh->handle, a->handles[i], BI_COMM_HANDLE);
    }
}

bosc_status bi_ipc_announce(bosc_ctx *ctx, bosc_comm *comm, struct bi_ipc *ipc)
{
    bool has_more;
    do {
        const struct announcement own = list_new(ipc);
        BI_TRY(gather(ctx, comm, &own, sizeof own, ipc->gathered));
        has_more = false;
        for (int32_t r = 0; r < ipc->rank_count; r++) {
            if (r != ipc->own) receive_announcement(ipc, r, &ipc->gathered[r]);
            has_more = has_more || ipc->gathered[r].remaining > 0;
        }
    } while (has_more);
    return BOSC_OK;
}

/* A rank may use contexts of several devices, one after the other: mappings belong to one. */
static void close_imports(struct bi_ipc *ipc)
{
    for (size_t i = 0; i < (size_t)ipc->rank_count * SLOTS; i++) close_import(ipc, &ipc->imports[i]);
}

char *bi_ipc_import(bosc_ctx *ctx, struct bi_ipc *ipc, int32_t rank, struct bi_ipc_address address)
{
    if (address.slot < 0 || address.slot >= SLOTS) return NULL;
    if (ipc->device != ctx->memory.device) {
        close_imports(ipc);
        ctx->backend->enter(ctx); /* closing has made the other device current */
        ipc->device = ctx->memory.device;
    }
    struct import *i = &ipc->imports[(size_t)rank * SLOTS + (size_t)address.slot];
    if (!i->mapped && i->is_announced) i->mapped = ipc->device_ops->import_allocation(i->handle);
    return i->mapped ? (char *)i->mapped + address.offset : NULL;
}

/* ---- exchanges ---- */

/* A rank's array of sent bytes. */
struct sent_array {
    int32_t is_exported, has_new;
    struct bi_ipc_address address;
};

/* Exports the sent array, and shares the addresses of all ranks in comm->gather. *all_exported: every rank has. */
static bosc_status share_sent(bosc_ctx *ctx, bosc_comm *comm, const void *sent, int64_t bytes, bool *all_exported)
{
    const struct sent_array *all = comm->gather;
    struct sent_array own = {.is_exported = bi_comm_device_of(ctx) != NULL, .address = {-1, 0}};
    bool has_new = false;
    if (own.is_exported && bytes) own.is_exported = bi_ipc_export(ctx, comm->ipc, sent, &own.address, &has_new);
    own.has_new = has_new;
    BI_TRY(gather(ctx, comm, &own, sizeof own, comm->gather));
    *all_exported = true;
    for (int32_t r = 0; r < comm->rank_count; r++) {
        has_new = has_new || all[r].has_new;
        *all_exported = *all_exported && all[r].is_exported;
    }
    return has_new ? bi_ipc_announce(ctx, comm, comm->ipc) : BOSC_OK;
}

/* Copies this rank's blocks, its own first. begins: where they lie in the arrays of the others. */
static bosc_status copy_blocks(bosc_ctx *ctx, const bosc_comm *comm, const char *sent, const int64_t *begins,
                               char *received, const int64_t *received_offsets)
{
    const struct sent_array *all = comm->gather;
    for (int32_t i = 0; i < comm->rank_count; i++) {
        const int32_t r = (int32_t)(((int64_t)comm->rank + i) % comm->rank_count);
        const int64_t bytes = received_offsets[r + 1] - received_offsets[r];
        if (bytes == 0) continue;
        const char *from = r == comm->rank ? sent : bi_ipc_import(ctx, comm->ipc, r, all[r].address);
        if (!from) return bi_fail(ctx, BOSC_ERR_DEVICE, "comm: the memory of rank %d cannot be opened", (int)r);
        BI_TRY(ctx->backend->copy(ctx, received + received_offsets[r], from + begins[r], (size_t)bytes));
    }
    return BOSC_OK;
}

bosc_status bi_ipc_all_to_all(bosc_ctx *ctx, bosc_comm *comm, const void *sent, const int64_t *sent_offsets,
                              void *received, const int64_t *received_offsets, bool *is_done)
{
    const int32_t ranks = comm->rank_count;
    int64_t *begins = comm->lists, *offsets = begins + (ranks + 1);
    int32_t code = 0;
    /* 1. Wait for the work that writes the sent bytes, and share their addresses. */
    bosc_status status = ctx->backend->sync(ctx);
    BI_TRY(share_sent(ctx, comm, sent, sent_offsets[ranks], is_done));
    if (!*is_done) return BOSC_OK; /* the caller waits again */
    for (int32_t r = 0; r <= ranks; r++) offsets[r] = r * (int64_t)sizeof *offsets;
    BI_TRY(comm->transport->all_to_all(ctx, comm, true, sent_offsets, offsets, begins, offsets));
    /* 2. Copy, and wait for the copies of all: senders may reuse their memory. */
    BI_IF_OK(status, copy_blocks(ctx, comm, sent, begins, received, received_offsets));
    const bosc_status copied = ctx->backend->sync(ctx);
    BI_TRY(gather(ctx, comm, &code, sizeof code, comm->gather));
    return status != BOSC_OK ? status : copied;
}

void bi_ipc_free(struct bi_ipc *ipc)
{
    if (!ipc) return;
    close_imports(ipc);
    bi_memory_release(&ipc->host, ipc, ipc_bytes(ipc->rank_count));
}
