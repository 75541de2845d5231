#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

static char *format_message(const char *format, va_list args)
{
    va_list copy;
    va_copy(copy, args);
    int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    size_t size = length < 0 ? 1 : (size_t)length + 1;
    char *message = alloc_bytes(size);
    message[0] = '\0';
    vsnprintf(message, size, format, args);
    return message;
}

struct status status_verror(enum status_code code, const char *format, va_list args)
{
    return (struct status){code, format_message(format, args)};
}

struct status status_error(enum status_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct status s = status_verror(code, format, args);
    va_end(args);
    return s;
}

struct status status_prefix(struct status s, const char *format, ...)
{
    if (status_ok(s))
        return s;
    va_list args;
    va_start(args, format);
    char *prefix = format_message(format, args);
    va_end(args);
    struct status out = status_error(s.code, "%s: %s", prefix, s.message);
    free(prefix);
    status_release(&s);
    return out;
}

struct status status_suffix(struct status s, const char *suffix)
{
    if (status_ok(s))
        return s;
    struct status out = status_error(s.code, "%s%s", s.message, suffix);
    status_release(&s);
    return out;
}

void status_release(struct status *s)
{
    free(s->message);
    s->message = NULL;
    s->code = STATUS_OK;
}
