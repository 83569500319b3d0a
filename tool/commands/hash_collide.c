/* boscage hash collide */
#include <boscage/collision.h>

#include "tool/clock.h"
#include "tool/commands/commands.h"
#include "tool/job.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* The two meshes of the files. */
struct meshes {
    bosc_array vertices[2], triangles[2];
};

static int read_meshes(struct job *job, struct meshes *m)
{
    bosc_io_error error;
    bosc_status status = BOSC_OK;
    double start = job_now();
    for (int which = 0; which < 2 && status == BOSC_OK; which++)
        status = bosc_mesh_read(job->operands[which], &m->vertices[which], &m->triangles[which], &error);
    job_add_seconds(job, "read", start);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

/* Reports an error of the library about mesh "a" or "b" with the name of its file. */
static int report_mesh_error(const struct job *job, bosc_status status)
{
    const char *text = bosc_ctx_message(job->ctx);
    return report_error(status_exit_code(status), "%s%s", job->operands[text[0] == 'b'], text + 1);
}

static int find_collisions(struct job *job, const struct meshes *m, bosc_array *pairs)
{
    const bosc_collision_opts opts = {.size = sizeof opts, .dtype = BOSC_F64};
    bosc_collision *collision = NULL;
    bosc_collision_mesh mesh[2];
    int64_t count = 0;
    for (int which = 0; which < 2; which++)
        mesh[which] = (bosc_collision_mesh){.size = sizeof mesh[which],
                                            .vertices = m->vertices[which].data,
                                            .vertex_count = m->vertices[which].shape[0],
                                            .triangles = m->triangles[which].data,
                                            .triangle_count = m->triangles[which].shape[0]};
    /* 1. Build, and count the pairs. */
    double start = job_now();
    bosc_status status = bosc_collision_create(job->ctx, &opts, &collision);
    if (status == BOSC_OK) status = bosc_collision_build(job->ctx, collision, &mesh[0], &mesh[1]);
    job_add_seconds(job, "build", start);
    if (status == BOSC_OK) status = bosc_collision_pairs(job->ctx, collision, NULL, 0, &count);
    *pairs = (bosc_array){.dtype = BOSC_I64, .rank = 2, .shape = {count, 2, 1, 1}};
    int code = EXIT_DONE;
    if (status != BOSC_OK)
        code = status == BOSC_ERR_DATA ? report_mesh_error(job, status) : report_ctx_error(job, status);
    /* 2. List them if they are written. */
    if (!code && job->value[OPT_OUTPUT]) {
        pairs->data = job_alloc((size_t)count, 2 * sizeof(int64_t));
        code = pairs->data ? EXIT_DONE : EXIT_FAILED;
        if (!code) status = bosc_collision_pairs(job->ctx, collision, pairs->data, count, &count);
        if (status != BOSC_OK) code = report_ctx_error(job, status);
    }
    bosc_collision_free(collision);
    return code;
}

int run_hash_collide(struct job *job)
{
    struct meshes m = {0};
    bosc_array pairs = {0};
    int code = job_open(job);
    if (!code) code = read_meshes(job, &m);
    if (!code) code = find_collisions(job, &m, &pairs);
    if (!code) code = arrays_write(job, &job->value[OPT_OUTPUT], &pairs, 1);
    if (!code) {
        job_set_integer(job, "n", m.triangles[0].shape[0]);
        job_set_integer(job, "m", m.triangles[1].shape[0]);
        job_set_integer(job, "pairs", pairs.shape[0]);
    }
    for (int which = 0; which < 2; which++) {
        bosc_array_free(&m.vertices[which]);
        bosc_array_free(&m.triangles[which]);
    }
    bosc_array_free(&pairs);
    return code;
}
