#include "tui/input/editor.h"

#include <string.h>

#include "base/utf8.h"

enum { UNDO_MAX = 1000 };

static void release_change(struct editor_change *c)
{
    free(c->removed);
    free(c->inserted);
}

static void forget_changes(struct editor_changes *changes)
{
    for (size_t i = 0; i < changes->v.count; i++)
        release_change(&changes->v.items[i]);
    changes->v.count = 0;
}

void editor_release(struct editor *e)
{
    forget_changes(&e->done);
    forget_changes(&e->undone);
    vec_release(&e->done.v);
    vec_release(&e->undone.v);
    vec_release(&e->text);
    vec_release(&e->killed);
}

/* Changes the bytes, and remembers nothing. */
static void exchange(struct editor *e, size_t from, size_t to, struct str s)
{
    vec_reserve(&e->text, e->text.count - (to - from) + s.n + 1);
    memmove(e->text.items + from + s.n, e->text.items + to, e->text.count - to);
    if (s.n)
        memcpy(e->text.items + from, s.p, s.n);
    e->text.count = e->text.count - (to - from) + s.n;
    e->caret = from + s.n;
}

/* Characters typed one after the other are undone together. */
static bool extend_typing(struct editor *e, size_t from, size_t to, struct str s)
{
    if (!e->typing || from != to || e->done.v.count == 0 || s.n == 0 || s.p[0] == '\n')
        return false;
    struct editor_change *last = &vec_last(&e->done.v);
    if (last->at + last->inserted_size != from)
        return false;
    last->inserted = realloc_array(last->inserted, last->inserted_size + s.n + 1, 1);
    memcpy(last->inserted + last->inserted_size, s.p, s.n);
    last->inserted_size += s.n;
    return true;
}

void editor_replace(struct editor *e, size_t from, size_t to, struct str s)
{
    if (from == to && s.n == 0)
        return;
    forget_changes(&e->undone);
    if (!extend_typing(e, from, to, s)) {
        if (e->done.v.count == UNDO_MAX) {
            release_change(&e->done.v.items[0]);
            e->done.v.count--;
            memmove(e->done.v.items, e->done.v.items + 1,
                    e->done.v.count * sizeof *e->done.v.items);
        }
        *vec_push(&e->done.v) = (struct editor_change){
            .at = from,
            .caret = e->caret,
            .removed = alloc_copy(editor_text(e).p + from, to - from),
            .removed_size = to - from,
            .inserted = alloc_copy(s.p, s.n),
            .inserted_size = s.n,
        };
    }
    exchange(e, from, to, s);
}

static void insert(struct editor *e, struct str s)
{
    editor_replace(e, e->caret, e->caret, s);
}

static void cut(struct editor *e, size_t from, size_t to)
{
    if (from < to)
        editor_replace(e, from, to, STR(""));
}

void editor_set(struct editor *e, struct str text)
{
    e->typing = e->killing = false;
    editor_replace(e, 0, e->text.count, text);
}

void editor_start_anew(struct editor *e)
{
    editor_set(e, STR(""));
    e->typing = true;
}

void editor_undo(struct editor *e)
{
    if (e->done.v.count == 0)
        return;
    struct editor_change c = vec_last(&e->done.v);
    e->done.v.count--;
    exchange(e, c.at, c.at + c.inserted_size, (struct str){c.removed, c.removed_size});
    e->caret = c.caret;
    *vec_push(&e->undone.v) = c;
}

void editor_redo(struct editor *e)
{
    if (e->undone.v.count == 0)
        return;
    struct editor_change c = vec_last(&e->undone.v);
    e->undone.v.count--;
    exchange(e, c.at, c.at + c.removed_size, (struct str){c.inserted, c.inserted_size});
    *vec_push(&e->done.v) = c;
}

bool editor_find(struct editor *e, struct str text)
{
    struct str all = editor_text(e);
    if (text.n == 0 || text.n > all.n)
        return false;
    size_t places = all.n - text.n + 1, start = e->caret < places ? e->caret : 0;
    for (size_t i = 0; i < places; i++) {
        size_t at = (start + i) % places;
        if (compare_any_case_n(all.p + at, text.p, text.n) != 0)
            continue;
        e->caret = at + text.n;
        return true;
    }
    return false;
}

