#include "fuzz.h"

/* Nodes repeat meshes, within a limit (glb.c). */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh_within(bi_glb_read, data, size, ((size_t)1 << 24) + 64 * size);
}
