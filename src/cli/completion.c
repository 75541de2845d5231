/* tptui completion SHELL: what completes the program's words in a shell, from the option tables. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

#define POINTER(NAME) &NAME##_cmd,
static const struct command *const commands[] = {COMMAND_LIST(POINTER)};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const char *const shells[] = {"bash", "zsh", "fish"};

static void put_names(const struct option_table *t)
{
    for (size_t i = 0; i < t->count; i++)
        printf(" --%s", t->options[i].name);
}

static void print_bash(void)
{
    puts("# Put this where bash looks for completions, or into ~/.bashrc.\n"
         "_tptui()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} words\n"
         "    case ${COMP_WORDS[1]} in");
    for (size_t i = 0; i < COMMANDS; i++) {
        printf("    %s) words='", commands[i]->name);
        put_names(commands[i]->options);
        puts("' ;;");
    }
    fputs("    *) words='", stdout);
    put_names(&view_options);
    puts("' ;;\n    esac");
    fputs("    [ \"$COMP_CWORD\" = 1 ] && words+=' --help --version formats", stdout);
    for (size_t i = 0; i < COMMANDS; i++)
        printf(" %s", commands[i]->name);
    puts("'\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\") $(compgen -f -- \"$word\"))\n}\n"
         "complete -o filenames -F _tptui tptui");
}

/* For text between single quotes, in which zsh's _arguments ends a help at "]". */
static void put_quoted(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr("[]:", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void print_zsh_options(const struct option_table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct command_option *o = &t->options[i];
        printf(" \\\n        '--%s%s[", o->name, o->value ? "=" : "");
        put_quoted(o->help);
        putchar(']');
        if (o->value) {
            putchar(':');
            put_quoted(o->value);
            fputs(":_files", stdout);
        }
        putchar('\'');
    }
    puts(" \\\n        '*:file:_files' ;;");
}

static void print_zsh(void)
{
    puts("#compdef tptui\n# Put this into a folder of $fpath, as _tptui.\n"
         "if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then");
    fputs("    compadd formats", stdout);
    for (size_t i = 0; i < COMMANDS; i++)
        printf(" %s", commands[i]->name);
    puts("\n    _files\n    return\nfi\ncase $words[2] in");
    for (size_t i = 0; i < COMMANDS; i++) {
        printf("%s)\n    shift words; (( CURRENT-- )); _arguments", commands[i]->name);
        print_zsh_options(commands[i]->options);
    }
    fputs("*)\n    _arguments", stdout);
    print_zsh_options(&view_options);
    puts("esac");
}

static void print_fish_options(const struct option_table *t, const char *condition)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct command_option *o = &t->options[i];
        printf("complete -c tptui -n '%s' -l %s%s -d '", condition, o->name, o->value ? " -r" : "");
        for (const char *c = o->help; *c; c++)
            printf(*c == '\'' || *c == '\\' ? "\\%c" : "%c", *c);
        puts("'");
    }
}

static void print_fish(void)
{
    char condition[80];
    puts("# Put this into ~/.config/fish/completions, as tptui.fish.");
    for (size_t i = 0; i < COMMANDS; i++) {
        const char *usage = commands[i]->usage;
        printf("complete -c tptui -n __fish_use_subcommand -a %s -d '%s'\n", commands[i]->name,
               usage + strlen(usage) + 1);
        snprintf(condition, sizeof condition, "__fish_seen_subcommand_from %s", commands[i]->name);
        print_fish_options(commands[i]->options, condition);
    }
    print_fish_options(&view_options, "__fish_use_subcommand");
}

static int take_shell(void *self, const char *word)
{
    const char **shell = self;
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(word, shells[i]) == 0)
            *shell = shells[i];
    return *shell ? EXIT_DONE : usage_error("completion %s: expected bash, zsh or fish", word);
}

static const struct option_table completion_options = {"completion", NULL, 0};

static int completion_command(int argc, char **argv)
{
    const char *shell = NULL;
    int exit_status = options_parse(&completion_options, &shell, take_shell, argc, argv);
    if (exit_status != EXIT_DONE)
        return exit_status;
    if (!shell)
        return usage_error("completion: for which shell? bash, zsh or fish");
    if (strcmp(shell, "bash") == 0)
        print_bash();
    else if (strcmp(shell, "zsh") == 0)
        print_zsh();
    else
        print_fish();
    return fflush(stdout) == 0 ? EXIT_DONE : EXIT_SQL;
}

const struct command completion_cmd = {
    .name = "completion",
    .usage = "bash|zsh|fish\0print what completes words of the program in that shell\0",
    .options = &completion_options,
    .run = completion_command,
};
