/* A program that uses an installed libboscage, compiled as C and as C++. */
#include <boscage/boscage.h>

#include <stdio.h>
#include <string.h>

static int failed(const char *what)
{
    fprintf(stderr, "consumer: %s\n", what);
    return 1;
}

int main(void)
{
    bosc_ctx *ctx = NULL;
    bosc_ctx_info info;
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    if (strcmp(bosc_version(), BOSC_VERSION_STRING) != 0) return failed("library and headers differ");
    if (bosc_ctx_create(NULL, &ctx) != BOSC_OK) return failed("no context");
    if (bosc_ctx_get_info(ctx, &info) != BOSC_OK || info.threads < 1) return failed("no threads");
    bosc_ctx_free(ctx);
    if (bosc_device_count() == 0 && bosc_backend_reason(BOSC_BACKEND_CUDA)[0] == '\0')
        return failed("no CUDA device and no reason given");
    printf("boscage %s, %d threads; CUDA: %s\n", bosc_version(), (int)info.threads,
           bosc_device_count() > 0 ? "yes" : bosc_backend_reason(BOSC_BACKEND_CUDA));
    return 0;
}
