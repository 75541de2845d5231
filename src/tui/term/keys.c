#include "tui/term/keys.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "base/vec.h"

enum { ESC = 0x1B, DEL = 0x7F, BEL = 0x07 };

/* ---- names ---- */

static const struct {
    const char *name;
    uint32_t key;
} key_names[] = {
    {"Enter", TK_ENTER},
    {"Tab", TK_TAB},
    {"Esc", TK_ESC},
    {"Backspace", TK_BACKSPACE},
    {"Up", TK_UP},
    {"Down", TK_DOWN},
    {"Left", TK_LEFT},
    {"Right", TK_RIGHT},
    {"Home", TK_HOME},
    {"End", TK_END},
    {"PageUp", TK_PAGE_UP},
    {"PageDown", TK_PAGE_DOWN},
    {"Insert", TK_INSERT},
    {"Delete", TK_DELETE},
    {"F1", TK_F1},
    {"F2", TK_F1 + 1},
    {"F3", TK_F1 + 2},
    {"F4", TK_F1 + 3},
    {"F5", TK_F1 + 4},
    {"F6", TK_F1 + 5},
    {"F7", TK_F1 + 6},
    {"F8", TK_F1 + 7},
    {"F9", TK_F1 + 8},
    {"F10", TK_F1 + 9},
    {"F11", TK_F1 + 10},
    {"F12", TK_F12},
    {"Paste", TK_PASTE},
    {"MousePress", TK_MOUSE_PRESS},
    {"MouseDrag", TK_MOUSE_DRAG},
    {"MouseRelease", TK_MOUSE_RELEASE},
    {"WheelUp", TK_WHEEL_UP},
    {"WheelDown", TK_WHEEL_DOWN},
    {"WheelLeft", TK_WHEEL_LEFT},
    {"WheelRight", TK_WHEEL_RIGHT},
    {"FocusIn", TK_FOCUS_IN},
    {"FocusOut", TK_FOCUS_OUT},
    {"Space", ' '},
};

enum { KEY_NAMES = sizeof key_names / sizeof key_names[0] };

enum { MODIFIERS = (int)(TK_SHIFT | TK_ALT | TK_CTRL) };

const char *key_text(uint32_t key, char out[KEY_NAME_MAX])
{
    uint32_t plain = key & ~(uint32_t)MODIFIERS;
    char text[5] = "";
    const char *name = text;
    for (size_t i = 0; i < KEY_NAMES; i++)
        if (key_names[i].key == plain)
            name = key_names[i].name;
    if (name == text && plain >= ' ' && plain < TK_FIRST) {
        bool upper = key & TK_CTRL && plain >= 'a' && plain <= 'z';
        text[utf8_encode(upper ? plain - 'a' + 'A' : plain, text)] = 0;
    }
    snprintf(out, KEY_NAME_MAX, "%s%s%s%s", key & TK_CTRL ? "Ctrl-" : "",
             key & TK_ALT ? "Alt-" : "", key & TK_SHIFT ? "Shift-" : "", name);
    return out;
}

/* Brings what users write and what terminals send to the one form that keys.h describes. */
static uint32_t key_normal(uint32_t plain, uint32_t modifiers)
{
    if (plain >= TK_FIRST)
        return plain | modifiers;
    if (modifiers & TK_SHIFT && plain >= 'a' && plain <= 'z')
        plain = plain - 'a' + 'A';
    modifiers &= ~(uint32_t)TK_SHIFT;
    if (!(modifiers & TK_CTRL))
        return plain | modifiers;
    if (plain >= 'A' && plain <= 'Z')
        plain = plain - 'A' + 'a';
    static const struct {
        char from;
        uint32_t to;
    } same[] = {{'i', TK_TAB}, {'m', TK_ENTER}, {'[', TK_ESC}, {'h', TK_BACKSPACE}};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        if (plain == (uint32_t)same[i].from)
            return same[i].to | (modifiers & ~(uint32_t)TK_CTRL);
    return plain | modifiers;
}

