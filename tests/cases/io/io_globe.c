/* The change of heights by resampling for a globe. */
#include <stdlib.h>

#include <boscage/io.h>

#include "support/suite.h"

/* A raster of zeros, with cells of 10 degrees from this corner on. */
static bosc_heights make_raster(int64_t width, int64_t height, double west, double north)
{
    bosc_heights h = {.width = width, .height = height, .degrees = 1};
    h.data = calloc((size_t)(width * height), sizeof *h.data);
    if (!h.data) abort();
    h.edges[0] = west;
    h.edges[1] = north - 10 * (double)height;
    h.edges[2] = west + 10 * (double)width;
    h.edges[3] = north;
    return h;
}

/* The change by resampling: a peak between four cells, on the seam, at a pole; none by a rotation. */
static void check_change(void)
{
    static const struct {
        int row, column;
        double change;
    } peaks[] = {{9, 18, 75}, {9, 0, 75}, {0, 20, 50}};
    bosc_io_error error = {""};
    for (int k = 0; k < 3; k++) {
        double change = -1;
        const bosc_globe_opts opts = {.size = sizeof opts, .max_change = &change};
        bosc_heights h = make_raster(37, 19, -185, 95);
        for (int i = 0; i < 37 * 19; i++) {
            /* Columns 0 and 36 are one meridian, and the samples of row 0 one point. */
            const bool peak = i / 37 == peaks[k].row && (!peaks[k].row || i % 37 % 36 == peaks[k].column);
            h.data[i] = peak ? 100 : 0;
        }
        CHECK_EQ(bosc_heights_to_globe(&h, &opts, &error), BOSC_OK);
        CHECK(h.width == 36 && h.height == 18);
        CHECK(change == peaks[k].change); /* the first middles have half of the height of the pole */
        bosc_heights_free(&h);
    }
    double change = -1;
    const bosc_globe_opts opts = {.size = sizeof opts, .max_change = &change};
    bosc_heights h = make_raster(36, 18, 0, 90);
    CHECK_EQ(bosc_heights_to_globe(&h, &opts, &error), BOSC_OK);
    CHECK(change == -1);
    bosc_heights_free(&h);
}

static const struct suite_case suite_cases_io_globe[] = {
    {"change by resampling", NULL, check_change},
};
SUITE(io_globe);
