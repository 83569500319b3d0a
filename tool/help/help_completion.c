/* Completion scripts for shells: the words of a command, then its options, then the words of an option. What has no
 * words is completed as a file. */
#include <stdio.h>
#include <string.h>

#include "tool/tool.h"

/* Writes the forms of an option, "-q" and "--queries", with `before` each of them and `between` the two. */
static void put_forms(enum option id, const char *before, const char *between)
{
    if (option_letter(id)) printf("%s-%c%s", before, option_letter(id), between);
    printf("%s--%s", before, option_name(id));
}

static void put_words(const char *const *words)
{
    for (int i = 0; words[i]; i++) printf("%s%s", i ? " " : "", words[i]);
}

/* Whether command i is the first one listed of its room. */
static bool is_new_room(const struct job *job, int i)
{
    const struct command *c = &job->commands[i];
    return !c->hidden && (i == 0 || strcmp(c->room, c[-1].room) != 0);
}

/* Whether the room is a command by itself too: what follows its name may be a file. */
static bool is_command(const struct job *job, const char *room)
{
    const struct command *c = command_find(job, &room, 1);
    return c && !c->verb;
}

/* Whether command i is a room that is a command by itself and has others. */
static bool has_verbs(const struct job *job, int i)
{
    const struct command *c = &job->commands[i];
    return !c->verb && i + 1 < job->command_count && strcmp(c->room, c[1].room) == 0;
}

static void put_rooms(const struct job *job)
{
    for (int i = 0; i < job->command_count; i++)
        if (is_new_room(job, i)) printf("%s%s", i ? " " : "", job->commands[i].room);
}

static void put_verbs(const struct job *job, const char *room)
{
    const char *blank = "";
    for (int i = 0; i < job->command_count; i++) {
        const struct command *c = &job->commands[i];
        if (c->hidden || !c->verb || strcmp(c->room, room) != 0) continue;
        printf("%s%s", blank, c->verb);
        blank = " ";
    }
}

/* Text between single quotes; `escaped` characters get a backslash, as does a quote where `quote` is a backslash. */
static void put_quoted(const char *text, const char *escaped, const char *quote)
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

/* The first line of a summary, a sentence, without its full stop. */
static void put_summary(const struct command *c, const char *escaped, const char *quote)
{
    char text[160];
    size_t length = strcspn(c->summary, "\n");
    if (c->summary[length - 1] == '.') length--;
    snprintf(text, sizeof text, "%.*s", (int)length, c->summary);
    put_quoted(text, escaped, quote);
}

/* All options that have a value, in all their forms. */
static void put_forms_with_values(const char *between)
{
    const char *before = "";
    for (int id = 0; id < OPTION_COUNT; id++) {
        if (!option_use(NULL, (enum option)id).value) continue;
        printf("%s", before);
        put_forms((enum option)id, "", between);
        before = between;
    }
}

/* A loop that finds room and verb in the words before the one to complete, and whether that is the value of an option,
 * for shells that speak as bash does. */
static void put_search(const char *words, const char *first, const char *current)
{
    printf("    for (( i = %s; i < %s; i++ )); do\n        case ${%s[i]} in\n        ", first, current, words);
    put_forms_with_values(" | ");
    printf(")\n            [[ ${%s[i+1]} == = ]] && (( i++ ))\n"
           "            (( ++i >= %s )) && open=1 ;;\n",
           words, current);
    printf("        -* | =) ;;\n        *) if [[ -z $room ]]; then room=${%s[i]}; elif [[ -z $verb ]]; then "
           "verb=${%s[i]}; fi "
           ";;\n        esac\n    done\n",
           words, words);
}

/* ---- bash ---- */

static void put_bash_command(const struct command *c)
{
    printf(c->verb ? "    \"%s\")" : "    \"%s \"*)", command_name(c).text);
    printf(" command=\"%s\" options=\"", command_name(c).text);
    for (const struct use *use = c->uses; use->id; use++) {
        put_forms(use->id, "", " ");
        putchar(' ');
    }
    printf("\" ;;\n");
}

static void put_bash_words(const struct command *c, enum option id)
{
    char before[48];
    struct use use = option_use(c, id);
    if (!use.words) return;
    snprintf(before, sizeof before, c ? "\"%s\":" : "*:", c ? command_name(c).text : "");
    printf("    ");
    put_forms(id, before, " | ");
    printf(") words=\"");
    put_words(use.words);
    printf("\" ;;\n");
}

