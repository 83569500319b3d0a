/* Reads meshes: chooses the reader and checks the result. */
#include <stdlib.h>
#include <string.h>

#include "io/file/array.h"
#include "io/file/file.h"
#include "io/mesh/faces.h"
#include "io/text/row.h"

bool bi_off_is(const struct bi_bytes *in)
{
    struct bi_lines lines = bi_lines_begin(in);
    struct bi_line line, word;
    if (!bi_lines_next_content(&lines, &line) || !bi_line_word(&line, &word)) return false;
    while (word.end > word.begin && word.end[-1] >= '0' && word.end[-1] <= '9') word.end--;
    return word.end - word.begin >= 3 && memcmp(word.end - 3, "OFF", 3) == 0;
}

bi_mesh_fn bi_mesh_reader_of(const char *path, const struct bi_bytes *in)
{
    if (bi_path_ends_in(path, ".off")) return bi_off_read;
    if (bi_path_ends_in(path, ".obj")) return bi_obj_read;
    if (bi_path_ends_in(path, ".ply")) return bi_ply_read;
    if (bi_path_ends_in(path, ".glb")) return bi_glb_read;
    if (bi_path_ends_in(path, ".stl")) return bi_stl_read;
    if (bi_glb_is(in)) return bi_glb_read;
    if (bi_stl_is_binary(in) || bi_bytes_begin(in, "solid", 5)) return bi_stl_read;
    if (bi_bytes_begin(in, "ply", 3)) return bi_ply_read;
    if (bi_off_is(in)) return bi_off_read;
    return strcmp(path, "-") == 0 ? bi_obj_read : NULL;
}

/* Vertex numbers must fit in 32 bits, and there must be triangles. */
static bosc_status check_mesh(const struct bi_bytes *in, const bosc_array *vertices, const struct bi_faces *faces,
                              bosc_io_error *error)
{
    if (vertices->shape[0] > (int64_t)UINT32_MAX)
        return bi_io_fail(error, BOSC_ERR_LIMIT, "%s: %lld vertices are not below 2^32", in->name,
                          (long long)vertices->shape[0]);
    if (faces->count == 0) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no triangles", in->name);
    return BOSC_OK;
}

bosc_status bi_mesh_parse(bi_mesh_fn read, const struct bi_bytes *in, bosc_array *vertices, bosc_array *triangles,
                          bosc_io_error *error)
{
    struct bi_faces faces = {0};
    bosc_array points = {0};
    bosc_status status = read(in, &points, &faces, error);
    if (status == BOSC_OK) status = check_mesh(in, &points, &faces, error);
    if (status == BOSC_OK) status = bi_faces_triangulate(&faces, points.data, in, error);
    free(faces.polygons);
    faces.polygons = NULL;
    if (status != BOSC_OK) {
        bi_faces_free(&faces);
        bosc_array_free(&points);
        return status;
    }
    *vertices = points;
    *triangles =
        (bosc_array){.dtype = BOSC_U32, .rank = 2, .shape = {(int64_t)faces.count / 3, 3, 1, 1}, .data = faces.data};
    return BOSC_OK;
}

bosc_status bosc_mesh_read(const char *path, bosc_array *vertices, bosc_array *triangles, bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_file file;
    bosc_array points = {0}, faces = {0};
    if (!vertices) return bi_io_fail(error, BOSC_ERR_ARG, "vertices: NULL");
    if (!triangles) return bi_io_fail(error, BOSC_ERR_ARG, "triangles: NULL");
    bosc_status status = bi_file_open(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    bi_mesh_fn read = bi_mesh_reader_of(path, &file.bytes);
    if (read)
        status = bi_mesh_parse(read, &file.bytes, &points, &faces, error);
    else
        status = bi_io_fail(error, BOSC_ERR_FORMAT, "%s: the ending is not one of .off, .obj, .ply, .stl, .glb",
                            file.bytes.name);
    bi_file_close(&file);
    status = bi_array_end(status, &points, vertices, error);
    if (status == BOSC_OK)
        *triangles = faces;
    else
        bosc_array_free(&faces);
    return status;
}
