#include "fuzz.h"
#include "io/npy/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_chunks(bi_npy_parse, data, size);
    return fuzz_parser(bi_npy_parse, data, size);
}
