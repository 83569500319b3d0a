/* Files packed by zstd must be refused with a message, or unpacked within the limit. */
#include "fuzz.h"
#include "io/file/packed.h"
#include "io/file/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 1 << 20 };
    struct bi_bytes in = {.name = "F", .data = (const char *)data, .size = size};
    struct bi_file file = {0};
    bosc_io_error error = {""};
    bosc_status status = bi_zstd_decompress(&in, MOST, &file, &error);
    if (status != BOSC_OK && (file.memory || error.text[0] != 'F')) abort();
    if (file.bytes.size > MOST) abort();
    volatile char sum = 0;
    for (size_t i = 0; i < file.bytes.size; i++) sum = (char)(sum + file.bytes.data[i]);
    bi_file_close(&file);
    return 0;
}
