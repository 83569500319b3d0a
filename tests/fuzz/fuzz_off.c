#include "fuzz.h"
#include "io/mesh/points.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_mesh(bi_off_read, data, size);
    return fuzz_parser(bi_off_parse, data, size);
}
