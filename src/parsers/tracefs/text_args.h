/* Words of events that nobody knows, as args: decoded when somebody reads them. */
#ifndef TPTUI_PARSERS_TRACEFS_TEXT_ARGS_H
#define TPTUI_PARSERS_TRACEFS_TEXT_ARGS_H

#include "core/trace/trace.h"

enum text_words {
    TEXT_EVENT,  /* "key=value" or "key: value" */
    TEXT_CALL,   /* "fd: 3, buf: 7ffd2e2c": hexadecimal, without saying so */
    TEXT_RETURN, /* what a system call returned: `ret` */
};

struct text_args;

/* The one of the trace, made at the first call; its args own it. */
struct text_args *text_args_of(struct trace *t);
/* Brings the decoder back (core/trace/stored_columns.h). */
bool text_args_restore(struct trace *t, struct byte_reader state);
#define TEXT_ARGS_NAME "text"
/* The kind of payloads that are such text: numbers and words by their keys; and the whole as
 * `text`, where it says more. */
uint32_t text_args_kind(struct text_args *a, enum text_words words);
/* Appends the args of such a text. */
void text_args_read(struct text_args *a, enum text_words words, struct str text,
                    struct arg_list *out);

/* The value of "key=value" between blanks, in the way Trace Processor takes texts apart: words end
 * at blanks, whatever they mean, the first word of a key counts, and of several '=' the last. False
 * where there is no such key. */
bool text_args_find(struct str text, struct str key, struct str *value);
/* The same of up to 31 keys at once, soonest where they come in that order; bits of those that are
 * there. The values of others stay. */
uint32_t text_args_find_all(struct str text, const struct str *keys, struct str *values,
                            uint32_t count);
/* The same as a decimal number. */
bool text_args_number(struct str text, struct str key, int64_t *value);

#endif
