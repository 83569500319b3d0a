/* boscage viewer: records a run of the world of examples/frame_world.h, and writes a page that plays it. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "examples/frame_world.h"
#include "tool/commands/commands.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"
#include "tool/viewer/viewer_text.h"

enum {
    OBJECTS_MAX = 20000,     /* lines and points are uploaded anew for each picture of the page */
    RUN_FRAMES_MAX = 1000,   /* measured: 368 MB of page with 1,500 objects, 919 MB with OBJECTS_MAX */
    GLOBE_TRIANGLES = 16000, /* of the globe beyond the recorded camera's horizon */
    RUN_VERSION = 1
};

/* Error of the triangles on a screen of 1080 rows; chosen for 5,000 to 9,000 triangles a frame. */
static const double viewer_pixels = 48;

/* The arrays of a run, one after the other. */
struct run_data {
    uint8_t *bytes;
    size_t size, capacity;
};

/* Appends an array of elements of 4 bytes. Returns {"offset": bytes, "count": elements}; NULL: out of memory. */
static json_t *append_array(struct run_data *data, const void *array, int64_t count)
{
    const size_t size = (size_t)count * 4;
    if (data->size + size > data->capacity) {
        const size_t capacity = 2 * (data->size + size);
        uint8_t *bytes = realloc(data->bytes, capacity);
        if (!bytes) return NULL;
        data->bytes = bytes;
        data->capacity = capacity;
    }
    json_t *range = json_pack("{s:I, s:I}", "offset", (json_int_t)data->size, "count", (json_int_t)count);
    if (size) memcpy(data->bytes + data->size, array, size);
    data->size += size;
    return range;
}

/* ---- numbers of a frame ---- */

static json_t *numbers_of(const double *values, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(list, json_real(values[i]));
    return list;
}

static json_t *boxes_of(const double (*boxes)[2][3], int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_pack("[o, o]", numbers_of(boxes[i][0], 3), numbers_of(boxes[i][1], 3)));
    return list;
}

/* Appends the arrays of a frame, and returns its numbers; NULL: out of memory. */
static json_t *describe_frame(const struct world_frame *f, struct run_data *data)
{
    json_t *routes = json_array();
    for (int r = 0; r < WORLD_ROUTES_SHOWN && routes; r++)
        if (json_array_append_new(routes, append_array(data, f->route[r], f->stops[r]))) {
            json_decref(routes);
            routes = NULL; /* which json_pack refuses */
        }
    return json_pack(
        "{s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:f, s:i, s:i}", "camera",
        numbers_of(f->camera, 3), "direction", numbers_of(f->direction, 3), "up", numbers_of(f->up, 3), "fov", f->fov,
        "vertex", append_array(data, f->vertex, 3 * f->vertices), "triangle",
        append_array(data, f->triangle, 3 * f->triangles), "position", append_array(data, f->position, 3 * f->objects),
        "contact", append_array(data, f->contact, 2 * f->contacts), "age", append_array(data, f->age, f->contacts),
        "edge", append_array(data, f->edge, 2 * f->edges), "routes", routes, "rotation", numbers_of(f->rotation, 4),
        "walls", boxes_of(f->wall, WORLD_WALL_BOXES), "trees", (json_int_t)f->trees, "reached", (json_int_t)f->reached,
        "weight", f->weight, "planned", (int)f->planned, "waited", (int)f->waited);
}

/* ---- the run ---- */

/* Adds the times of the stages of a frame to those of the job. */
static void add_stages(struct job *job, const double seconds[WORLD_STAGES])
{
    for (int s = 0; s < WORLD_STAGES; s++) job_add_seconds(job, world_stage_names[s], job_now() - seconds[s]);
}

/* Reports an error of a world. Only the context in which a stage failed has a message. robot: NULL if it could not be
 * created. */
static int report_world_error(const struct job *job, const bosc_ctx *robot, bosc_status status)
{
    return report_ctx_error(robot && *bosc_ctx_message(robot) ? robot : job->ctx, status);
}

/* Steps through all frames and collects them, and the globe, which is drawn beyond the horizon. */
static int record_frames(struct job *job, const bosc_ctx *robot, struct world *world, int64_t count, json_t *run,
                         struct run_data *data)
{
    struct world_frame frame = {0};
    double seconds[WORLD_STAGES];
    int64_t triangles = 0, contacts = 0;
    bosc_status status = BOSC_OK;
    bool has_memory = true;
    json_t *frames = json_array();
    /* 1. The frames. */
    for (int64_t i = 0; i < count && !status && has_memory; i++) {
        progress_step(job, "viewer", (double)i / (double)count);
        status = world_step(world, seconds);
        if (!status) add_stages(job, seconds);
        if (!status) status = world_fetch(world, &frame);
        if (!status) has_memory = json_array_append_new(frames, describe_frame(&frame, data)) == 0;
        triangles += frame.triangles;
        contacts += frame.contacts;
    }
    json_object_set_new(run, "frames", frames);
    /* 2. The globe. */
    if (!status && has_memory) status = world_fetch_globe(world, GLOBE_TRIANGLES, &frame);
    if (!status && has_memory) {
        json_t *globe = json_pack("{s:o, s:o}", "vertex", append_array(data, frame.vertex, 3 * frame.vertices),
                                  "triangle", append_array(data, frame.triangle, 3 * frame.triangles));
        has_memory = json_object_set_new(run, "globe", globe) == 0;
    }
    world_frame_free(&frame);
    /* 3. Results. */
    job_set_integer(job, "frames", count);
    job_set_integer(job, "triangles", triangles);
    job_set_integer(job, "contacts", contacts);
    if (status == BOSC_ERR_NOMEM || !has_memory) return report_error(EXIT_FAILED, "out of memory for the run");
    return status ? report_world_error(job, robot, status) : EXIT_DONE;
}

