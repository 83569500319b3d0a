/* Vectors over a small alphabet: lines of bits, bases, FASTA, packed bytes; refused files. */
#include <stdio.h>

#include "support/bytes.h"
#include "io/graph/vectors.h"
#include "support/paths.h"

/* Rows of words as an array, for the checks shared by all readers. */
static bosc_status as_array(bosc_status status, const bosc_vectors *v, bosc_array *array)
{
    if (status != BOSC_OK) return status;
    int64_t per_word = 64 / v->letter_bits, words = (v->length + per_word - 1) / per_word;
    *array = (bosc_array){.dtype = BOSC_U64, .rank = 2, .shape = {v->n, words, 1, 1}, .data = v->rows};
    return BOSC_OK;
}

static const bosc_vectors_opts defaults = {.size = sizeof defaults};

static bosc_status parse_text(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    bosc_vectors v = {0};
    return as_array(bi_vectors_text_parse(in, &defaults, &v, error), &v, array);
}

/* The same without the vectors that have ambiguity codes. */
static bosc_status parse_skipping(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    static const bosc_vectors_opts skip = {.size = sizeof skip, .ambiguity = BOSC_AMBIGUITY_SKIP};
    bosc_vectors v = {0};
    bosc_status status = as_array(bi_vectors_text_parse(in, &skip, &v, error), &v, array);
    free(v.file_rows);
    return status;
}

enum { PACKED_BITS = 13 };

static bosc_status parse_packed(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error)
{
    bosc_vectors v = {0};
    return as_array(bi_vectors_npy_parse(in, PACKED_BITS, &v, error), &v, array);
}

/* The text reads as n vectors with the letters of `letters`, values from '0' up. rows: digits, their numbers in the
 * file; NULL: all. */
static void check_read(const char *text, const bosc_vectors_opts *opts, int32_t letter_bits, int64_t n,
                       const char *letters, const char *rows)
{
    bosc_io_error error;
    bosc_vectors v = {0};
    struct bi_bytes in = {.name = "F", .data = text, .size = strlen(text)};
    if (bi_vectors_text_parse(&in, opts, &v, &error) != BOSC_OK)
        suite_fail(__FILE__, __LINE__, "refused: %s: %s", text, error.text);
    int64_t per_word = 64 / letter_bits, length = (int64_t)strlen(letters) / n,
            words = (length + per_word - 1) / per_word;
    CHECK_EQ(v.letter_bits, letter_bits);
    CHECK_EQ(v.length, length);
    CHECK_EQ(v.n, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < words * per_word; k++) {
            uint64_t letter =
                v.rows[i * words + k / per_word] >> k % per_word * letter_bits & ((1u << letter_bits) - 1);
            CHECK_EQ(letter, k < length ? (uint64_t)(letters[i * length + k] - '0') : 0);
        }
    CHECK((v.file_rows == NULL) == (rows == NULL));
    if (!rows) CHECK_EQ(v.file_n, n);
    for (int64_t i = 0; rows && i < n; i++) CHECK_EQ(v.file_rows[i], rows[i] - '0');
    bosc_vectors_free(&v);
    CHECK(v.rows == NULL && v.file_rows == NULL);
}

static void check_vectors(const char *text, int32_t letter_bits, int64_t n, const char *letters)
{
    static const bosc_vectors_opts skip = {.size = sizeof skip, .ambiguity = BOSC_AMBIGUITY_SKIP};
    check_read(text, &defaults, letter_bits, n, letters, NULL);
    check_read(text, &skip, letter_bits, n, letters, NULL);
}

static void bits(void)
{
    check_vectors("0", 1, 1, "0");
    check_vectors("0110\n1010\n", 1, 2, "01101010");
    check_vectors("# two\n\n 01 # first\r\n\t10\r\n#", 1, 2, "0110");
    check_vectors("\xef\xbb\xbf"
                  "01\n11\n",
                  1, 2, "0111");
    check_vectors("00000000000000000000000000000000000000000000000000000000000000011\n", 1, 1,
                  "00000000000000000000000000000000000000000000000000000000000000011");
}

static void bases(void)
{
    check_vectors("ACGT\nacgu\n", 2, 2, "01230123");
    check_vectors("ACGT\t12\r\nTTTT 1 # one\n\nGGGG\n", 2, 3, "012333332222");
    check_vectors("\xef\xbb\xbf"
                  "A\n",
                  2, 1, "0");
    check_vectors("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAGC\n", 2, 1, "000000000000000000000000000000021");
}

