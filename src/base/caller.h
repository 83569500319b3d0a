/* Saves and restores the caller's errno and floating-point control word (rounding, subnormals, traps). During a call
 * floating point is IEEE 754's default, also in the threads of its loops, so that results do not depend on the
 * caller. */
#ifndef BI_BASE_CALLER_H
#define BI_BASE_CALLER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bi_caller_state {
    int error_number;
    int32_t threads;     /* of the call's loops */
    uint32_t fp_control; /* the control word of floating point */
};
struct bi_caller_state bi_save_caller(int32_t threads);
void bi_restore_caller(const struct bi_caller_state *caller);

/* Sets IEEE 754's default in the calling thread. */
void bi_set_default_fp(void);

/* Saves the state, and restores it at the end of the enclosing block. */
#define BI_SAVE_CALLER(threads)                                                                   \
    __attribute__((cleanup(bi_restore_caller), unused)) const struct bi_caller_state bi_caller_ = \
        bi_save_caller(threads)

#ifdef __cplusplus
}
#endif
#endif