/* Takes "Ctrl-" and its like off the front of `name`. */
static uint32_t take_modifiers(struct str *name)
{
    static const struct {
        const char *prefix;
        uint32_t flag;
    } prefixes[] = {{"Ctrl-", TK_CTRL}, {"C-", TK_CTRL},      {"Alt-", TK_ALT},
                    {"M-", TK_ALT},     {"Shift-", TK_SHIFT}, {"S-", TK_SHIFT}};
    uint32_t flags = 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t n = strlen(prefixes[i].prefix);
        if (name->n <= n || compare_any_case_n(name->p, prefixes[i].prefix, n) != 0)
            continue;
        flags |= prefixes[i].flag;
        *name = str_skip(*name, n);
        i = (size_t)-1; /* any order, so from the first again */
    }
    return flags;
}

uint32_t key_find(struct str name)
{
    uint32_t modifiers = take_modifiers(&name);
    if (name.n == 0)
        return TK_NONE;
    for (size_t i = 0; i < KEY_NAMES; i++)
        if (strlen(key_names[i].name) == name.n &&
            compare_any_case_n(key_names[i].name, name.p, name.n) == 0)
            return key_normal(key_names[i].key, modifiers);
    struct utf8_char c = utf8_decode(name);
    if (!c.valid || c.size != name.n || !utf8_is_printable(c.ch))
        return TK_NONE;
    return key_normal(c.ch, modifiers);
}

/* ---- sequences ---- */

/* What decoding found: `used` bytes stand for `event`; 0 where more bytes are needed. An event of
 * TK_NONE is nothing for the user (replies nobody asked for, broken sequences). */
struct decoded {
    size_t used;
    struct key_event event;
};

static struct decoded need_more(void)
{
    return (struct decoded){0};
}

static struct decoded nothing(size_t used)
{
    return (struct decoded){.used = used};
}

static struct decoded key_of(size_t used, uint32_t plain, uint32_t modifiers)
{
    return (struct decoded){used, {.key = key_normal(plain, modifiers)}};
}

/* xterm's modifier parameter: 1 + shift 1, alt 2, ctrl 4. */
static uint32_t modifiers_of(unsigned parameter)
{
    unsigned bits = parameter ? parameter - 1 : 0;
    return (bits & 1 ? TK_SHIFT : 0u) | (bits & 2 ? TK_ALT : 0u) | (bits & 4 ? TK_CTRL : 0u);
}

static struct decoded decode_plain(const unsigned char *p, size_t n, bool expired)
{
    unsigned b = p[0];
    switch (b) {
    case '\r':
        return key_of(1, TK_ENTER, 0);
    case '\t':
        return key_of(1, TK_TAB, 0);
    case '\b':
    case DEL:
        return key_of(1, TK_BACKSPACE, 0);
    case ESC:
        return key_of(1, TK_ESC, 0);
    case 0:
        return key_of(1, ' ', TK_CTRL);
    default:
        break;
    }
    if (b < ' ')
        return key_of(1, b < ESC ? b - 1 + 'a' : b + '@', TK_CTRL);
    struct utf8_char c = utf8_decode((struct str){(const char *)p, n});
    if (c.valid)
        return utf8_is_printable(c.ch) ? key_of(c.size, c.ch, 0) : nothing(c.size);
    size_t size = b >= 0xF0 ? 4 : b >= 0xE0 ? 3 : 2;
    if (b >= 0xC2 && b <= 0xF4 && n < size && !expired)
        return need_more();
    return nothing(1);
}

/* A control sequence's parts: ESC [ (private mark) numbers final. */
struct csi {
    unsigned char mark, final;
    unsigned count, numbers[4];
};

static uint32_t csi_letter_key(unsigned char final)
{
    switch (final) {
    case 'A':
        return TK_UP;
    case 'B':
        return TK_DOWN;
    case 'C':
        return TK_RIGHT;
    case 'D':
        return TK_LEFT;
    case 'F':
        return TK_END;
    case 'H':
        return TK_HOME;
    case 'P':
    case 'Q':
    case 'R':
    case 'S':
        return TK_F1 + (final - 'P');
    default:
        return TK_NONE;
    }
}