/* A sequence extends to the next header, however its lines are broken. */
static void fasta(void)
{
    check_vectors(">a_12\nACGT\n>b_1\nTTTT\n", 2, 2, "01233333");
    check_vectors(">a\nAC\nGT\n>b\nTTT\nT\n", 2, 2, "01233333");
    check_vectors(">a\r\nA\r\n\r\nCG\r\nT\r\n>b\r\nTTTT", 2, 2, "01233333");
    check_vectors("\xef\xbb\xbf>a#1 x > y\nACGT\n# comment\n>\nAC\n# within\nGT\n", 2, 2, "01230123");
    check_vectors("\n >a\n ACGT # bases\n", 2, 1, "0123");
}

/* Records of four lines. Qualities may be any characters, @ + > and # too. */
static void fastq(void)
{
    check_vectors("@a\nACGT\n+\nIIII\n@b\nTTTT\n+b\n@@@@\n", 2, 2, "01233333");
    check_vectors("@a\r\nACGU\r\n+\r\n#>+@\r\n\r\n@b c d\r\nggcc \r\n+b c d\r\n#!!!", 2, 2, "01232211");
    check_vectors("\xef\xbb\xbf# comment\n\n@\nA\n+\n#\n\n", 2, 1, "0");
}

/* Vectors with ambiguity codes are left out, or the codes are letters. */
static void ambiguity(void)
{
    static const bosc_vectors_opts skip = {.size = sizeof skip, .ambiguity = BOSC_AMBIGUITY_SKIP},
                                   letter = {.size = sizeof letter, .ambiguity = BOSC_AMBIGUITY_LETTER};
    check_read("NCGT\nACGT\nACGn 3\nTT.T\nTTTA\n", &skip, 2, 2, "01233330", "14");
    check_read(">a\nAC\nNNNNN\n>b\n>c\nTT\nTT\n", &skip, 2, 1, "3333", "2");
    check_read("@a\nACGT\n+\nIIII\n@b\n\n+\n\n@c\nTTTN\n+\nIIII\n", &skip, 2, 1, "0123", "0");
    check_read("ACGTRYSW\nKMBDHVN.\nuuuuuuuu\n", &letter, 4, 3,
               "01234567"
               "89:;<=>>"
               "33333333",
               NULL);
    check_read(">a\nACGN\n", &letter, 4, 1, "012>", NULL);
    check_read("0101\n", &letter, 1, 1, "0101", NULL);
    check_refused(parse_skipping, "NN\nN\n", 5, "F: no vectors without ambiguity codes");
    check_refused(parse_skipping, "AC\nNNN\nACG\n", 11, "F:3: 3 letters where the first vector has 2");
    check_refused(parse_skipping, "AC\nA-\n", 6, "F:2: '-' is not one of A, C, G, T");
}

static void alphabets(void)
{
    static const bosc_vectors_opts amino = {.size = sizeof amino, .alphabet = BOSC_ALPHABET_AMINO_ACIDS},
                                   skip = {.size = sizeof skip,
                                           .alphabet = BOSC_ALPHABET_AMINO_ACIDS,
                                           .ambiguity = BOSC_AMBIGUITY_SKIP},
                                   letter = {.size = sizeof letter,
                                             .alphabet = BOSC_ALPHABET_AMINO_ACIDS,
                                             .ambiguity = BOSC_AMBIGUITY_LETTER},
                                   bits = {.size = sizeof bits, .alphabet = BOSC_ALPHABET_BITS};
    check_read("ACDEFGHIKLMNPQRSTVWYUO*\nacdefghiklmnpqrstvwyuo*\n", &amino, 5, 2,
               "0123456789:;<=>?@ABCDEF0123456789:;<=>?@ABCDEF", NULL);
    check_read(">a\nNNA\n>b\nNXA\n>c\nWWW\n", &skip, 5, 2, ";;0BBB", "02");
    check_read("BZJX 7\n", &letter, 5, 1, "GHIJ", NULL);
    check_read("@a\n01\n+\nFF\n", &bits, 1, 1, "01", NULL);
}

