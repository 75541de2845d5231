#include "parsers/archive/members.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>

#include "base/utf8.h"
#include "parsers/input/unpack_stream.h"

enum { NAME_BYTES_MAX = 4096 };
/* What a header takes of time and memory, in bytes that are unpacked: a member whose content is
 * nothing is not for nothing. */
enum { HEADER_COST = 1024 };
/* How much of what an archive is packed in is unpacked at a time. */
enum { LAYER_BYTES = 1 << 18 };

/* What a pointer to a block refers to may be the file itself. */
static bool is_inside(struct bytes file, const uint8_t *p, size_t n)
{
    uintptr_t from = (uintptr_t)file.p, at = (uintptr_t)p;
    return at >= from && at - from <= file.n && n <= file.n - (at - from);
}

/* How far the archive's file was read. */
static uint64_t bytes_taken(const struct packed_stream *p)
{
    la_int64_t taken = archive_filter_bytes(p->archive, -1);
    return taken > 0 ? (uint64_t)taken : 0;
}

/* Members may lie in each other and become nothing: what is read and does not become as much
 * counts, too, several times, as it is slower. How much was read of one that is damaged is not
 * told; of one that is packed in a way that is not known, nothing was. */
static void spend_packed(struct packed_stream *p, uint64_t before, size_t became, int result)
{
    enum { COST = 4 };
    if (p->in_memory == 0)
        return;
    uint64_t now = bytes_taken(p), taken = now > before ? now - before : 0;
    if (result < ARCHIVE_FAILED)
        budget_spend(p->budget, p->in_memory);
    else if (taken > became)
        budget_spend(p->budget, (size_t)(taken - became) * COST);
}

/* False at the end of the file, and where it was cut. The last block of one that is not as long as
 * was said comes with a warning. */
static bool next_block(struct packed_stream *p)
{
    if (p->stream.cut)
        return false;
    const void *block;
    size_t n = 0;
    la_int64_t at = 0;
    int result = ARCHIVE_OK;
    uint64_t before = bytes_taken(p);
    while (n == 0 && result >= ARCHIVE_WARN && result != ARCHIVE_EOF)
        result = archive_read_data_block(p->archive, &block, &n, &at);
    if (result <= ARCHIVE_WARN)
        p->stream.cut = true;
    spend_packed(p, before, n, result);
    if (n == 0 || result < ARCHIVE_WARN || result == ARCHIVE_EOF)
        return false;
    p->block = block;
    p->left = n;
    p->block_at = at > p->at ? at : p->at;
    p->stream.taken = p->below ? p->below->taken : bytes_taken(p);
    return true;
}

static size_t packed_read(struct byte_stream *stream, uint8_t *out, size_t room)
{
    struct packed_stream *p = (struct packed_stream *)stream;
    if (p->left == 0 && !next_block(p))
        return 0;
    size_t left = budget_left(p->budget), n = room < left ? room : left;
    if (n == 0) {
        stream->cut = true;
        return 0;
    }
    bool is_hole = p->at < p->block_at;
    if (is_hole) {
        uint64_t hole = (uint64_t)(p->block_at - p->at);
        n = n < hole ? n : (size_t)hole;
        memset(out, 0, n);
    } else {
        n = n < p->left ? n : p->left;
        memcpy(out, p->block, n);
        p->block += n;
        p->left -= n;
        p->block_at += (int64_t)n;
    }
    p->at += (int64_t)n;
    if (!p->is_paid || is_hole)
        budget_spend(p->budget, n);
    return n;
}

static void packed_release(struct byte_stream *stream)
{
    (void)stream;
}

static la_ssize_t read_input(struct archive *a, void *self, const void **block)
{
    struct packed_input *in = self;
    bool more = !in->begun || byte_source_more(&in->source, in->source.window.n);
    if (!more || in->source.window.n == 0) {
        if (!in->source.cut)
            return 0;
        archive_set_error(a, EIO, "what is compressed is damaged, or becomes too much");
        return ARCHIVE_FATAL;
    }
    in->begun = true;
    *block = in->source.window.p;
    return (la_ssize_t)in->source.window.n;
}

/* What the end of a zip file tells of its members: how many there are, and whether it lies where
 * its directory ends. What is larger than that can say has another end before it. */
static void read_zip_end(struct archive_members *m)
{
    enum { SIZE = 22, COMMENT_MAX = UINT16_MAX, COUNT_AT = 10, LENGTH_AT = 12, BEGIN_AT = 16 };
    enum { LARGER = 20 };
    const uint8_t *file = m->file.p;
    size_t n = m->file.n, least = n > SIZE + COMMENT_MAX ? n - SIZE - COMMENT_MAX : 0;
    m->unskippable = n >= SIZE && memcmp(file, "PK\3\4", 4) == 0;
    for (size_t at = n - SIZE + 1; m->unskippable && at-- > least;) {
        const uint8_t *end = file + at;
        if (memcmp(end, "PK\5\6", 4) != 0)
            continue;
        uint64_t directory_end = (uint64_t)load_le32(end + BEGIN_AT) + load_le32(end + LENGTH_AT);
        bool is_larger = at >= LARGER && memcmp(end - LARGER, "PK\6\7", 4) == 0;
        m->told = is_larger ? 0 : load_le32(end + COUNT_AT) & UINT16_MAX;
        m->unskippable = !is_larger && directory_end != at;
        return;
    }
}

