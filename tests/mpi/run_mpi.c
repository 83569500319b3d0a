/* Runs the cases of ranks on the processes of an MPI program: mpirun -n RANKS boscage_mpi_test [cuda] [SUITE...]. With
 * "cuda" each process has a device; a program with the emulator always runs them on its devices in turn. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/mpi.h>
#include <mpi.h>

#include "support/suite.h"

#define SUITE_ENTRY(id) extern const struct suite suite_##id;
#include "mpi_suites.inc"
#undef SUITE_ENTRY
static const struct suite *const suites[] = {
#define SUITE_ENTRY(id) &suite_##id,
#include "mpi_suites.inc"
#undef SUITE_ENTRY
};

/* Of the emulator: other processes can map the memory of its devices. */
extern void emulated_share_memory(void) __attribute__((weak));

static int rank;
static const char *suite_name, *case_name;

void suite_fail(const char *file, int line, const char *format, ...)
{
    char text[SUITE_FAILURE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "rank %d: %s: %s: %s:%d: %s\n", rank, suite_name, case_name, file, line, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

/* Makes one trial of `one_of`. */
static void run_suite(const struct suite *suite, bool on_device, int threads, uint64_t one_of)
{
    const bosc_ctx_opts opts = {.size = sizeof opts,
                                .threads = threads,
                                .backend = on_device ? BOSC_BACKEND_CUDA : BOSC_BACKEND_CPU,
                                .device = on_device ? rank % bosc_device_count() : 0};
    suite_name = suite->name;
    for (size_t i = 0; i < suite->count; i++) {
        case_name = suite->cases[i].name;
        if (!suite->cases[i].run) continue;
        bosc_ctx *ctx = suite_open(&opts);
        suite_begin_case(one_of);
        suite->cases[i].run(ctx);
        bosc_ctx_free(ctx);
    }
}

static bool is_selected(const struct suite *suite, int argc, char **argv)
{
    bool found = argc == 0;
    for (int i = 0; i < argc; i++) found = found || strcmp(suite->name, argv[i]) == 0;
    return found;
}

int main(int argc, char **argv)
{
    if (bosc_mpi_start() != BOSC_OK || MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) return 2;
    if (emulated_share_memory) emulated_share_memory();
    const bool by_name = argc > 1 && strcmp(argv[1], "cuda") == 0, on_device = emulated_share_memory || by_name;
    argc -= 1 + by_name, argv += 1 + by_name;
    for (size_t s = 0; s < sizeof suites / sizeof suites[0]; s++) {
        if (!is_selected(suites[s], argc, argv)) continue;
        run_suite(suites[s], on_device, 1, on_device ? 8 : 2);
        if (!on_device) run_suite(suites[s], false, 2, 8); /* repeats the run with one thread */
        if (rank == 0) printf("%s: passed\n", suites[s]->name);
    }
    bosc_mpi_stop();
    return 0;
}