static void put_bash(const struct job *job)
{
    printf("# bash completion for boscage(1), made by `boscage help --completion bash'\n_boscage()\n{\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    local room= verb= open= command= options= words= i\n    COMPREPLY=()\n"
           "    if [[ $cur == = ]]; then # to bash = is a word\n        cur=\n"
           "    elif [[ $last == = ]]; then\n        last=${COMP_WORDS[COMP_CWORD-2]}\n    fi\n");
    put_search("COMP_WORDS", "1", "COMP_CWORD");
    printf("    case \"$room $verb\" in\n");
    for (int verbs = 1; verbs >= 0; verbs--) /* the patterns of rooms take all verbs */
        for (int i = 0; i < job->command_count; i++)
            if (!job->commands[i].verb == !verbs) put_bash_command(&job->commands[i]);
    printf("    esac\n    if [[ $room == help && -z $open && $cur != -* ]]; then # of which command\n"
           "        room=$verb command=\n    fi\n    case \"$command\":$last in\n");
    for (int id = 0; id <= OPT_QUIET; id++) put_bash_words(NULL, (enum option)id);
    for (int i = 0; i < job->command_count; i++)
        for (const struct use *use = job->commands[i].uses; use->id; use++) put_bash_words(&job->commands[i], use->id);
    printf("    *)\n        if [[ -z $open && $cur == -* ]]; then\n            words=\"$options");
    for (int id = 0; id <= OPT_QUIET; id++) put_forms((enum option)id, " ", "");
    printf(" -h --help --version\"\n        elif [[ -z $open && -z $command ]]; then\n            case $room in\n"
           "            \"\") words=\"");
    put_rooms(job);
    printf("\" ;;\n");
    for (int i = 0; i < job->command_count; i++) {
        if (!is_new_room(job, i) || !job->commands[i].verb) continue;
        printf("            %s) words=\"", job->commands[i].room);
        put_verbs(job, job->commands[i].room);
        printf("\" ;;\n");
    }
    printf("            esac\n        elif [[ -z $open && -z $verb && -n $cur ]]; then # or a file\n"
           "            case $room in\n");
    for (int i = 0; i < job->command_count; i++) {
        if (!has_verbs(job, i)) continue;
        printf("            %s) words=\"", job->commands[i].room);
        put_verbs(job, job->commands[i].room);
        printf("\" ;;\n");
    }
    printf("            esac\n        fi ;;\n    esac\n"
           "    [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n}\n"
           "complete -o default -F _boscage boscage\n");
}

/* ---- zsh ---- */

static void put_zsh_option(const struct command *c, enum option id)
{
    struct use use = option_use(c, id);
    char letter = option_letter(id);
    for (int form = letter ? 0 : 1; form < 2; form++) {
        printf("        '");
        if (letter) printf("(-%c --%s)", letter, option_name(id));
        if (form)
            printf("--%s%s", option_name(id), use.value ? "=" : "");
        else
            printf("-%c%s", letter, use.value ? "+" : "");
        putchar('[');
        put_quoted(use.help, "[]:\\", "'\\''");
        putchar(']');
        if (use.value) {
            putchar(':');
            put_quoted(use.value, ":\\", "'\\''");
            putchar(':');
            if (use.words) putchar('(');
            if (use.words) put_words(use.words);
            fputs(use.words ? ")" : option_is_file(id) ? "_files" : " ", stdout);
        }
        printf("'\n");
    }
}

/* The verbs of the room that begins with command i. */
static void put_zsh_verbs(const struct job *job, int i)
{
    const char *room = job->commands[i].room;
    printf("names=(\n");
    for (; i < job->command_count && strcmp(job->commands[i].room, room) == 0; i++) {
        if (!job->commands[i].verb) continue;
        printf("        '%s:", job->commands[i].verb);
        put_summary(&job->commands[i], ":\\", "'\\''");
        printf("'\n");
    }
    printf("    )");
}

static void put_zsh_command(const struct job *job, int i)
{
    const struct command *c = &job->commands[i];
    printf(c->verb ? "\"%s\")\n" : "\"%s \"*)\n", command_name(c).text);
    if (has_verbs(job, i)) {
        printf("    files=1\n    [[ -n $verb ]] || ");
        put_zsh_verbs(job, i);
        putchar('\n');
    }
    printf("    options+=(\n");
    for (const struct use *use = c->uses; use->id; use++) put_zsh_option(c, use->id);
    printf("    ) ;;\n");
}

