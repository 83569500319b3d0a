/* Clusters in the emulator: a launch whose blocks all run at once. */
#ifndef EMULATOR_CLUSTER_HPP
#define EMULATOR_CLUSTER_HPP

#include "simt.hpp"

namespace emulator
{
void cluster_arrive();
void cluster_wait();
/* Where block `block` has what lies at p in the shared memory of this one. */
void *cluster_address(const void *p, unsigned block);
} // namespace emulator

struct bi_cluster_inbox {
    unsigned long long missing;
};

template <class... P> bool bi_cluster_fits(void (*)(P...), unsigned blocks, unsigned threads)
{
    return blocks <= bi_launch_cooperative_limit((int)threads, blocks);
}
template <class... P, class... A>
cudaError_t bi_launch_cluster(void (*kernel)(P...), unsigned blocks, unsigned threads, void *stream, A &&...given)
{
    return bi_launch_cooperative(kernel, blocks, threads, 0, (cudaStream_t)stream, given...);
}

template <class C> bool bi_has_clusters(const C *) { return true; }

static inline void bi_cluster_expect(bi_cluster_inbox *mail, unsigned bytes) { mail->missing = bytes; }
static inline void bi_cluster_arrive() { emulator::cluster_arrive(); }
static inline void bi_cluster_wait() { emulator::cluster_wait(); }

static inline void bi_cluster_send(bi_cluster_inbox *mail, void *p, unsigned block, uint4 v)
{
    emulator::perhaps_yield();
    memcpy(emulator::cluster_address(p, block), &v, sizeof v);
    bi_cluster_inbox *there = static_cast<bi_cluster_inbox *>(emulator::cluster_address(mail, block));
    __atomic_fetch_sub(&there->missing, sizeof v, __ATOMIC_RELEASE);
    emulator::perhaps_yield();
}

static inline void bi_cluster_receive(bi_cluster_inbox *mail)
{
    while (__atomic_load_n(&mail->missing, __ATOMIC_ACQUIRE)) emulator::yield();
}

#endif
