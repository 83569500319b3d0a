/* boscage help: what --help says, and the same for man and for shells. */
#include "tool/tool.h"

int run_help(struct job *job)
{
    int shell = -1, code = option_choice(job, OPT_COMPLETION, &shell);
    if (code) return code;
    bool other = job->value[OPT_MAN] || shell >= 0;
    if (job->value[OPT_MAN] && shell >= 0) return say(EXIT_USAGE, "--completion: cannot be combined with --man");
    if (other && job->operand_count) return say(EXIT_USAGE, "%s: one argument too many", job->operands[0]);
    if (job->value[OPT_MAN]) {
        help_print_man(job);
    } else if (shell >= 0) {
        help_print_completion(job, shell);
    } else {
        const char *room = job->operand_count ? job->operands[0] : NULL;
        const struct command *command = command_find(job, job->operands, job->operand_count);
        if (room && !command && (job->operand_count > 1 || !command_has_room(job, room)))
            return say(EXIT_USAGE, "%s%s%s: no such command (see boscage --help)", room,
                       job->operand_count > 1 ? " " : "", job->operand_count > 1 ? job->operands[1] : "");
        help_print(job, command, room);
    }
    return EXIT_DONE;
}
