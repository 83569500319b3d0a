#include "io/mesh/faces.h"

#include <stdlib.h>

bool bi_faces_add(struct bi_faces *faces, const double *corners, size_t count)
{
    size_t more = count < 3 ? 0 : 3 * (count - 2);
    if (faces->capacity - faces->count < more) {
        size_t capacity = faces->count + more > 2 * faces->capacity ? faces->count + more : 2 * faces->capacity;
        uint32_t *grown = bi_io_realloc(faces->data, capacity * sizeof *grown);
        if (!grown) return false;
        faces->data = grown;
        faces->capacity = capacity;
    }
    for (size_t k = 2; k < count; k++) {
        faces->data[faces->count++] = (uint32_t)(int64_t)corners[0];
        faces->data[faces->count++] = (uint32_t)(int64_t)corners[k - 1];
        faces->data[faces->count++] = (uint32_t)(int64_t)corners[k];
    }
    return true;
}

void bi_faces_free(struct bi_faces *faces)
{
    free(faces->data);
    *faces = (struct bi_faces){0};
}
