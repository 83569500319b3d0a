/* What communicators need of a device: ways to the memory of others, and a queue that is watched instead of waited
 * for. */
#ifndef BI_COMM_DEVICE_H
#define BI_COMM_DEVICE_H

#include "core/check.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an end has on the device: a stream of its own, so that exchanges of host memory do not wait for kernels, and
 * memory by which those go. */
struct bi_comm_room {
    void *stream, *event;
    void *pinned, *staging; /* host and device */
    size_t bytes;           /* of each */
};

struct bi_comm_device {
    /* From here on copies out of the other device's memory go straight between the two, where the machine can. */
    void (*open_peer)(bosc_ctx *ctx, int32_t device);
    bosc_status (*open)(bosc_ctx *ctx, struct bi_comm_room *room, size_t bytes);
    void (*close)(int32_t device, struct bi_comm_room *room);
    /* Larger pinned and staging memory; what is there stays on a failure. */
    bosc_status (*grow)(bosc_ctx *ctx, struct bi_comm_room *room, size_t bytes);
    /* Queued on the room's stream, as long as no pageable memory takes part. False: the device failed. */
    bool (*copy)(struct bi_comm_room *room, void *to, const void *from, size_t bytes);
    /* Begins to watch for the end of what is queued. */
    bool (*mark)(struct bi_comm_room *room);
    /* Whether that end has come; *failed is set if it never will. */
    bool (*done)(struct bi_comm_room *room, bool *failed);
};

/* NULL if the context is not of CUDA. */
const struct bi_comm_device *bi_comm_device_of(const bosc_ctx *ctx);

#ifdef __cplusplus
}
#endif
#endif
