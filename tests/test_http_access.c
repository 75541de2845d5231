/* What the HTTP server answers, and to whom: every path of the table, asked in every way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "pb_fields.h"
#include "rpc/engine_state.h"
#include "rpc/http_access.h"

#define NOTHING ((struct str){NULL, 0})

static struct http_request request(const struct http_route *route, enum http_verb verb)
{
    return (struct http_request){.verb = verb,
                                 .wants_websocket = route->target == HTTP_TO_WEBSOCKET,
                                 .path = str_from(route->path),
                                 .host = STR("127.0.0.1:9001")};
}

static unsigned status_of(struct http_request r)
{
    return http_decide(&r, "https://mine.example, https://other.example").status;
}

static void test_every_path_has_its_methods(void **state)
{
    (void)state;
    for (const struct http_route *route = http_routes; route->path; route++) {
        for (unsigned verb = HTTP_VERB_GET; verb <= HTTP_VERB_OTHER; verb <<= 1) {
            bool may = verb & (route->verbs | HTTP_VERB_HEAD | HTTP_VERB_OPTIONS);
            assert_int_equal(status_of(request(route, verb)), may ? 0 : 405);
        }
    }
}

/* What clients use GET for; a page may send it without being asked. */
static void test_get_is_only_for_what_clients_use_it_for(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "/",           "/status",           "/websocket",
        "/notify_eof", "/enable_metatrace", "/disable_and_read_metatrace"};
    size_t found = 0;
    for (const struct http_route *route = http_routes; route->path; route++) {
        if (!(route->verbs & HTTP_VERB_GET))
            continue;
        size_t i = 0;
        while (i < sizeof paths / sizeof *paths && strcmp(paths[i], route->path) != 0)
            i++;
        assert_true(i < sizeof paths / sizeof *paths);
        found++;
    }
    assert_int_equal(found, sizeof paths / sizeof *paths);
}

static void test_every_path_leads_to_a_method(void **state)
{
    (void)state;
    for (const struct http_route *route = http_routes; route->path; route++) {
        const struct rpc_method *m = rpc_methods;
        while (m->number && m->number != route->method)
            m++;
        assert_int_equal(m->number, route->method);
        assert_int_equal(route->method != 0, route->target == HTTP_TO_METHOD);
    }
}

struct page {
    const char *name;
    struct str origin, site, content_type, user_agent;
    bool may;          /* whatever it asks for */
    bool may_harmless; /* what is harmless */
};

static const struct page pages[] = {
    {.name = "the Python package", .may = true},
    {.name = "curl",
     .content_type = {"application/x-protobuf", 22},
     .user_agent = {"curl/8", 6},
     .may = true},
    {.name = "the UI",
     .origin = {"https://ui.perfetto.dev", 23},
     .site = {"cross-site", 10},
     .user_agent = {"Mozilla/5.0", 11},
     .may = true},
    {.name = "a page that was named", .origin = {"https://other.example", 21}, .may = true},
    {.name = "another page", .origin = {"https://evil.example", 20}},
    {.name = "a page without an origin", .origin = {"null", 4}},
    {.name = "an empty origin", .origin = {"", 0}},
    {.name = "part of an origin", .origin = {"https://ui.perfetto.dev.evil.example", 36}},
    {.name = "an image", .site = {"cross-site", 10}},
    {.name = "an image of another port", .site = {"same-site", 9}},
    {.name = "a site of a kind to come", .site = {"cousin", 6}},
    {.name = "an empty site", .site = {"", 0}},
    {.name = "an image at an address", .user_agent = {"Mozilla/5.0", 11}, .may_harmless = true},
    {.name = "the address bar",
     .site = {"none", 4},
     .user_agent = {"Mozilla/5.0", 11},
     .may_harmless = true},
    {.name = "a form", .content_type = {"application/x-www-form-urlencoded", 33}},
    {.name = "a form with files", .content_type = {"Multipart/Form-Data; boundary=x", 31}},
    {.name = "a form as text", .content_type = {" text/plain ;charset=UTF-8", 26}},
    {.name = "a form and more", .content_type = {"text/plain\tx", 12}},
};

