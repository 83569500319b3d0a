#include "reference/hash_ordered.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pair, or an empty slot. */
struct entry {
    bosc_hash_word hash;
    const struct reference_pair *pair;
    uint32_t words[2]; /* of a multimap: the first value and their number; of a counted map words[1] */
};

static int less(bosc_hash_word a, bosc_hash_word b) { return a.high < b.high || (a.high == b.high && a.low < b.low); }

static int compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return less(y->hash, x->hash) - less(x->hash, y->hash);
}

static void *zeros(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    if (!memory) abort();
    return memory;
}

/* One entry a key, by hash. */
static struct entry *entries_of(const struct reference_hash *t, int64_t *count)
{
    struct entry *entries = zeros(t->n, sizeof *entries);
    uint32_t value = 0;
    *count = 0;
    for (int64_t i = 0; i < t->n; i++) {
        const struct reference_pair *p = &t->pairs[i];
        struct entry *before = entries + *count - 1;
        if (*count && memcmp(&before->pair->key, &p->key, sizeof p->key) == 0)
            before->words[1] += (uint32_t)p->count;
        else
            entries[(*count)++] =
                (struct entry){bosc_hash_of(p->key, t->opts.key_bits, t->opts.seed), p, {0, (uint32_t)p->count}};
    }
    qsort(entries, (size_t)*count, sizeof *entries, compare);
    for (int64_t i = 0; i < *count; value += entries[i++].words[1]) entries[i].words[0] = value;
    return entries;
}

/* Hash * homes / 2^bits. */
static int64_t home_of(bosc_hash_word hash, int32_t key_bits, int64_t homes)
{
    if (key_bits == 32) return (int64_t)(hash.low * (uint64_t)homes >> 32);
    return (int64_t)((unsigned __int128)(key_bits == 64 ? hash.low : hash.high) * (uint64_t)homes >> 64);
}

/* Puts an entry into the first slot from its home on that is empty or holds a greater hash, whose pair moves on; gives
 * the slot that was empty. */
static int64_t insert(struct entry *slots, struct entry entry, int64_t home)
{
    for (int64_t at = home;; at++) {
        const struct entry here = slots[at];
        if (here.pair && less(here.hash, entry.hash)) continue;
        slots[at] = entry;
        if (!here.pair) return at;
        entry = here;
    }
}

/* Inserts all entries. False: they would take the last slot but one, or more, if the greatest hash were like others. */
static bool insert_all(const struct entry *entries, int64_t n, int32_t bits, int64_t homes, int64_t size,
                       struct entry *slots)
{
    const bosc_hash_word greatest = {bits == 32 ? UINT32_MAX : UINT64_MAX, bits == 128 ? UINT64_MAX : 0};
    int64_t last = -1;
    for (int64_t i = 0; i < n; i++) { /* in an order that is not that of the hashes */
        const struct entry e = entries[(i * 7919 + 3) % n];
        const int64_t at = insert(slots, e, home_of(e.hash, bits, homes));
        if (at > last) last = at;
    }
    if (last >= size - 2) return false;
    if (n == 0 || less(entries[n - 1].hash, greatest)) return true;
    slots[size - 1] = slots[last];
    slots[last] = (struct entry){.pair = NULL};
    return true;
}

static void write_word(unsigned char *to, int32_t bits, bosc_hash_word word)
{
    memcpy(to, &word.low, bits == 32 ? 4 : 8);
    if (bits == 128) memcpy(to + 8, &word.high, 8);
}

static void write_entry(unsigned char *to, const bosc_hash_opts *o, const struct entry *e)
{
    unsigned char *stored = to + o->key_bits / 8;
    write_word(to, o->key_bits, e->hash);
    if (o->kind == BOSC_HASH_MULTIMAP) {
        memcpy(stored, e->words, 8);
    } else {
        memcpy(stored, e->pair->value, (size_t)o->value_size);
        if (o->counted) memcpy(stored + o->value_size, &e->words[1], 4);
    }
}

/* The slots, and the figures of look-ups. */
static void write_slots(const struct entry *slots, const bosc_hash_opts *o, int64_t stride, int64_t homes,
                        struct reference_ordered *r)
{
    const bosc_hash_word greatest = {UINT64_MAX, UINT64_MAX};
    for (int64_t s = 0; s < r->size; s++) {
        unsigned char *to = r->slots + s * stride;
        if (!slots[s].pair) {
            if (s < r->size - 1) write_word(to, o->key_bits, greatest);
            continue;
        }
        write_entry(to, o, &slots[s]);
        if (r->linear || s == r->size - 1) continue;
        const int64_t extra = s - home_of(slots[s].hash, o->key_bits, homes);
        r->extra += extra;
        if (extra >= r->length) r->length = extra + 1;
    }
}

/* The home of a hash by its top 31 bits of 64, times 32: with the number of 32nds. */
static int64_t thirty_seconds(bosc_hash_word hash, int32_t key_bits, int64_t homes)
{
    const int width = key_bits == 32 ? 32 : 31;
    return (int64_t)((unsigned __int128)(hash.low >> (key_bits - width)) * (uint64_t)homes >> (width - 5));
}

/* What a home tells: which of its ranges have a key, and by how much its first one is pushed on. Of 32nds of a home,
 * three are ranges for four. A key whose home by the top bits is the one before is in the range 0, and marks the last
 * range of the home before; the greatest hash marks that of the last home. */
static uint32_t *directory_of(const struct entry *slots, int32_t key_bits, const struct reference_ordered *r)
{
    const uint32_t last = 1u << 23;
    uint32_t *directory = zeros(r->homes, sizeof *directory);
    for (int64_t s = 0; s < r->size - 1; s++) {
        if (!slots[s].pair) continue;
        const int64_t home = home_of(slots[s].hash, key_bits, r->homes), pushed = s - home < 255 ? s - home : 255;
        const int64_t part = thirty_seconds(slots[s].hash, key_bits, r->homes);
        if (directory[home] == 0) directory[home] = (uint32_t)pushed << 24;
        if (part / 32 == home) directory[home] |= 1u << (part % 32 * 3 / 4);
        if (part / 32 != home) directory[home] |= 1, directory[home - 1] |= last;
    }
    if (slots[r->size - 1].pair) directory[r->homes - 1] |= last;
    return directory;
}

void reference_ordered_free(struct reference_ordered *r)
{
    free(r->slots);
    free(r->directory);
}

struct reference_ordered reference_ordered_of(const struct reference_hash *pairs, int64_t stride)
{
    const bosc_hash_opts *o = &pairs->opts;
    struct reference_ordered r = {.length = 1};
    int64_t n, behind = (int64_t)(18 / (1 - o->load));
    struct entry *entries = entries_of(pairs, &n);
    r.homes = (int64_t)ceil((double)n / o->load);
    if (behind > n) behind = n;
    r.size = n ? r.homes + behind + 2 : 0;
    r.bytes = r.size * stride;
    struct entry *slots = zeros(r.size + n, sizeof *slots);
    r.linear = n && !insert_all(entries, n, o->key_bits, r.homes, r.size, slots);
    if (r.linear) r.size = n;
    r.slots = zeros(r.bytes, 1);
    write_slots(r.linear ? entries : slots, o, stride, r.homes, &r);
    if (n && !r.linear && o->key_bits != 128) r.directory = directory_of(slots, o->key_bits, &r);
    free(slots);
    free(entries);
    return r;
}
