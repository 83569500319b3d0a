/* Heights. The first byte chooses the format, the treatment of voids, and an encoding or a band. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "io/raster/heights.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    enum bi_heights_format format = (enum bi_heights_format)(BI_HEIGHTS_PNG + data[0] % 8 % 6);
    bosc_heights_opts opts = {.size = sizeof opts, .voids = data[0] & 8 ? BOSC_HEIGHTS_KEEP_VOIDS : 0};
    const int kind = data[0] >> 6; /* two encodings, or a band */
    if (kind == 1 || kind == 2) opts.encoding = kind == 1 ? BOSC_HEIGHTS_TERRAIN_RGB : BOSC_HEIGHTS_TERRARIUM;
    if (kind == 3) opts.band = 1 + (data[0] >> 4 & 3);
    struct bi_bytes in = {.name = "F", .data = (const char *)data + 1, .size = size - 1};
    bosc_io_error error = {""};
    bosc_heights h = {0};
    if (bi_heights_parse(format, &opts, &in, &h, &error) != BOSC_OK) {
        if (h.data || error.text[0] != 'F') abort();
        return 0;
    }
    if (h.width < 1 || h.height < 1 || h.voids < 0 || !(h.spacing >= 0)) abort();
    for (int64_t i = 0; i < h.width * h.height; i++)
        if (!isfinite(h.data[i]) && !(opts.voids && isnan(h.data[i]))) abort();
    bosc_heights_free(&h);
    return 0;
}
