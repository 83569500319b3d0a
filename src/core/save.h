/* Structures as streams of bytes: what every room's saved form is written and read with. The whole stream is hashed
 * (XXH3 64) and ends with its hash; a header of the room's comes first and has a hash of its own, so that a damaged one
 * is found before anything is made of it. */
#ifndef BI_CORE_SAVE_H
#define BI_CORE_SAVE_H

#include "core/call.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "saved structures are little-endian");

/* XXH3 64 of some bytes. */
uint64_t bi_hash(const void *bytes, size_t count);

/* The same of bytes that come one after the other; its state lies at a multiple of 64 bytes. */
enum { BI_HASH_STATE = 576 };
void bi_hash_begin(void *state);
void bi_hash_add(void *state, const void *bytes, size_t count);
uint64_t bi_hash_end(const void *state);
/* Goes on from a state that another process may have left. */
void bi_hash_adopt(void *state, const void *left);

/* Whether a read is to fail, for tests. */
bool bi_load_faulty(void);

struct bi_saver {
    bosc_ctx *ctx;
    bosc_write_fn write;
    void *user;
    char *memory; /* host: the state of the hash, and a slice of an array */
};

/* What the rooms' write functions do once they have checked the structure: `put` puts all of it but the last hash. */
typedef bosc_status (*bi_save_fn)(struct bi_saver *s, const void *structure);
bosc_status bi_save(bosc_ctx *ctx, bosc_write_fn write, void *user, bi_save_fn put, const void *structure);

/* What is written or read takes as long as so many items, which a driver expects (core/progress.h). */
static inline double bi_save_items(size_t bytes) { return (double)bytes / 4; }

bosc_status bi_save_put(struct bi_saver *s, const void *bytes, size_t count);
/* Backend memory, by slices. */
bosc_status bi_save_array(struct bi_saver *s, const void *array, size_t bytes);
/* The same, and zeros up to a multiple of 64 bytes, so that the arrays of a mapped file can be used in place. */
bosc_status bi_save_padded(struct bi_saver *s, const void *array, size_t bytes);

struct bi_loader {
    bosc_ctx *ctx;
    bosc_read_fn read;
    void *user;
    const char *what; /* begins messages: "saved tree" */
    char *memory;     /* host: the state of the hash */
};

/* Bytes of one array, in host memory: it grows by slices that were really read. */
struct bi_loaded {
    char *data;
    size_t bytes, capacity;
};

bosc_status bi_load_begin(bosc_ctx *ctx, bosc_read_fn read, void *user, const char *what, struct bi_loader *l);

/* What a room's public read function does, for bi_load_structure. `state` is the room's own and begins with its struct
 * bi_loader; `arrays` of it, at `loaded`, are released at the end. */
struct bi_load_kind {
    const char *argument; /* the name of the out-parameter: "tree" */
    const char *what;     /* begins messages: "saved tree" */
    /* Reads and checks what it can without the structure. */
    bosc_status (*parse)(void *state);
    /* A new structure, empty; freed if `fill` fails. */
    bosc_status (*create)(void *state, void **fresh);
    /* Fills it; the scratch that it takes is given back. */
    bosc_status (*fill)(void *state, void *fresh);
    void (*free)(void *fresh);
};

/* Reads a structure: a new handle to *structure (the address of a pointer of any type), which is written on success
 * alone. */
bosc_status bi_load_structure(bosc_ctx *ctx, bosc_read_fn read, void *user, const struct bi_load_kind *kind,
                              void *state, struct bi_loaded *loaded, int arrays, void *structure);

/* A header of a room's, of which all begin with a magic of 8 bytes and a version of 4, and end with the hash of what
 * stands before it. */
bosc_status bi_load_header(struct bi_loader *l, void *header, size_t size, const char *magic, uint32_t version);
/* The checks of one that was read by other means. */
bosc_status bi_load_check_header(struct bi_loader *l, const void *header, size_t size, const char *magic,
                                 uint32_t version);
/* `part` names what the bytes belong to, for the message about an end within it. */
bosc_status bi_load_get(struct bi_loader *l, void *bytes, size_t count, const char *part);
bosc_status bi_load_array(struct bi_loader *l, struct bi_loaded *array, size_t bytes, const char *part);
/* An array that bi_save_padded put; what is behind it must be zeros. */
bosc_status bi_load_padded(struct bi_loader *l, struct bi_loaded *array, size_t bytes, const char *part);
/* Room for `bytes` bytes, of which none are read. */
bosc_status bi_load_reserve(struct bi_loader *l, struct bi_loaded *array, size_t bytes);
/* Reads the hash and compares it. */
bosc_status bi_load_hash(struct bi_loader *l);
/* BOSC_ERR_FORMAT with the reason. */
bosc_status bi_load_malformed(struct bi_loader *l, const char *reason);
void bi_load_release(struct bi_loader *l, struct bi_loaded *array);
void bi_load_end(struct bi_loader *l);

#endif
