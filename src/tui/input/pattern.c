#include "tui/input/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { MATCH_LIMIT = 100000 };

struct pattern {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *context;
};

static uint32_t options_for(const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            return PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
    return PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_CASELESS;
}

struct pattern *pattern_new(const char *text, char *error, size_t size)
{
    int code;
    PCRE2_SIZE offset;
    pcre2_code *compiled =
        pcre2_compile((PCRE2_SPTR)text, strlen(text), options_for(text), &code, &offset, NULL);
    if (!compiled) {
        unsigned char message[100];
        pcre2_get_error_message(code, message, sizeof message);
        snprintf(error, size, "at character %zu: %s", (size_t)offset + 1, (const char *)message);
        return NULL;
    }
    struct pattern *p = alloc_array(1, sizeof *p);
    p->code = compiled;
    p->data = pcre2_match_data_create_from_pattern(compiled, NULL);
    p->context = pcre2_match_context_create(NULL);
    pcre2_set_match_limit(p->context, MATCH_LIMIT);
    return p;
}

void pattern_free(struct pattern *p)
{
    if (!p)
        return;
    pcre2_match_context_free(p->context);
    pcre2_match_data_free(p->data);
    pcre2_code_free(p->code);
    free(p);
}

bool pattern_matches(struct pattern *p, struct str s)
{
    return pcre2_match(p->code, (PCRE2_SPTR)s.p, s.n, 0, 0, p->data, p->context) >= 0;
}