static void expect_access(const struct page *page, const struct http_route *route,
                          enum http_verb verb)
{
    struct http_request r = request(route, verb);
    r.origin = page->origin;
    r.site = page->site;
    r.content_type = page->content_type;
    r.user_agent = page->user_agent;
    bool may = page->may || (page->may_harmless && route->is_harmless);
    if (status_of(r) != (may ? 0 : 403))
        fail_msg("%s asks for %s by %d: %u", page->name, route->path, verb, status_of(r));
}

/* Also where only the head is asked for, and where a browser asks whether it may ask. */
static void test_pages_are_told_from_programs(void **state)
{
    (void)state;
    for (const struct http_route *route = http_routes; route->path; route++) {
        for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
            bool has_get = route->verbs & HTTP_VERB_GET;
            expect_access(&pages[i], route, has_get ? HTTP_VERB_GET : HTTP_VERB_POST);
            expect_access(&pages[i], route, HTTP_VERB_HEAD);
            expect_access(&pages[i], route, HTTP_VERB_OPTIONS);
        }
    }
}

static void test_hosts_are_this_machine(void **state)
{
    (void)state;
    static const struct {
        const char *host;
        bool may;
    } hosts[] = {{"localhost", true},
                 {"localhost:1", true},
                 {"127.0.0.1", true},
                 {"192.168.1.2:9001", true},
                 {"[::1]", true},
                 {"[::1]:80", true},
                 {"", false},
                 {":", false},
                 {":80", false},
                 {"evil.example", false},
                 {"evil.example:1", false},
                 {"localhost.evil.example", false},
                 {"127.0.0.1.evil", false},
                 {"[::1", false},
                 {"::1", false},
                 {"[]", false}};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        struct http_request r = request(http_routes, HTTP_VERB_GET);
        r.host = str_from(hosts[i].host);
        if (status_of(r) != (hosts[i].may ? 0 : 403))
            fail_msg("%s: %u", hosts[i].host, status_of(r));
    }
    struct http_request r = request(http_routes, HTTP_VERB_GET);
    r.host = NOTHING;
    assert_int_equal(status_of(r), 403);
}

static void test_websockets_are_at_one_path(void **state)
{
    (void)state;
    for (const struct http_route *route = http_routes; route->path; route++) {
        struct http_request r = request(route, HTTP_VERB_GET);
        r.wants_websocket = !r.wants_websocket;
        assert_int_equal(status_of(r), route->target == HTTP_TO_WEBSOCKET ? 426 : 404);
    }
}

static void test_other_paths_are_not_there(void **state)
{
    (void)state;
    struct http_request r = request(http_routes, HTTP_VERB_GET);
    for (const char *const *path =
             (const char *const[]){"", "/statu", "/status/", "status", "//", NULL};
         *path; path++) {
        r.path = str_from(*path);
        assert_int_equal(status_of(r), 404);
    }
}

static void test_methods_as_text(void **state)
{
    (void)state;
    char text[HTTP_VERBS_MAX];
    assert_string_equal(
        http_route_verbs(&(struct http_route){.verbs = HTTP_VERB_GET | HTTP_VERB_POST}, text),
        "GET, POST, HEAD, OPTIONS");
    assert_string_equal(http_route_verbs(&(struct http_route){.verbs = HTTP_VERB_POST}, text),
                        "POST, HEAD, OPTIONS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_path_has_its_methods),
        cmocka_unit_test(test_get_is_only_for_what_clients_use_it_for),
        cmocka_unit_test(test_every_path_leads_to_a_method),
        cmocka_unit_test(test_pages_are_told_from_programs),
        cmocka_unit_test(test_hosts_are_this_machine),
        cmocka_unit_test(test_websockets_are_at_one_path),
        cmocka_unit_test(test_other_paths_are_not_there),
        cmocka_unit_test(test_methods_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
