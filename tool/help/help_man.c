/* The manual page, as roff for man(7). */
#include <stdio.h>
#include <string.h>

#include "tool/help/help.h"
#include "tool/tool.h"

/* Text in which no character means anything to roff; `length` of it. */
static void put(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bool begins = i == 0 || text[i - 1] == '\n';
        if (begins && (text[i] == '.' || text[i] == '\'')) fputs("\\&", stdout);
        if (text[i] == '\\')
            fputs("\\e", stdout);
        else if (text[i] == '-')
            fputs("\\-", stdout);
        else if (text[i] == '\'')
            fputs("\\(aq", stdout);
        else if (text[i] == '`')
            fputs("\\(ga", stdout);
        else if (text[i] == '^')
            fputs("\\(ha", stdout);
        else if (text[i] == '~')
            fputs("\\(ti", stdout);
        else
            putchar(text[i]);
    }
}

static void put_text(const char *text) { put(text, strlen(text)); }

static void put_line(const char *text)
{
    put_text(text);
    putchar('\n');
}

/* Words on one line, whatever the breaks and blanks between them. */
static void put_words(const char *text)
{
    for (bool first = true; *text; first = false) {
        size_t length = strcspn(text, " \n");
        if (!first) putchar(' ');
        put(text, length);
        text += length;
        text += strspn(text, " \n");
    }
    putchar('\n');
}

static void put_option(const struct command *command, enum option id)
{
    struct use use = option_use(command, id);
    char letter = option_letter(id);
    printf(".TP\n");
    if (letter) printf("\\fB\\-%c\\fR, ", letter);
    printf("\\fB\\-\\-");
    put_text(option_name(id));
    printf("\\fR");
    if (use.value) {
        printf(" \\fI");
        put_text(use.value);
        printf("\\fR");
    }
    putchar('\n');
    put_line(use.help);
}

static void put_command(const struct command *c)
{
    printf(".SS boscage ");
    put_line(command_name(c).text);
    printf(".B boscage ");
    put_text(command_name(c).text);
    printf("\n");
    put_words(c->usage);
    printf(".PP\n");
    put_words(c->summary);
    for (const struct use *use = c->uses; use->id; use++) put_option(c, use->id);
    printf(".PP\nExample:\n.PP\n.RS 4\n.nf\n");
    put_line(c->example);
    printf(".fi\n.RE\n");
}

static void put_name(void)
{
    printf(".\\\" made by `boscage help --man'\n");
    printf(".TH BOSCAGE 1 \"\" \"boscage %s\" \"User Commands\"\n", bosc_version());
    printf(".SH NAME\nboscage \\- %s\n", HELP_ABOUT);
    printf(".SH SYNOPSIS\n.B boscage\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n");
    printf(".SH DESCRIPTION\n");
    put_line("One command does one job, on the CPU or on a CUDA device. Both give the same bits, for any number of "
             "threads. Options may stand before or after the command. Output files appear whole or not at all.");
    printf(".SH OPTIONS\nEvery command takes these.\n");
    for (int id = 0; id <= OPT_QUIET; id++) put_option(NULL, (enum option)id);
    printf(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nshow the help of the command\n.TP\n\\fB\\-\\-version\\fR\nshow the "
           "version\n");
}

void help_print_man(const struct job *job)
{
    put_name();
    printf(".SH COMMANDS\n");
    for (int i = 0; i < job->command_count; i++)
        if (!job->commands[i].hidden) put_command(&job->commands[i]);
    printf(".SH FILES\nThe ending of a name says what a file holds.\n");
    for (const struct help_file *file = help_files; file->what; file++) {
        printf(".TP\n\\fB");
        put_text(file->what);
        printf("\\fR\n");
        put_line(file->text);
    }
    printf(".SH EXIT STATUS\n");
    for (int i = 0; i < HELP_CODES; i++) printf(".TP\n\\fB%d\\fR\n%s\n", i, help_codes[i]);
    printf(".SH DIAGNOSTICS\n");
    put_line("Errors go to standard error, as `boscage: FILE:LINE: reason' or `boscage: option: reason'.");
}
