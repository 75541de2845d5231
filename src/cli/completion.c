/* tptui completion SHELL: what completes the program's words in a shell, from the option tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/standard_streams.h"
#include "base/str.h"
#include "cli/command.h"
#include "parsers/formats.h"
#include "tui/cells/theme.h"
#include "tui/cells/theme_names.h"

#define POINTER(NAME) &NAME##_cmd,
static const struct command *const commands[] = {COMMAND_LIST(POINTER)};
enum { COMMANDS = sizeof commands / sizeof *commands };

#define SHELLS "bash|zsh|fish"

/* What an option's value is completed with. */
enum value_kind { VALUE_MISSING, VALUE_OTHER, VALUE_FILE, VALUE_FOLDER, VALUE_WORDS };

/* Words that the program is asked for when they are wanted. */
static const struct {
    const char *option, *command;
} asked_words[] = {{"theme", "tptui completion themes"},
                   {"run", "tptui metrics --list"},
                   {"metric", "tptui metrics --list"}};

static const char *asked_of(const struct command_option *o)
{
    for (size_t i = 0; i < sizeof asked_words / sizeof *asked_words; i++)
        if (strcmp(o->name, asked_words[i].option) == 0)
            return asked_words[i].command;
    return NULL;
}

/* " $(COMMAND)" and the like behind the words that are known, or nothing. */
static void put_asked(const struct command_option *o, const char *before, const char *behind)
{
    const char *command = asked_of(o);
    if (command)
        fprintf(standard_output(), "%s%s%s", before, command, behind);
}

/* "a|b|c" as "a b c". */
static void put_alternatives(const char *text, FILE *f)
{
    for (; *text; text++)
        fputc(*text == '|' ? ' ' : *text, f);
}

/* The words that the value is one of, with blanks between them, for free(); NULL: anything. */
static char *value_words(const struct command_option *o)
{
    bool listed = o->value && strchr(o->value, '|') && o->value[0] >= 'a' && o->value[0] <= 'z';
    bool theme = strcmp(o->name, "theme") == 0, format = strcmp(o->name, "as") == 0;
    char *text = NULL;
    size_t size;
    FILE *f = listed || theme || format ? open_memstream(&text, &size) : NULL;
    if (!f)
        return NULL;
    if (listed)
        put_alternatives(o->value, f);
    for (int i = 0; theme && theme_builtin_name(i); i++)
        fprintf(f, "%s%s", i ? " " : "", theme_builtin_name(i));
    for (size_t i = 0; format && trace_formats[i]; i++)
        fprintf(f, "%s%s", i ? " " : "", trace_format_key(trace_formats[i]));
    fclose(f);
    return text;
}

static enum value_kind value_kind(const struct command_option *o)
{
    static const struct {
        const char *part;
        enum value_kind kind;
    } known[] = {{"FILE", VALUE_FILE},
                 {"PATH", VALUE_FILE},
                 {"SPEC", VALUE_FILE},
                 {"DIR", VALUE_FOLDER},
                 {"FOLDER", VALUE_FOLDER}};
    if (!o->value)
        return VALUE_MISSING;
    char *words = value_words(o);
    free(words);
    if (words || asked_of(o))
        return VALUE_WORDS;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(o->value, known[i].part))
            return known[i].kind;
    return VALUE_OTHER;
}

/* ---- bash ---- */

static void print_bash_values(const struct option_table *t, const char *command)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct command_option *o = &t->options[i];
        enum value_kind kind = value_kind(o);
        if (kind == VALUE_MISSING)
            continue;
        char *words = value_words(o);
        fprintf(standard_output(), "    %s' --%s'", command, o->name);
        if (o->letter)
            fprintf(standard_output(), "|%s' -%c'", command, o->letter);
        fprintf(standard_output(), ") words=\"%s", words ? words : "");
        put_asked(o, " $(", " 2>/dev/null)");
        fprintf(standard_output(), "\" also=%s ;;\n",
                kind == VALUE_FILE     ? "-f"
                : kind == VALUE_FOLDER ? "-d"
                                       : "");
        free(words);
    }
}

static void print_bash_options(const struct option_table *t, const char *command)
{
    fprintf(standard_output(), "    %s' -') words='--help", command);
    for (size_t i = 0; i < t->count; i++)
        fprintf(standard_output(), " --%s", t->options[i].name);
    fputs("' also= ;;\n", standard_output());
}

