/* GDAL's auxiliary files: XML. The elements that describe heights and their place are searched by name. Source: GDAL,
 * documentation of the persistent auxiliary metadata (PAM). */
#include "io/raster/aux_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/file/file.h"
#include "io/text/number.h"

/* A range of text. */
struct range {
    const char *p, *end;
};

/* Returns where a word begins; text.end if it does not occur. */
static const char *find_word(struct range text, const char *word)
{
    const size_t length = strlen(word);
    while ((size_t)(text.end - text.p) >= length && memcmp(text.p, word, length) != 0) text.p++;
    return (size_t)(text.end - text.p) >= length ? text.p : text.end;
}

/* Returns the content of the first element of a name, "<SRS", which may have attributes; empty if there is none. */
static struct range find_element(struct range text, const char *name)
{
    char last[32];
    const char *begin = find_word(text, name);
    snprintf(last, sizeof last, "</%s>", name + 1);
    while (begin < text.end && *begin != '>') begin++;
    if (begin == text.end || begin[-1] == '/') return (struct range){text.end, text.end}; /* "<SRS/>" is empty */
    begin++;
    const char *end = find_word((struct range){begin, text.end}, last);
    return (struct range){begin, end};
}

/* Returns the content of the element of a band, <PAMRasterBand band="2">; empty if there is none. */
static struct range find_band(struct range text, int32_t band)
{
    static const char name[] = "<PAMRasterBand";
    char number[32];
    snprintf(number, sizeof number, " band=\"%d\"", (int)band);
    while ((text.p = find_word(text, name)) < text.end) {
        const char *close = find_word(text, ">");
        const bool found = find_word((struct range){text.p, close}, number) < close;
        if (found) return find_element(text, name);
        text.p = close;
    }
    return (struct range){text.end, text.end};
}

static double read_number(struct range text, double otherwise)
{
    double value;
    while (text.p < text.end && isspace((unsigned char)*text.p)) text.p++;
    return text.p < text.end && bi_number_read(text.p, text.end, &value) ? value : otherwise;
}

/* Reads six numbers separated by commas. */
static bool read_map(struct range text, double map[6])
{
    for (int k = 0; k < 6; k++) {
        while (text.p < text.end && (isspace((unsigned char)*text.p) || (k > 0 && *text.p == ','))) text.p++;
        const char *next = text.p < text.end ? bi_number_read(text.p, text.end, &map[k]) : NULL;
        if (!next || !isfinite(map[k])) return false;
        text.p = next;
    }
    return map[1] != 0 && map[5] != 0;
}

/* Copies a text with its entities replaced; NULL: out of memory. */
static char *copy_text(struct range text)
{
    static const char *const entities[][2] = {
        {"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&apos;", "'"}};
    char *copy = bi_io_alloc((size_t)(text.end - text.p) + 1), *to = copy;
    if (!copy) return NULL;
    while (text.p < text.end) {
        size_t k = 0;
        while (k < 5 && ((size_t)(text.end - text.p) < strlen(entities[k][0]) ||
                         memcmp(text.p, entities[k][0], strlen(entities[k][0])) != 0))
            k++;
        *to++ = k < 5 ? entities[k][1][0] : *text.p;
        text.p += k < 5 ? strlen(entities[k][0]) : 1;
    }
    *to = 0;
    return copy;
}

static bosc_status parse(const struct bi_bytes *in, int32_t band, struct bi_aux *aux, bosc_io_error *error)
{
    const struct range all = {in->data, in->data + in->size};
    /* 1. The place. */
    const struct range map = find_element(all, "<GeoTransform"), system = find_element(all, "<SRS");
    aux->has_map = map.p < map.end;
    if (aux->has_map && !read_map(map, aux->map))
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: the GeoTransform is damaged", in->name);
    if (system.p < system.end && !(aux->system = copy_text(system)))
        return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
    /* 2. The band. */
    const struct range values = find_band(all, band), unit = find_element(values, "<UnitType");
    aux->none = read_number(find_element(values, "<NoDataValue"), NAN);
    aux->scale = read_number(find_element(values, "<Scale"), 1);
    aux->offset = read_number(find_element(values, "<Offset"), 0);
    if (unit.p < unit.end) aux->unit = bi_unit_of_name(unit.p, (size_t)(unit.end - unit.p), aux->unit_name);
    return BOSC_OK;
}

bosc_status bi_aux_read(const char *path, int32_t band, struct bi_aux *aux, bosc_io_error *error)
{
    char name[4096];
    struct bi_file file;
    const int length = snprintf(name, sizeof name, "%s.aux.xml", path);
    *aux = (struct bi_aux){.none = NAN, .scale = 1};
    if (strcmp(path, "-") == 0 || length >= (int)sizeof name || access(name, F_OK) != 0) return BOSC_OK;
    bosc_status status = bi_file_open(name, &file, error);
    if (status != BOSC_OK) return status;
    status = parse(&file.bytes, band, aux, error);
    bi_file_close(&file);
    return status;
}

/* Returns the band, from 1, that holds the heights of a raster read with these options; 0: none, as several do. */
static int32_t band_of(const bosc_heights_opts *opts)
{
    if (opts->encoding != BOSC_HEIGHTS_PLAIN) return 0;
    return opts->band ? opts->band : 1;
}

bosc_status bi_aux_read_values(const char *path, const bosc_heights_opts *opts, bosc_heights *h,
                               struct bi_aux_values *values, bosc_io_error *error)
{
    struct bi_aux aux;
    const bosc_status status = bi_aux_read(path, band_of(opts), &aux, error);
    free(aux.system);
    if (status != BOSC_OK) return status;
    if (aux.unit != 0) {
        h->height_unit = aux.unit;
        memcpy(h->unit_name, aux.unit_name, sizeof h->unit_name);
        h->assumed &= ~BOSC_HEIGHTS_ASSUMED_HEIGHT_UNIT;
    }
    const double factor = bi_height_factor(h->height_unit);
    *values = (struct bi_aux_values){(float)aux.none, aux.scale * factor, aux.offset * factor};
    return BOSC_OK;
}

bosc_status bi_aux_apply(const char *path, const bosc_heights_opts *opts, bosc_heights *h, bosc_io_error *error)
{
    struct bi_aux_values v;
    const bosc_status status = bi_aux_read_values(path, opts, h, &v, error);
    if (status != BOSC_OK) return status;
    const bool plain = v.scale == 1 && v.offset == 0;
    if (plain && isnan(v.none)) return BOSC_OK;
    for (int64_t i = 0; i < h->width * h->height; i++)
        h->data[i] = h->data[i] == v.none ? NAN : plain ? h->data[i] : (float)((double)h->data[i] * v.scale + v.offset);
    return BOSC_OK;
}
