#include "tui/context/message.h"

#include <stdarg.h>
#include <stdio.h>

#include "tui/context/state.h"

void app_say(struct app *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(a->message, sizeof a->message, format, args);
    va_end(args);
    a->message_is_error = false;
}

void app_complain(struct app *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(a->message, sizeof a->message, format, args);
    va_end(args);
    a->message_is_error = true;
}
