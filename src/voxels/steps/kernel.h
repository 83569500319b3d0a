/* The step that finds the voxels at the offsets of a kernel. */
#ifndef BI_VOXELS_STEPS_KERNEL_H
#define BI_VOXELS_STEPS_KERNEL_H

#include "voxels/steps/voxel.h"

/* Item i: voxel i / lines of `out`, and line i mod lines of the kernel along the last coordinate. */
struct bi_voxels_map {
    struct bi_voxels_view in, out;
    int32_t shape[BI_VOXELS_DIM], stride[BI_VOXELS_DIM], dilation[BI_VOXELS_DIM]; /* of the first dim axes */
    int32_t lines;                                                                /* of the kernel */
    void *map;
    bool ids_64bit;
};

/* The least offset of a side of a kernel. */
BI_FN int64_t bi_voxels_first_offset(int32_t side) { return side % 2 ? -(side / 2) : 0; }

BI_FN void bi_step_map(const struct bi_voxels_map *a, int64_t i)
{
    const struct bi_voxels_view *in = &a->in, *out = &a->out;
    const int64_t voxel = i / a->lines;
    const int32_t last = out->box.dim - 1;
    int32_t line = (int32_t)(i - voxel * a->lines);
    int64_t at[BI_VOXELS_DIM] = {0};
    if (voxel >= bi_voxels_voxel_count(out)) return;
    /* 1. The voxel at the beginning of the line. Is the line in the box of `in`? */
    const int64_t cloud =
        bi_voxels_decode(&out->box, out->keys_64bit, bi_word(out->keys, out->keys_64bit, out->segments[voxel]), at);
    bool inside = true;
    for (int32_t c = BI_VOXELS_DIM - 1; c >= 0; c--) {
        if (c > last) continue;
        int64_t offset = bi_voxels_first_offset(a->shape[c]);
        if (c < last) {
            offset += line % a->shape[c];
            line /= a->shape[c];
        }
        at[c] = at[c] * a->stride[c] + offset * a->dilation[c] - in->box.low[c];
        if (c < last) inside &= at[c] >= 0 && (uint64_t)at[c] < in->box.side[c];
    }
    uint64_t key = (uint64_t)cloud;
    for (int32_t c = 0; c < BI_VOXELS_DIM; c++)
        if (c <= last) key = key * in->box.side[c] + (c < last ? (uint64_t)at[c] : 0);
    /* 2. One search finds the first voxel not before the line; from there on the keys of the line are near. */
    const int64_t segments = in->n > 0 ? *in->segment_count : 0;
    const int32_t length = a->shape[last], dilation = a->dilation[last];
    int64_t z = at[last], position = 0;
    bool searched = false;
    for (int32_t k = 0; k < length; k++, z += dilation) {
        uint64_t id = UINT64_MAX;
        if (inside && z >= 0 && (uint64_t)z < in->box.side[last]) {
            const uint64_t wanted = key + (uint64_t)z;
            const int64_t most = !searched || position + dilation > segments ? segments : position + dilation;
            position = bi_lower_bound_word(in->keys, in->keys_64bit, position, most, wanted);
            searched = true;
            if (position < segments && bi_word(in->keys, in->keys_64bit, position) == wanted &&
                in->ids[position] != BI_VOXELS_NONE)
                id = in->ids[position];
        }
        bi_set_word(a->map, a->ids_64bit, i * length + k, id);
    }
}

#endif
