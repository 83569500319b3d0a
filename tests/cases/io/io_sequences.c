/* Sequences of any lengths, and texts: values, refused files, arguments. */
#include <stdio.h>

#include "io/graph/sequences.h"
#include "support/bytes.h"
#include "support/paths.h"

/* The letters of all sequences as an array, for the checks shared by all readers. */
static bosc_status parse_letters(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    bosc_sequences s = {0};
    const bosc_sequences_opts opts = {.size = sizeof opts};
    bosc_status status = bi_sequences_parse(in, &opts, &s, error);
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
    const bosc_sequences_opts opts = {.size = sizeof opts, .alphabet = alphabet};
    if (bi_sequences_parse(&in, &opts, &s, &error) != BOSC_OK)
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

/* The text reads as these sequences, their counts and keys, or is refused for this reason. */
static void check_source(const char *text, bosc_sequences_opts opts, const char *expected)
{
    char found[512], *end = found;
    bosc_io_error error;
    bosc_sequences s = {0};
    const struct bi_bytes in = {.name = "F", .data = text, .size = strlen(text)};
    if (bi_sequences_parse(&in, &opts, &s, &error) != BOSC_OK) {
        CHECK(s.letters == NULL && s.keys == NULL);
        if (strcmp(error.text, expected) != 0)
            suite_fail(__FILE__, __LINE__, "\"%s\", not \"%s\"", error.text, expected);
        return;
    }
    CHECK((s.keys != NULL) == (s.key_names != NULL) && (s.keys != NULL || s.key_count == 0));
    end += snprintf(end, sizeof found, "%s:", s.key_names ? s.key_names : "");
    for (int64_t i = 0; i < s.n; i++) {
        const int64_t key = s.keys ? s.keys[i] : -1, begin = key < 0 ? 0 : s.key_offsets[key];
        CHECK(key < s.key_count);
        end += snprintf(end, sizeof found - (size_t)(end - found), " %.*s %lld %.*s/%lld",
                        (int)(s.offsets[i + 1] - s.offsets[i]), s.letters + s.offsets[i], (long long)s.counts[i],
                        key < 0 ? 0 : (int)(s.key_offsets[key + 1] - begin), key < 0 ? "" : s.key_letters + begin,
                        s.marks ? (long long)s.marks[i] : -1LL);
    }
    if (strcmp(found, expected) != 0) suite_fail(__FILE__, __LINE__, "\"%s\", not \"%s\"", found, expected);
    bosc_sequences_free(&s);
    CHECK(s.keys == NULL && s.key_names == NULL && s.marks == NULL);
}

/* Keys by patterns, names and columns; marks. */
static void keys_and_marks(void)
{
    const bosc_sequences_opts pattern = {.pattern = "CXNC"}, name = {.name_separator = '_', .keys_in_names = 1},
                              last = {.name_separator = ':'}, table = {.column = "umi", .key_columns = "gene,cell"},
                              numbers = {.column = "2", .key_columns = "3", .count_column = "1"},
                              tag = {.column = "TAG", .key_columns = "1"}, second = {.column = "2"},
                              first = {.column = "1"}, plain = {.alphabet = BOSC_ALPHABET_BASES};
    /* 1. Valid files. */
    check_source("acgtn\nACG\nATCT 3\nacgt\n", pattern, "cell: G 1 AT/-1  1 /-1 C 3 AT/-1 G 1 AT/-1");
    check_source("@r\nACGT\n+\nIIII\n", pattern, "cell: G 1 AT/-1");
    check_source("@r_ac#_gt x_y\nJ\n+\nI\n@s_c_A+C\n\n+\n\n", name, "cell: GT 1 ac#/0 A+C 1 c/1");
    check_source(">r:ACGT-1\nAC\n>:A\n", last, ": ACGT-1 1 /1 A 1 /0");
    check_source("umi,cell,gene,reads\nacgt,c 1,G,5\n\"A\",c 1,\"G,1\",6,x\n", table,
                 "gene\tcell: ACGT 5 G\tc 1/-1 A 6 G,1\tc 1/-1");
    check_source("umi,cell,gene\nAC,c,\"a \"\"q\"\"\"\n", table, "gene\tcell: AC 1 a \"q\"\tc/-1");
    check_source("5\tA-C\tx\n6\tA-G\tx\n7\tAG\tx\n", numbers, "column3: A-C 5 x/1 A-G 6 x/1 AG 7 x/0");
    check_source("n\tumi\tkey\n5\tAC\tx\n", numbers, "key: AC 5 x/-1");
    check_source("umi,cell,gene\nAC,\"b,c\",\nAG,,\n", table, "gene\tcell: AC 1 \tb,c/-1 AG 1 \t/-1");
    check_source("c TAG\nb A\n", tag, "c: A 1 b/-1");
    check_source("\"umi\" \"TAG\"\n\"1\" AC x\n", second, ": AC 1 /-1"); /* R: no name above the first column */
    check_source("ACGT,\nACG,c1\n", first, ": ACGT 1 /-1 ACG 1 /-1");    /* no names of columns: a barcode */
    check_source("ACGT\nACG note\n", first, ": ACGT 1 /-1 ACG 1 /-1");
    check_source("ACGT+AC-12 2\nA-1\nC-2\nG-1\n", plain, ": ACGT+AC-12 2 /1 A-1 1 /2 C-2 1 /3 G-1 1 /2");
    /* 2. Refusals. */
    check_source("ACJT\n", pattern, "F:1: 'J' is not one of A, C, G, T");
    check_source("AC-T\n", pattern, "F:1: '-' is not one of A, C, G, T");
    check_source("AC--T\n", plain, "F:1: '-' is not one of A, C, G, T");
    check_source("AC+\n", plain, "F:1: '+' is not one of A, C, G, T");
    check_source("AC+1\n", plain, "F:1: '1' is not one of A, C, G, T");
    check_source("A\n", name, "F: lines have no names of reads, as FASTQ and FASTA have");
    check_source(">r_A\nA\n", name, "F:1: the name 'r_A' has no '_' before its key");
    check_source("@r:A\nA\n+\nI\n@q\nA\n+\nI\n", last, "F:5: the name 'q' has no ':' before its barcode");
    check_source("5.0\tA-C\tx\n100\tA-G\tx\n", numbers, "column3: A-C 5 x/1 A-G 100 x/1");
    check_source(">r\nA\n", last, "F:1: the name 'r' has no ':' before its barcode");
    check_source(">\nA\n", last, "F:1: the name '' has no ':' before its barcode");
    check_source(">r\nA\n", table, "F:1: FASTA and FASTQ have no columns");
    check_source("# c\n", table, "F: no sequences");
    check_source("umi cell\nA b\n", table, "F:1: no column is named 'gene'");
    check_source("umi cell gene\n", table, "F:1: no sequences follow the names of columns");
    check_source("umi,cell,gene\nA\n", table, "F:2: 1 field, but column 3 is requested");
    check_source("5,AC\n6,\n", numbers, "F:1: 2 fields, but column 3 is requested");
    check_source("umi cell gene\nA b\n", table, "F:2: 2 fields, but column 3 is requested");
    check_source("umi cell gene count\nA b c -1\n", table, "F:2: '-1' is not a count: a whole number up to 2^62");
    check_source("umi cell gene\n-1 b c\n", table, "F:2: '-' is not one of A, C, G, T");
}

/* More keys than a hash table has at first. */
static void many_keys(void)
{
    enum { KEYS = 5000 };
    char *text = suite_alloc(2 * KEYS * 16);
    size_t used = 0;
    bosc_sequences s = {0};
    bosc_io_error error;
    const bosc_sequences_opts opts = {.column = "2", .key_columns = "1"};
    for (int i = 0; i < 2 * KEYS; i++) used += (size_t)sprintf(text + used, "%d A\n", i * 7919 % KEYS);
    const struct bi_bytes in = {.name = "F", .data = text, .size = used};
    CHECK_EQ(bi_sequences_parse(&in, &opts, &s, &error), BOSC_OK);
    CHECK_EQ(s.key_count, KEYS);
    for (int i = 0; i < 2 * KEYS; i++) {
        CHECK_EQ(s.keys[i], i % KEYS);
        char key[16];
        const int size = sprintf(key, "%d", i * 7919 % KEYS);
        const int64_t begin = s.key_offsets[s.keys[i]];
        CHECK(s.key_offsets[s.keys[i] + 1] - begin == size && memcmp(s.key_letters + begin, key, (size_t)size) == 0);
    }
    bosc_sequences_free(&s);
    free(text);
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
        {"F:2: '-' is not one of A, C, G, T", "ACGT\nAC--T\n", 0},
        {"F:1: '-' is not one of A, C, G, T", "-1\n", 0},
        {"F:1: '0' is not one of A, C, G, T", "01\n", 0},
        {"F:1: 'E' is not one of A, C, G, T", "ACE\n", 0},
        {"F:1: 'x' is not a count: a whole number up to 2^62", "ACGT x\n", 0},
        {"F:1: '.0' is not a count", "ACGT .0\n", 0},
        {"F:1: ',' is not one of A, C, G, T; of a table, choose the column", "ACGT,5\n", 0},
        {"F:1: 'o' is not one of A, C, G, T; of a table, choose the column", "barcode group\nA 1\n", 0},
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
        CHECK_EQ(bosc_sequences_read(paths[i], NULL, &s, &why), BOSC_OK);
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

/* Each bad option is refused by its name. */
static void check_bad_options(const char *path, bosc_sequences *s)
{
    const struct {
        bosc_sequences_opts opts;
        const char *name;
    } bad[] = {
        {{.size = 1}, "opts"},
        {{.alphabet = (bosc_alphabet)4}, "alphabet"},
        {{.alphabet = (bosc_alphabet)-1}, "alphabet"},
        {{.pattern = ""}, "pattern"},
        {{.pattern = "CCX"}, "pattern"},
        {{.pattern = "CNn"}, "pattern"},
        {{.name_separator = ' '}, "name_separator"},
        {{.name_separator = 127}, "name_separator"},
        {{.name_separator = -1}, "name_separator"},
        {{.keys_in_names = 1}, "keys_in_names"},
        {{.pattern = "N", .name_separator = '_'}, "column"},
        {{.pattern = "N", .column = "1"}, "column"},
        {{.name_separator = '_', .column = "1"}, "column"},
        {{.key_columns = "1"}, "column"},
        {{.count_column = "1"}, "column"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bosc_sequences_opts opts = bad[i].opts;
        if (!opts.size) opts.size = sizeof opts; /* unless the size itself is bad */
        CHECK_TEXT(bosc_sequences_read(path, &opts, s, error), bad[i].name);
    }
}

static void arguments(void)
{
    const char *path = "none.txt", *bad_path = NULL;
    const bosc_text text = {"A", 1}, negative = {"A", -1}, missing = {NULL, 1};
    bosc_sequences s = {.n = 77};
    bosc_io_error why = {""};
    CHECK_TEXT(bosc_sequences_read(NULL, NULL, &s, error), "path");
    CHECK_TEXT(bosc_sequences_read(path, NULL, NULL, error), "sequences");
    check_bad_options(path, &s);
    CHECK_EQ(bosc_sequences_read(path, NULL, &s, &why), BOSC_ERR_IO);
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
static bosc_status parse_keys(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    bosc_sequences s = {0};
    const bosc_sequences_opts opts = {.column = "2", .key_columns = "1,3"};
    bosc_status status = bi_sequences_parse(in, &opts, &s, error);
    if (status != BOSC_OK) return status;
    *array = (bosc_array){.dtype = BOSC_U8, .rank = 1, .shape = {s.offsets[s.n], 1, 1, 1}, .data = s.letters};
    s.letters = NULL;
    bosc_sequences_free(&s);
    return status;
}

/* Memory runs out at every allocation. */
static void parser_faults(void)
{
    static const char *const files[] = {"ACGT\t1\nACGA\n", ">a\nAC\nGT\n>b\nACGA\n", "@a\nACGT\n+\nIIII\n"};
    static const char table[] = "a ACGT 1\na A+G 2\nb C 1\n";
    for (int i = 0; i < 3; i++) check_memory_faults(parse_letters, files[i], strlen(files[i]));
    check_memory_faults(parse_keys, table, sizeof table - 1);
}
#endif

static const struct suite_case suite_cases_io_sequences[] = {
    {"lines and records", NULL, lines_and_records},
    {"keys and marks", NULL, keys_and_marks},
    {"many keys", NULL, many_keys},
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
