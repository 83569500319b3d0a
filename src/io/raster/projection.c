/* Maps by PROJ, and web Mercator by its formula. Sources: PROJ, reference for C; EPSG guidance note 7-2, "Popular
 * Visualisation Pseudo Mercator". */
#include "io/raster/projection.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/io.h>

#ifdef BOSC_HAVE_PROJ
#include <proj.h>

/* ---- PROJ, opened when it is needed: other programs do not load it and the libraries that it needs ---- */

#define PROJ_FUNCTIONS(F)                 \
    F(proj_context_create)                \
    F(proj_context_destroy)               \
    F(proj_context_get_database_path)     \
    F(proj_context_set_enable_network)    \
    F(proj_log_level)                     \
    F(proj_create)                        \
    F(proj_create_crs_to_crs)             \
    F(proj_normalize_for_visualization)   \
    F(proj_trans)                         \
    F(proj_destroy)                       \
    F(proj_get_type)                      \
    F(proj_get_source_crs)                \
    F(proj_crs_get_sub_crs)               \
    F(proj_crs_get_coordinate_system)     \
    F(proj_cs_get_axis_count)             \
    F(proj_cs_get_axis_info)              \
    F(proj_get_prime_meridian)            \
    F(proj_prime_meridian_get_parameters) \
    F(proj_get_ellipsoid)                 \
    F(proj_ellipsoid_get_parameters)      \
    F(proj_get_id_auth_name)              \
    F(proj_get_id_code)                   \
    F(proj_identify)                      \
    F(proj_int_list_destroy)              \
    F(proj_list_get)                      \
    F(proj_list_destroy)

static struct {
#define MEMBER(name) __typeof__(name) *name;
    PROJ_FUNCTIONS(MEMBER)
#undef MEMBER
} lib;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char reason[256]; /* empty: PROJ is usable */

static PJ_CONTEXT *open_context(void)
{
    PJ_CONTEXT *context = lib.proj_context_create();
    if (!context) return NULL;
    lib.proj_log_level(context, PJ_LOG_NONE);
    lib.proj_context_set_enable_network(context, 0); /* PROJ_NETWORK changes no result */
    return context;
}

static void open_library(void)
{
    static const struct {
        const char *name;
        void *address; /* of the pointer in lib */
    } functions[] = {
#define MEMBER(name) {#name, &lib.name},
        PROJ_FUNCTIONS(MEMBER)
#undef MEMBER
    };
    /* 1. The functions. */
    void *library = dlopen(BOSC_PROJ_FILE, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *text = dlerror();
        snprintf(reason, sizeof reason, "PROJ cannot be opened: %.200s", text ? text : BOSC_PROJ_FILE);
        return;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(library, functions[i].name);
        memcpy(functions[i].address, &function, sizeof function);
        if (!function) snprintf(reason, sizeof reason, "%s lacks %s", BOSC_PROJ_FILE, functions[i].name);
    }
    if (*reason) return;
    /* 2. The database of coordinate systems. */
    PJ_CONTEXT *context = open_context();
    const char *path = context ? lib.proj_context_get_database_path(context) : NULL;
    if (!path) snprintf(reason, sizeof reason, "PROJ does not find its database, proj.db");
    if (context) lib.proj_context_destroy(context);
}

const char *bosc_proj_reason(void)
{
    pthread_once(&once, open_library);
    return reason;
}

/* ---- facts of a system ---- */

/* Reads the unit of an axis: metres, or radians if it is an angle; negative if the axis points down. 0: none. */
static double read_axis_unit(PJ_CONTEXT *context, const PJ *crs, int axis)
{
    double unit = 0;
    const char *direction = NULL;
    PJ *system = lib.proj_crs_get_coordinate_system(context, crs);
    if (!system) return 0;
    if (axis < lib.proj_cs_get_axis_count(context, system) &&
        !lib.proj_cs_get_axis_info(context, system, axis, NULL, NULL, &direction, &unit, NULL, NULL, NULL))
        unit = 0;
    if (direction && strcmp(direction, "down") == 0) unit = -unit;
    lib.proj_destroy(system);
    return unit;
}

