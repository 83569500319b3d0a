#include "support/edges_array.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_chunks(gr_array, data, size);
    return fuzz_parser(gr_array, data, size);
}
