/* Copying what is under the cursor to the clipboard of the terminal, and to a file for where none
 * can be reached. */
#ifndef TPTUI_TUI_APP_COPY_H
#define TPTUI_TUI_APP_COPY_H

struct app;

enum copy_what {
    COPY_ROW,    /* rows selected in the result, else the event's times and name, parted by tabs */
    COPY_NAME,   /* of the event */
    COPY_TIME,   /* of the cursor, in ns */
    COPY_SQL,    /* that selects the event, else the query in the editor */
    COPY_LINK,   /* the command that opens the trace at this place */
    COPY_SCREEN, /* as text */
    COPY_CELL,   /* of the result: the value under the cursor */
    COPY_COLUMN, /* all its values, a line each */
    COPY_ALL,    /* all rows, parted by tabs, names first */
};

/* Tells the user where the text went. */
void app_copy(struct app *a, enum copy_what what);

#endif
