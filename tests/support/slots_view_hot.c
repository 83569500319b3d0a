#include "slots_view.h"

#include "core/cpu/level.h"

struct viewed BI_LEVEL_NAME(look_up_by_view)(const bosc_hash_slots_view *view, bosc_hash_word key)
{
    struct viewed v = {bosc_hash_slots_look_up(view, key), bosc_hash_slots_look_up_value(view, key), NULL};
    v.typed = v.value;
    if (view->key_bits == 32) v.typed = bosc_hash_slots_look_up_value_32(view, (uint32_t)key.low);
    if (view->key_bits == 64) v.typed = bosc_hash_slots_look_up_value_64(view, key.low);
    return v;
}
