/* Sequences of any lengths, and texts: values, refused files, arguments. */
#include <stdio.h>

#include "io/graph/sequences.h"
#include "support/bytes.h"
#include "support/paths.h"

/* The letters of all sequences as an array, for the checks shared by all readers. */
static bosc_status parse_letters(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    bosc_sequences s = {0};
    bosc_status status = bi_sequences_parse(in, BOSC_ALPHABET_AUTO, &s, error);
    if (status != BOSC_OK) return status;
    *array = (bosc_array){.dtype = BOSC_U8, .rank = 1, .shape = {s.offsets[s.n], 1, 1, 1}, .data = s.letters};
    s.letters = NULL;
    bosc_sequences_free(&s);
    return status;
}

/* The text reads as these sequences and counts, separated by blanks: "ACGT 1 AC 12 - 1", where - has no letters. */
static void check_sequences(const char *text, bosc_alphabet alphabet, const char *expected)
{
    char found[256], *end = found;
    bosc_io_error error;
    bosc_sequences s = {0};
    struct bi_bytes in = {.name = "F", .data = text, .size = strlen(text)};
    if (bi_sequences_parse(&in, alphabet, &s, &error) != BOSC_OK)
        suite_fail(__FILE__, __LINE__, "refused: %s: %s", text, error.text);
    CHECK_EQ(s.offsets[0], 0);
    for (int64_t i = 0; i < s.n; i++) {
        const int length = (int)(s.offsets[i + 1] - s.offsets[i]);
        end += snprintf(end, sizeof found - (size_t)(end - found), "%s%.*s %lld", i ? " " : "", length ? length : 1,
                        length ? s.letters + s.offsets[i] : "-", (long long)s.counts[i]);
    }
    if (strcmp(found, expected) != 0) suite_fail(__FILE__, __LINE__, "\"%s\", not \"%s\"", found, expected);
    bosc_sequences_free(&s);
    CHECK(s.letters == NULL && s.offsets == NULL && s.counts == NULL);
}

static void lines_and_records(void)
{
    check_sequences("acgt\nAC 12\n\n# c\nNRY.u\t0\n", BOSC_ALPHABET_AUTO, "ACGT 1 AC 12 NRY.U 0");
    check_sequences(">a_3\nAC\nGTN\n>b\n>c\nT", BOSC_ALPHABET_BASES, "ACGTN 1 - 1 T 1");
    check_sequences("@a\nACGT\n+\n#@>+\n@b\n\n+\n\n@c\nT\n+c\nF\n", BOSC_ALPHABET_AUTO, "ACGT 1 - 1 T 1");
    check_sequences("barcode\treads\tother\nACGT\t5\t3\nA\t1\t1\n", BOSC_ALPHABET_BASES, "ACGT 5 A 1");
    check_sequences("ACGT COUNTS\nA 2\n", BOSC_ALPHABET_BASES, "A 2");
    check_sequences("MKV*\nnx 2\n", BOSC_ALPHABET_AMINO_ACIDS, "MKV* 1 NX 2");
    check_sequences("01\n1 5\n", BOSC_ALPHABET_BITS, "01 1 1 5");
}

/* Longer than a vector, on a line and as lines of FASTA. */
static void long_sequences(void)
{
    enum { LETTERS = 200000, LINE = 70 };
    char *text = suite_alloc(2 * LETTERS);
    for (int fasta = 0; fasta < 2; fasta++) {
        size_t used = fasta ? (size_t)sprintf(text, ">a") : 0;
        for (int k = 0; k < LETTERS; k++) {
            if (fasta && k % LINE == 0) text[used++] = '\n';
            text[used++] = "ACGT"[k % 4];
        }
        bosc_array array = {0};
        bosc_io_error error;
        CHECK_EQ(parse_bytes(parse_letters, text, used, &array, &error), BOSC_OK);
        CHECK_EQ(array.shape[0], LETTERS);
        for (int k = 0; k < LETTERS; k++) CHECK_EQ(((const char *)array.data)[k], "ACGT"[k % 4]);
        bosc_array_free(&array);
    }
    free(text);
}

static void bad_texts(void)
{
    static const struct malformed files[] = {
        {"F: no sequences", "", 0},
        {"F: no sequences", "# c\n\n", 0},
        {"F:2: '-' is not one of A, C, G, T", "ACGT\nAC-T\n", 0},
        {"F:2: 'ACGT-1' has a suffix, which is no part of a sequence: remove it", "ACGT\nACGT-1 3\n", 0},
        {"F:1: '-' is not one of A, C, G, T", "-1\n", 0},
        {"F:1: '0' is not one of A, C, G, T", "01\n", 0},
        {"F:1: 'E' is not one of A, C, G, T", "ACE\n", 0},
        {"F:1: 'x' is not a count", "ACGT x\n", 0},
        {"F:2: 'o' is not one of A, C, G, T", "barcode count\nbarcode count\n", 0},
        {"F:1: no sequences follow", "barcode count\n", 0},
        {"F:1: 'J' is not one of A, C, G, T", "ACGTJ x\nACGT 3 4\n", 0},
        {"F:1: 'o' is not one of A, C, G, T", "barcode other\nACGT 3 4\n", 0},
        {"F:1: the number '5' where a sequence", "5 ACGT\n", 0},
        {"F:1: '3' where the line should end", "ACGT 2 3\n", 0},
        {"F:2: 'A' where the line should end", ">a\nACGT A\n", 0},
        {"F:4: 1 qualities of 2 letters", "@a\nAC\n+\nI\n", 0},
        {"F:2: the file ends within this record", "@a\nAC", 0},
    };
    check_all_refused(parse_letters, files, sizeof files / sizeof files[0]);
}