static uint32_t csi_number_key(unsigned number)
{
    static const uint32_t keys[] = {
        [1] = TK_HOME,      [2] = TK_INSERT,  [3] = TK_DELETE,  [4] = TK_END,      [5] = TK_PAGE_UP,
        [6] = TK_PAGE_DOWN, [7] = TK_HOME,    [8] = TK_END,     [11] = TK_F1,      [12] = TK_F1 + 1,
        [13] = TK_F1 + 2,   [14] = TK_F1 + 3, [15] = TK_F1 + 4, [17] = TK_F1 + 5,  [18] = TK_F1 + 6,
        [19] = TK_F1 + 7,   [20] = TK_F1 + 8, [21] = TK_F1 + 9, [23] = TK_F1 + 10, [24] = TK_F12,
    };
    return number < sizeof keys / sizeof keys[0] ? keys[number] : TK_NONE;
}

/* A key given by its code point: CSI u, and xterm's modifyOtherKeys. */
static struct decoded decode_code_point(size_t used, unsigned code, unsigned modifier)
{
    uint32_t modifiers = modifiers_of(modifier);
    switch (code) {
    case '\r':
        return key_of(used, TK_ENTER, modifiers);
    case '\t':
        return key_of(used, TK_TAB, modifiers);
    case ESC:
        return key_of(used, TK_ESC, modifiers);
    case '\b':
    case DEL:
        return key_of(used, TK_BACKSPACE, modifiers);
    default:
        break;
    }
    return utf8_is_printable(code) ? key_of(used, code, modifiers) : nothing(used);
}

/* `bits` as in xterm's mouse reports, x and y from 1. */
static struct decoded decode_mouse(size_t used, unsigned bits, unsigned x, unsigned y, bool release)
{
    static const uint32_t wheels[4] = {TK_WHEEL_UP, TK_WHEEL_DOWN, TK_WHEEL_LEFT, TK_WHEEL_RIGHT};
    if (x == 0 || y == 0)
        return nothing(used);
    unsigned button = bits & 3;
    uint32_t key = release ? TK_MOUSE_RELEASE : bits & 32 ? TK_MOUSE_DRAG : TK_MOUSE_PRESS;
    if (bits & 64)
        key = wheels[button];
    else if (button == 3 && bits & 32) /* moved, no button down */
        return nothing(used);
    uint32_t modifiers =
        (bits & 4 ? TK_SHIFT : 0u) | (bits & 8 ? TK_ALT : 0u) | (bits & 16 ? TK_CTRL : 0u);
    struct decoded d = {used, {.key = key | modifiers}};
    d.event.x = (int)x - 1;
    d.event.y = (int)y - 1;
    d.event.button = bits & 64 || button == 3 ? 0 : (int)button;
    return d;
}

enum { PASTE_BEGIN = 200 };

static struct decoded decode_csi_event(const struct csi *c, size_t used)
{
    unsigned first = c->count ? c->numbers[0] : 0;
    unsigned modifier = c->count > 1 ? c->numbers[1] : 0;
    if (c->mark == '<' && (c->final == 'M' || c->final == 'm') && c->count == 3)
        return decode_mouse(used, first, c->numbers[1], c->numbers[2], c->final == 'm');
    if (c->mark)
        return nothing(used);
    switch (c->final) {
    case '~':
        if (first == PASTE_BEGIN)
            return (struct decoded){used, {.key = TK_PASTE}};
        if (first == 27 && c->count == 3)
            return decode_code_point(used, c->numbers[2], modifier);
        return key_of(used, csi_number_key(first), modifiers_of(modifier));
    case 'u':
        return decode_code_point(used, first, modifier);
    case 'Z':
        return key_of(used, TK_TAB, TK_SHIFT);
    case 'I':
        return key_of(used, TK_FOCUS_IN, 0);
    case 'O':
        return key_of(used, TK_FOCUS_OUT, 0);
    case 'a':
    case 'b':
    case 'c':
    case 'd': /* rxvt's shifted arrows */
        return c->count ? nothing(used)
                        : key_of(used, csi_letter_key((unsigned char)(c->final - 32)), TK_SHIFT);
    default:
        break;
    }
    if (first > 1) /* a report, as of the cursor's place: ESC [ 24 ; 80 R */
        return nothing(used);
    return key_of(used, csi_letter_key(c->final), modifiers_of(modifier));
}

