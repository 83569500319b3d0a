/* What a call leaves in its thread as it found it: errno, and how floating point works (rounding, small numbers,
 * traps), which is IEEE 754's default during the call, in the threads of its loops too: else answers would depend on
 * it. */
#ifndef BI_BASE_CALLER_H
#define BI_BASE_CALLER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bi_caller {
    int error_number;
    int32_t threads;   /* of the call's loops */
    uint32_t floating; /* the control word of floating point */
};
struct bi_caller bi_caller_enter(int32_t threads);
void bi_caller_leave(const struct bi_caller *caller);

/* Until the end of the block. */
#define BI_KEEP_CALLER(threads) \
    __attribute__((cleanup(bi_caller_leave), unused)) const struct bi_caller bi_caller_ = bi_caller_enter(threads)

#ifdef __cplusplus
}
#endif
#endif
