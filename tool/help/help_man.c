/* The manual page, as roff for man(7). */
#include <stdio.h>
#include <string.h>

#include "tool/help/help.h"
#include "tool/options/find_command.h"
#include "tool/options/option_table.h"
#include "tool/tool.h"

/* Prints `length` characters with those special to roff escaped. */
static void print_escaped(const char *text, size_t length)
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

static void print_text(const char *text) { print_escaped(text, strlen(text)); }

static void print_line(const char *text)
{
    print_text(text);
    putchar('\n');
}

/* Prints the words of a text on one line. */
static void print_words(const char *text)
{
    for (bool first = true; *text; first = false) {
        size_t length = strcspn(text, " \n");
        if (!first) putchar(' ');
        print_escaped(text, length);
        text += length;
        text += strspn(text, " \n");
    }
    putchar('\n');
}

static void print_option(const struct command *command, enum option id)
{
    struct command_option option = resolve_option(command, id);
    char letter = option_letter(id);
    printf(".TP\n");
    if (letter) printf("\\fB\\-%c\\fR, ", letter);
    printf("\\fB\\-\\-");
    print_text(option_name(id));
    printf("\\fR");
    if (option.value) {
        printf(" \\fI");
        print_text(option.value);
        printf("\\fR");
    }
    putchar('\n');
    print_line(option.help);
}

static void print_command(const struct command *c)
{
    printf(".SS boscage ");
    print_line(command_name(c).text);
    printf(".B boscage ");
    print_text(command_name(c).text);
    printf("\n");
    print_words(c->usage);
    printf(".PP\n");
    print_words(c->summary);
    for (const struct command_option *option = c->options; option->id; option++) print_option(c, option->id);
    printf(".PP\nExample:\n.PP\n.RS 4\n.nf\n");
    print_line(c->example);
    printf(".fi\n.RE\n");
}

static void print_name(void)
{
    printf(".\\\" made by `boscage help --man'\n");
    printf(".TH BOSCAGE 1 \"\" \"boscage %s\" \"User Commands\"\n", bosc_version());
    printf(".SH NAME\nboscage \\- %s\n", HELP_ABOUT);
    printf(".SH SYNOPSIS\n.B boscage\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n");
    printf(".SH DESCRIPTION\n");
    print_line("One command does one job, on the CPU or on a CUDA device. Both give the same bits, for any number of "
               "threads. Options may precede or follow the command. Output files are complete or absent.");
    printf(".SH OPTIONS\nEvery command takes these.\n");
    for (int id = 0; id <= OPT_QUIET; id++) print_option(NULL, (enum option)id);
    printf(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nshow the help of the command\n.TP\n\\fB\\-\\-version\\fR\nshow the "
           "version\n");
}

void help_print_man(const struct job *job)
{
    print_name();
    printf(".SH COMMANDS\n");
    for (int i = 0; i < job->command_count; i++)
        if (!job->commands[i].hidden) print_command(&job->commands[i]);
    printf(".SH FILES\nThe ending of a name gives the format of a file.\n");
    for (const struct help_file *file = help_files; file->what; file++) {
        printf(".TP\n\\fB");
        print_text(file->what);
        printf("\\fR\n");
        print_line(file->text);
    }
    printf(".SH EXIT STATUS\n");
    for (int i = 0; i < HELP_CODES; i++) printf(".TP\n\\fB%d\\fR\n%s\n", i, help_codes[i]);
    printf(".SH DIAGNOSTICS\n");
    print_line("Errors go to standard error, as `boscage: FILE:LINE: reason' or `boscage: option: reason'.");
}