/* The three bytes of an X10 mouse report after ESC [ M. */
static struct decoded decode_x10_mouse(const unsigned char *p, size_t n, bool expired)
{
    if (n < 6)
        return expired ? nothing(n) : need_more();
    unsigned bits = p[3] < 32 ? 0 : p[3] - 32u;
    bool release = (bits & 3) == 3 && !(bits & (32 | 64));
    return decode_mouse(6, bits, p[4] < 32 ? 0 : p[4] - 32u, p[5] < 32 ? 0 : p[5] - 32u, release);
}

static struct decoded decode_csi(const unsigned char *p, size_t n, bool expired)
{
    enum { LONGEST = 64, NUMBER_MAX = 0x110000 };
    struct csi c = {0};
    size_t i = 2;
    if (n > 2 && p[2] == 'M')
        return decode_x10_mouse(p, n, expired);
    if (n > 2 && p[2] == '[') { /* the Linux console's F1 to F5: ESC [ [ A */
        if (n < 4)
            return expired ? nothing(n) : need_more();
        return p[3] >= 'A' && p[3] <= 'E' ? key_of(4, TK_F1 + (p[3] - 'A'), 0) : nothing(4);
    }
    if (i < n && p[i] >= '<' && p[i] <= '?')
        c.mark = p[i++];
    bool in_number = false;
    for (; i < n && i < LONGEST && p[i] >= ' ' && p[i] < '@'; i++) {
        if (p[i] >= '0' && p[i] <= '9') {
            if (!in_number && c.count < 4)
                c.numbers[c.count++] = 0;
            in_number = true;
            unsigned *last = &c.numbers[c.count - 1];
            *last = *last > NUMBER_MAX ? *last : *last * 10 + (p[i] - '0');
        } else if (p[i] == ';') {
            if (!in_number && c.count < 4)
                c.numbers[c.count++] = 0;
            in_number = false;
        }
    }
    if (i == n && i < LONGEST) {
        if (!expired)
            return need_more();
        return n == 2 ? key_of(2, '[', TK_ALT) : nothing(n);
    }
    if (i == LONGEST || p[i] < '@' || p[i] > '~')
        return nothing(i); /* cut off by something that cannot be in it */
    c.final = p[i];
    return decode_csi_event(&c, i + 1);
}

static struct decoded decode_ss3(const unsigned char *p, size_t n, bool expired)
{
    if (n < 3)
        return expired ? key_of(2, 'O', TK_ALT) : need_more();
    if (p[2] == 'M')
        return key_of(3, TK_ENTER, 0);
    if (p[2] >= 'j' && p[2] <= 'y') /* keypad: * + , - . / 0 to 9 */
        return key_of(3, p[2] - 'j' + (uint32_t)'*', 0);
    return key_of(3, csi_letter_key(p[2]), 0);
}

/* Whether ESC ] or ESC P begins a reply to a question that somebody before us asked. */
static bool is_string_reply(const unsigned char *p, size_t n)
{
    if (n < 3)
        return false;
    bool digit = p[2] >= '0' && p[2] <= '9';
    return (p[1] == ']' && digit) ||
           (p[1] == 'P' && (digit || p[2] == '>' || p[2] == '!' || p[2] == '$'));
}

static struct decoded skip_string_reply(const unsigned char *p, size_t n, bool expired)
{
    enum { LONGEST = 4096 };
    for (size_t i = 2; i < n && i < LONGEST; i++) {
        if (p[i] == BEL)
            return nothing(i + 1);
        if (p[i] == ESC && i + 1 < n)
            return nothing(p[i + 1] == '\\' ? i + 2 : i);
    }
    return expired || n >= LONGEST ? nothing(n) : need_more();
}

