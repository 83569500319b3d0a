/* Sphere trees. */
#include "fuzz.h"
#include "io/scene/scene.h"

static bosc_status parse(const struct bi_bytes *in, bosc_array *balls, bosc_io_error *error)
{
    struct bi_body body = {.balls.data = NULL};
    bosc_status status = bi_sph_parse(in, (int32_t)(in->size % 4), &body, error);
    *balls = body.balls;
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_parser(parse, data, size); }
