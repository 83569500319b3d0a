/* The place of a raster: from the map that its file gives to spacings in metres, bounds and the unit of heights. */
#ifndef BI_IO_RASTER_CRS_H
#define BI_IO_RASTER_CRS_H

#include <stdbool.h>
#include <stddef.h>

#include <boscage/io.h>

#define BI_US_FOOT (1200.0 / 3937) /* in metres */

enum { BI_UNIT_NAME = sizeof((bosc_heights *)0)->unit_name };

enum bi_map_model { BI_MAP_UNKNOWN, BI_MAP_PROJECTED, BI_MAP_GEOGRAPHIC };

/* The map of a raster, as its file gives it. */
struct bi_map {
    enum bi_map_model model;
    int code, height_code;        /* EPSG codes of the systems of the map and of heights; 0: none is given */
    bool custom;                  /* the system has no code, but parameters of its own */
    bool true_scale;              /* the system keeps distances within 1 %: transverse Mercator */
    const char *text;             /* well-known text of the system; NULL: none */
    double unit;                  /* of the coordinates: metres, or degrees of a geographic model; 0: none is given */
    bool unit_unknown;            /* a unit is given, but not known */
    bool unit_assumed;            /* `unit` is a guess */
    double height_unit;           /* in metres, negative for depths; 0: none is given; NaN: not known */
    char unit_name[BI_UNIT_NAME]; /* of heights, if it is not known; "": none */
    double meridian;              /* the prime meridian in degrees east of Greenwich; 0: not given */
    double radius;                /* semi-major axis of the ellipsoid, in metres; 0: not given */
    double x, y;                  /* outer corner of the first sample's cell; NaN: unknown */
    double cell_x, cell_y;        /* steps of columns and of rows; negative: westwards, southwards */
    bosc_heights_source source;   /* if the spacings are known */
};

/* True if the steps of columns and rows are finite, and not 0. */
bool bi_map_has_size(const struct bi_map *map);

/* Sets all fields of `heights` that describe its place and its units, for its width and height. Converts no data:
 * the caller multiplies heights by bi_height_factor(heights->height_unit). False if a cell has no
 * size or an infinite one; its spacings are then 0, as those in an unknown unit. */
bool bi_map_apply(const struct bi_map *map, bosc_heights *heights);

/* Returns the factor that converts heights to metres: their unit, or 1 if there is none or an unknown one. */
double bi_height_factor(double height_unit);

/* Returns the unit of a band's name, as GDAL writes it, in metres; 0 for an empty name; NaN: not known.
 * unknown: then receives up to 31 characters of the name; `?` replaces control characters and those beyond ASCII. */
double bi_unit_of_name(const char *name, size_t length, char unknown[BI_UNIT_NAME]);

#endif
