/* Bytes as keys of a terminal, as a theme, as the name of a key, and as text that is shown. */
#include "base/utf8.h"
#include "fuzz.h"
#include "tui/term/keys.h"
#include "tui/cells/cells.h"
#include "tui/cells/theme.h"

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void decode_keys(struct str bytes, size_t step)
{
    struct key_decoder *d = key_decoder_new();
    struct key_event e;
    char name[KEY_NAME_MAX];
    for (size_t at = 0; at < bytes.n; at += step) {
        size_t n = bytes.n - at < step ? bytes.n - at : step;
        key_decoder_feed(d, bytes.p + at, n);
        while (key_decoder_next(d, &e))
            require(key_text(e.key, name)[0] != 0);
    }
    key_decoder_expire(d);
    while (key_decoder_next(d, &e))
        require(key_text(e.key, name)[0] != 0);
    require(!key_decoder_waiting(d));
    key_decoder_free(d);
}

static void read_theme(struct str bytes)
{
    struct theme t = {0};
    struct status s = theme_parse(bytes, "fuzz", &t);
    require(status_ok(s) || utf8_is_valid(str_from(s.message)));
    status_release(&s);
}

static void show_text(struct str bytes)
{
    struct cells c;
    cells_init(&c, 40, 3);
    cells_put_text(&c, 1, 1, 37, bytes, ROLE_DEFAULT, 0);
    for (int x = 0; x < 40; x++)
        require(cells_at(&c, x, 1)->ch == 0 || utf8_is_printable(cells_at(&c, x, 1)->ch));
    char *fitted = text_fit(bytes, 17);
    require(text_width(str_from(fitted)) <= 17 && utf8_is_valid(str_from(fitted)));
    free(fitted);
    cells_release(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct str s = {(const char *)bytes, size};
    decode_keys(s, 1);
    decode_keys(s, 7);
    key_find(s);
    read_theme(s);
    show_text(s);
    return 0;
}
