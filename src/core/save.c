#define XXH_INLINE_ALL
#include "core/save.h"

#include <string.h>

#include <xxhash.h>

#include "base/fault.h"
#include "core/call.h"

enum {
    SLICE = 1 << 20 /* bytes read at once: more wastes more memory if a size is false */,
    ALIGNMENT = 64,
    MAGIC = 8 /* bytes */
};

uint64_t bi_xxh3(const void *bytes, size_t count) { return XXH3_64bits(bytes, count); }

_Static_assert(sizeof(XXH3_state_t) == BI_XXH3_STATE_BYTES, "the state of the hash");

void bi_xxh3_begin(void *state) { XXH3_64bits_reset(state); }

void bi_xxh3_add(void *state, const void *bytes, size_t count) { XXH3_64bits_update(state, bytes, count); }

uint64_t bi_xxh3_end(const void *state) { return XXH3_64bits_digest(state); }

/* Keeps this process's pointer to the secret. */
void bi_xxh3_resume(void *state, const void *saved)
{
    XXH3_state_t *s = state;
    XXH3_64bits_reset(s);
    const unsigned char *secret = s->extSecret;
    memcpy(s, saved, sizeof *s);
    s->extSecret = secret;
}

bool bi_load_fault_injected(void) { return bi_fault(BI_FAULT_READ); }

/* Allocates memory that begins with the state of the hash; it is aligned to 64 bytes. */
static bosc_status allocate_state(bosc_ctx *ctx, size_t more, char **memory)
{
    size_t bytes = sizeof(XXH3_state_t) + more;
    *memory = bi_host_alloc(ctx, bytes);
    if (!*memory) return BOSC_ERR_NOMEM;
    bi_xxh3_begin(*memory);
    return BOSC_OK;
}

bosc_status bi_save_bytes(struct bi_saver *s, const void *bytes, size_t count)
{
    bi_xxh3_add(s->memory, bytes, count);
    if (bi_fault(BI_FAULT_WRITE) || s->write(s->user, bytes, count) != 0)
        return bi_fail(s->ctx, BOSC_ERR_IO, "write: the caller's function failed");
    return bi_progress_advance(s->ctx, bi_save_items(count));
}

bosc_status bi_save_header(struct bi_saver *s, void *header, size_t size, const char *magic, uint32_t version)
{
    char *bytes = header;
    memcpy(bytes, magic, MAGIC);
    memcpy(bytes + MAGIC, &version, sizeof version);
    const uint64_t hash = bi_xxh3(bytes, size - sizeof hash);
    memcpy(bytes + size - sizeof hash, &hash, sizeof hash);
    return bi_save_bytes(s, header, size);
}

bosc_status bi_save_array(struct bi_saver *s, const void *array, size_t bytes)
{
    char *slice = s->memory + sizeof(XXH3_state_t);
    for (size_t at = 0; at < bytes; at += SLICE) {
        size_t part = bytes - at < SLICE ? bytes - at : SLICE;
        BI_TRY(s->ctx->backend->copy(s->ctx, slice, (const char *)array + at, part));
        BI_TRY(s->ctx->backend->sync(s->ctx));
        BI_TRY(bi_save_bytes(s, slice, part));
    }
    return BOSC_OK;
}

static size_t padding_of(size_t bytes) { return (ALIGNMENT - bytes % ALIGNMENT) % ALIGNMENT; }

bosc_status bi_save_padded(struct bi_saver *s, const void *array, size_t bytes)
{
    static const char zeros[ALIGNMENT];
    size_t padding = padding_of(bytes);
    BI_TRY(bi_save_array(s, array, bytes));
    return padding ? bi_save_bytes(s, zeros, padding) : BOSC_OK;
}

static bosc_status write_hash(struct bi_saver *s)
{
    uint64_t hash = bi_xxh3_end(s->memory);
    return bi_save_bytes(s, &hash, sizeof hash);
}

bosc_status bi_save(bosc_ctx *ctx, bosc_write_fn write, void *user, bi_save_fn write_contents, const void *structure)
{
    struct bi_saver s = {ctx, write, user, NULL};
    if (!write) return bi_fail(ctx, BOSC_ERR_ARG, "write: NULL");
    BI_TRY(allocate_state(ctx, SLICE, &s.memory));
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = write_contents(&s, structure));
    if (status == BOSC_OK) status = write_hash(&s);
    bi_memory_release(&ctx->host, s.memory, sizeof(XXH3_state_t) + SLICE);
    return status;
}

bosc_status bi_load_begin(bosc_ctx *ctx, bosc_read_fn read, void *user, const char *what, struct bi_loader *l)
{
    *l = (struct bi_loader){ctx, read, user, what, NULL};
    return allocate_state(ctx, 0, &l->memory);
}

/* Reads bytes without hashing them. */
static bosc_status read_bytes(struct bi_loader *l, void *bytes, size_t count, const char *part)
{
    if (bi_load_fault_injected() || l->read(l->user, bytes, count) != 0)
        return bi_fail(l->ctx, BOSC_ERR_FORMAT, "%s: it ends within its %s", l->what, part);
    return BOSC_OK;
}

bosc_status bi_load_bytes(struct bi_loader *l, void *bytes, size_t count, const char *part)
{
    BI_TRY(read_bytes(l, bytes, count, part));
    bi_xxh3_add(l->memory, bytes, count);
    return bi_progress_advance(l->ctx, bi_save_items(count));
}

