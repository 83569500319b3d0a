/* Other libraries' primitives, if the build found the libraries. */
#ifndef BENCH_PEERS_PRIMS_H
#define BENCH_PEERS_PRIMS_H

#include <boscage/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct peer_job {
    const void *in, *more; /* more: flags, bins, values or two sorted halves */
    int64_t n;
    void *out, *more_out;
    int threads;
};

struct peer {
    const char *primitive, *name; /* primitive: as prims.c names it */
    bosc_dtype dtype;
    int parallel;
    void (*prepare)(const struct peer_job *); /* before each run, not timed; may be NULL */
    void (*run)(const struct peer_job *);
};

/* The list ends with a primitive of NULL. */
extern const struct peer bench_peers[];

#ifdef __cplusplus
}
#endif
#endif