static void print_bash(void)
{
    fputs("# Put this where bash looks for completions, or into ~/.bashrc.\n"
          "_tptui()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local words= also=-f command=${COMP_WORDS[1]} IFS\n"
          "    [ \"$before\" = '=' ] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    [ \"$word\" = '=' ] && word=\n"
          "    case $word in\n"
          "    -*) before=- ;;\n"
          "    *) case $before in -*) ;; *) before=$COMP_CWORD ;; esac ;;\n"
          "    esac\n",
          standard_output());
    fputs("    [ \"$COMP_CWORD\" = 1 ] && command=\n    case \"$command $before\" in\n"
          "    ' 1') words='formats",
          standard_output());
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(standard_output(), " %s", commands[i]->name);
    fputs("' ;;\n", standard_output());
    for (size_t i = 0; i < COMMANDS; i++) {
        const char *name = commands[i]->name;
        if (commands[i]->words) {
            fprintf(standard_output(), "    %s' 2') words='", name);
            put_alternatives(commands[i]->words, standard_output());
            fputs("' also= ;;\n", standard_output());
        }
        print_bash_values(commands[i]->options, name);
        print_bash_options(commands[i]->options, name);
    }
    print_bash_values(&view_options, "*");
    print_bash_options(&view_options, "*");
    fputs("    esac\n"
          "    case $word in *,*) before=${word%,*}, ;; *) before= ;; esac\n" /* a list's last */
          "    COMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- \"${word##*,}\"))\n"
          "    [ -z \"$also\" ] && return\n"
          "    while IFS= read -r before; do\n"
          "        COMPREPLY+=(\"$before\")\n"
          "    done < <(compgen $also -- \"$word\")\n"
          "    case $word in *[\\'\\\"\\\\]*) compopt -o default 2>/dev/null ;; esac\n}\n"
          "complete -o filenames -F _tptui tptui\n",
          standard_output());
}

/* ---- zsh ---- */

/* For text between single quotes, in which zsh's _arguments ends a help at "]". */
static void put_quoted(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", standard_output());
        else if (strchr("[]:", *text))
            fprintf(standard_output(), "\\%c", *text);
        else
            putc(*text, standard_output());
    }
}

static void put_zsh_value(const struct command_option *o)
{
    enum value_kind kind = value_kind(o);
    char *words = value_words(o);
    if (kind == VALUE_MISSING)
        return;
    putc(':', standard_output());
    put_quoted(kind == VALUE_WORDS ? o->name : o->value);
    if (asked_of(o)) {
        fprintf(standard_output(), ":{compadd -- %s", words ? words : "");
        put_asked(o, " $(", " 2>/dev/null)}");
    } else if (kind == VALUE_WORDS)
        fprintf(standard_output(), ":(%s)", words);
    else
        fputs(kind == VALUE_FILE     ? ":_files"
              : kind == VALUE_FOLDER ? ":_files -/"
                                     : ": ",
              standard_output());
    free(words);
}

static void print_zsh_options(const struct option_table *t, const char *first)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct command_option *o = &t->options[i];
        fputs(" \\\n        ", standard_output());
        if (o->letter)
            fprintf(standard_output(), "'(-%c --%s)'{-%c,--%s%s}'[", o->letter, o->name, o->letter,
                    o->name, o->value ? "=" : "");
        else
            fprintf(standard_output(), "'--%s%s[", o->name, o->value ? "=" : "");
        put_quoted(o->help);
        putc(']', standard_output());
        put_zsh_value(o);
        putc('\'', standard_output());
    }
    if (first) {
        fputs(" \\\n        '1:what:(", standard_output());
        put_alternatives(first, standard_output());
        fputs(")'", standard_output());
    }
    fputs(" \\\n        '*:file:_files' ;;\n", standard_output());
}

static void print_zsh(void)
{
    fputs("#compdef tptui\n# Put this into a folder of $fpath, as _tptui.\n_tptui() {\n"
          "if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n    local -a commands=(\n",
          standard_output());
    for (size_t i = 0; i < COMMANDS; i++) {
        const char *usage = commands[i]->usage;
        fprintf(standard_output(), "        '%s:", commands[i]->name);
        put_quoted(usage + strlen(usage) + 1);
        fputs("'\n", standard_output());
    }
    fputs("        'formats:what can be read')\n"
          "    _describe command commands\n    _files\n    return\nfi\ncase $words[2] in\n",
          standard_output());
    for (size_t i = 0; i < COMMANDS; i++) {
        fprintf(standard_output(), "%s)\n    shift words; (( CURRENT-- )); _arguments",
                commands[i]->name);
        print_zsh_options(commands[i]->options, commands[i]->words);
    }
    fputs("*)\n    _arguments", standard_output());
    print_zsh_options(&view_options, NULL);
    fputs("esac\n}\nif [ \"$funcstack[1]\" = _tptui ]; then\n    _tptui \"$@\"\n"
          "else\n    compdef _tptui tptui\nfi\n",
          standard_output());
}

