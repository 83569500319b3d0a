/* The handle of collisions: options, checks and info. */
#include <string.h>

#include "collision/handle.h"

bosc_status bi_collision_check(bosc_ctx *ctx, const bosc_collision *collision)
{
    return bi_check_handle(ctx, "collision", collision ? &collision->memory : NULL);
}

bosc_status bi_collision_check_opts(bosc_ctx *ctx, const bosc_collision_opts *opts, bosc_collision_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_collision_opts", opts, full, sizeof *full));
    if (full->dtype == 0) full->dtype = BOSC_F32;
    if (full->index_bits == 0) full->index_bits = 32;
    if (full->id_bits == 0) full->id_bits = 64;
    if (full->dtype != BOSC_F32 && full->dtype != BOSC_F64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: dtype %d is neither F32 nor F64", (int)full->dtype);
    if (full->index_bits != 32 && full->index_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: index_bits %d is neither 32 nor 64", (int)full->index_bits);
    if (full->id_bits != 32 && full->id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits %d is neither 32 nor 64", (int)full->id_bits);
    if (!(full->cell >= 0) || full->cell > 0x1.fffffffffffffp1023)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: cell %g is not finite and 0 or more", full->cell);
    return BOSC_OK;
}

static bosc_status check_count(bosc_ctx *ctx, const char *mesh, const char *name, int64_t count, int64_t limit)
{
    if (count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %s %lld is less than 0", mesh, name, (long long)count);
    if (count >= limit)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "%s: %s %lld is not below %lld", mesh, name, (long long)count,
                       (long long)limit);
    return BOSC_OK;
}

static bosc_status check_array(bosc_ctx *ctx, const char *mesh, const char *name, const void *array, int64_t count,
                               size_t size)
{
    if (count > 0 && !array) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %s NULL", mesh, name);
    if ((uintptr_t)array % size)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %s not aligned to %d bytes", mesh, name, (int)size);
    return BOSC_OK;
}

static bosc_status check_transform(bosc_ctx *ctx, const char *mesh, const double *transform)
{
    for (int k = 0; transform && k < 12; k++)
        if (!(transform[k] - transform[k] == 0))
            return bi_fail(ctx, BOSC_ERR_ARG, "%s: transform[%d][%d] is not finite", mesh, k / 4, k % 4);
    return BOSC_OK;
}

/* Checks sizes, pointers and the transform, but no vertex or triangle. The transform is in host memory. Counts may be
 * 0; stride is in elements, and 0 means 3. A smaller mesh->size, of an older caller, means 0 for the later members. The
 * arrays in *input are the caller's, still to be staged. Sets *input on success only. */
bosc_status bi_collision_check_mesh(bosc_ctx *ctx, const bosc_collision *collision, const char *name,
                                    const bosc_collision_mesh *mesh, struct bi_collision_input *input)
{
    bosc_collision_mesh m;
    const bosc_collision_opts *o = &collision->opts;
    size_t size = bosc_dtype_size(o->dtype), index_size = (size_t)o->index_bits / 8;
    if (!mesh) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", name);
    BI_TRY(bi_check_size(ctx, name, "bosc_collision_mesh", mesh->size, sizeof m));
    memset(&m, 0, sizeof m);
    memcpy(&m, mesh, mesh->size);
    /* Sizes, arrays, stride; then the description of the mesh. */
    BI_TRY(check_count(ctx, name, "vertex_count", m.vertex_count, (int64_t)1 << 32));
    BI_TRY(check_count(ctx, name, "triangle_count", m.triangle_count, (int64_t)UINT32_MAX));
    BI_TRY(check_array(ctx, name, "vertices", m.vertices, m.vertex_count, size));
    BI_TRY(check_array(ctx, name, "triangles", m.triangles, m.triangle_count, index_size));
    BI_TRY(check_transform(ctx, name, m.transform));
    if (m.stride == 0) m.stride = BI_COLLISION_DIM;
    if (m.stride < BI_COLLISION_DIM)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: stride %lld is less than 3", name, (long long)m.stride);
    if (m.vertex_count > 0 && m.stride > INT64_MAX / 16 / m.vertex_count)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: stride %lld: more than memory can hold", name, (long long)m.stride);
    *input = (struct bi_collision_input){.vertices = m.vertices,
                                         .triangles = m.triangles,
                                         .vertex_count = m.vertex_count,
                                         .stride = m.stride,
                                         .triangle_count = m.triangle_count,
                                         .transformed = m.transform != NULL,
                                         .is_f64 = o->dtype == BOSC_F64,
                                         .indices_64bit = o->index_bits == 64};
    if (m.transform) memcpy(input->transform, m.transform, sizeof input->transform);
    return BOSC_OK;
}

bosc_status bosc_collision_create(bosc_ctx *ctx, const bosc_collision_opts *opts, bosc_collision **collision)
{
    bosc_collision_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_collision_check_opts(ctx, opts, &full));
    if (!collision) return bi_fail(ctx, BOSC_ERR_ARG, "collision: NULL");
    return BI_NEW_HANDLE(ctx, collision, .opts = full);
}

void bosc_collision_free(bosc_collision *collision)
{
    if (!collision) return;
    bi_block_free(&collision->memory, &collision->pairs);
    bi_memory_release(&collision->host, collision, sizeof *collision);
}

bosc_status bosc_collision_get_info(bosc_ctx *ctx, const bosc_collision *collision, bosc_collision_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_collision_check(ctx, collision));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_collision_info));
    bosc_collision_info full = collision->info;
    full.dtype = collision->opts.dtype;
    full.index_bits = collision->opts.index_bits;
    full.id_bits = collision->opts.id_bits;
    full.bytes = (int64_t)collision->pairs.bytes;
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}
