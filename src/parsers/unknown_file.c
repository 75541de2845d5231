#include "parsers/unknown_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "parsers/input/trace_format.h"

static const struct {
    struct str magic;
    const char *what;
} looks[] = {
    {{"\x7f"
      "ELF",
      4},
     "an ELF program or library"},
    {{"\x89PNG", 4}, "a PNG picture"},
    {{"\xff\xd8\xff", 3}, "a JPEG picture"},
    {{"GIF8", 4}, "a GIF picture"},
    {{"%PDF", 4}, "a PDF document"},
    {{"SQLite format 3", 15}, "an SQLite database"},
    {{"#!", 2}, "a script"},
    {{"<!DOCTYPE", 9}, "a web page without a trace"},
    {{"<!doctype", 9}, "a web page without a trace"},
    {{"<html", 5}, "a web page without a trace"},
    {{"<?xml", 5}, "XML"},
    {{"7z\xbc\xaf", 4}, "a 7z archive"},
    {{"Rar!", 4}, "a RAR archive"},
    {{"\xd4\xc3\xb2\xa1", 4}, "packets of a network (pcap)"},
    {{"\x0a\x0d\x0d\x0a", 4}, "packets of a network (pcapng)"},
    {{"OggS", 4}, "Ogg media"},
    {{"ElfFile", 7}, "a Windows event log"},
    {{"OTF2", 4}, "an OTF2 archive's anchor"},
    {{"\xc1\x1f\xfc\xc1", 4}, "a CTF stream"},
    {{"/* CTF", 6}, "metadata of CTF"},
};

static bool is_text(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c < ' ' && !str_is_blank(s.p[i]) && c != '\n' && c != '\f' && c != '\33')
            return false;
    }
    return true;
}

void unknown_file_describe(struct bytes data, char *out, size_t room)
{
    enum { SHOWN = 60 };
    struct str head = trace_format_head(data);
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        if (str_starts(head, looks[i].magic)) {
            snprintf(out, room, "%s", looks[i].what);
            return;
        }
    }
    if (!is_text(head)) {
        snprintf(out, room, "binary data that begins with the byte 0x%02x", data.p[0]);
        return;
    }
    struct str line = trace_format_skip_space(head);
    line = str_from_to(line, 0, str_find(line, '\n'));
    char *shown = text_escape(str_from_to(line, 0, line.n < SHOWN ? line.n : SHOWN));
    snprintf(out, room, "text that begins with \"%s%s\"", shown, line.n > SHOWN ? "..." : "");
    free(shown);
}
