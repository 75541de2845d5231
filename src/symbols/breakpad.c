/* Symbols as text, which Breakpad's dump_syms writes:
 *   MODULE os architecture id name
 *   FILE number path
 *   FUNC [m] address size parameters name     followed by the function's lines:
 *   address size line file
 *   PUBLIC [m] address parameters name
 *   INLINE_ORIGIN number name                 a function that was inlined somewhere
 *   INLINE depth line [file] origin (address size)...     where, behind its FUNC: the line of the
 * call Numbers are hex, but for depths and those of lines, files and origins. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"
#include "symbols/symbol_source.h"

/* Functions that were inlined into each other at one address; further ones are left out. */
enum { INLINED_MAX = 64 };

/* A function that was inlined, and the call that it stands for. */
struct inlined {
    uint64_t origin, file;
    uint32_t line;
};

/* What is known of an address. */
struct known_address {
    char *function;              /* that it is in; owned; NULL: none */
    VEC(struct inlined) inlined; /* into it, the outermost first */
    uint64_t file;
    uint32_t line;
    /* The last symbol between the address before and this one; owned; NULL: none. */
    char *symbol;
    uint64_t symbol_at;
};

struct breakpad {
    const uint64_t *addresses; /* ascending */
    size_t count;
    struct known_address *known; /* one an address */
    /* Number -> index of a name. */
    struct map files, origins;
    VEC(char *) names; /* owned */
};

static bool next_hex(struct str *s, uint64_t *out)
{
    return str_to_u64(str_cut(s, ' '), 16, out);
}

