/* Structures as streams of bytes: writes and reads the saved forms of all rooms. A stream begins with a header of the
 * room and ends with a hash (XXH3 64) of the whole stream. The header has its own hash, so that damage is detected
 * before anything is allocated from it. */
#ifndef BI_CORE_SAVE_H
#define BI_CORE_SAVE_H

#include "core/call.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "saved structures are little-endian");

/* XXH3 64 of `count` bytes. */
uint64_t bi_xxh3(const void *bytes, size_t count);

/* The same, incrementally; the state is aligned to 64 bytes. */
enum { BI_XXH3_STATE_BYTES = 576 };
void bi_xxh3_begin(void *state);
void bi_xxh3_add(void *state, const void *bytes, size_t count);
uint64_t bi_xxh3_end(const void *state);
/* Resumes from a state that another process may have computed. */
void bi_xxh3_resume(void *state, const void *saved);

/* True if this read shall fail, in tests. */
bool bi_load_fault_injected(void);

struct bi_saver {
    bosc_ctx *ctx;
    bosc_write_fn write;
    void *user;
    char *memory; /* host: the state of the hash, and a slice of an array */
};

/* Writes a structure that the room has checked: `write_contents` writes everything except the final hash. */
typedef bosc_status (*bi_save_fn)(struct bi_saver *s, const void *structure);
bosc_status bi_save(bosc_ctx *ctx, bosc_write_fn write, void *user, bi_save_fn write_contents, const void *structure);

/* Cost of writing or reading, in items of progress (core/progress.h). */
static inline double bi_save_items(size_t bytes) { return (double)bytes / 4; }

/* Writes the header of a room after setting its magic, version and hash (see bi_load_header). */
bosc_status bi_save_header(struct bi_saver *s, void *header, size_t size, const char *magic, uint32_t version);
bosc_status bi_save_bytes(struct bi_saver *s, const void *bytes, size_t count);
/* Writes backend memory, in slices. */
bosc_status bi_save_array(struct bi_saver *s, const void *array, size_t bytes);
/* The same, padded with zeros to a multiple of 64 bytes, so that arrays of a mapped file can be used in place. */
bosc_status bi_save_padded(struct bi_saver *s, const void *array, size_t bytes);

struct bi_loader {
    bosc_ctx *ctx;
    bosc_read_fn read;
    void *user;
    const char *what; /* begins messages: "saved tree" */
    char *memory;     /* host: the state of the hash */
};

/* Bytes of one array, in host memory. It grows only by slices that were read, so that a damaged size allocates
 * little. */
struct bi_loaded {
    char *data;
    size_t bytes, capacity;
};

bosc_status bi_load_begin(bosc_ctx *ctx, bosc_read_fn read, void *user, const char *what, struct bi_loader *l);

/* Functions of a room for bi_load_structure. `state` belongs to the room and begins with a struct bi_loader; its
 * `arrays` arrays at `loaded` are released at the end. */
struct bi_load_kind {
    const char *argument; /* the name of the out-parameter: "tree" */
    const char *what;     /* begins messages: "saved tree" */
    /* Reads and checks the header and everything else that needs no structure. */
    bosc_status (*parse)(void *state);
    /* Creates an empty structure, which is freed if `fill` fails. */
    bosc_status (*create)(void *state, void **fresh);
    /* Fills it; its scratch is released. */
    bosc_status (*fill)(void *state, void *fresh);
    void (*free)(void *fresh);
};

/* Reads a structure: a new handle to *structure (the address of a pointer of any type), which is written on success
 * alone. */
bosc_status bi_load_structure(bosc_ctx *ctx, bosc_read_fn read, void *user, const struct bi_load_kind *kind,
                              void *state, struct bi_loaded *loaded, int arrays, void *structure);

/* Reads the header of a room. All headers begin with 8 bytes of magic and a version of 4 bytes, and end with their
 * hash. */
bosc_status bi_load_header(struct bi_loader *l, void *header, size_t size, const char *magic, uint32_t version);
/* The same for a room that reads several versions. */
bosc_status bi_load_header_versions(struct bi_loader *l, void *header, size_t size, const char *magic, uint32_t oldest,
                                    uint32_t newest);
/* The same checks as bi_load_header, for a header that was read by other means. */
bosc_status bi_load_check_header(struct bi_loader *l, const void *header, size_t size, const char *magic,
                                 uint32_t version);
/* `part` names the part of the stream, for the message about an early end. */
bosc_status bi_load_bytes(struct bi_loader *l, void *bytes, size_t count, const char *part);
bosc_status bi_load_array(struct bi_loader *l, struct bi_loaded *array, size_t bytes, const char *part);
/* Reads an array of bi_save_padded and checks that its padding is zero. */
bosc_status bi_load_padded(struct bi_loader *l, struct bi_loaded *array, size_t bytes, const char *part);
/* Reserves room for `bytes` bytes without reading. */
bosc_status bi_load_reserve(struct bi_loader *l, struct bi_loaded *array, size_t bytes);
/* Reads the hash and compares it. */
bosc_status bi_load_hash(struct bi_loader *l);
/* BOSC_ERR_FORMAT with the reason. */
bosc_status bi_load_malformed(struct bi_loader *l, const char *reason);
void bi_load_release(struct bi_loader *l, struct bi_loaded *array);
void bi_load_end(struct bi_loader *l);

#endif
