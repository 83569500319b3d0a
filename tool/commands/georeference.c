#include "tool/commands/georeference.h"

struct raster_map raster_map_of(const bosc_heights *h)
{
    const double *e = h->edges; /* of the outer cells: west, south, east, north */
    if (!(e[0] < e[2] && e[1] < e[3])) return (struct raster_map){.known = false};
    const bool is_earth = h->radius == 0 || (h->radius > 6.37e6 && h->radius < 6.38e6);
    const double across = (e[2] - e[0]) / (double)h->width, down = (e[3] - e[1]) / (double)h->height;
    return (struct raster_map){.known = true,
                               .geographic = h->degrees && is_earth,
                               .first = {e[0] + across / 2, e[3] - down / 2},
                               .step = {across, -down}};
}

char *georeference_text(const struct job *job, const bosc_heights *h, int64_t row)
{
    const struct raster_map map = raster_map_of(h);
    const json_t *notes = json_object_get(job->results, "notes");
    const json_t *exaggeration = json_object_get(job->results, "vertical_exaggeration");
    json_t *object = json_pack("{s:[I, I], s:[f, f]}", "size", (json_int_t)h->width, (json_int_t)h->height, "spacing",
                               h->spacing, h->spacing_y);
    bool good = object != NULL;
    if (good && map.known)
        good = json_object_set_new(object, "origin",
                                   json_pack("[f, f]", map.first[0], map.first[1] + (double)row * map.step[1])) == 0 &&
               json_object_set_new(object, "step", json_pack("[f, f]", map.step[0], map.step[1])) == 0;
    if (good && h->crs[0]) good = json_object_set_new(object, "crs", json_string(h->crs)) == 0;
    if (good && exaggeration)
        good = json_object_set_new(object, "vertical_exaggeration", json_deep_copy(exaggeration)) == 0;
    if (good && notes) good = json_object_set_new(object, "notes", json_deep_copy(notes)) == 0;
    char *text = good ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(object);
    return text;
}
