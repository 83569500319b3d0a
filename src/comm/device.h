/* The device side of communicators: peer access to the memory of other devices, and a queue that can be polled. */
#ifndef BI_COMM_DEVICE_H
#define BI_COMM_DEVICE_H

#include "core/check.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Resources of one rank on its device: a private stream, so that exchanges of host memory do not wait for kernels, and
 * buffers that host memory is copied through. */
struct bi_comm_channel {
    void *stream, *event;
    void *pinned, *staging; /* host and device */
    size_t bytes;           /* of each */
};

enum { BI_COMM_HOST = -1 }; /* in place of a device: a rank of the CPU, which queues nothing */

/* An event that other ranks of the process wait for. All 0: none yet. */
struct bi_comm_event {
    void *event;
    int32_t device;
};

/* An allocation of a device, which other processes can map. */
struct bi_comm_allocation {
    void *begin;
    uint64_t id; /* differs from those of all earlier allocations of the process */
};

enum { BI_COMM_HANDLE = 64 }; /* bytes of a handle by which another process maps an allocation */

/* Queued work, as polled. */
enum bi_comm_work { BI_COMM_PENDING, BI_COMM_DONE, BI_COMM_FAILED };

struct bi_comm_device {
    /* Lets kernels and copies of the context's device, which is current, access the memory of `device`. False: the
     * machine does not support it; copies then pass through the host. */
    bool (*open_peer)(bosc_ctx *ctx, int32_t device);
    /* True if kernels of device `from` can access the memory of device `to`. */
    bool (*can_access)(int32_t from, int32_t to);
    /* Records an event behind the work queued on the context's stream, and creates it before if there is none. */
    bosc_status (*record_queued)(bosc_ctx *ctx, struct bi_comm_event *event);
    /* Further work on the context's stream waits for the event, of any device. */
    bosc_status (*await_event)(bosc_ctx *ctx, const struct bi_comm_event *event);
    void (*free_event)(struct bi_comm_event *event);
    /* Finds the allocation that has address p. False: other processes cannot map it. */
    bool (*find_allocation)(const bosc_ctx *ctx, const void *p, struct bi_comm_allocation *allocation);
    /* Writes the handle of an allocation (BI_COMM_HANDLE bytes). False: the device refuses. */
    bool (*export_allocation)(const struct bi_comm_allocation *allocation, void *handle);
    /* Maps an allocation of another process for the current device. NULL: the device refuses. */
    void *(*import_allocation)(const void *handle);
    /* Ends a mapping. Leaves `device`, which made it, as the current one. */
    void (*close_import)(int32_t device, void *mapped);
    bosc_status (*open)(bosc_ctx *ctx, struct bi_comm_channel *channel, size_t bytes);
    void (*close)(int32_t device, struct bi_comm_channel *channel);
    /* Enlarges the pinned and staging memory; keeps the old buffers on failure. Their contents are lost. */
    bosc_status (*grow)(bosc_ctx *ctx, struct bi_comm_channel *channel, size_t bytes);
    /* Queues a copy on the channel's stream; no pageable memory may take part. False: the device failed. */
    bool (*copy)(struct bi_comm_channel *channel, void *to, const void *from, size_t bytes);
    /* Records an event behind the queued work. False: the device failed. */
    bool (*record)(struct bi_comm_channel *channel);
    /* Polls that event. */
    enum bi_comm_work (*poll)(struct bi_comm_channel *channel);
};

/* NULL if the context is not of CUDA. */
const struct bi_comm_device *bi_comm_device_of(const bosc_ctx *ctx);

#ifdef __cplusplus
}
#endif
#endif