static bool is_tail(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static size_t before(const struct editor *e, size_t at)
{
    while (at > 0 && is_tail(e->text.items[--at]))
        continue;
    return at;
}

static size_t after(const struct editor *e, size_t at)
{
    if (at < e->text.count)
        at++;
    while (at < e->text.count && is_tail(e->text.items[at]))
        at++;
    return at;
}

static size_t line_begin(const struct editor *e, size_t at)
{
    while (at > 0 && e->text.items[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_end(const struct editor *e, size_t at)
{
    while (at < e->text.count && e->text.items[at] != '\n')
        at++;
    return at;
}

/* Letters, digits and _ make words; Ctrl-W takes all that is not blank. */
static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t';
}

static size_t word_begin(const struct editor *e, size_t at)
{
    while (at > 0 && !is_word(e->text.items[at - 1]))
        at--;
    while (at > 0 && is_word(e->text.items[at - 1]))
        at--;
    return at;
}

static size_t word_end(const struct editor *e, size_t at)
{
    while (at < e->text.count && !is_word(e->text.items[at]))
        at++;
    while (at < e->text.count && is_word(e->text.items[at]))
        at++;
    return at;
}

/* The same column of the line above (-1) or below; where there is none, false. */
static bool move_line(struct editor *e, int direction)
{
    size_t begin = line_begin(e, e->caret), column = e->caret - begin, target;
    if (direction < 0) {
        if (begin == 0)
            return false;
        target = line_begin(e, begin - 1);
    } else {
        target = line_end(e, e->caret);
        if (target == e->text.count)
            return false;
        target++;
    }
    size_t end = line_end(e, target);
    e->caret = target + column < end ? target + column : end;
    while (e->caret > target && e->caret < e->text.count && is_tail(e->text.items[e->caret]))
        e->caret--;
    return true;
}

/* Kills follow each other into one: backwards in front of what is there. */
static void kill(struct editor *e, size_t from, size_t to)
{
    struct str s = str_from_to(editor_text(e), from, to);
    if (!e->killing)
        e->killed.count = 0;
    bool backwards = to == e->caret;
    size_t at = backwards ? 0 : e->killed.count;
    vec_reserve(&e->killed, e->killed.count + s.n + 1);
    memmove(e->killed.items + at + s.n, e->killed.items + at, e->killed.count - at);
    if (s.n)
        memcpy(e->killed.items + at, s.p, s.n);
    e->killed.count += s.n;
    cut(e, from, to);
    e->killing = true;
}

static void do_left(struct editor *e)
{
    e->caret = before(e, e->caret);
}

static void do_right(struct editor *e)
{
    e->caret = after(e, e->caret);
}

static void do_word_left(struct editor *e)
{
    e->caret = word_begin(e, e->caret);
}

static void do_word_right(struct editor *e)
{
    e->caret = word_end(e, e->caret);
}

static void do_line_begin(struct editor *e)
{
    e->caret = line_begin(e, e->caret);
}

static void do_line_end(struct editor *e)
{
    e->caret = line_end(e, e->caret);
}

static void do_text_begin(struct editor *e)
{
    e->caret = 0;
}

static void do_text_end(struct editor *e)
{
    e->caret = e->text.count;
}

static void do_backspace(struct editor *e)
{
    cut(e, before(e, e->caret), e->caret);
}

static void do_delete(struct editor *e)
{
    cut(e, e->caret, after(e, e->caret));
}

static void do_kill_line(struct editor *e)
{
    size_t end = line_end(e, e->caret);
    kill(e, e->caret, end == e->caret ? after(e, end) : end);
}

static void do_kill_begin(struct editor *e)
{
    kill(e, line_begin(e, e->caret), e->caret);
}

static void do_kill_blank_word(struct editor *e)
{
    size_t from = e->caret;
    while (from > 0 && is_blank(e->text.items[from - 1]))
        from--;
    while (from > 0 && !is_blank(e->text.items[from - 1]))
        from--;
    kill(e, from, e->caret);
}

static void do_kill_word_left(struct editor *e)
{
    kill(e, word_begin(e, e->caret), e->caret);
}

static void do_kill_word_right(struct editor *e)
{
    kill(e, e->caret, word_end(e, e->caret));
}

static void do_yank(struct editor *e)
{
    insert(e, (struct str){e->killed.items, e->killed.count});
}

/* The characters on both sides of the caret change places; at the end of a line the two before. */
static void do_transpose(struct editor *e)
{
    size_t right = e->caret == line_end(e, e->caret) ? before(e, e->caret) : e->caret;
    size_t left = before(e, right), end = after(e, right);
    char swapped[8];
    if (right == line_begin(e, right) || end - left > sizeof swapped)
        return;
    memcpy(swapped, e->text.items + right, end - right);
    memcpy(swapped + (end - right), e->text.items + left, right - left);
    editor_replace(e, left, end, (struct str){swapped, end - left});
}

/* ASCII only: names of SQL are. */
static void change_case(struct editor *e, bool upper)
{
    size_t to = word_end(e, e->caret), from = e->caret;
    char *word = alloc_copy(editor_text(e).p + from, to - from);
    for (size_t i = 0; i < to - from; i++) {
        if (upper && word[i] >= 'a' && word[i] <= 'z')
            word[i] = (char)(word[i] - 'a' + 'A');
        else if (!upper && word[i] >= 'A' && word[i] <= 'Z')
            word[i] = (char)(word[i] - 'A' + 'a');
    }
    editor_replace(e, from, to, (struct str){word, to - from});
    free(word);
}

static void do_upper(struct editor *e)
{
    change_case(e, true);
}

static void do_lower(struct editor *e)
{
    change_case(e, false);
}

/* clang-format off */
static const struct editor_command commands[] = {
    {"left", {"Left", "Ctrl-b"}, "a character to the left", do_left},
    {"right", {"Right", "Ctrl-f"}, "a character to the right", do_right},
    {"word-left", {"Alt-b", "Ctrl-Left", "Alt-Left"}, "a word to the left", do_word_left},
    {"word-right", {"Alt-f", "Ctrl-Right", "Alt-Right"}, "a word to the right", do_word_right},
    {"line-begin", {"Ctrl-a", "Home"}, "to the begin of the line", do_line_begin},
    {"line-end", {"Ctrl-e", "End"}, "to the end of the line", do_line_end},
    {"text-begin", {"Alt-<", "Ctrl-Home"}, "to the begin of the text", do_text_begin},
    {"text-end", {"Alt->", "Ctrl-End"}, "to the end of the text", do_text_end},
    {"delete-left", {"Backspace"}, "delete the character before", do_backspace},
    {"delete-right", {"Delete", "Ctrl-d"}, "delete the character under the cursor", do_delete},
    {"kill-line", {"Ctrl-k"}, "cut to the end of the line, or the end itself", do_kill_line},
    {"kill-begin", {"Ctrl-u"}, "cut to the begin of the line", do_kill_begin},
    {"kill-blank-word", {"Ctrl-w"}, "cut back to a blank", do_kill_blank_word},
    {"kill-word-left", {"Alt-Backspace"}, "cut the word before", do_kill_word_left},
    {"kill-word-right", {"Alt-d"}, "cut the word behind", do_kill_word_right},
    {"yank", {"Ctrl-y"}, "put back what was cut last", do_yank},
    {"transpose", {"Ctrl-t"}, "swap the characters around the cursor", do_transpose},
    {"upper-case", {"Alt-u"}, "the word behind in upper case", do_upper},
    {"lower-case", {"Alt-l"}, "the word behind in lower case", do_lower},
    {"undo", {"Ctrl-_", "Alt-z"}, "undo the last change", editor_undo},
    {"redo", {"Alt-_", "Alt-Z"}, "do again what was undone", editor_redo},
};
/* clang-format on */

uint32_t editor_command_count(void)
{
    return sizeof commands / sizeof *commands;
}

const struct editor_command *editor_command_at(uint32_t i)
{
    return &commands[i];
}

static const struct editor_command *find_command(uint32_t key)
{
    for (uint32_t i = 0; i < editor_command_count(); i++)
        for (int k = 0; k < EDITOR_KEYS && commands[i].keys[k]; k++)
            if (key_find(str_from(commands[i].keys[k])) == key)
                return &commands[i];
    return NULL;
}

static void paste(struct editor *e, struct str text)
{
    VEC(char) clean = {0};
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '\r' && i + 1 < text.n && text.p[i + 1] == '\n')
            continue;
        bool ends = c == '\n' || c == '\r';
        *vec_push(&clean) = !ends ? c : e->multiline ? '\n' : ' ';
    }
    insert(e, (struct str){clean.items, clean.count});
    vec_release(&clean);
}

static bool type_character(struct editor *e, uint32_t key)
{
    char bytes[4];
    if (key < 0x20 || key >= TK_FIRST)
        return false;
    insert(e, (struct str){bytes, utf8_encode(key, bytes)});
    e->typing = true;
    return true;
}

bool editor_key(struct editor *e, const struct key_event *key)
{
    bool killing = e->killing;
    if (type_character(e, key->key)) {
        e->killing = false;
        return true;
    }
    bool fresh = e->typing && e->done.v.count > 0 && vec_last(&e->done.v).inserted_size == 0;
    e->typing = fresh && key->key == TK_PASTE;
    const struct editor_command *command = find_command(key->key);
    if (command) {
        command->run(e);
        e->killing = e->killing && (!killing || strncmp(command->name, "kill", 4) == 0);
        return true;
    }
    e->killing = false;
    switch (key->key) {
    case TK_UP:
        return e->multiline && move_line(e, -1);
    case TK_DOWN:
        return e->multiline && move_line(e, 1);
    case TK_ENTER:
        if (e->multiline)
            insert(e, STR("\n"));
        return e->multiline;
    case TK_PASTE:
        paste(e, key->text);
        e->typing = false;
        return true;
    default:
        return false;
    }
}

struct editor_place editor_place(const struct editor *e)
{
    struct editor_place p = {.lines = 1};
    for (size_t i = 0; i < e->text.count; i++) {
        if (e->text.items[i] == '\n')
            p.lines++;
        if (i >= e->caret)
            continue;
        if (e->text.items[i] == '\n') {
            p.line++;
            p.column = 0;
        } else if (!is_tail(e->text.items[i])) {
            p.column++;
        }
    }
    return p;
}

struct editor_caret editor_draw(struct cells *c, struct rect area, const struct editor *e)
{
    struct editor_place place = editor_place(e);
    int left = place.column >= area.w ? place.column - area.w + 1 : 0, x = area.x - left;
    struct rect clip = cells_clip(c, area);
    for (size_t i = 0, next; i < e->text.count; i = next, x++) {
        next = after(e, i);
        if (x >= area.x)
            cells_put_text(c, x, area.y, area.x + area.w - x, str_from_to(editor_text(e), i, next),
                           ROLE_DEFAULT, 0);
    }
    cells_clip(c, clip);
    return (struct editor_caret){area.x + place.column - left, area.y};
}
