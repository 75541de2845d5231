#!/usr/bin/env python3
"""Writes src/base/utf8_width.h from the Unicode data that Python carries.

Run by hand when the pinned Unicode version is to change, never by the build: the table must not
depend on the machine that builds.
"""
import sys
import unicodedata

WIDE = {"W", "F"}
HANGUL_VOWELS_AND_FINALS = (range(0x1160, 0x1200), range(0xD7B0, 0xD800))
SOFT_HYPHEN = 0xAD


def width(code):
    ch = chr(code)
    category = unicodedata.category(ch)
    if any(code in r for r in HANGUL_VOWELS_AND_FINALS):
        return 0
    if category in ("Mn", "Me") or (category == "Cf" and code != SOFT_HYPHEN):
        return 0
    return 2 if unicodedata.east_asian_width(ch) in WIDE else 1


def ranges(wanted):
    out = []
    for code in range(0x80, 0x110000):
        if width(code) != wanted:
            continue
        if out and out[-1][1] == code - 1:
            out[-1][1] = code
        else:
            out.append([code, code])
    return out


def table(name, wanted):
    cells = ["{0x%04x, 0x%04x}," % (a, b) for a, b in ranges(wanted)]
    lines, line = [], "   "
    for cell in cells:
        if len(line) + 1 + len(cell) > 100:
            lines.append(line)
            line = "   "
        line += " " + cell
    lines.append(line)
    body = "\n".join(lines)
    return "static const struct utf8_range %s[] = {\n%s\n};\n" % (name, body)


def main():
    sys.stdout.write(
        "/* Display widths that are not 1, of Unicode %s. Made by scripts/gen_width.py. */\n"
        "#ifndef TPTUI_BASE_UTF8_WIDTH_H\n#define TPTUI_BASE_UTF8_WIDTH_H\n\n"
        "#include <uchar.h>\n\n"
        "struct utf8_range {\n    char32_t first, last;\n};\n\n"
        "/* clang-format off */\n%s\n%s/* clang-format on */\n\n#endif\n"
        % (unicodedata.unidata_version, table("zero_width", 0), table("double_width", 2)))


main()
