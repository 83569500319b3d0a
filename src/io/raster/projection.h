/* Facts of coordinate systems by PROJ, which is opened when it is first needed; and maps to and from the globe, by PROJ
 * or, of web Mercator, by its formula. */
#ifndef BI_IO_RASTER_PROJECTION_H
#define BI_IO_RASTER_PROJECTION_H

#include <stdbool.h>

/* EPSG codes of WGS 84: longitude and latitude, and web Mercator. */
enum { BI_EPSG_WGS84 = 4326, BI_EPSG_WEB_MERCATOR = 3857 };

/* Semi-major axis in metres and squared eccentricity of WGS 84's ellipsoid. Source: EPSG, ellipsoid 7030. */
#define BI_EARTH_AXIS 6378137.0
#define BI_EARTH_ECCENTRICITY2 0.0066943799901413165

#define BI_RADIAN (180 / 3.14159265358979323846) /* in degrees */

/* The facts of a coordinate system. */
struct bi_crs {
    bool geographic;    /* coordinates are longitudes and latitudes */
    double unit;        /* of the map: metres, or degrees if geographic; 0: unknown */
    double meridian;    /* the prime meridian, in degrees east of Greenwich */
    double height_unit; /* in metres, negative for depths; 0: no axis of heights */
    double radius;      /* semi-major axis of the ellipsoid, in metres; 0: unknown */
    int code;           /* EPSG code of the map; 0: unknown */
};

/* Reads the facts of "EPSG:2263", "EPSG:2263+6360" or well-known text from PROJ. False if PROJ is not usable
 * (bosc_proj_reason) or does not know the system; *crs is then unchanged. */
bool bi_proj_describe(const char *definition, struct bi_crs *crs);

/* A map and the globe. */
struct bi_projection {
    bool web_mercator;
    void *context, *transformation; /* of PROJ; NULL for web Mercator */
};

/* Opens the map of a definition as bi_proj_describe takes; of "EPSG:2263+6360" the first system. False if PROJ is not
 * usable or does not know the system. The caller closes *p after success. */
bool bi_projection_open(const char *definition, struct bi_projection *p);

/* Convert a point; degrees of WGS 84. False if the point has no image. */
bool bi_projection_to_globe(const struct bi_projection *p, const double map[2], double *longitude, double *latitude);
bool bi_projection_to_map(const struct bi_projection *p, double longitude, double latitude, double map[2]);
void bi_projection_close(struct bi_projection *p);

#endif
