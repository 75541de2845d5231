/* Where an action applies: what a pane says of itself, and the table of actions of each. */
#ifndef TPTUI_TUI_CONTEXT_ACTION_CONTEXT_H
#define TPTUI_TUI_CONTEXT_ACTION_CONTEXT_H

enum {
    IN_TRACKS = 1,
    IN_DETAILS = 2,
    IN_GRID = 4,
    IN_EDITOR = 8,
    IN_AREA = 16, /* while an area is chosen; such an action has the key, not one of IN_TRACKS */
    WHILE_LOADING = 32,
    IN_FLAME = 64, /* while the details show a flamegraph; goes before one of IN_DETAILS */
    IN_LOGS = 128, /* the same with logs */
    IN_LIST = 256, /* characters count there where no filter is typed */
    IN_PROMPT = 512,
    IN_TEXT = 1024, /* while the help or a text in full lies over the panes */
    IN_LOADED = IN_TRACKS | IN_DETAILS | IN_GRID,
    IN_ALL = IN_LOADED | IN_EDITOR,
    IN_OVERLAYS = IN_LIST | IN_PROMPT | IN_TEXT, /* done there only, whoever asks */
};

#endif