static double read_meridian(PJ_CONTEXT *context, const PJ *crs)
{
    double longitude = 0, radians = 0;
    PJ *meridian = lib.proj_get_prime_meridian(context, crs);
    if (meridian) lib.proj_prime_meridian_get_parameters(context, meridian, &longitude, &radians, NULL);
    lib.proj_destroy(meridian);
    return longitude * radians * BI_RADIAN;
}

static double read_radius(PJ_CONTEXT *context, const PJ *crs)
{
    double axis = 0;
    PJ *ellipsoid = lib.proj_get_ellipsoid(context, crs);
    if (ellipsoid) lib.proj_ellipsoid_get_parameters(context, ellipsoid, &axis, NULL, NULL, NULL);
    lib.proj_destroy(ellipsoid);
    return axis;
}

static int read_code(const PJ *crs)
{
    const char *authority = lib.proj_get_id_auth_name(crs, 0), *code = lib.proj_get_id_code(crs, 0);
    return authority && code && strcmp(authority, "EPSG") == 0 ? atoi(code) : 0;
}

/* Returns the EPSG code of a system without one, where PROJ's database has one alike; else 0. */
static int identify_code(PJ_CONTEXT *context, const PJ *crs)
{
    enum { SURE = 70 }; /* PROJ: from 70 per cent on the parameters are the same, although the names may differ */
    int *confidences = NULL, code = 0;
    PJ_OBJ_LIST *list = lib.proj_identify(context, crs, "EPSG", NULL, &confidences);
    PJ *best = list ? lib.proj_list_get(context, list, 0) : NULL;
    if (best && confidences && confidences[0] >= SURE) code = read_code(best);
    lib.proj_destroy(best);
    if (list) lib.proj_list_destroy(list);
    if (confidences) lib.proj_int_list_destroy(confidences);
    return code;
}

/* Reads a system of the map, or one of heights alone. False for other kinds. */
static bool read_single(PJ_CONTEXT *context, const PJ *crs, struct bi_crs *facts)
{
    const PJ_TYPE type = lib.proj_get_type(crs);
    const bool geographic = type == PJ_TYPE_GEOGRAPHIC_2D_CRS || type == PJ_TYPE_GEOGRAPHIC_3D_CRS;
    if (type == PJ_TYPE_VERTICAL_CRS) {
        facts->height_unit = read_axis_unit(context, crs, 0);
        return facts->height_unit != 0;
    }
    if (!geographic && type != PJ_TYPE_PROJECTED_CRS) return false;
    facts->geographic = geographic;
    facts->unit = fabs(read_axis_unit(context, crs, 0)) * (geographic ? BI_RADIAN : 1);
    facts->height_unit = read_axis_unit(context, crs, 2);
    facts->meridian = geographic ? read_meridian(context, crs) : 0;
    facts->radius = read_radius(context, crs);
    facts->code = read_code(crs);
    if (facts->code == 0) facts->code = identify_code(context, crs);
    return facts->unit > 0;
}

/* Reads a system, or the two of a compound one. */
static bool read_facts(PJ_CONTEXT *context, const PJ *crs, struct bi_crs *facts)
{
    const PJ_TYPE type = lib.proj_get_type(crs);
    if (type == PJ_TYPE_BOUND_CRS) {
        PJ *inner = lib.proj_get_source_crs(context, crs);
        const bool good = inner && lib.proj_get_type(inner) != PJ_TYPE_BOUND_CRS && read_facts(context, inner, facts);
        lib.proj_destroy(inner);
        return good;
    }
    if (type != PJ_TYPE_COMPOUND_CRS) return read_single(context, crs, facts);
    PJ *map = lib.proj_crs_get_sub_crs(context, crs, 0), *heights = lib.proj_crs_get_sub_crs(context, crs, 1);
    const bool good = map && heights && read_facts(context, map, facts) && read_facts(context, heights, facts);
    lib.proj_destroy(map);
    lib.proj_destroy(heights);
    return good;
}

