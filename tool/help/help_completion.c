/* Completion scripts for shells: they complete the words of a command, its options, and the choices of an option;
 * other values as files. */
#include <stdio.h>
#include <string.h>

#include "tool/help/help.h"
#include "tool/options/find_command.h"
#include "tool/options/option_table.h"
#include "tool/tool.h"

/* Prints the forms of an option, "-q" and "--queries": `before` precedes each, `between` separates them. */
static void print_forms(enum option id, const char *before, const char *between)
{
    if (option_letter(id)) printf("%s-%c%s", before, option_letter(id), between);
    printf("%s--%s", before, option_name(id));
}

static void print_words(const char *const *words)
{
    for (int i = 0; words[i]; i++) printf("%s%s", i ? " " : "", words[i]);
}

/* True if command i is the first listed one of its room. */
static bool is_new_room(const struct job *job, int i)
{
    const struct command *c = &job->commands[i];
    return !c->hidden && (i == 0 || strcmp(c->room, c[-1].room) != 0);
}

/* True if the room is a command itself, so that a file may follow its name. */
static bool is_command(const struct job *job, const char *room)
{
    const struct command *c = find_command(job, &room, 1);
    return c && !c->verb;
}

/* True if command i is a room that is a command itself and has further commands. */
static bool has_verbs(const struct job *job, int i)
{
    const struct command *c = &job->commands[i];
    return !c->verb && i + 1 < job->command_count && strcmp(c->room, c[1].room) == 0;
}

static void print_rooms(const struct job *job)
{
    for (int i = 0; i < job->command_count; i++)
        if (is_new_room(job, i)) printf("%s%s", i ? " " : "", job->commands[i].room);
}

static void print_verbs(const struct job *job, const char *room)
{
    const char *blank = "";
    for (int i = 0; i < job->command_count; i++) {
        const struct command *c = &job->commands[i];
        if (c->hidden || !c->verb || strcmp(c->room, room) != 0) continue;
        printf("%s%s", blank, c->verb);
        blank = " ";
    }
}

/* Prints text inside single quotes. escaped: characters that get a backslash; quote: the replacement of a single
 * quote. */
