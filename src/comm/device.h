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

/* Queued work, as polled. */
enum bi_comm_work { BI_COMM_PENDING, BI_COMM_DONE, BI_COMM_FAILED };

struct bi_comm_device {
    /* Enables direct copies from the memory of another device, where the machine supports them. */
    void (*open_peer)(bosc_ctx *ctx, int32_t device);
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
