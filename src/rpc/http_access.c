#include "rpc/http_access.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <stdio.h>

#include "pb_fields.h"

#define METHOD(NAME)                                                                               \
    .target = HTTP_TO_METHOD, .method = PB_TraceProcessorRpc_TraceProcessorMethod_TPM_##NAME

enum { GET = HTTP_VERB_GET, POST = HTTP_VERB_POST };

const struct http_route http_routes[] = {
    {"/", GET, .target = HTTP_TO_GREETING, .is_harmless = true},
    {"/status", GET | POST, METHOD(GET_STATUS), .is_harmless = true},
    {"/websocket", GET, .target = HTTP_TO_WEBSOCKET},
    {"/rpc", POST, .target = HTTP_TO_STREAM},
    {"/parse", POST, METHOD(APPEND_TRACE_DATA)},
    {"/notify_eof", GET | POST, METHOD(FINALIZE_TRACE_DATA)},
    {"/query", POST, METHOD(QUERY_STREAMING)},
    {"/compute_metric", POST, METHOD(COMPUTE_METRIC)},
    {"/get_metric_descriptors", POST, METHOD(GET_METRIC_DESCRIPTORS)},
    {"/trace_summary", POST, METHOD(SUMMARIZE_TRACE)},
    {"/restore_initial_tables", POST, METHOD(RESTORE_INITIAL_TABLES)},
    {"/register_sql_package", POST, METHOD(REGISTER_SQL_PACKAGE)},
    {"/enable_metatrace", GET | POST, METHOD(ENABLE_METATRACE)},
    {"/disable_and_read_metatrace", GET | POST, METHOD(DISABLE_AND_READ_METATRACE)},
    {"/export", POST, METHOD(EXPORT)},
    {0},
};

static bool origin_allowed(struct str origin, const char *more)
{
    static const char *const known[] = {"https://ui.perfetto.dev", "http://localhost:10000",
                                        "http://127.0.0.1:10000"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_eq(origin, str_from(known[i])))
            return true;
    struct str rest = str_from(more ? more : "");
    while (rest.n > 0) {
        struct str one = str_trim(str_cut(&rest, ','));
        if (one.n > 0 && str_eq(origin, one))
            return true;
    }
    return false;
}

static struct str without_port(struct str host)
{
    size_t end = host.n;
    while (end > 0 && host.p[end - 1] >= '0' && host.p[end - 1] <= '9')
        end--;
    bool has_port = end > 0 && host.p[end - 1] == ':' &&
                    (host.p[0] != '[' || (end > 1 && host.p[end - 2] == ']'));
    return has_port ? (struct str){host.p, end - 1} : host;
}

static bool is_address(struct str name)
{
    char text[INET6_ADDRSTRLEN];
    uint8_t address[sizeof(struct in6_addr)];
    bool bracketed = name.n > 2 && name.p[0] == '[' && name.p[name.n - 1] == ']';
    if (bracketed)
        name = str_from_to(name, 1, name.n - 1);
    if (name.n >= sizeof text)
        return false;
    memcpy(text, name.p, name.n);
    text[name.n] = 0;
    return inet_pton(bracketed ? AF_INET6 : AF_INET, text, address) == 1;
}

/* This machine: localhost, or an IP address, which unlike a name cannot be made to lead here. */
static bool host_allowed(struct str host)
{
    struct str name = host.p ? without_port(host) : STR("");
    return str_eq(name, STR("localhost")) || (name.n > 0 && is_address(name));
}

/* The types that a form, and a page's fetch() without asking first, may send, with whatever stands
 * behind them. */
static bool is_form(struct str content_type)
{
    static const char *const types[] = {"application/x-www-form-urlencoded", "multipart/form-data",
                                        "text/plain"};
    struct str type = str_trim(content_type);
    size_t n = 0;
    while (n < type.n && type.p[n] != ';' && type.p[n] != ',' && !str_is_blank(type.p[n]))
        n++;
    type.n = n;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (str_eq_any_case(type, str_from(types[i])))
            return true;
    return false;
}

/* Why a page that does not say where it is from may have sent this; NULL where none has. */
static const char *find_hidden_page(const struct http_request *r)
{
    bool is_own = !r->site.p || str_eq(r->site, STR("none")) || str_eq(r->site, STR("same-origin"));
    if (!is_own)
        return "a page of another origin asks (Sec-Fetch-Site)";
    if (r->content_type.p && is_form(r->content_type))
        return "forms are not answered: send another Content-Type, or none";
    return NULL;
}

static const struct http_route *find_route(struct str path)
{
    for (const struct http_route *route = http_routes; route->path; route++)
        if (str_eq(path, str_from(route->path)))
            return route;
    return NULL;
}

static struct http_decision refuse(unsigned status, const char *reason,
                                   const struct http_route *route)
{
    return (struct http_decision){.status = status, .reason = reason, .route = route};
}

struct http_decision http_decide(const struct http_request *r, const char *more)
{
    const char *hidden = r->origin.p ? NULL : find_hidden_page(r);
    if (!host_allowed(r->host))
        return refuse(403, "expected localhost or an IP address as host", NULL);
    if (r->origin.p && !origin_allowed(r->origin, more))
        return refuse(403, "pages of that origin may not: --additional-cors-origins", NULL);
    if (hidden)
        return refuse(403, hidden, NULL);
    const struct http_route *route = find_route(r->path);
    if (!route || (r->wants_websocket && route->target != HTTP_TO_WEBSOCKET))
        return refuse(404, "there is no such path", NULL);
    /* Every browser says that it is Mozilla, and those that say nothing of the page's site (the
     * host is an address in the network, or they are old) send images no other way. */
    if (!route->is_harmless && !r->origin.p && r->user_agent.p &&
        str_starts(r->user_agent, STR("Mozilla/")))
        return refuse(403, "a browser has to say which page asks (Origin)", NULL);
    if (r->verb == HTTP_VERB_HEAD || r->verb == HTTP_VERB_OPTIONS)
        return (struct http_decision){.route = route};
    if (!(r->verb & route->verbs))
        return refuse(405, "that path has another method", route);
    if (route->target == HTTP_TO_WEBSOCKET && !r->wants_websocket)
        return refuse(426, "that path is a websocket's", route);
    return (struct http_decision){.route = route};
}

const char *http_route_verbs(const struct http_route *route, char out[HTTP_VERBS_MAX])
{
    snprintf(out, HTTP_VERBS_MAX, "%s%sHEAD, OPTIONS", route->verbs & GET ? "GET, " : "",
             route->verbs & POST ? "POST, " : "");
    return out;
}