static void put_zsh(const struct job *job)
{
    printf("#compdef boscage\n# zsh completion for boscage(1), made by `boscage help --completion zsh'\n"
           "local room= verb= open= files=\nlocal -a options names\ninteger i\n\n_boscage_read()\n{\n");
    put_search("words", "2", "CURRENT");
    printf("}\n_boscage_read\n"
           "if [[ $room == help && -z $open && $words[CURRENT] != -* ]]; then # of which command\n"
           "    room=$verb verb=\nfi\noptions=(\n");
    for (int id = 0; id <= OPT_QUIET; id++) put_zsh_option(NULL, (enum option)id);
    for (int form = 0; form < 2; form++)
        printf("        '(-h --help)%s[show the help of the command]'\n", form ? "--help" : "-h");
    printf("        '--version[show the version]'\n)\n"
           "case \"$room $verb\" in\n");
    for (int verbs = 1; verbs >= 0; verbs--) /* the patterns of rooms take all verbs */
        for (int i = 0; i < job->command_count; i++)
            if (!job->commands[i].verb == !verbs) put_zsh_command(job, i);
    for (int i = 0; i < job->command_count; i++) {
        const struct command *c = &job->commands[i];
        if (!is_new_room(job, i) || !c->verb) continue;
        printf("\"%s \")\n    ", c->room);
        put_zsh_verbs(job, i);
        printf(" ;;\n");
    }
    printf("\" \")\n    names=(");
    put_rooms(job);
    printf(") ;;\nesac\nif (( $#names )) && [[ -z $open && $words[CURRENT] != -* ]]; then\n"
           "    _describe command names || [[ -n $files ]] || return\n    [[ -n $files ]] || return 0\nfi\n"
           "_arguments -S $options '*:file:_files'\n");
}

/* ---- fish ---- */

/* Of command i, or of all (-1). */
static void put_fish_option(const struct job *job, int i, enum option id)
{
    const struct command *c = i < 0 ? NULL : &job->commands[i];
    struct use use = option_use(c, id);
    printf("complete -c boscage");
    if (c) {
        const bool verbs = has_verbs(job, i);
        printf(" -n '__boscage_%s %s%s", verbs ? "in_room" : "in", command_name(c).text, verbs ? " " : "");
        if (verbs) put_verbs(job, c->room);
        putchar('\'');
    }
    if (option_letter(id)) printf(" -s %c", option_letter(id));
    printf(" -l %s", option_name(id));
    if (use.words) {
        printf(" -x -a '");
        put_words(use.words);
        printf("'");
    } else if (use.value) {
        printf(option_is_file(id) ? " -r -F" : " -x");
    }
    printf(" -d '");
    put_quoted(use.help, "\\", "\\'");
    printf("'\n");
}

static void put_fish_functions(void)
{
    printf("# fish completion for boscage(1), made by `boscage help --completion fish'\n"
           "function __boscage_words # before the one to complete, without options and their values\n"
           "    set -l value\n    for word in (commandline -opc)[2..]\n"
           "        if set -q value[1]\n            set value\n        else if contains -- $word ");
    put_forms_with_values(" ");
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

static void put_fish(const struct job *job)
{
    put_fish_functions();
    for (int i = 0; i < job->command_count; i++) {
        const struct command *c = &job->commands[i];
        if (c->hidden) continue;
        if (is_new_room(job, i)) {
            printf("complete -c boscage -n __boscage_is -f -a %s", c->room);
            if (!c->verb) {
                printf(" -d '");
                put_summary(c, "\\", "\\'");
                putchar('\'');
            }
            putchar('\n');
        }
        if (!c->verb) continue;
        const char *files = is_command(job, c->room) ? "" : " -f";
        printf("complete -c boscage -n '__boscage_is %s'%s -a %s -d '", c->room, files, c->verb);
        put_summary(c, "\\", "\\'");
        printf("'\n");
    }
    for (int id = 0; id <= OPT_QUIET; id++) put_fish_option(job, -1, (enum option)id);
    printf("complete -c boscage -n '__boscage_is help' -f -a '");
    put_rooms(job);
    printf("'\n");
    for (int i = 0; i < job->command_count; i++) {
        if (!is_new_room(job, i) || !job->commands[i].verb) continue;
        printf("complete -c boscage -n '__boscage_is help %s' -f -a '", job->commands[i].room);
        put_verbs(job, job->commands[i].room);
        printf("'\n");
    }
    printf("complete -c boscage -s h -l help -d 'show the help of the command'\n"
           "complete -c boscage -l version -d 'show the version'\n");
    for (int i = 0; i < job->command_count; i++)
        for (const struct use *use = job->commands[i].uses; use->id; use++) put_fish_option(job, i, use->id);
}

void help_print_completion(const struct job *job, int shell)
{
    if (shell == 0) put_bash(job);
    if (shell == 1) put_zsh(job);
    if (shell == 2) put_fish(job);
}
