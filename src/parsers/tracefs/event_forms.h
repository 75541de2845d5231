/* How events print themselves that do not print "field=value" with the names of their messages'
 * fields. */
#ifndef TPTUI_PARSERS_TRACEFS_EVENT_FORMS_H
#define TPTUI_PARSERS_TRACEFS_EVENT_FORMS_H

/* Of a form, {field} is the text up to what follows in the form, and a blank is one or more of
 * them. {field:x} is hexadecimal without 0x, {field:d} a device "8,0", {field:l} a list of
 * hexadecimal numbers, {field:a|b} one of the words, which count from 0. {} is not read.
 * What a text has behind the form's end may say more in the usual way. */
struct event_form {
    const char *event, *form;
};

/* Of several forms of an event, the first that fits is meant. NULL ends the list. */
extern const struct event_form event_forms[];

#endif
