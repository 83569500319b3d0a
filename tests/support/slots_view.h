/* Look-ups by views of the slots layouts, compiled for each CPU level. */
#ifndef TESTS_SUPPORT_SLOTS_VIEW_H
#define TESTS_SUPPORT_SLOTS_VIEW_H

#include <boscage/device/hash_slots.h>

struct viewed {
    int64_t slot;
    const void *value, *typed; /* value: by the function for keys of any width; typed: by those for one width */
};

#define LOOK_UP_BY_VIEW(level) \
    struct viewed look_up_by_view_##level(const bosc_hash_slots_view *view, bosc_hash_word key);
LOOK_UP_BY_VIEW(v1)
#if defined(__x86_64__)
LOOK_UP_BY_VIEW(v3)
LOOK_UP_BY_VIEW(v4)
#endif

#endif
