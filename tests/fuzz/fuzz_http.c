/* Bytes as what a request says: its verb, then its texts, a line each, of which a first byte '-'
 * means that nothing is said. What is answered must be asked for by nobody but programs and allowed
 * pages. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "rpc/http_access.h"

static struct str next_text(struct str *rest)
{
    struct str text = str_cut(rest, '\n');
    return text.n > 0 && *text.p == '-' ? (struct str){NULL, 0} : text;
}

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static bool one_of(struct str text, const char *const *list)
{
    while (*list && !str_eq(text, str_from(*list)))
        list++;
    return *list;
}

/* With whatever may stand behind the type. */
static bool is_form(struct str type)
{
    static const char *const forms[] = {"application/x-www-form-urlencoded", "multipart/form-data",
                                        "text/plain"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t n = strlen(forms[i]);
        if (type.n >= n && str_eq_any_case(str_from_to(type, 0, n), str_from(forms[i])) &&
            (type.n == n || memchr("; \t", type.p[n], 3)))
            return true;
    }
    return false;
}

/* The rules again, as loosely as they can be told: what is let in must keep them. */
static void check_let_in(const struct http_request *r, const struct http_decision *d)
{
    static const char *const allowed[] = {"https://ui.perfetto.dev", "http://localhost:10000",
                                          "http://127.0.0.1:10000", "http://mine.example", NULL};
    static const char *const own[] = {"none", "same-origin", NULL};
    static const char *const open[] = {"/", "/status", NULL};
    static const char *const by_get[] = {
        "/",           "/status",           "/websocket",
        "/notify_eof", "/enable_metatrace", "/disable_and_read_metatrace",
        NULL};
    bool known_page = r->origin.p && one_of(r->origin, allowed);
    expect(d->route && str_eq(r->path, str_from(d->route->path)));
    expect(!r->origin.p || known_page);
    expect(known_page || !r->site.p || one_of(r->site, own));
    expect(known_page || one_of(r->path, open) || !r->user_agent.p ||
           !str_starts(r->user_agent, STR("Mozilla/")));
    expect(known_page || !r->content_type.p || !is_form(r->content_type));
    expect(r->verb != HTTP_VERB_OTHER && (r->verb != HTTP_VERB_GET || one_of(r->path, by_get)));
    expect(r->host.p && (str_starts(r->host, STR("localhost")) || *r->host.p == '[' ||
                         (*r->host.p >= '0' && *r->host.p <= '9')));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct str rest = {(const char *)data + 1, size - 1};
    struct http_request r = {.verb = 1u << (data[0] & 7) % 5, .wants_websocket = data[0] & 8};
    r.path = str_cut(&rest, '\n');
    r.host = next_text(&rest);
    r.origin = next_text(&rest);
    r.site = next_text(&rest);
    r.content_type = next_text(&rest);
    r.user_agent = next_text(&rest);
    struct http_decision d = http_decide(&r, "http://mine.example");
    if (d.status == 0)
        check_let_in(&r, &d);
    else
        expect(d.reason && d.status >= 400);
    return 0;
}
