#include "slots_view.h"

#include "core/cpu/level.h"

struct viewed BI_LEVEL_NAME(look_up_by_view)(const bosc_hash_slots_view *view, bosc_hash_word key)
{
    const struct viewed v = {bosc_hash_slots_look_up(view, key), bosc_hash_slots_look_up_value(view, key)};
    return v;
}