/* The first address that is not below `at`. */
static size_t lower_bound(const struct breakpad *b, uint64_t at)
{
    size_t low = 0, high = b->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (b->addresses[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void set_name(char **name, struct str to)
{
    free(*name);
    *name = alloc_copy(to.p, to.n);
}

static bool next_number(struct str *s, uint64_t *out)
{
    return str_to_u64(str_cut(s, ' '), 10, out);
}

static void read_name(struct breakpad *b, struct map *names, struct str rest)
{
    uint64_t number;
    if (!next_number(&rest, &number))
        return;
    map_set(names, number, (uint32_t)b->names.count);
    *vec_push(&b->names) = alloc_copy(rest.p, rest.n);
}

static void skip_mark(struct str *rest)
{
    if (str_starts(*rest, STR("m ")))
        *rest = str_skip(*rest, 2);
}

static void read_function(struct breakpad *b, struct str rest)
{
    uint64_t address, size, parameters;
    skip_mark(&rest);
    if (!next_hex(&rest, &address) || !next_hex(&rest, &size) || !next_hex(&rest, &parameters))
        return;
    for (size_t i = lower_bound(b, address); i < b->count && b->addresses[i] - address < size;
         i++) {
        set_name(&b->known[i].function, rest);
        b->known[i].inlined.count = 0;
    }
}

static void add_inlined(struct known_address *k, uint64_t depth, const struct inlined *inlined)
{
    if (depth > k->inlined.count || depth >= INLINED_MAX)
        return;
    k->inlined.count = depth; /* what was deeper belongs to another one */
    *vec_push(&k->inlined) = *inlined;
}

/* Old records have no file, so that the number of words is another. */
static void read_inline(struct breakpad *b, struct str rest)
{
    uint64_t depth, line, address, size;
    struct inlined inlined = {.file = UINT64_MAX};
    if (!next_number(&rest, &depth) || !next_number(&rest, &line))
        return;
    size_t words = 1;
    for (size_t i = 0; i < rest.n; i++)
        words += rest.p[i] == ' ';
    if (words % 2 == 0 && !next_number(&rest, &inlined.file))
        return;
    if (!next_number(&rest, &inlined.origin))
        return;
    inlined.line = line <= UINT32_MAX ? (uint32_t)line : 0;
    while (next_hex(&rest, &address) && next_hex(&rest, &size))
        for (size_t i = lower_bound(b, address); i < b->count && b->addresses[i] - address < size;
             i++)
            add_inlined(&b->known[i], depth, &inlined);
}

/* A symbol lasts to the next one. */
static void read_public(struct breakpad *b, struct str rest)
{
    uint64_t address, parameters;
    skip_mark(&rest);
    if (!next_hex(&rest, &address) || !next_hex(&rest, &parameters))
        return;
    size_t i = lower_bound(b, address);
    if (i == b->count || (b->known[i].symbol && b->known[i].symbol_at > address))
        return;
    set_name(&b->known[i].symbol, rest);
    b->known[i].symbol_at = address;
}

static void read_line(struct breakpad *b, struct str rest)
{
    uint64_t address, size, line, file;
    if (!next_hex(&rest, &address) || !next_hex(&rest, &size) || !next_number(&rest, &line) ||
        !next_number(&rest, &file))
        return;
    for (size_t i = lower_bound(b, address); i < b->count && b->addresses[i] - address < size;
         i++) {
        b->known[i].line = line <= UINT32_MAX ? (uint32_t)line : 0;
        b->known[i].file = file;
    }
}

static void read_record(struct breakpad *b, struct str record)
{
    struct str rest = record, kind = str_cut(&rest, ' ');
    if (str_eq(kind, STR("FILE")))
        read_name(b, &b->files, rest);
    else if (str_eq(kind, STR("INLINE_ORIGIN")))
        read_name(b, &b->origins, rest);
    else if (str_eq(kind, STR("INLINE")))
        read_inline(b, rest);
    else if (str_eq(kind, STR("FUNC")))
        read_function(b, rest);
    else if (str_eq(kind, STR("PUBLIC")))
        read_public(b, rest);
    else if (kind.n > 0 && isxdigit((unsigned char)kind.p[0]))
        read_line(b, record);
}

static void read_all(struct breakpad *b, FILE *f)
{
    char *line = NULL;
    size_t room = 0;
    for (ssize_t n; (n = getline(&line, &room, f)) > 0;)
        read_record(b, str_trim((struct str){line, str_find((struct str){line, (size_t)n}, '\n')}));
    free(line);
}

/* The name of that number; "" where there is none. */
static const char *name_of(const struct breakpad *b, const struct map *names, uint64_t number)
{
    const uint32_t *index = map_find(names, number);
    return index ? b->names.items[*index] : "";
}

static struct symbol_line line_of(const struct breakpad *b, const char *function, uint64_t file,
                                  uint32_t line)
{
    const char *path = line ? name_of(b, &b->files, file) : "";
    return (struct symbol_line){str_from(function), str_from(path), *path ? line : 0};
}

/* The functions at an address, the innermost first; how many. */
static size_t list_functions(const struct breakpad *b, const struct known_address *k,
                             struct symbol_line lines[INLINED_MAX + 1])
{
    size_t n = 0;
    uint64_t file = k->file;
    uint32_t line = k->line;
    for (size_t depth = k->inlined.count; depth-- > 0;) {
        const struct inlined *inlined = &k->inlined.items[depth];
        const char *function = name_of(b, &b->origins, inlined->origin);
        if (*function)
            lines[n++] = line_of(b, function, file, line);
        file = inlined->file;
        line = inlined->line;
    }
    if (*k->function)
        lines[n++] = line_of(b, k->function, file, line);
    return n;
}

static void tell(const struct breakpad *b, symbol_found found, void *self)
{
    const char *symbol = "";
    for (size_t i = 0; i < b->count; i++) {
        const struct known_address *k = &b->known[i];
        struct symbol_line lines[INLINED_MAX + 1];
        size_t n = 0;
        symbol = k->symbol ? k->symbol : symbol;
        if (k->function)
            n = list_functions(b, k, lines);
        else if (*symbol)
            lines[n++] = line_of(b, symbol, 0, 0);
        if (n > 0)
            found(self, i, lines, n);
    }
}

static void release(struct breakpad *b)
{
    for (size_t i = 0; i < b->count; i++) {
        free(b->known[i].function);
        free(b->known[i].symbol);
        vec_release(&b->known[i].inlined);
    }
    free(b->known);
    for (size_t i = 0; i < b->names.count; i++)
        free(b->names.items[i]);
    vec_release(&b->names);
    map_release(&b->files);
    map_release(&b->origins);
}

/* The file's path, for free(), and the file; NULL where it is not there. */
static FILE *open_file(const char *folder, struct str build_id, char **path)
{
    char name[PATH_MAX];
    for (int capitals = 0; capitals < 2; capitals++) {
        int n =
            snprintf(name, sizeof name, "%s/%.*s.breakpad", folder, (int)build_id.n, build_id.p);
        if (n < 0 || n >= PATH_MAX)
            return NULL;
        for (size_t i = strlen(folder) + 1; capitals && i <= strlen(folder) + build_id.n; i++)
            name[i] = (char)toupper((unsigned char)name[i]);
        FILE *f = fopen(name, "r");
        if (f) {
            *path = alloc_copy(name, strlen(name));
            return f;
        }
    }
    return NULL;
}

struct status breakpad_symbolize(const char *folder, struct str build_id, const uint64_t *addresses,
                                 size_t count, symbol_found found, void *self, char **path)
{
    struct breakpad b = {.addresses = addresses, .count = count};
    *path = NULL;
    FILE *f = build_id.n > 0 && build_id.n < 256 ? open_file(folder, build_id, path) : NULL;
    if (!f)
        return status_ok_value();
    b.known = alloc_array(count, sizeof *b.known);
    read_all(&b, f);
    bool failed = ferror(f) != 0;
    if (!failed)
        tell(&b, found, self);
    fclose(f);
    release(&b);
    return failed ? status_error(STATUS_IO, "%s: %s", *path, strerror(errno)) : status_ok_value();
}
