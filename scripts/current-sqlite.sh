#!/usr/bin/env bash
# Builds a current SQLite as a shared library in DIR, with which programs run that are started with
# LD_LIBRARY_PATH=DIR: its amalgamation comes with an npm package.
#
#   scripts/current-sqlite.sh DIR
set -euo pipefail

package=better-sqlite3@12.11.1 # SQLite 3.53.2
dir=$1
[ ! -f "$dir/$package" ] || exit 0
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
(cd "$dir" && npm pack --silent "$package" >/dev/null && tar xzf better-sqlite3-*.tgz)
# What Debian's has of the options that change what SQL means.
cc -O2 -fPIC -shared -Wl,-soname,libsqlite3.so.0 -DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_ENABLE_DBSTAT_VTAB \
  -DSQLITE_ENABLE_FTS3 -DSQLITE_ENABLE_FTS3_PARENTHESIS -DSQLITE_ENABLE_FTS4 -DSQLITE_ENABLE_FTS5 \
  -DSQLITE_ENABLE_LOAD_EXTENSION -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_ENABLE_PREUPDATE_HOOK -DSQLITE_ENABLE_RTREE \
  -DSQLITE_ENABLE_SESSION -DSQLITE_ENABLE_STMTVTAB -DSQLITE_ENABLE_UNLOCK_NOTIFY -DSQLITE_LIKE_DOESNT_MATCH_BLOBS \
  -DSQLITE_SECURE_DELETE -DSQLITE_SOUNDEX -DSQLITE_USE_URI -DSQLITE_MAX_VARIABLE_NUMBER=250000 \
  -o "$dir/libsqlite3.so.0" "$dir/package/deps/sqlite3/sqlite3.c" -lm
touch "$dir/$package"
