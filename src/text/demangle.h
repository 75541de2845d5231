/* Names that compilers made out of C++ and Rust names, as they were written. */
#ifndef TPTUI_TEXT_DEMANGLE_H
#define TPTUI_TEXT_DEMANGLE_H

#include "base/str.h"

/* Itanium C++ ("_ZN3foo3barEv" is "foo::bar()") and Rust, old and new, without the hash behind its
 * names; spelled as LLVM's demangler does ("a<b<c>>", "'lambda'(int)"), whose names Perfetto shows.
 * A suffix that a compiler added stays, in parentheses. NUL-terminated, for free(); NULL where the
 * name is not mangled or takes more than 64 KB, and always where the program was built without
 * libiberty. */
char *demangle(struct str name);

#endif
