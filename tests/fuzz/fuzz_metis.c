#include "support/edges_array.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_chunks(metis_array, data, size);
    return fuzz_parser(metis_array, data, size);
}
