#!/usr/bin/env python3
"""Makes C of the functions of OpenSSL that libwebsockets names: each ends the program.

Usage: gen_without_tls.py NM LIBWEBSOCKETS LIBSSL LIBCRYPTO OUTPUT

The server speaks no TLS and never has libwebsockets begin it, so that none of them is called; linked as it is, OpenSSL
would be a third of the program. What is no function cannot be left out and is an error.
"""
import subprocess
import sys


def symbols(nm, which, *libraries):
    """The types of symbols by their names."""
    lines = subprocess.run([nm, '--format=posix', which, *libraries], capture_output=True, text=True, check=True).stdout
    return {words[0]: words[1] for words in map(str.split, lines.splitlines()) if len(words) > 1 and not words[0].endswith(':')}


def main():
    nm, websockets, ssl, crypto, output = sys.argv[1:]
    defined = symbols(nm, '--defined-only', ssl, crypto)
    named = sorted(name for name in symbols(nm, '--undefined-only', websockets) if name in defined)
    for name in named:
        if defined[name] not in 'TWi':
            sys.exit('%s names %s, which is no function: %s' % (websockets, name, defined[name]))
    lines = ['#include <stdio.h>', '#include <stdlib.h>', '',
             'static _Noreturn void missing(const char *name)', '{',
             '    fprintf(stderr, "libwebsockets called %s of OpenSSL, which is not part of this program\\n", name);',
             '    abort();', '}']
    for name in named:
        lines.append('\nvoid %s(void);\nvoid %s(void)\n{\n    missing("%s");\n}' % (name, name, name))
    with open(output, 'w', encoding='utf8') as f:
        f.write('\n'.join(lines) + '\n')


main()