static void bad_texts(void)
{
    /* No vectors, unknown letters, lines of unequal length, counts, headers of FASTA. */
    static const struct malformed files[] = {
        {"F: no vectors", "", 0},
        {"F: no vectors", "\n\r\n \t\n", 0},
        {"F: no vectors", "# only a comment\n", 0},
        {"F: no vectors", "\xef\xbb\xbf", 0},
        {"F:1: '2' begins neither bits (0, 1) nor bases (A, C, G, T) nor FASTA (>)", "2\n", 0},
        {"F:3: 'N' is not one of A, C, G, T, but an ambiguity code", "#\n\nNACG\n", 0},
        {"F:1: ',' begins neither", ",0\n", 0},
        {"F:1: '?' begins neither",
         "\xff\xfe"
         "0\n",
         0},
        {"F:1: '?' begins neither", "\0\n", 2},
        {"F:1: ';' begins neither", ";c\n>a\nA\n", 0},
        {"F:1: '-' begins neither", "-1\n", 0},
        {"F:2: 'x' is not one of 0, 1", "0101\n01x1\n", 0},
        {"F:1: 'A' is not one of 0, 1", "01A\n", 0},
        {"F:1: ',' is not one of 0, 1", "0,1\n", 0},
        {"F:1: '?' is not one of 0, 1", "0\v1\n", 0},
        {"F:1: '1' where the line should end", "0 1\n1 0\n", 0},
        {"F:1: '12' where the line should end", "0101\t12\n", 0},
        {"F:2: '>' is not one of 0, 1", "01\n>a\n", 0},
        {"F:2: 3 letters where the first vector has 4", "0101\n010\n", 0},
        {"F:4: 5 letters where the first vector has 4", "#\nACGT\n\nACGTA\n", 0},
        {"F:1: 'N' is not one of A, C, G, T", "ACGN\n", 0},
        {"F:2: '-' is not one of A, C, G, T", "ACG\nAC-\n", 0},
        {"F:2: '0' is not one of A, C, G, T", "ACG\n010\n", 0},
        {"F:2: '>' is not one of A, C, G, T", "ACG\n>a\nACG\n", 0},
        {"F:1: '?' is not one of A, C, G, T", "A\0C\n", 4},
        {"F:1: '-3' is not a count", "ACGT -3\n", 0},
        {"F:1: '3.5' is not a count", "ACGT\t3.5\n", 0},
        {"F:1: '4' where the line should end", "ACGT 3 4\n", 0},
        {"F:1: 'x' is not a count", "ACGT x\n", 0},
        {"F:1: '99999999999999999999' is not a count", "ACGT 99999999999999999999\n", 0},
        {"F:1: no letters follow this header", ">a\n", 0},
        {"F:1: no letters follow this header", ">a\n\n# none\n>b\nACGT\n", 0},
        {"F:3: no letters follow this header", ">a\nACGT\n>b\n>c\nACGT\n", 0},
        {"F:4: no letters follow this header", ">a\nACGT\n\n>b", 0},
        {"F:3: 'N' is not one of A, C, G, T", ">a\nACGT\nACGN\n", 0},
        {"F:2: '0' is not one of A, C, G, T", ">a\n01\n", 0},
        {"F:2: '12' where the line should end", ">a\nACGT 12\n", 0},
        {"F:3: 6 letters where the first vector has 4", ">a\nACGT\n>b\nACG\nTAC\n", 0},
        {"F:4: 3 letters where the first vector has 4", ">a\nAC\nGT\n>b\nACG", 0},
        /* Incomplete records, or records of other lines. */
        {"F:1: the file ends within this record", "@a", 0},
        {"F:2: the file ends within this record", "@a\nACGT\n", 0},
        {"F:3: the file ends within this record", "@a\nACGT\n+\n", 0},
        {"F:4: 3 qualities of 4 letters", "@a\nACGT\n+\nIII\n", 0},
        {"F:4: 5 qualities of 4 letters", "@a\nACGT\n+\nIIIII\n", 0},
        {"F:4: 'I' where the line should end", "@a\nACGT\n+\nIIII I\n", 0},
        {"F:2: 'A' where the line should end", "@a\nACGT A\n+\nIIII\n", 0},
        {"F:3: 'ACGT' where '+' should follow a record's line of letters", "@a\nACGT\nACGT\n+\nIIIIIIII\n", 0},
        {"F:5: 'ACGT' where '@' should begin a record of four lines", "@a\nACGT\n+\nIIII\nACGT\n", 0},
        {"F:2: a record without letters", "@a\n\n+\n\n", 0},
        {"F:2: 'N' is not one of A, C, G, T, but an ambiguity code", "@a\nACGN\n+\nIIII\n", 0},
        {"F:6: 3 letters where the first vector has 4", "@a\nACGT\n+\nIIII\n@b\nACG\n+\nIII\n", 0},
    };
    check_all_refused(parse_text, files, sizeof files / sizeof files[0]);
}

