/* Fault injection: in test builds (BOSC_FAULTS) the k-th passage through a kind of fault point fails on demand. */
#ifndef BI_BASE_FAULT_H
#define BI_BASE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bi_fault_kind {
    BI_FAULT_ALLOC = 1,
    BI_FAULT_STREAM = 2,
    BI_FAULT_LAUNCH = 4,
    BI_FAULT_COPY = 8,
    BI_FAULT_READ = 16,
    BI_FAULT_WRITE = 32,
    BI_FAULT_THREAD = 64,
    BI_FAULT_UNNAMED = 128,      /* while armed, unnamed files (O_TMPFILE) are unsupported; passages are not counted */
    BI_FAULT_LAUNCH_MEMORY = 256 /* a CUDA launch fails as one that lacks device memory */
};

#ifdef BOSC_FAULTS
/* Makes the k-th (from 0) passage of any of `kinds` fail, or all passages from the k-th on if `for_good`. */
void bi_fault_arm(uint32_t kinds, int64_t k, bool for_good);
void bi_fault_disarm(void);
/* Passages counted since bi_fault_arm. */
int64_t bi_fault_passages(void);
/* True if this passage fails. */
bool bi_fault(enum bi_fault_kind kind);
/* Called when a passage fails. A weak symbol that does nothing; a test program may define its own. */
void bi_fault_raised(void);
#else
static inline bool bi_fault(enum bi_fault_kind kind)
{
    (void)kind;
    return false;
}
#endif

#ifdef __cplusplus
}
#endif
#endif