static void truncations_and_flips(void)
{
    static const char lines[] = "# x\nACGT\t12\r\nac 3\n", records[] = "@a\nACGN\n+\nIIII\n\n@b\nA\n+b\n#\n",
                      sequences[] = ">a\nAC\nGT\n\n>b\nA\n";
    check_truncations(parse_letters, lines, sizeof lines - 1, 5);
    check_flips(parse_letters, lines, sizeof lines - 1, sizeof lines - 1);
    check_truncations(parse_letters, records, sizeof records - 1, 14);
    check_flips(parse_letters, records, sizeof records - 1, sizeof records - 1);
    check_truncations(parse_letters, sequences, sizeof sequences - 1, 1);
    check_flips(parse_letters, sequences, sizeof sequences - 1, sizeof sequences - 1);
}

/* Texts are written as they are, packed by the endings, and read back. */
static void texts(void)
{
    static const char text[] = "ACGT 7\nAC\n";
    char plain[PATH_ROOM], packed[PATH_ROOM], back[sizeof text];
    const char *paths[] = {plain, packed};
    const bosc_text both[] = {{text, sizeof text - 1}, {text, sizeof text - 1}};
    bosc_io_error why;
    fresh_path(plain, ".tsv");
    fresh_path(packed, ".tsv.gz");
    CHECK_EQ(bosc_texts_write(paths, both, 2, &why), BOSC_OK);
    FILE *f = fopen(plain, "rb");
    CHECK(f && fread(back, 1, sizeof back, f) == sizeof text - 1 && fclose(f) == 0);
    CHECK(memcmp(back, text, sizeof text - 1) == 0);
    for (int i = 0; i < 2; i++) {
        bosc_sequences s = {0};
        CHECK_EQ(bosc_sequences_read(paths[i], BOSC_ALPHABET_AUTO, &s, &why), BOSC_OK);
        CHECK(s.n == 2 && s.counts[0] == 7 && s.offsets[2] == 6 && memcmp(s.letters, "ACGTAC", 6) == 0);
        bosc_sequences_free(&s);
        remove(paths[i]);
    }
    /* An empty text is an empty file. */
    const bosc_text empty = {NULL, 0};
    CHECK_EQ(bosc_texts_write(paths, &empty, 1, &why), BOSC_OK);
    f = fopen(plain, "rb");
    CHECK(f && fgetc(f) == EOF && fclose(f) == 0);
    remove(plain);
}

static void arguments(void)
{
    const char *path = "none.txt", *bad_path = NULL;
    const bosc_text text = {"A", 1}, negative = {"A", -1}, missing = {NULL, 1};
    bosc_sequences s = {.n = 77};
    bosc_io_error why = {""};
    CHECK_TEXT(bosc_sequences_read(NULL, BOSC_ALPHABET_AUTO, &s, error), "path");
    CHECK_TEXT(bosc_sequences_read(path, BOSC_ALPHABET_AUTO, NULL, error), "sequences");
    CHECK_TEXT(bosc_sequences_read(path, (bosc_alphabet)4, &s, error), "alphabet");
    CHECK_TEXT(bosc_sequences_read(path, (bosc_alphabet)-1, &s, error), "alphabet");
    CHECK_EQ(bosc_sequences_read(path, BOSC_ALPHABET_AUTO, &s, &why), BOSC_ERR_IO);
    CHECK(suite_begins(why.text, "none.txt: cannot open"));
    CHECK_EQ(s.n, 77);
    bosc_sequences_free(NULL);
    CHECK_TEXT(bosc_texts_write(NULL, &text, 1, error), "paths");
    CHECK_TEXT(bosc_texts_write(&bad_path, &text, 1, error), "path");
    CHECK_TEXT(bosc_texts_write(&path, NULL, 1, error), "texts");
    CHECK_TEXT(bosc_texts_write(&path, &negative, 1, error), "texts");
    CHECK_TEXT(bosc_texts_write(&path, &missing, 1, error), "texts");
    CHECK_TEXT(bosc_texts_write(&path, &text, 0, error), "count");
    CHECK_TEXT(bosc_texts_write(&path, &text, 17, error), "count");
}

#ifdef BOSC_FAULTS
/* Memory runs out at every allocation. */
static void parser_faults(void)
{
    static const char *const files[] = {"ACGT\t1\nACGA\n", ">a\nAC\nGT\n>b\nACGA\n", "@a\nACGT\n+\nIIII\n"};
    for (int i = 0; i < 3; i++) check_memory_faults(parse_letters, files[i], strlen(files[i]));
}
#endif

static const struct suite_case suite_cases_io_sequences[] = {
    {"lines and records", NULL, lines_and_records},
    {"long sequences", NULL, long_sequences},
    {"bad texts are refused", NULL, bad_texts},
    {"truncations and flips", NULL, truncations_and_flips},
    {"texts", NULL, texts},
    {"arguments", NULL, arguments},
#ifdef BOSC_FAULTS
    {"memory runs out", NULL, parser_faults},
#endif
};
SUITE(io_sequences);
