#include "parsers/tracefs/stack_text.h"

#include "core/trace_builder.h"
#include "parsers/samples/samples.h"

enum { FRAMES_MAX = 1024 };

bool stack_text_is(struct str text)
{
    size_t at = *text.p == ' ';
    return text.n > at + 2 && text.p[at] == '=' && text.p[at + 1] == '>' && text.p[at + 2] == ' ';
}

/* What stands behind the arrow, without an address behind it. */
static uint32_t frame_of(struct trace *t, struct str line)
{
    struct str text = str_trim(str_skip(line, str_find(line, '>') + 1));
    struct str mapping = STR("kernel"), offset = STR("[+");
    const char *file = text.n && *text.p == '/' ? memmem(text.p, text.n, offset.p, offset.n) : NULL;
    if (file)
        mapping = str_from_to(text, 0, (size_t)(file - text.p));
    else if (text.n && (*text.p == '<' || *text.p == '['))
        mapping = STR("");
    size_t blank = str_find(text, ' ');
    if (str_starts(str_skip(text, blank), STR(" (")) && str_ends(text, STR(")")))
        text = str_from_to(text, 0, blank);
    return samples_named_frame(t, trace_intern(t, mapping), trace_intern(t, text), NULL_STRING,
                               NULL_U32);
}

uint32_t stack_text_callsite(struct trace *t, struct str lines)
{
    uint32_t frames[FRAMES_MAX], callsite = NULL_U32;
    size_t n = 0;
    for (struct str line; n < FRAMES_MAX && str_next_line(&lines, &line);)
        if (line.n > 0 && stack_text_is(line))
            frames[n++] = frame_of(t, line);
    while (n > 0)
        callsite = stack_callsite_intern(t, callsite, frames[--n]);
    return callsite;
}
