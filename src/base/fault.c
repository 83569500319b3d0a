#include "base/fault.h"

#ifdef BOSC_FAULTS
#include <stdatomic.h>

static _Atomic uint32_t armed_kinds;
static _Atomic int64_t passages;
static int64_t fail_at;
static bool persistent;

void bi_fault_arm(uint32_t kinds, int64_t k, bool for_good)
{
    fail_at = k;
    persistent = for_good;
    atomic_store(&passages, 0);
    atomic_store(&armed_kinds, kinds);
}

void bi_fault_disarm(void) { atomic_store(&armed_kinds, 0); }

int64_t bi_fault_passages(void) { return atomic_load(&passages); }

__attribute__((weak)) void bi_fault_raised(void) {}

bool bi_fault(enum bi_fault_kind kind)
{
    if (!(atomic_load(&armed_kinds) & (uint32_t)kind)) return false;
    if (kind == BI_FAULT_UNNAMED) return true;
    int64_t passage = atomic_fetch_add(&passages, 1);
    if (persistent ? passage < fail_at : passage != fail_at) return false;
    bi_fault_raised();
    return true;
}
#else
typedef int bi_fault_not_in_this_build;
#endif
