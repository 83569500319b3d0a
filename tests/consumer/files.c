/* A program that uses an installed libboscage_io: an array that is written is read again. */
#include <boscage/io.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int32_t numbers[6] = {1, 2, 3, 4, 5, 6};
    bosc_array out = {.dtype = BOSC_I32, .rank = 2, .shape = {3, 2, 1, 1}, .data = numbers};
    bosc_array in = {.data = NULL};
    bosc_io_error error;
    if (argc != 2) return 2;
    if (bosc_npy_write(argv[1], &out, &error) != BOSC_OK || bosc_npy_read(argv[1], &in, &error) != BOSC_OK) {
        fprintf(stderr, "files: %s\n", error.text);
        return 1;
    }
    int same = in.rank == 2 && in.shape[0] == 3 && memcmp(in.data, numbers, sizeof numbers) == 0;
    bosc_array_free(&in);
    return !same;
}