static void print_quoted(const char *text, const char *escaped, const char *quote)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs(quote, stdout);
        else if (strchr(escaped, *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

/* Prints the first line of a summary without its full stop. */
static void print_summary(const struct command *c, const char *escaped, const char *quote)
{
    char text[160];
    size_t length = strcspn(c->summary, "\n");
    if (c->summary[length - 1] == '.') length--;
    snprintf(text, sizeof text, "%.*s", (int)length, c->summary);
    print_quoted(text, escaped, quote);
}

/* Prints all forms of all options with a value. */
static void print_forms_with_values(const char *between)
{
    const char *before = "";
    for (int id = 0; id < OPTION_COUNT; id++) {
        if (!resolve_option(NULL, (enum option)id).value) continue;
        printf("%s", before);
        print_forms((enum option)id, "", between);
        before = between;
    }
}

/* Prints a loop, for shells with the syntax of bash, over the words before the current one: it finds room and verb,
 * and whether the current word is the value of an option. */
static void print_word_loop(const char *words, const char *first, const char *current)
{
    printf("    for (( i = %s; i < %s; i++ )); do\n        case ${%s[i]} in\n        ", first, current, words);
    print_forms_with_values(" | ");
    printf(")\n            [[ ${%s[i+1]} == = ]] && (( i++ ))\n"
           "            (( ++i >= %s )) && open=1 ;;\n",
           words, current);
    printf("        -* | =) ;;\n        *) if [[ -z $room ]]; then room=${%s[i]}; elif [[ -z $verb ]]; then "
           "verb=${%s[i]}; fi "
           ";;\n        esac\n    done\n",
           words, words);
}

/* ---- bash ---- */

static void print_bash_command(const struct command *c)
{
    printf(c->verb ? "    \"%s\")" : "    \"%s \"*)", command_name(c).text);
    printf(" command=\"%s\" options=\"", command_name(c).text);
    for (const struct command_option *option = c->options; option->id; option++) {
        print_forms(option->id, "", " ");
        putchar(' ');
    }
    printf("\" ;;\n");
}

static void print_bash_words(const struct command *c, enum option id)
{
    char before[48];
    struct command_option option = resolve_option(c, id);
    if (!option.choices) return;
    snprintf(before, sizeof before, c ? "\"%s\":" : "*:", c ? command_name(c).text : "");
    printf("    ");
    print_forms(id, before, " | ");
    printf(") words=\"");
    print_words(option.choices);
    printf("\" ;;\n");
}

/* Prints the script for bash. The names of hidden commands are not offered, but their options are. */
static void print_bash(const struct job *job)
{
    /* 1. The current word, and the command before it. */
    printf("# bash completion for boscage(1), made by `boscage help --completion bash'\n_boscage()\n{\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    local room= verb= open= command= options= words= i\n    COMPREPLY=()\n"
           "    if [[ $cur == = ]]; then # to bash = is a word\n        cur=\n"
           "    elif [[ $last == = ]]; then\n        last=${COMP_WORDS[COMP_CWORD-2]}\n    fi\n");
    print_word_loop("COMP_WORDS", "1", "COMP_CWORD");
    printf("    case \"$room $verb\" in\n");
    for (int verbs = 1; verbs >= 0; verbs--) /* patterns of rooms match all verbs: last */
        for (int i = 0; i < job->command_count; i++)
            if (!job->commands[i].verb == !verbs) print_bash_command(&job->commands[i]);
    printf("    esac\n    if [[ $room == help && -z $open && $cur != -* ]]; then # of which command\n"
           "        room=$verb command=\n    fi\n    case \"$command\":$last in\n");
    /* 2. Choices of the option before the current word. */
    for (int id = 0; id <= OPT_QUIET; id++) print_bash_words(NULL, (enum option)id);
    for (int i = 0; i < job->command_count; i++)
        for (const struct command_option *option = job->commands[i].options; option->id; option++)
            print_bash_words(&job->commands[i], option->id);
    /* 3. Otherwise options, rooms, or the verbs of a room. */
    printf("    *)\n        if [[ -z $open && $cur == -* ]]; then\n            words=\"$options");
    for (int id = 0; id <= OPT_QUIET; id++) print_forms((enum option)id, " ", "");
    printf(" -h --help --version\"\n        elif [[ -z $open && -z $command ]]; then\n            case $room in\n"
           "            \"\") words=\"");
    print_rooms(job);
    printf("\" ;;\n");
    for (int i = 0; i < job->command_count; i++) {
        if (!is_new_room(job, i) || !job->commands[i].verb) continue;
        printf("            %s) words=\"", job->commands[i].room);
        print_verbs(job, job->commands[i].room);
        printf("\" ;;\n");
    }
    printf("            esac\n        elif [[ -z $open && -z $verb && -n $cur ]]; then # or a file\n"
           "            case $room in\n");
    for (int i = 0; i < job->command_count; i++) {
        if (!has_verbs(job, i)) continue;
        printf("            %s) words=\"", job->commands[i].room);
        print_verbs(job, job->commands[i].room);
        printf("\" ;;\n");
    }
    printf("            esac\n        fi ;;\n    esac\n"
           "    [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n}\n"
           "complete -o default -F _boscage boscage\n");
}

/* ---- zsh ---- */

static void print_zsh_option(const struct command *c, enum option id)
{
    struct command_option option = resolve_option(c, id);
    char letter = option_letter(id);
    for (int form = letter ? 0 : 1; form < 2; form++) {
        printf("        '");
        if (letter) printf("(-%c --%s)", letter, option_name(id));
        if (form)
            printf("--%s%s", option_name(id), option.value ? "=" : "");
        else
            printf("-%c%s", letter, option.value ? "+" : "");
        putchar('[');
        print_quoted(option.help, "[]:\\", "'\\''");
        putchar(']');
        if (option.value) {
            putchar(':');
            print_quoted(option.value, ":\\", "'\\''");
            putchar(':');
            if (option.choices) putchar('(');
            if (option.choices) print_words(option.choices);
            fputs(option.choices ? ")" : option_is_file(id) ? "_files" : " ", stdout);
        }
        printf("'\n");
    }
}

/* Prints the verbs of the room that begins with command i. */
static void print_zsh_verbs(const struct job *job, int i)
{
    const char *room = job->commands[i].room;
    printf("names=(\n");
    for (; i < job->command_count && strcmp(job->commands[i].room, room) == 0; i++) {
        if (job->commands[i].hidden || !job->commands[i].verb) continue;
        printf("        '%s:", job->commands[i].verb);
        print_summary(&job->commands[i], ":\\", "'\\''");
        printf("'\n");
    }
    printf("    )");
}

static void print_zsh_command(const struct job *job, int i)
{
    const struct command *c = &job->commands[i];
    printf(c->verb ? "\"%s\")\n" : "\"%s \"*)\n", command_name(c).text);
    if (has_verbs(job, i)) {
        printf("    files=1\n    [[ -n $verb ]] || ");
        print_zsh_verbs(job, i);
        putchar('\n');
    }
    printf("    options+=(\n");
    for (const struct command_option *option = c->options; option->id; option++) print_zsh_option(c, option->id);
    printf("    ) ;;\n");
}

/* Prints the script for zsh. The names of hidden commands are not offered, but their options are. */
static void print_zsh(const struct job *job)
{
    /* 1. The command before the current word. */
    printf("#compdef boscage\n# zsh completion for boscage(1), made by `boscage help --completion zsh'\n"
           "local room= verb= open= files=\nlocal -a options names\ninteger i\n\n_boscage_read()\n{\n");
    print_word_loop("words", "2", "CURRENT");
    printf("}\n_boscage_read\n"
           "if [[ $room == help && -z $open && $words[CURRENT] != -* ]]; then # of which command\n"
           "    room=$verb verb=\nfi\noptions=(\n");
    /* 2. Common options, then those of each command. */
    for (int id = 0; id <= OPT_QUIET; id++) print_zsh_option(NULL, (enum option)id);
    for (int form = 0; form < 2; form++)
        printf("        '(-h --help)%s[show the help of the command]'\n", form ? "--help" : "-h");
    printf("        '--version[show the version]'\n)\n"
           "case \"$room $verb\" in\n");
    for (int verbs = 1; verbs >= 0; verbs--) /* patterns of rooms match all verbs: last */
        for (int i = 0; i < job->command_count; i++)
            if (!job->commands[i].verb == !verbs) print_zsh_command(job, i);
    /* 3. Verbs of rooms, and the rooms. */
    for (int i = 0; i < job->command_count; i++) {
        const struct command *c = &job->commands[i];
        if (!is_new_room(job, i) || !c->verb) continue;
        printf("\"%s \")\n    ", c->room);
        print_zsh_verbs(job, i);
        printf(" ;;\n");
    }
    printf("\" \")\n    names=(");
    print_rooms(job);
    printf(") ;;\nesac\nif (( $#names )) && [[ -z $open && $words[CURRENT] != -* ]]; then\n"
           "    _describe command names || [[ -n $files ]] || return\n    [[ -n $files ]] || return 0\nfi\n"
           "_arguments -S $options '*:file:_files'\n");
}

/* ---- fish ---- */

/* Prints an option of command i; of all commands for -1. */
static void print_fish_option(const struct job *job, int i, enum option id)
{
    const struct command *c = i < 0 ? NULL : &job->commands[i];
    struct command_option option = resolve_option(c, id);
    printf("complete -c boscage");
    if (c) {
        const bool verbs = has_verbs(job, i);
        printf(" -n '__boscage_%s %s%s", verbs ? "in_room" : "in", command_name(c).text, verbs ? " " : "");
        if (verbs) print_verbs(job, c->room);
        putchar('\'');
    }
    if (option_letter(id)) printf(" -s %c", option_letter(id));
    printf(" -l %s", option_name(id));
    if (option.choices) {
        printf(" -x -a '");
        print_words(option.choices);
        printf("'");
    } else if (option.value) {
        printf(option_is_file(id) ? " -r -F" : " -x");
    }
    printf(" -d '");
    print_quoted(option.help, "\\", "\\'");
    printf("'\n");
}

static void print_fish_functions(void)
{
    printf("# fish completion for boscage(1), made by `boscage help --completion fish'\n"
           "function __boscage_words # before the one to complete, without options and their values\n"
           "    set -l value\n    for word in (commandline -opc)[2..]\n"
           "        if set -q value[1]\n            set value\n        else if contains -- $word ");
    print_forms_with_values(" ");
    printf("\n            set value 1\n        else if not string match -q -- '-*' $word\n            echo $word\n"
           "        end\n    end\nend\n"
           "function __boscage_in # the command line begins with these words\n"
           "    set -l words (__boscage_words)\n    set -l begin $words[1..(count $argv)]\n"
           "    test \"$begin\" = \"$argv\"\nend\n"
           "function __boscage_in_room # it begins with the first of these words, and with none of the others then\n"
           "    set -l words (__boscage_words)\n"
           "    test \"$words[1]\" = $argv[1]; and not contains -- \"$words[2]\" $argv[2..]\nend\n"
           "function __boscage_is # it has these words and no others\n"
           "    set -l words (__boscage_words)\n    test \"$words\" = \"$argv\"\nend\n");
}

/* Prints the script for fish. Commands of a room are neighbours, the one without a verb first. The names of hidden
 * commands are not offered, but their options are. Rooms and verbs are plain words, which need no quotes. */
static void print_fish(const struct job *job)
{
    /* 1. Rooms and verbs. */
    print_fish_functions();
    for (int i = 0; i < job->command_count; i++) {
        const struct command *c = &job->commands[i];
        if (c->hidden) continue;
        if (is_new_room(job, i)) {
            printf("complete -c boscage -n __boscage_is -f -a %s", c->room);
            if (!c->verb) {
                printf(" -d '");
                print_summary(c, "\\", "\\'");
                putchar('\'');
            }
            putchar('\n');
        }
        if (!c->verb) continue;
        const char *files = is_command(job, c->room) ? "" : " -f";
        printf("complete -c boscage -n '__boscage_is %s'%s -a %s -d '", c->room, files, c->verb);
        print_summary(c, "\\", "\\'");
        printf("'\n");
    }
    /* 2. Common options, help, options of each command. A command never lists common options, so id 0 ends its list. */
    for (int id = 0; id <= OPT_QUIET; id++) print_fish_option(job, -1, (enum option)id);
    printf("complete -c boscage -n '__boscage_is help' -f -a '");
    print_rooms(job);
    printf("'\n");
    for (int i = 0; i < job->command_count; i++) {
        if (!is_new_room(job, i) || !job->commands[i].verb) continue;
        printf("complete -c boscage -n '__boscage_is help %s' -f -a '", job->commands[i].room);
        print_verbs(job, job->commands[i].room);
        printf("'\n");
    }
    printf("complete -c boscage -s h -l help -d 'show the help of the command'\n"
           "complete -c boscage -l version -d 'show the version'\n");
    for (int i = 0; i < job->command_count; i++)
        for (const struct command_option *option = job->commands[i].options; option->id; option++)
            print_fish_option(job, i, option->id);
}

void help_print_completion(const struct job *job, int shell)
{
    if (shell == 0) print_bash(job);
    if (shell == 1) print_zsh(job);
    if (shell == 2) print_fish(job);
}
