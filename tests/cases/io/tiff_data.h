/* TIFFs of any kind, written by libtiff. */
#ifndef TESTS_CASES_IO_TIFF_DATA_H
#define TESTS_CASES_IO_TIFF_DATA_H

#include <stdint.h>
#include <string.h>
#include <tiffio.h>

#include "support/suite.h"

enum { U = SAMPLEFORMAT_UINT, I = SAMPLEFORMAT_INT, F = SAMPLEFORMAT_IEEEFP };

enum { W = 19, H = 21 };

struct tiff_kind {
    const char *mode; /* l: little-endian, b: big-endian, 8: BigTIFF */
    int format, bits, compression, predictor;
    int tile, rows; /* tile: side, 0 for strips of this many rows */
    const char *no_data;
    double scale[3]; /* 0: no geography */
    uint16_t keys[48];
    double doubles[4];                 /* of the keys; tag 34736 */
    double tie[6], transformation[16]; /* those with a last element */
    const char *metadata;
    int samples, photometric, orientation;
    uint32_t left_out; /* the number of a block that is not written, from 1; 0: all are */
    int width, height; /* 0: W and H */
    bool separate;     /* each of `samples` bands has blocks of its own */
};

static inline void put_tags(TIFF *t, const struct tiff_kind *k)
{
    /* Tags of GeoTIFF and GDAL, which libtiff does not know. */
    static const TIFFFieldInfo fields[] = {{33550, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)"scale"},
                                           {34735, -1, -1, TIFF_SHORT, FIELD_CUSTOM, 1, 1, (char *)"keys"},
                                           {34736, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)"doubles"},
                                           {33922, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)"ties"},
                                           {34264, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)"transformation"},
                                           {42112, -1, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, (char *)"metadata"},
                                           {42113, -1, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, (char *)"none"}};
    CHECK_EQ(TIFFMergeFieldInfo(t, fields, 7), 0);
    /* Layout, then the tags of the Earth. */
    TIFFSetField(t, TIFFTAG_IMAGEWIDTH, k->width ? k->width : W);
    TIFFSetField(t, TIFFTAG_IMAGELENGTH, k->height ? k->height : H);
    TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, k->bits);
    TIFFSetField(t, TIFFTAG_SAMPLEFORMAT, k->format);
    TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, k->samples ? k->samples : 1);
    TIFFSetField(t, TIFFTAG_PHOTOMETRIC, k->photometric ? k->photometric : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(t, TIFFTAG_PLANARCONFIG, k->separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    TIFFSetField(t, TIFFTAG_COMPRESSION, k->compression ? k->compression : COMPRESSION_NONE);
    if (k->orientation) TIFFSetField(t, TIFFTAG_ORIENTATION, k->orientation);
    if (k->predictor) TIFFSetField(t, TIFFTAG_PREDICTOR, k->predictor);
    if (k->tile) TIFFSetField(t, TIFFTAG_TILEWIDTH, k->tile);
    if (k->tile) TIFFSetField(t, TIFFTAG_TILELENGTH, k->tile);
    if (!k->tile) TIFFSetField(t, TIFFTAG_ROWSPERSTRIP, k->rows ? k->rows : 4);
    if (k->no_data) TIFFSetField(t, 42113, k->no_data);
    if (k->scale[0] != 0) TIFFSetField(t, 33550, 3, k->scale);
    if (k->tie[4] != 0) TIFFSetField(t, 33922, 6, k->tie);
    if (k->transformation[15] > 0) TIFFSetField(t, 34264, 16, k->transformation);
    if (k->metadata) TIFFSetField(t, 42112, k->metadata);
    if (k->keys[0]) TIFFSetField(t, 34735, 4 + 4 * k->keys[3], k->keys);
    if (k->keys[0]) TIFFSetField(t, 34736, 4, k->doubles);
}

static inline int64_t sample(int i) { return (i * 7) % 120; }

enum { BAND_STEP = 40 }; /* added to the samples of each further band */

/* Writes a sample of the kind's type; returns the address after it. */
static inline unsigned char *put_sample(unsigned char *p, const struct tiff_kind *k, int64_t x)
{
    double d = (double)x;
    float f = (float)x;
    const void *from = k->format == SAMPLEFORMAT_IEEEFP ? (k->bits == 32 ? (void *)&f : (void *)&d) : (void *)&x;
    memcpy(p, from, (size_t)k->bits / 8);
    return p + k->bits / 8;
}

static inline void make_tiff(const char *path, const struct tiff_kind *k)
{
    static unsigned char block[1 << 20];
    const int w = k->width ? k->width : W, h = k->height ? k->height : H;
    char mode[8];
    int samples = k->samples ? k->samples : 1;
    snprintf(mode, sizeof mode, "w%s", k->mode);
    TIFF *t = TIFFOpen(path, mode);
    CHECK(t != NULL);
    put_tags(t, k);
    int across = k->tile ? k->tile : w, down = k->tile ? k->tile : k->rows ? k->rows : 4;
    uint32_t number = 0;
    const int planes = k->separate ? samples : 1;
    /* Blocks of a tile, or of whole rows in a strip; `left_out` counts from 1. */
    for (int plane = 0; plane < planes; plane++)
        for (int y = 0; y < h; y += down)
            for (int x = 0; x < w; x += across) {
                unsigned char *p = block;
                if (number + 1 == k->left_out) {
                    number++;
                    continue;
                }
                /* Samples of a tile beyond the raster are 0. */
                for (int j = y; j < y + down && (k->tile || j < h); j++)
                    for (int i = x; i < x + across; i++)
                        for (int s = plane; s < (k->separate ? plane + 1 : samples); s++)
                            p = put_sample(p, k, i < w && j < h ? sample(j * w + i) + BAND_STEP * s : 0);
                if (k->tile)
                    CHECK(TIFFWriteEncodedTile(t, number++, block, p - block) > 0);
                else
                    CHECK(TIFFWriteEncodedStrip(t, number++, block, p - block) > 0);
            }
    TIFFClose(t);
}

/* Writes a TIFF of these samples in the byte order of `mode`, and reads its heights. number: of the file, for
 * messages. */
static inline void read_tiff(const char *path, struct tiff_kind kind, const char *mode, int format, int bits,
                             size_t number, bosc_heights *h)
{
    bosc_io_error error = {""};
    kind.mode = mode;
    kind.format = format;
    kind.bits = bits;
    make_tiff(path, &kind);
    if (bosc_heights_read(path, BOSC_HEIGHTS_PLAIN, h, &error) != BOSC_OK)
        suite_fail(__FILE__, __LINE__, "file %zu: %s", number, error.text);
}

#endif
