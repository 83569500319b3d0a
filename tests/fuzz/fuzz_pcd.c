#include "fuzz.h"
#include "io/mesh/points.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_parser(bi_pcd_parse, data, size); }
