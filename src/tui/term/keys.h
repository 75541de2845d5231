/* Keys: bytes from a terminal become key codes, key codes have names ("Ctrl-X", "F5", "g"). */
#ifndef TPTUI_TUI_TERM_KEYS_H
#define TPTUI_TUI_TERM_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"

/* One code space: characters are their code points (from 32 up); keys without a character follow
 * after the last code point; modifiers are flags. Ctrl with a letter is TK_CTRL | lower-case
 * letter; Ctrl-I, Ctrl-M, Ctrl-[ and Ctrl-H are Tab, Enter, Esc and Backspace, since terminals send
 * the same. Shift is a flag only for keys without a character (TK_SHIFT | TK_TAB). */
enum key_code {
    TK_NONE = 0,
    TK_FIRST = 0x110000,
    TK_ENTER = TK_FIRST,
    TK_TAB,
    TK_ESC,
    TK_BACKSPACE,
    TK_UP,
    TK_DOWN,
    TK_LEFT,
    TK_RIGHT,
    TK_HOME,
    TK_END,
    TK_PAGE_UP,
    TK_PAGE_DOWN,
    TK_INSERT,
    TK_DELETE,
    TK_F1,
    TK_F12 = TK_F1 + 11,
    TK_PASTE,       /* text pasted in brackets: event.text */
    TK_MOUSE_PRESS, /* event.x, event.y, event.button (0 left, 1 middle, 2 right) */
    TK_MOUSE_DRAG,  /* moved with the button down */
    TK_MOUSE_RELEASE,
    TK_WHEEL_UP,
    TK_WHEEL_DOWN,
    TK_WHEEL_LEFT,
    TK_WHEEL_RIGHT,
    TK_FOCUS_IN,
    TK_FOCUS_OUT,
    TK_END_OF_CODES,

    TK_SHIFT = 0x01000000,
    TK_ALT = 0x02000000,
    TK_CTRL = 0x04000000,
};

/* `text` is set for TK_PASTE only and belongs to the decoder: good until its next call. */
struct key_event {
    uint32_t key;
    int x, y, button; /* cells from 0, for the mouse */
    struct str text;
};

/* The name (not key_name, which curses has) as written in help, key bindings and scripts: "g",
 * "Space", "Shift-Tab", "Ctrl-X", "Alt-Enter", "F5". Writes it to `out`, which holds KEY_NAME_MAX
 * bytes, and returns `out`. */
enum { KEY_NAME_MAX = 48 };
const char *key_text(uint32_t key, char out[KEY_NAME_MAX]);
/* The key of that name (also "C-x", "M-x", "S-Tab" and "<"), or TK_NONE. */
uint32_t key_find(struct str name);

/* A decoder of one input stream. */
struct key_decoder;
struct key_decoder *key_decoder_new(void);
void key_decoder_free(struct key_decoder *d);

/* Adds bytes as read. A paste longer than 4 MiB is cut there. */
void key_decoder_feed(struct key_decoder *d, const void *bytes, size_t n);
/* The next complete event. False when none is: the rest waits for more bytes. */
bool key_decoder_next(struct key_decoder *d, struct key_event *out);
/* Whether bytes wait that may become a longer sequence (a lone ESC). */
bool key_decoder_waiting(const struct key_decoder *d);
/* No more bytes came in time: what waits is taken as it is (Esc, Alt-[). */
void key_decoder_expire(struct key_decoder *d);

#endif
