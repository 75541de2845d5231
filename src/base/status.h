/* The result of a call that can fail: a code and, when it failed, a message for the user. */
#ifndef TPTUI_BASE_STATUS_H
#define TPTUI_BASE_STATUS_H

#include <stdarg.h>
#include <stdbool.h>

enum status_code {
    STATUS_OK = 0,
    STATUS_IO,             /* a file cannot be opened, read or mapped */
    STATUS_FORMAT,         /* the input is not what it claims to be */
    STATUS_UNKNOWN_FORMAT, /* of which none is known */
    STATUS_SQL,            /* a statement does not compile or failed while running */
    STATUS_USAGE,          /* the caller (user) asked for something that does not exist */
    STATUS_CANCELLED,      /* the cancel flag was set */
};

/* `message` is owned, NULL when ok; status_release frees it. */
struct status {
    enum status_code code;
    char *message;
};

static inline struct status status_ok_value(void)
{
    return (struct status){STATUS_OK, NULL};
}

static inline bool status_ok(struct status s)
{
    return s.code == STATUS_OK;
}

__attribute__((format(printf, 2, 3))) struct status status_error(enum status_code code,
                                                                 const char *format, ...);
__attribute__((format(printf, 2, 0))) struct status status_verror(enum status_code code,
                                                                  const char *format, va_list args);

/* Puts text behind the message of a failed status; passes an ok one through. */
struct status status_suffix(struct status s, const char *suffix);

/* Puts "prefix: " before the message of a failed status; passes an ok one through. */
__attribute__((format(printf, 2, 3))) struct status status_prefix(struct status s,
                                                                  const char *format, ...);

void status_release(struct status *s);

#endif