/* The longest vectors, and vectors longer by a letter, on one line and as a sequence of many lines. */
static void long_vectors(void)
{
    enum { MOST = 65536, LINE = 61 };
    char *text = suite_alloc(2 * MOST);
    for (int fasta = 0; fasta < 2; fasta++) {
        for (int letters = MOST; letters <= MOST + 1; letters++) {
            size_t used = fasta ? (size_t)sprintf(text, ">a") : 0;
            for (int k = 0; k < letters; k++) {
                if (fasta && k % LINE == 0) text[used++] = '\n';
                text[used++] = 'C';
            }
            text[used] = 0;
            if (letters > MOST) {
                check_refused(parse_text, text, used,
                              fasta ? "a sequence of more than 65536 letters" : "F:1: 65537 letters, more than 65536");
                continue;
            }
            bosc_array array = {0};
            bosc_io_error error;
            CHECK_EQ(parse_bytes(parse_text, text, used, &array, &error), BOSC_OK);
            CHECK_EQ(array.shape[1], MOST / 32);
            for (int i = 0; i < MOST / 32; i++) CHECK_EQ(((const uint64_t *)array.data)[i], 0x5555555555555555u);
            bosc_array_free(&array);
        }
    }
    free(text);
}

static void truncations_and_flips(void)
{
    static const char lines[] = "# x\nACGT\t12\r\nacgu 3\n", sequences[] = ">a_1\nAC\nGT\n\n>b\nACGT\n",
                      ones[] = "0101\n0111\n";
    check_truncations(parse_text, lines, sizeof lines - 1, 5);
    check_flips(parse_text, lines, sizeof lines - 1, sizeof lines - 1);
    check_truncations(parse_text, sequences, sizeof sequences - 1, 6);
    check_flips(parse_text, sequences, sizeof sequences - 1, sizeof sequences - 1);
    static const char records[] = "@a\nACGT\n+\nIIII\n\n@b\nACGN\n+b\nII#I\n";
    check_truncations(parse_skipping, records, sizeof records - 1, 14);
    check_flips(parse_skipping, records, sizeof records - 1, sizeof records - 1);
    check_truncations(parse_text, ones, sizeof ones - 1, 1);
    check_flips(parse_text, ones, sizeof ones - 1, sizeof ones - 1);
}

