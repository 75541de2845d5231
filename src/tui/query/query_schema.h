/* The schema that the query pane completes names from. */
#ifndef TPTUI_TUI_QUERY_QUERY_SCHEMA_H
#define TPTUI_TUI_QUERY_QUERY_SCHEMA_H

struct app;

/* Has it read, unless it is known and no statement has defined anything since. */
void query_ask_for_schema(struct app *a);

#endif