void members_open(struct archive_members *m, struct bytes file, struct budget *budget,
                  struct load_progress *progress)
{
    *m = (struct archive_members){.file = file,
                                  .progress = progress,
                                  .budget = budget,
                                  .at_open = budget_left(budget)};
    m->names = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    m->archive = archive_read_new();
    m->damaged = !m->archive;
    if (!m->archive)
        return;
    archive_read_support_format_tar(m->archive);
    archive_read_support_format_zip(m->archive);
    /* A wrong checksum is no reason to lose what can be read; without it stored files are not even
     * looked at. */
    archive_read_set_format_option(m->archive, NULL, "ignorecrc32", "1");
    /* A header of zero bytes is the end of a tar, or one that is damaged: so is what follows. */
    archive_read_set_format_option(m->archive, "tar", "read_concatenated_archives", "1");
    struct packed_layers layers = {.n = 0};
    m->whole.source = byte_source_unpack_all(byte_source_memory(file, false, progress), budget,
                                             LAYER_BYTES, &layers);
    int result = members_are_packed(m)
                     ? archive_read_open(m->archive, &m->whole, NULL, read_input, NULL)
                     : archive_read_open_memory(m->archive, file.p, file.n);
    m->damaged = result < ARCHIVE_WARN;
    if (!members_are_packed(m))
        read_zip_end(m);
}

void members_close(struct archive_members *m)
{
    if (m->archive)
        archive_read_free(m->archive);
    byte_source_release(&m->whole.source);
    if (m->names)
        freelocale(m->names);
    vec_release(&m->name_text);
    *m = (struct archive_members){0};
}

/* The name as text that may be shown. */
static void take_name(struct archive_members *m)
{
    const char *text = archive_entry_pathname(m->entry);
    struct str rest = str_from(text ? text : "");
    m->name_text.count = 0;
    while (rest.n > 0 && m->name_text.count < NAME_BYTES_MAX) {
        struct utf8_char c = utf8_decode(rest);
        bool good = c.valid && utf8_is_printable(c.ch);
        for (size_t i = 0; i < (good ? c.size : 1u); i++)
            *vec_push(&m->name_text) = good ? rest.p[i] : '?';
        rest = str_skip(rest, c.size);
    }
    *vec_push(&m->name_text) = '\0';
    m->name = (struct str){m->name_text.items, m->name_text.count - 1};
}

/* libarchive converts names to the characters of the thread's locale, and loses those that it
 * lacks. */
static int next_header(struct archive_members *m)
{
    locale_t before = m->names ? uselocale(m->names) : (locale_t)0;
    int result = archive_read_next_header(m->archive, &m->entry);
    if (result >= ARCHIVE_WARN && result != ARCHIVE_EOF)
        take_name(m);
    if (m->names)
        uselocale(before);
    return result;
}

/* Where the archive is compressed as a whole, skipping a member unpacks it, too: that counts. What
 * is unskippable is unpacked for where it ends. */
static void skip_rest(struct archive_members *m)
{
    struct packed_stream *p = &m->data;
    if (!p->archive)
        return;
    do
        m->cancelled = !progress_report(m->progress, p->stream.taken);
    while ((members_are_packed(m) || m->unskippable) && budget_left(m->budget) > 0 &&
           !m->cancelled && next_block(p));
}

static bool is_readable(struct archive_entry *e)
{
    return archive_entry_filetype(e) == AE_IFREG && !archive_entry_hardlink(e) &&
           !archive_entry_is_encrypted(e);
}

bool members_next(struct archive_members *m)
{
    while (!m->damaged) {
        skip_rest(m);
        if (m->cancelled)
            return false;
        int result = budget_left(m->budget) > 0 ? next_header(m) : ARCHIVE_FATAL;
        budget_spend(m->budget, HEADER_COST);
        m->has_gap |= result == ARCHIVE_RETRY || (result == ARCHIVE_EOF && m->headers < m->told);
        m->headers++;
        if (result == ARCHIVE_EOF)
            return false;
        m->damaged = result < ARCHIVE_WARN;
        m->data = (struct packed_stream){.stream = {.read = packed_read, .release = packed_release},
                                         .archive = m->archive,
                                         .below = m->whole.source.stream,
                                         .is_paid = members_are_packed(m),
                                         .in_memory = members_are_packed(m) ? 0 : m->file.n,
                                         .budget = m->budget};
        if (m->damaged || !is_readable(m->entry))
            continue;
        m->size = archive_entry_size_is_set(m->entry) ? archive_entry_size(m->entry) : -1;
        return true;
    }
    return false;
}

bool members_are_packed(const struct archive_members *m)
{
    return m->whole.source.stream != NULL;
}

size_t members_walk_cost(const struct archive_members *m)
{
    return members_are_packed(m) ? m->at_open - budget_left(m->budget) : m->headers * HEADER_COST;
}

const char *members_error(const struct archive_members *m)
{
    const char *error = m->archive ? archive_error_string(m->archive) : NULL;
    return error ? error : "there is no file in it";
}

struct byte_source members_source(struct archive_members *m, size_t size)
{
    struct packed_stream *p = &m->data;
    struct byte_source s;
    struct packed_layers layers = {.n = 0};
    if (next_block(p) && p->block_at == 0 && (int64_t)p->left == m->size &&
        is_inside(m->file, p->block, p->left)) {
        size_t left = budget_left(m->budget);
        struct bytes stored = {p->block, p->left < left ? p->left : left};
        budget_spend(m->budget, stored.n);
        s = byte_source_memory(stored, false, m->progress);
        s.cut = stored.n < p->left;
    } else {
        s = byte_source_stream(&p->stream, size, m->progress);
    }
    s = byte_source_unpack_all(s, m->budget, size, &layers);
    m->is_packed = layers.n > 0;
    if (m->size >= 0) /* else it is as much as was read */
        byte_source_unpacks(&s, budget_left(m->budget));
    return s;
}