/* An array of n rows of two bytes as .npy. */
static size_t make_npy(char *file, const char *code, const char *shape, const void *bytes, size_t size)
{
    static const char begin[] = "\x93NUMPY\x01";
    int length = sprintf(file + 10, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", code, shape);
    memcpy(file, begin, sizeof begin);
    file[8] = (char)length;
    file[9] = 0;
    memcpy(file + 10 + length, bytes, size);
    return 10 + (size_t)length + size;
}

static void packed(void)
{
    static const unsigned char bytes[] = {0x80, 0x08, 0xff,
                                          0xff, 0x01, 0x17}; /* bits beyond the 13th are passed over */
    static const uint64_t rows[] = {1 | 1 << 12, 0x1fff, 1 << 7 | 1 << 11};
    char file[256];
    bosc_io_error error;
    bosc_array array = {0};
    size_t size = make_npy(file, "|u1", "(3, 2)", bytes, sizeof bytes);
    CHECK_EQ(parse_bytes(parse_packed, file, size, &array, &error), BOSC_OK);
    CHECK_EQ(array.shape[0], 3);
    CHECK(memcmp(array.data, rows, sizeof rows) == 0);
    bosc_array_free(&array);
    check_truncations(parse_packed, file, size, size);
    check_flips(parse_packed, file, size, size);
    size = make_npy(file, "|u1", "(2, 3)", bytes, sizeof bytes);
    check_refused(parse_packed, file, size, "F: rows of 3 bytes, but 13 bits take 2");
    size = make_npy(file, "|u1", "(6,)", bytes, sizeof bytes);
    check_refused(parse_packed, file, size, "packed vectors are u1 of two dimensions, but this array is u1 of 1");
    size = make_npy(file, "<f4", "(1, 1)", bytes, 4);
    check_refused(parse_packed, file, size, "packed vectors are u1 of two dimensions, but this array is f4 of 2");
    size = make_npy(file, "|u1", "(0, 2)", bytes, 0);
    CHECK_EQ(parse_bytes(parse_packed, file, size, &array, &error), BOSC_OK);
    CHECK_EQ(array.shape[0], 0);
    bosc_array_free(&array);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");
    CHECK(out && fwrite(bytes, 1, size, out) == size && fclose(out) == 0);
}

static void arguments(void)
{
    char path[PATH_ROOM], file[256];
    bosc_vectors v = {.n = 77};
    bosc_io_error why = {""};
    fresh_path(path, ".npy");
    write_file(path, file, make_npy(file, "|u1", "(1, 2)", "\x80\x08", 2));
    bosc_vectors_opts opts = {.size = sizeof opts, .bits = 13};
    CHECK_TEXT(bosc_vectors_read(NULL, NULL, &v, error), "path");
    CHECK_TEXT(bosc_vectors_read(path, &opts, NULL, error), "vectors");
    static const int32_t bad[] = {-1, INT32_MIN, 65537, INT32_MAX};
    for (int i = 0; i < 4; i++) {
        opts.bits = bad[i];
        CHECK_TEXT(bosc_vectors_read(path, &opts, &v, error), "bits");
        opts.bits = 13;
        opts.alphabet = (bosc_alphabet)bad[i];
        CHECK_TEXT(bosc_vectors_read(path, &opts, &v, error), "alphabet");
        opts.alphabet = BOSC_ALPHABET_AUTO;
        opts.ambiguity = (bosc_ambiguity)bad[i];
        CHECK_TEXT(bosc_vectors_read(path, &opts, &v, error), "ambiguity");
        opts.ambiguity = BOSC_AMBIGUITY_REFUSE;
    }
    opts.size = 0;
    CHECK_TEXT(bosc_vectors_read(path, &opts, &v, error), "opts: size");
    opts.size = sizeof opts;
    CHECK_TEXT(bosc_vectors_read(path, NULL, &v, error), "bits"); /* packed */
    opts.alphabet = BOSC_ALPHABET_BASES;
    CHECK_EQ(bosc_vectors_read(path, &opts, &v, &why), BOSC_ERR_FORMAT);
    CHECK(strstr(why.text, "packed bits, but another alphabet is required"));
    opts.alphabet = BOSC_ALPHABET_AUTO;
    CHECK_EQ(bosc_vectors_read("none.txt", NULL, &v, &why), BOSC_ERR_IO);
    CHECK(suite_begins(why.text, "none.txt: cannot open"));
    CHECK_EQ(v.n, 77);
    CHECK_EQ(bosc_vectors_read(path, &opts, &v, NULL), BOSC_OK);
    CHECK(v.n == 1 && v.length == 13 && v.rows[0] == (1 | 1 << 12));
    bosc_vectors_free(&v);
    bosc_vectors_free(&v);
    bosc_vectors_free(NULL);
    write_file(path, "0101\n", 5); /* known by its first bytes, whatever its name */
    opts.bits = 4;
    CHECK_EQ(bosc_vectors_read(path, &opts, &v, &why), BOSC_OK);
    CHECK_EQ(v.length, 4);
    bosc_vectors_free(&v);
    opts.bits = 5;
    CHECK_EQ(bosc_vectors_read(path, &opts, &v, &why), BOSC_ERR_FORMAT);
    CHECK(strstr(why.text, "vectors of 4 bits, not 5 bits"));
    write_file(path, "ACGT\n", 5);
    opts.bits = 4;
    CHECK_EQ(bosc_vectors_read(path, &opts, &v, &why), BOSC_ERR_FORMAT);
    CHECK(strstr(why.text, "vectors of 4 bases, not 4 bits"));
    remove(path);
}

#ifdef BOSC_FAULTS
/* Memory runs out at every allocation of the parsers. */
static void parser_faults(void)
{
    static const char *const texts[] = {"01\n10\n", "ACGT\t1\nACGA\n", ">a\nAC\nGT\n>b\nACGA\n",
                                        "@a\nACGT\n+\nIIII\n@b\nN\n+\nI\n"};
    char file[256];
    const size_t size = make_npy(file, "|u1", "(1, 2)", "\x80\x08", 2);
    for (int i = 0; i < 4; i++) check_memory_faults(parse_skipping, texts[i], strlen(texts[i]));
    check_memory_faults(parse_packed, file, size);
}
#endif

static const struct suite_case suite_cases_io_vectors[] = {
    {"bits", NULL, bits},
    {"bases", NULL, bases},
    {"FASTA", NULL, fasta},
    {"FASTQ", NULL, fastq},
    {"ambiguity codes", NULL, ambiguity},
    {"alphabets", NULL, alphabets},
    {"bad texts are refused", NULL, bad_texts},
    {"long vectors", NULL, long_vectors},
    {"truncations and flips", NULL, truncations_and_flips},
    {"packed bits", NULL, packed},
    {"arguments", NULL, arguments},
#ifdef BOSC_FAULTS
    {"memory runs out", NULL, parser_faults},
#endif
};
SUITE(io_vectors);