/* ---- fish ---- */

static void print_fish_option(const struct command_option *o, const char *condition)
{
    static const char *const takes[] = {[VALUE_MISSING] = "",
                                        [VALUE_OTHER] = " -x",
                                        [VALUE_FILE] = " -r -F",
                                        [VALUE_FOLDER] = " -x -a '(__fish_complete_directories)'",
                                        [VALUE_WORDS] = " -x"};
    char *words = value_words(o);
    fprintf(standard_output(), "complete -c tptui -n '%s' -l %s", condition, o->name);
    if (o->letter)
        fprintf(standard_output(), " -s %c", o->letter);
    fputs(takes[value_kind(o)], standard_output());
    if (words || asked_of(o)) {
        fprintf(standard_output(), " -a '%s", words ? words : "");
        put_asked(o, " (", " 2>/dev/null)");
        fputs("'", standard_output());
    }
    fputs(" -d '", standard_output());
    for (const char *c = o->help; *c; c++)
        fprintf(standard_output(), *c == '\'' || *c == '\\' ? "\\%c" : "%c", *c);
    fputs("'\n", standard_output());
    free(words);
}

static void print_fish_command(const struct command *c)
{
    char condition[80];
    fprintf(standard_output(), "complete -c tptui -n __fish_use_subcommand -a %s -d '%s'\n",
            c->name, c->usage + strlen(c->usage) + 1);
    if (c->words) {
        fprintf(standard_output(),
                "complete -c tptui -n '__fish_seen_subcommand_from %s; and test (count "
                "(commandline -opc)) -eq 2' -f -a '",
                c->name);
        put_alternatives(c->words, standard_output());
        fputs("'\n", standard_output());
    }
    snprintf(condition, sizeof condition, "__fish_seen_subcommand_from %s", c->name);
    for (size_t i = 0; i < c->options->count; i++)
        print_fish_option(&c->options->options[i], condition);
}

static void print_fish(void)
{
    fputs("# Put this into ~/.config/fish/completions, as tptui.fish.\n", standard_output());
    for (size_t i = 0; i < COMMANDS; i++)
        print_fish_command(commands[i]);
    fputs("complete -c tptui -n __fish_use_subcommand -a formats -d 'what can be read'\n",
          standard_output());
    fputs("function __tptui_timeline\n    not __fish_seen_subcommand_from formats",
          standard_output());
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(standard_output(), " %s", commands[i]->name);
    fputs("\nend\n", standard_output());
    for (size_t i = 0; i < view_options.count; i++)
        print_fish_option(&view_options.options[i], "__tptui_timeline");
}

/* ---- the command ---- */

/* Shells expand what they complete words with. */
static bool is_plain(struct str name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    for (size_t i = 0; i < name.n; i++)
        if (!memchr(plain, name.p[i], sizeof plain - 1))
            return false;
    return name.n > 0 && name.p[0] != '.' && name.p[0] != '-';
}

/* A name a line. */
static void print_themes(void)
{
    struct theme_names names = {0};
    theme_names_read(&names);
    for (size_t i = names.built_in; i < names.v.count; i++)
        if (is_plain(str_from(names.v.items[i])))
            fprintf(standard_output(), "%s\n", names.v.items[i]);
    theme_names_release(&names);
}

static int take_shell(void *self, const char *word)
{
    static const char *const shells[] = {"bash", "zsh", "fish", "themes"};
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
    else if (strcmp(shell, "fish") == 0)
        print_fish();
    else
        print_themes();
    return EXIT_DONE;
}

const struct command completion_cmd = {
    .name = "completion",
    .usage = SHELLS "\0print what completes words of the program in that shell\0"
                    "themes\0print the names of the themes of one's own\0",
    .words = SHELLS,
    .options = &completion_options,
    .run = completion_command,
};