/* Opens a world, and a context on the CPU for its robot. */
static int record_run(struct job *job, int64_t objects, int64_t count, json_t *run, struct run_data *data)
{
    const struct world_opts opts = {
        .objects = objects, .districts = WORLD_DISTRICTS_MAX, .frames = 600, .pixels = viewer_pixels};
    struct world *world = NULL;
    bosc_ctx *robot = NULL;
    bosc_ctx_info info = {.size = sizeof info};
    bosc_ctx_opts robot_opts = {.size = sizeof robot_opts};
    if (!bosc_ctx_get_info(job->ctx, &info)) robot_opts.threads = info.threads;
    bosc_status status = bosc_ctx_create(&robot_opts, &robot);
    if (!status) status = world_open(job->ctx, robot, &opts, &world);
    int code = status ? report_world_error(job, robot, status) : record_frames(job, robot, world, count, run, data);
    world_close(world);
    bosc_ctx_free(robot);
    return code;
}

/* ---- the page ---- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Writes bytes in base64 (RFC 4648). */
static void write_base64(FILE *page, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 3) {
        const uint32_t second = i + 1 < size ? bytes[i + 1] : 0, third = i + 2 < size ? bytes[i + 2] : 0,
                       word = (uint32_t)bytes[i] << 16 | second << 8 | third;
        const char text[4] = {digits[word >> 18], digits[word >> 12 & 63], i + 1 < size ? digits[word >> 6 & 63] : '=',
                              i + 2 < size ? digits[word & 63] : '='};
        fwrite(text, 1, sizeof text, page);
    }
}

/* Writes the page with the run, the data and the script at their marks. */
static bool print_page(FILE *page, const char *run, const struct run_data *data)
{
    const char *text = viewer_page, *end = viewer_page + viewer_page_size, *mark;
    while ((mark = memchr(text, '@', (size_t)(end - text)))) {
        fwrite(text, 1, (size_t)(mark - text), page);
        if (strncmp(mark, "@RUN@", 5) == 0) {
            fputs(run, page);
            text = mark + 5;
        } else if (strncmp(mark, "@DATA@", 6) == 0) {
            write_base64(page, data->bytes, data->size);
            text = mark + 6;
        } else if (strncmp(mark, "@SCRIPT@", 8) == 0) {
            fwrite(viewer_script, 1, viewer_script_size, page);
            text = mark + 8;
        } else { /* of the style sheet: @media */
            fputc('@', page);
            text = mark + 1;
        }
    }
    fwrite(text, 1, (size_t)(end - text), page);
    return !ferror(page);
}

static int write_page(struct job *job, json_t *run, const struct run_data *data)
{
    char path[PATH_MAX], *bytes = NULL;
    const char *paths[] = {path};
    size_t size = 0;
    bosc_io_error error;
    if (snprintf(path, sizeof path, "%s/index.html", job->value[OPT_OUTPUT]) >= (int)sizeof path)
        return report_error(EXIT_FAILED, "-o: the name of the folder is too long");
    /* 1. The text. */
    const double start = job_now();
    char *numbers = json_dumps(run, JSON_COMPACT | JSON_REAL_PRECISION(17));
    FILE *page = numbers ? open_memstream(&bytes, &size) : NULL;
    bool printed = page && print_page(page, numbers, data);
    if (page && fclose(page)) printed = false;
    free(numbers);
    /* 2. The file. */
    int code = printed ? EXIT_DONE : report_error(EXIT_FAILED, "out of memory for the page");
    const bosc_text text = {bytes, (int64_t)size};
    if (!code) {
        const bosc_status status = bosc_texts_write(paths, &text, 1, &error);
        if (status) code = report_io_error(status, &error);
    }
    free(bytes);
    job_add_seconds(job, "write", start);
    job_set_text(job, "page", path);
    job_set_integer(job, "bytes", (int64_t)size);
    return code;
}

int run_viewer(struct job *job)
{
    struct run_data data = {0};
    int64_t objects = 1500, count = 60;
    int code = option_integer(job, OPT_N, WORLD_OBJECTS_MIN, OBJECTS_MAX, &objects);
    if (!code) code = option_integer(job, OPT_FRAMES, 1, RUN_FRAMES_MAX, &count);
    if (!code && path_is_stdio(job->value[OPT_OUTPUT])) code = report_error(EXIT_USAGE, "-o: the page needs a folder");
    if (!code) code = job_open(job);
    if (code) return code;
    const char *folder = job->value[OPT_OUTPUT];
    const bool is_new = access(folder, F_OK) != 0;
    json_t *run = json_pack("{s:s, s:i, s:f, s:o}", "format", "boscage run", "version", RUN_VERSION, "radius",
                            WORLD_RADIUS, "key", boxes_of(world_key_boxes, WORLD_KEY_BOXES));
    job_set_integer(job, "objects", objects);
    code = create_folder(folder);
    if (!code) code = record_run(job, objects, count, run, &data);
    if (!code) code = write_page(job, run, &data);
    if (code && is_new) rmdir(folder); /* it is empty */
    json_decref(run);
    free(data.bytes);
    return code;
}
