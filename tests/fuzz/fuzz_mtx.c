#include "support/edges_array.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_chunks(mtx_array, data, size);
    return fuzz_parser(mtx_array, data, size);
}