static struct decoded decode_one(const unsigned char *p, size_t n, bool expired)
{
    if (p[0] != ESC)
        return decode_plain(p, n, expired);
    if (n == 1)
        return expired ? key_of(1, TK_ESC, 0) : need_more();
    if (p[1] == '[')
        return decode_csi(p, n, expired);
    if (p[1] == 'O')
        return decode_ss3(p, n, expired);
    if (p[1] == ESC)
        return key_of(1, TK_ESC, 0);
    if (n == 2 && (p[1] == ']' || p[1] == 'P') && !expired)
        return need_more();
    if (is_string_reply(p, n))
        return skip_string_reply(p, n, expired);
    struct decoded d = decode_plain(p + 1, n - 1, expired);
    if (d.used == 0)
        return d;
    d.used++;
    if (d.event.key != TK_NONE)
        d.event.key |= TK_ALT;
    return d;
}

/* ---- the stream ---- */

enum { PASTE_MAX = 4 * 1024 * 1024, CTRL_C = 3 };

struct key_decoder {
    VEC(unsigned char) bytes;
    size_t at; /* the first byte not yet decoded */
    bool expired;
    bool pasting;
    VEC(char) paste;
};

struct key_decoder *key_decoder_new(void)
{
    return alloc_array(1, sizeof(struct key_decoder));
}

void key_decoder_free(struct key_decoder *d)
{
    if (!d)
        return;
    vec_release(&d->bytes);
    vec_release(&d->paste);
    free(d);
}

void key_decoder_feed(struct key_decoder *d, const void *bytes, size_t n)
{
    if (n == 0)
        return;
    if (d->at == d->bytes.count)
        d->at = d->bytes.count = 0;
    vec_append(&d->bytes, bytes, n);
    d->expired = false;
}

static void paste_add(struct key_decoder *d, const unsigned char *p, size_t n)
{
    if (n > PASTE_MAX - d->paste.count)
        n = PASTE_MAX - d->paste.count;
    for (size_t i = 0; i < n; i++)
        *vec_push(&d->paste) = p[i] == '\r' ? '\n' : (char)p[i];
}

/* Collects pasted text up to its end mark; false while that has not come. Ctrl-C, which terminals
 * take out of what is pasted, ends a paste whose mark was lost. */
static bool paste_next(struct key_decoder *d, struct key_event *out)
{
    static const char mark[] = "\x1b[201~";
    const size_t mark_size = sizeof mark - 1;
    const unsigned char *p = d->bytes.items + d->at;
    size_t n = d->bytes.count - d->at;
    const unsigned char *end = n ? memmem(p, n, mark, mark_size) : NULL;
    const unsigned char *interrupt = n ? memchr(p, CTRL_C, end ? (size_t)(end - p) : n) : NULL;
    size_t end_size = mark_size;
    if (interrupt) {
        end = interrupt;
        end_size = 1;
    }
    if (!end) {
        size_t kept = n < mark_size - 1 ? n : mark_size - 1; /* may be the mark's beginning */
        paste_add(d, p, n - kept);
        d->at += n - kept;
        return false;
    }
    paste_add(d, p, (size_t)(end - p));
    d->at += (size_t)(end - p) + end_size;
    d->pasting = false;
    *out = (struct key_event){.key = TK_PASTE, .text = {d->paste.items, d->paste.count}};
    return true;
}

bool key_decoder_next(struct key_decoder *d, struct key_event *out)
{
    while (d->at < d->bytes.count) {
        if (d->pasting)
            return paste_next(d, out);
        struct decoded one = decode_one(d->bytes.items + d->at, d->bytes.count - d->at, d->expired);
        if (one.used == 0)
            return false;
        d->at += one.used;
        if (one.event.key == TK_PASTE) {
            d->pasting = true;
            d->paste.count = 0;
        } else if ((one.event.key & ~(uint32_t)MODIFIERS) != TK_NONE) {
            *out = one.event;
            return true;
        }
    }
    return false;
}

bool key_decoder_waiting(const struct key_decoder *d)
{
    return d->at < d->bytes.count && !d->pasting;
}

void key_decoder_expire(struct key_decoder *d)
{
    d->expired = true;
}
