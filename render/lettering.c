/* A stroke font. Letters are polylines on a grid of 7 x 12 positions: descenders end in row 0, the baseline is row
 * 3, small letters end in row 8 and capitals in row a. */
#include "render/lettering.h"

#include <string.h>

enum { FIRST = ' ', LAST = '~', BASELINE = 3, CAPITAL = 7, GAP = 2, SPACE = 3 };

/* One string per printable character, from the space on. A blank separates strokes; a stroke lists positions (column,
 * row), one hexadecimal-like digit each. */
static const char *const letters[] = {
    "",                                 /* space */
    "1a16 1313",                        /* ! */
    "0a08 2a08",                        /* " */
    "1a13 3a33 0848 0545",              /* # */
    "47381807163645341405 2a22",        /* $ */
    "034a 091a291809 2435443324",       /* % */
    "5309192a390604133356",             /* & */
    "0a08",                             /* ' */
    "2b090421",                         /* ( */
    "0b292401",                         /* ) */
    "2a26 0947 0749",                   /* * */
    "0646 2824",                        /* + */
    "1401",                             /* , */
    "0646",                             /* - */
    "0303",                             /* . */
    "014a",                             /* / */
    "1a0904133344493a1a",               /* 0 */
    "082a23 0343",                      /* 1 */
    "091a3a49480343",                   /* 2 */
    "0a4a27374644331304",               /* 3 */
    "333a0545",                         /* 4 */
    "4a0a07374644331304",               /* 5 */
    "493a1a090413334446371706",         /* 6 */
    "0a4a13",                           /* 7 */
    "1708091a3a4948371706041333444637", /* 8 */
    "04133344493a1a0908173748",         /* 9 */
    "0707 0404",                        /* : */
    "1707 1401",                        /* ; */
    "480644",                           /* < */
    "0747 0545",                        /* = */
    "084604",                           /* > */
    "091a3a49482625 2323",              /* ? */
    "4637261525344649381a0904133353",   /* @ */
    "033a63 1656",                      /* A */
    "030a4a59584707 4756544303",        /* B */
    "594a1a0904134354",                 /* C */
    "030a3a58553303",                   /* D */
    "5a0a0353 0747",                    /* E */
    "5a0a03 0747",                      /* F */
    "594a1a09041343545737",             /* G */
    "0a03 5a53 0757",                   /* H */
    "0a03",                             /* I */
    "4a44331304",                       /* J */
    "0a03 5a06 2753",                   /* K */
    "0a0353",                           /* L */
    "030a366a63",                       /* M */
    "030a535a",                         /* N */
    "1a0904134354594a1a",               /* O */
    "030a4a59574606",                   /* P */
    "1a0904134354594a1a 3562",          /* Q */
    "030a4a59574606 3653",              /* R */
    "594a1a090817475654431304",         /* S */
    "0a6a 3a33",                        /* T */
    "0a041343545a",                     /* U */
    "0a336a",                           /* V */
    "0a1338536a",                       /* W */
    "0a53 5a03",                        /* X */
    "0a376a 3733",                      /* Y */
    "0a5a0353",                         /* Z */
    "2b0b0121",                         /* [ */
    "0a41",                             /* \ */
    "0b2b2101",                         /* ] */
    "082a48",                           /* ^ */
    "0242",                             /* _ */
    "0a18",                             /* ` */
    "4843 4738180704133344",            /* a */
    "0a03 0718384744331304",            /* b */
    "4738180704133344",                 /* c */
    "4a43 4738180704133344",            /* d */
    "06464738180704133344",             /* e */
    "4a3a2923 1838",                    /* f */
    "4841301001 4738180704133344",      /* g */
    "0a03 0718384743",                  /* h */
    "0803 0a0a",                        /* i */
    "18110000 1a1a",                    /* j */
    "0a03 4805 1643",                   /* k */
    "0a0413",                           /* l */
    "0803 0718283733 3748586763",       /* m */
    "0803 0718384743",                  /* n */
    "180704133344473818",               /* o */
    "0800 0718384744331304",            /* p */
    "4840 4738180704133344",            /* q */
    "0803 062838",                      /* r */
    "47381807163544331304",             /* s */
    "1a142333 0838",                    /* t */
    "0804133344 4843",                  /* u */
    "082348",                           /* v */
    "0813375368",                       /* w */
    "0843 4803",                        /* x */
    "0823 4810",                        /* y */
    "08480343",                         /* z */
    "3b2a271605 1625 2130",             /* { */
    "0b01",                             /* | */
    "0b1a172605 2615 1100",             /* } */
    "06183648",                         /* ~ */
};
_Static_assert(sizeof letters / sizeof letters[0] == LAST - FIRST + 1, "a letter for each printable character");

static int digit_value(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

/* NULL for characters without a letter. */
static const char *strokes_of(char c) { return c >= FIRST && c <= LAST ? letters[c - FIRST] : NULL; }

/* Width of a letter in columns, with the gap to the next one. */
static int columns_of(char c)
{
    const char *strokes = strokes_of(c);
    int most = 0;
    if (!strokes || !*strokes) return SPACE;
    for (const char *at = strokes; *at; at += *at == ' ' ? 1 : 2)
        if (*at != ' ' && digit_value(*at) > most) most = digit_value(*at);
    return most + GAP;
}

double lettering_width(const char *text, double height)
{
    int columns = 0;
    for (; *text; text++) columns += columns_of(*text);
    return columns * height / CAPITAL;
}

void lettering_draw(struct canvas *canvas, double x, double y, double height, bool turned, const char *text,
                    struct colour colour)
{
    const double unit = height / CAPITAL, line_width = height / 7 < 1.1 ? 1.1 : height / 7;
    for (; *text; text++) {
        /* 1. Draw each stroke of the letter: a line per step, a point for a stroke whose two ends coincide. */
        const char *at = strokes_of(*text);
        bool drawing = false;
        double from_x = 0, from_y = 0;
        for (; at && *at; at += *at == ' ' ? 1 : 2) {
            if (*at == ' ') {
                drawing = false;
                continue;
            }
            const double right = digit_value(at[0]) * unit, up = (digit_value(at[1]) - BASELINE) * unit;
            const double to_x = turned ? x - up : x + right, to_y = turned ? y - right : y - up;
            const bool dot = !drawing && at[2] == at[0] && at[3] == at[1];
            if (drawing || dot)
                canvas_line(canvas, drawing ? from_x : to_x, drawing ? from_y : to_y, to_x, to_y, line_width, colour,
                            1);
            from_x = to_x;
            from_y = to_y;
            drawing = true;
        }
        /* 2. Advance to the next letter, upwards for turned text. */
        const double advance = columns_of(*text) * unit;
        x += turned ? 0 : advance;
        y -= turned ? advance : 0;
    }
}
