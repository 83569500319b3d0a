/* boscage help: prints the help, the manual page or a completion script. */
#include "tool/commands/commands.h"
#include "tool/help/help.h"
#include "tool/options/find_command.h"
#include "tool/options/values.h"
#include "tool/output/report.h"
#include "tool/tool.h"

int run_help(struct job *job)
{
    int shell = -1, code = option_choice(job, OPT_COMPLETION, &shell);
    if (code) return code;
    bool is_generated = job->value[OPT_MAN] || shell >= 0;
    if (job->value[OPT_MAN] && shell >= 0)
        return report_error(EXIT_USAGE, "--completion: cannot be combined with --man");
    if (is_generated && job->operand_count)
        return report_error(EXIT_USAGE, "%s: one argument too many", job->operands[0]);
    if (job->value[OPT_MAN]) {
        help_print_man(job);
    } else if (shell >= 0) {
        help_print_completion(job, shell);
    } else {
        const char *room = job->operand_count ? job->operands[0] : NULL;
        const struct command *command = find_command(job, job->operands, job->operand_count);
        if (room && !command && (job->operand_count > 1 || !command_has_room(job, room)))
            return report_error(EXIT_USAGE, "%s%s%s: no such command (see boscage --help)", room,
                                job->operand_count > 1 ? " " : "", job->operand_count > 1 ? job->operands[1] : "");
        help_print(job, command, room);
    }
    return EXIT_DONE;
}
