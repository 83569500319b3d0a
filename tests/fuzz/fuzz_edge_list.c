/* Lists of edges. Each line that the fast parser accepts is compared with the general parser. */
#include <string.h>

#include "support/edges_array.h"
#include "fuzz.h"
#include "io/graph/edge_names.h"
#include "io/graph/parse_edges.h"
#include "io/text/row.h"

static void compare_lines(const char *data, size_t size, bool tagged, char separator, enum bi_weights weights)
{
    struct bi_edge_form form = {.tag = tagged ? 'a' : 0,
                                .separator = separator,
                                .first = tagged,
                                .n = 1000000,
                                .weights = weights,
                                .widest = weights};
    struct bi_lines lines = {.next = data, .end = data + size};
    struct bi_line line;
    while (bi_lines_next(&lines, &line)) {
        struct bi_edge fast, general;
        bosc_status status;
        struct bi_reason reason;
        const char *at = line.begin;
        if (!bi_edge_line_fast(&at, data + size, tagged, weights, separator, (uint64_t)form.first, (uint64_t)form.n,
                               &fast))
            continue;
        if (at != lines.next) abort();
        if (bi_edge_line_read(&form, line, &general, &status, &reason) != BI_LINE_EDGE) abort();
        if (fast.u != general.u || fast.v != general.v) abort();
        if (weights != BI_WEIGHTS_NONE && fast.weight.integer != general.weight.integer)
            abort(); /* or the bits of reals */
    }
}

/* Parses vertices with names: as many as the edges have. */
static void parse_names(const uint8_t *data, size_t size)
{
    struct bi_bytes in = {.name = "F", .data = (const char *)data, .size = size, .chunk_bytes = size + 1};
    struct bi_edge_names names = {.used = 0};
    bosc_io_error error = {""};
    bosc_edges e = {0};
    const bosc_status status = bi_edge_names_parse(&in, &names, &e, &error);
    if (status == BOSC_OK && e.n != names.list.n) abort();
    for (int64_t i = 0; status == BOSC_OK && i < e.m; i++)
        if (e.u[i] >= names.list.n || e.v[i] >= names.list.n) abort();
    if (status != BOSC_OK && (e.u || error.text[0] != 'F')) abort();
    bosc_edges_free(&e);
    bi_edge_names_free(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int kind = BI_WEIGHTS_NONE; kind <= BI_WEIGHTS_F64; kind++) {
        compare_lines((const char *)data, size, false, 0, (enum bi_weights)kind);
        compare_lines((const char *)data, size, false, ',', (enum bi_weights)kind);
        if (kind != BI_WEIGHTS_NONE) compare_lines((const char *)data, size, true, 0, (enum bi_weights)kind);
    }
    parse_names(data, size);
    fuzz_chunks(list_array, data, size);
    return fuzz_parser(list_array, data, size);
}
