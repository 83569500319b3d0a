#include "fuzz.h"
#include "io/mesh/points.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_mesh(bi_ply_read, data, size);
    return fuzz_parser(bi_ply_parse, data, size);
}
