/* Files packed by gzip (.gz, .bgz) or zstd (.zst). All readers and writers accept gzip, and zstd if libzstd was found
 * when this was built. */
#ifndef BI_IO_FILE_PACKED_H
#define BI_IO_FILE_PACKED_H

#include "io/file/file.h"

/* Returns the length of the ending .gz, .bgz or .zst of a path, in either case; 0: it has another one. */
size_t bi_packed_ending(const char *path);

/* True if the bytes must be unpacked: by the ending of the name; standard input and files of /dev by their first
 * bytes, too. */
bool bi_packed_is(const struct bi_bytes *in);

/* Unpacks all members or frames into memory of the file; BOSC_ERR_LIMIT beyond `most` bytes. The first function
 * chooses one of the others for bytes that bi_packed_is accepts. */
bosc_status bi_packed_decompress(const struct bi_bytes *in, size_t most, struct bi_file *file, bosc_io_error *error);
bosc_status bi_gzip_decompress(const struct bi_bytes *in, size_t most, struct bi_file *file, bosc_io_error *error);
bosc_status bi_zstd_decompress(const struct bi_bytes *in, size_t most, struct bi_file *file, bosc_io_error *error);

/* Compressor of the bytes written to a file. */
struct bi_packer;

/* Sets *packer to a compressor by the ending of the path, or to NULL for other endings. */
bosc_status bi_packer_new(const char *path, struct bi_packer **packer, bosc_io_error *error);
/* Packs bytes and writes the result; `last`: these are the last ones. Returns nonzero if `write` failed. */
int bi_packer_compress(struct bi_packer *packer, const void *bytes, size_t count, bool last, bosc_write_fn write,
                       void *user);
void bi_packer_free(struct bi_packer *packer);

#endif