bool bi_proj_describe(const char *definition, struct bi_crs *crs)
{
    struct bi_crs facts = {0};
    PJ_CONTEXT *context = *bosc_proj_reason() ? NULL : open_context();
    PJ *object = context ? lib.proj_create(context, definition) : NULL;
    const bool known = object && read_facts(context, object, &facts);
    if (object) lib.proj_destroy(object);
    if (context) lib.proj_context_destroy(context);
    if (known) *crs = facts;
    return known;
}

/* ---- maps ---- */

static bool open_transformation(const char *definition, struct bi_projection *p)
{
    PJ_CONTEXT *context = *bosc_proj_reason() ? NULL : open_context();
    if (!context) return false;
    PJ *raw = lib.proj_create_crs_to_crs(context, "EPSG:4326", definition, NULL);
    /* Longitude and east come first, whatever the order of axes in the database. */
    p->transformation = raw ? lib.proj_normalize_for_visualization(context, raw) : NULL;
    lib.proj_destroy(raw);
    p->context = context;
    if (p->transformation) return true;
    bi_projection_close(p);
    return false;
}

static bool transform(const struct bi_projection *p, PJ_DIRECTION direction, const double from[2], double to[2])
{
    const PJ_COORD point = {.v = {from[0], from[1], 0, HUGE_VAL}}; /* of no time */
    const PJ_COORD image = lib.proj_trans(p->transformation, direction, point);
    to[0] = image.v[0];
    to[1] = image.v[1];
    return isfinite(to[0]) && isfinite(to[1]);
}

static void close_transformation(struct bi_projection *p)
{
    if (p->transformation) lib.proj_destroy(p->transformation);
    if (p->context) lib.proj_context_destroy(p->context);
}

static bool to_globe(const struct bi_projection *p, const double map[2], double place[2])
{
    return transform(p, PJ_INV, map, place);
}

static bool to_map(const struct bi_projection *p, const double place[2], double map[2])
{
    return transform(p, PJ_FWD, place, map);
}

#else /* without PROJ */

const char *bosc_proj_reason(void) { return "Boscage was built without PROJ"; }

bool bi_proj_describe(const char *definition, struct bi_crs *crs)
{
    (void)definition;
    (void)crs;
    return false;
}

static bool open_transformation(const char *definition, struct bi_projection *p)
{
    (void)definition;
    (void)p;
    return false;
}

static bool to_globe(const struct bi_projection *p, const double map[2], double place[2])
{
    (void)p;
    (void)map;
    (void)place;
    return false;
}

static bool to_map(const struct bi_projection *p, const double place[2], double map[2])
{
    (void)p;
    (void)place;
    (void)map;
    return false;
}

static void close_transformation(struct bi_projection *p) { (void)p; }
#endif

bool bi_projection_open(const char *definition, struct bi_projection *p)
{
    char name[32];
    int code = 0;
    *p = (struct bi_projection){0};
    if (sscanf(definition, "EPSG:%d", &code) != 1) return open_transformation(definition, p);
    p->web_mercator = code == BI_EPSG_WEB_MERCATOR;
    snprintf(name, sizeof name, "EPSG:%d", code);
    return p->web_mercator || open_transformation(name, p);
}

bool bi_projection_to_globe(const struct bi_projection *p, const double map[2], double *longitude, double *latitude)
{
    double place[2] = {map[0] / BI_EARTH_AXIS * BI_RADIAN, atan(sinh(map[1] / BI_EARTH_AXIS)) * BI_RADIAN};
    if (!p->web_mercator && !to_globe(p, map, place)) return false;
    *longitude = place[0];
    *latitude = place[1];
    return isfinite(place[0]) && fabs(place[1]) <= 90;
}

bool bi_projection_to_map(const struct bi_projection *p, double longitude, double latitude, double map[2])
{
    const double place[2] = {longitude, latitude};
    if (!p->web_mercator) return to_map(p, place, map);
    map[0] = BI_EARTH_AXIS * (longitude / BI_RADIAN);
    map[1] = BI_EARTH_AXIS * asinh(tan(latitude / BI_RADIAN));
    return true;
}

void bi_projection_close(struct bi_projection *p)
{
    close_transformation(p);
    *p = (struct bi_projection){0};
}
