#include "rpc/http_access.h"

#include <arpa/inet.h>
#include <stddef.h>

bool http_origin_allowed(struct str origin, const char *more)
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

bool http_host_allowed(struct str host)
{
    struct str name = without_port(host);
    return str_eq(name, STR("localhost")) || is_address(name);
}
