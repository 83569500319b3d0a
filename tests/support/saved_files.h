/* Checks of saved structures as files: messages begin with the name of the file, and the old file stays complete if
 * the new one cannot be written. */
#ifndef TESTS_SUPPORT_SAVED_FILES_H
#define TESTS_SUPPORT_SAVED_FILES_H

#include <unistd.h>

#include "base/fault.h"
#include "io/file/structure.h"
#include "io/file/file.h"
#include "support/bytes.h"
#include "support/paths.h"

/* Functions of a structure, supplied by the case; check_equal ends the case if two handles differ. */
struct saved_file_kind {
    bosc_status (*save)(bosc_ctx *ctx, const void *handle, const char *path, bosc_io_error *error);
    bosc_status (*load)(bosc_ctx *ctx, const char *path, void **handle, bosc_io_error *error);
    bosc_status (*parse)(bosc_ctx *ctx, const struct bi_bytes *in, void **handle, bosc_io_error *error);
    void (*free)(void *handle);
    void (*check_equal)(bosc_ctx *ctx, const void *a, const void *b);
};

/* Defines saved_file_<type>, the kind of bosc_<type>, with check_equal = equal(ctx, a, b). */
#define SAVED_FILE_KIND(type, equal)                                                                                \
    static bosc_status saved_file_save_##type(bosc_ctx *ctx, const void *handle, const char *path,                  \
                                              bosc_io_error *error)                                                 \
    {                                                                                                               \
        return bosc_##type##_save(ctx, handle, path, error);                                                        \
    }                                                                                                               \
    static bosc_status saved_file_load_##type(bosc_ctx *ctx, const char *path, void **handle, bosc_io_error *error) \
    {                                                                                                               \
        bosc_##type *typed = *handle;                                                                               \
        bosc_status status = bosc_##type##_load(ctx, path, &typed, error);                                          \
        *handle = typed;                                                                                            \
        return status;                                                                                              \
    }                                                                                                               \
    static bosc_status saved_file_parse_##type(bosc_ctx *ctx, const struct bi_bytes *in, void **handle,             \
                                               bosc_io_error *error)                                                \
    {                                                                                                               \
        return bi_structure_parse(BI_STRUCTURE_##type, ctx, in, handle, error);                                     \
    }                                                                                                               \
    static void saved_file_free_##type(void *handle) { bosc_##type##_free(handle); }                                \
    static void saved_file_equal_##type(bosc_ctx *ctx, const void *a, const void *b) { equal(ctx, a, b); }          \
    static const struct saved_file_kind saved_file_##type = {saved_file_save_##type, saved_file_load_##type,        \
                                                             saved_file_parse_##type, saved_file_free_##type,       \
                                                             saved_file_equal_##type}

static inline void saved_file_refused(bosc_ctx *ctx, const struct saved_file_kind *kind, const char *bytes, size_t size)
{
    bosc_io_error error = {""};
    void *handle = NULL;
    char *copy = suite_alloc(size);
    if (size) memcpy(copy, bytes, size);
    struct bi_bytes in = {.name = "F", .data = copy, .size = size};
    CHECK_EQ(kind->parse(ctx, &in, &handle, &error), BOSC_ERR_FORMAT);
    CHECK(!handle && suite_begins(error.text, "F: "));
    free(copy);
}

/* Checks that damage is refused: every truncation, an extra byte, every bit of the header, one bit of each other
 * byte. */
static inline void saved_file_damage(bosc_ctx *ctx, const struct saved_file_kind *kind, const void *handle,
                                     size_t header)
{
    char path[PATH_ROOM];
    struct bi_file file;
    fresh_path(path, ".bosc");
    CHECK_OK(ctx, kind->save(ctx, handle, path, NULL));
    CHECK_EQ(bi_file_open(path, &file, NULL), BOSC_OK);
    unlink(path);
    size_t size = file.bytes.size;
    char *copy = suite_alloc(size + 1);
    memcpy(copy, file.bytes.data, size);
    copy[size] = 0;
    for (size_t k = 0; k < size; k++) saved_file_refused(ctx, kind, copy, k);
    saved_file_refused(ctx, kind, copy, size + 1);
    for (size_t k = 0; k < size; k++)
        for (int bit = k < header ? 0 : (int)k % 8; bit < 8; bit += k < header ? 1 : 8) {
            copy[k] ^= (char)(1 << bit);
            saved_file_refused(ctx, kind, copy, size);
            copy[k] ^= (char)(1 << bit);
        }
    free(copy);
    bi_file_close(&file);
}

#ifdef BOSC_FAULTS
/* Saves `next` over `old`, with a fault at the k-th passage, and checks the file; then loads it with the same fault.
 * False if there are no more passages. */
static inline bool saved_file_fault(bosc_ctx *ctx, const struct saved_file_kind *kind, const char *path,
                                    const void *next, const void *old, int64_t k, bool for_good)
{
    const uint32_t kinds = BI_FAULT_ALLOC | BI_FAULT_READ | BI_FAULT_WRITE | BI_FAULT_COPY;
    bosc_io_error error = {""};
    void *back = NULL;
    CHECK_OK(ctx, kind->save(ctx, old, path, &error));
    bi_fault_arm(kinds, k, for_good);
    bosc_status saved = kind->save(ctx, next, path, &error);
    bi_fault_disarm();
    if (saved != BOSC_OK) CHECK(suite_begins(error.text, path));
    CHECK_OK(ctx, kind->load(ctx, path, &back, &error));
    kind->check_equal(ctx, saved == BOSC_OK ? next : old, back);
    kind->free(back);
    back = NULL;
    bi_fault_arm(kinds, k, for_good);
    bosc_status loaded = kind->load(ctx, path, &back, &error);
    int64_t passages = bi_fault_passages();
    bi_fault_disarm();
    CHECK((loaded == BOSC_OK) == (back != NULL));
    if (loaded != BOSC_OK) CHECK(suite_begins(error.text, path));
    kind->free(back);
    return saved != BOSC_OK || loaded != BOSC_OK || passages > k;
}

/* Lets saving and loading fail at every passage: each failure has a message, leaks nothing, and keeps the old file. */
static inline void saved_file_faults(bosc_ctx *ctx, const struct saved_file_kind *kind, const void *next,
                                     const void *old)
{
    char path[PATH_ROOM];
    fresh_path(path, ".bosc");
    for (int for_good = 0; for_good < 2; for_good++)
        for (int64_t k = 0; saved_file_fault(ctx, kind, path, next, old, k, for_good); k++) CHECK(k < 500);
    unlink(path);
}
#endif

#endif
