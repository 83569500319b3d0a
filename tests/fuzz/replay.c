/* main() of the fuzz targets for compilers without libFuzzer: runs a target on each file of a folder, then on random
 * changes of these files. The changes follow from the run's number, so that a failure repeats.
 *
 * usage: fuzz_NAME RUNS FOLDER */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_SIZE = 4096, MAX_SEEDS = 4096, MAX_CHANGES = 8 };

struct seed {
    uint8_t *data;
    size_t size;
};

static struct seed seeds[MAX_SEEDS];
static int seed_count;
static const uint8_t *current;
static size_t current_size;

/* xorshift64* */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du;
}

static size_t random_below(uint64_t *state, size_t n) { return (size_t)((next_random(state) >> 33) % n); }

/* Keeps the input of a failure: the sanitizers abort too (ASAN_OPTIONS). */
static void write_current(int signal_number)
{
    static const char text[] = "the input is in ./crash\n";
    int file = open("crash", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0 && write(file, current, current_size) == (ssize_t)current_size)
        (void)!write(STDERR_FILENO, text, sizeof text - 1);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Runs the target on a copy of exactly `size` bytes, so that a read behind them is found. */
static void run_target(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size);
    if (size && !copy) abort();
    if (size) memcpy(copy, data, size);
    current = copy;
    current_size = size;
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* Keeps the first MAX_SIZE bytes of a file. */
static void read_seed(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) abort();
    struct seed *s = &seeds[seed_count++];
    s->data = malloc(MAX_SIZE);
    if (!s->data) abort();
    s->size = fread(s->data, 1, MAX_SIZE, f);
    fclose(f);
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Reads the files of a folder, in the order of their names. Returns false if the folder cannot be read. */
static int read_seeds(const char *folder)
{
    static char *names[MAX_SEEDS];
    int count = 0;
    DIR *d = opendir(folder);
    if (!d) return 0;
    for (struct dirent *e; (e = readdir(d)) && count < MAX_SEEDS;)
        if (e->d_name[0] != '.' && !(names[count++] = strdup(e->d_name))) abort();
    closedir(d);
    qsort(names, (size_t)count, sizeof *names, compare_names);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        read_seed(path);
        free(names[i]);
    }
    return 1;
}

/* Changes the input once: sets, adds to or flips a byte, erases or repeats a range, or copies one from a seed. Returns
 * the
 * new size. */
static size_t change_input(uint8_t *data, size_t size, uint64_t *state)
{
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff, '0', '9', '-', '.', ' ', '\n'};
    const struct seed *other = &seeds[random_below(state, (size_t)seed_count)];
    size_t at = random_below(state, size + 1);
    size_t kind = random_below(state, 6);
    if (kind < 3 && at < size) {
        if (kind == 0) data[at] = values[random_below(state, sizeof values)];
        if (kind == 1) data[at] = (uint8_t)(data[at] + random_below(state, 16) - 8);
        if (kind == 2) data[at] ^= (uint8_t)(1u << random_below(state, 8));
    } else if (kind == 3) {
        size_t n = random_below(state, size - at + 1);
        memmove(data + at, data + at + n, size - at - n);
        size -= n;
    } else {
        const uint8_t *from = kind == 4 ? data : other->data;
        size_t from_size = kind == 4 ? size : other->size, begin = random_below(state, from_size + 1);
        size_t n = random_below(state, from_size - begin + 1);
        uint8_t range[MAX_SIZE];
        if (n > MAX_SIZE - size) n = MAX_SIZE - size;
        memcpy(range, from + begin, n);
        memmove(data + at + n, data + at, size - at);
        memcpy(data + at, range, n);
        size += n;
    }
    return size;
}

int main(int argc, char **argv)
{
    long runs = argc == 3 ? strtol(argv[1], NULL, 10) : -1;
    if (runs < 0 || !read_seeds(argv[2]) || seed_count == 0) {
        fprintf(stderr, "usage: %s RUNS FOLDER, a folder with files\n", argv[0]);
        return 2;
    }
    /* 1. The files as they are, and no bytes. */
    signal(SIGABRT, write_current);
    run_target(NULL, 0);
    for (int i = 0; i < seed_count; i++) run_target(seeds[i].data, seeds[i].size);
    /* 2. Changes of them. */
    for (long run = 1; run <= runs; run++) {
        uint8_t data[MAX_SIZE];
        uint64_t state = (uint64_t)run * 0x9e3779b97f4a7c15u;
        const struct seed *s = &seeds[random_below(&state, (size_t)seed_count)];
        size_t size = s->size;
        memcpy(data, s->data, size);
        for (size_t n = 1 + random_below(&state, MAX_CHANGES); n; n--) size = change_input(data, size, &state);
        run_target(data, size);
    }
    for (int i = 0; i < seed_count; i++) free(seeds[i].data);
    printf("%d files and %ld changes of them\n", seed_count, runs);
    return 0;
}