static bosc_status check_header(struct bi_loader *l, const void *header, size_t size, const char *magic,
                                uint32_t oldest, uint32_t newest)
{
    const char *bytes = header;
    uint32_t found;
    uint64_t hash;
    memcpy(&found, bytes + MAGIC, sizeof found);
    memcpy(&hash, bytes + size - sizeof hash, sizeof hash);
    if (memcmp(bytes, magic, MAGIC) != 0) return bi_load_malformed(l, "these are not the bytes of one");
    if ((found < oldest || found > newest) && oldest == newest)
        return bi_fail(l->ctx, BOSC_ERR_FORMAT, "%s: version %lu, but this library reads version %lu", l->what,
                       (unsigned long)found, (unsigned long)newest);
    if (found < oldest || found > newest)
        return bi_fail(l->ctx, BOSC_ERR_FORMAT, "%s: version %lu, but this library reads versions %lu to %lu", l->what,
                       (unsigned long)found, (unsigned long)oldest, (unsigned long)newest);
    if (hash != bi_xxh3(bytes, size - sizeof hash)) return bi_load_malformed(l, "the header is damaged");
    return BOSC_OK;
}

bosc_status bi_load_check_header(struct bi_loader *l, const void *header, size_t size, const char *magic,
                                 uint32_t version)
{
    return check_header(l, header, size, magic, version, version);
}

bosc_status bi_load_header_versions(struct bi_loader *l, void *header, size_t size, const char *magic, uint32_t oldest,
                                    uint32_t newest)
{
    BI_TRY(bi_load_bytes(l, header, size, "header"));
    return check_header(l, header, size, magic, oldest, newest);
}

bosc_status bi_load_header(struct bi_loader *l, void *header, size_t size, const char *magic, uint32_t version)
{
    return bi_load_header_versions(l, header, size, magic, version, version);
}

static bosc_status grow_array(struct bi_loader *l, struct bi_loaded *a, size_t need, size_t limit)
{
    if (need <= a->capacity) return BOSC_OK;
    size_t capacity = need > limit / 2 ? limit : 2 * need;
    char *fresh = bi_host_alloc(l->ctx, capacity);
    if (!fresh) return BOSC_ERR_NOMEM;
    if (a->bytes) memcpy(fresh, a->data, a->bytes);
    bi_memory_release(&l->ctx->host, a->data, a->capacity);
    a->data = fresh;
    a->capacity = capacity;
    return BOSC_OK;
}

bosc_status bi_load_reserve(struct bi_loader *l, struct bi_loaded *array, size_t bytes)
{
    return grow_array(l, array, bytes, bytes);
}

bosc_status bi_load_array(struct bi_loader *l, struct bi_loaded *a, size_t bytes, const char *part)
{
    while (a->bytes < bytes) {
        size_t slice = bytes - a->bytes < SLICE ? bytes - a->bytes : SLICE;
        BI_TRY(grow_array(l, a, a->bytes + slice, bytes));
        BI_TRY(bi_load_bytes(l, a->data + a->bytes, slice, part));
        a->bytes += slice;
    }
    return BOSC_OK;
}

bosc_status bi_load_padded(struct bi_loader *l, struct bi_loaded *array, size_t bytes, const char *part)
{
    char zeros[ALIGNMENT];
    size_t padding = padding_of(bytes);
    BI_TRY(bi_load_array(l, array, bytes, part));
    if (padding) BI_TRY(bi_load_bytes(l, zeros, padding, part));
    for (size_t i = 0; i < padding; i++)
        if (zeros[i]) return bi_load_malformed(l, "there is something between its arrays");
    return BOSC_OK;
}

bosc_status bi_load_hash(struct bi_loader *l)
{
    uint64_t hash;
    BI_TRY(read_bytes(l, &hash, sizeof hash, "checksum"));
    if (hash != bi_xxh3_end(l->memory)) return bi_load_malformed(l, "the checksum is wrong: it is damaged");
    return BOSC_OK;
}

bosc_status bi_load_malformed(struct bi_loader *l, const char *reason)
{
    return bi_fail(l->ctx, BOSC_ERR_FORMAT, "%s: %s", l->what, reason);
}

void bi_load_release(struct bi_loader *l, struct bi_loaded *array)
{
    bi_memory_release(&l->ctx->host, array->data, array->capacity);
    *array = (struct bi_loaded){0};
}

void bi_load_end(struct bi_loader *l) { bi_memory_release(&l->ctx->host, l->memory, sizeof(XXH3_state_t)); }

/* Creates and fills the structure, while the loader is open. */
static bosc_status load_fresh(bosc_ctx *ctx, const struct bi_load_kind *kind, void *state, void **fresh)
{
    bosc_status status;
    BI_TRY(kind->parse(state));
    BI_TRY(kind->create(state, fresh));
    BI_WITH_SCRATCH(ctx, status = kind->fill(state, *fresh));
    if (status != BOSC_OK) kind->free(*fresh);
    return status;
}

bosc_status bi_load_structure(bosc_ctx *ctx, bosc_read_fn read, void *user, const struct bi_load_kind *kind,
                              void *state, struct bi_loaded *loaded, int arrays, void *structure)
{
    struct bi_loader *loader = state;
    void *fresh = NULL;
    if (!read) return bi_fail(ctx, BOSC_ERR_ARG, "read: NULL");
    if (!structure) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", kind->argument);
    BI_TRY(bi_load_begin(ctx, read, user, kind->what, loader));
    bosc_status status = load_fresh(ctx, kind, state, &fresh);
    for (int a = 0; a < arrays; a++) bi_load_release(loader, &loaded[a]);
    bi_load_end(loader);
    if (status == BOSC_OK) memcpy(structure, &fresh, sizeof fresh);
    return status;
}
