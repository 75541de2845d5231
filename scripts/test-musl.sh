#!/usr/bin/env bash
# Builds a static program with another C library, musl, in build-musl/tptui of this checkout, and runs the tests of rows and
# screens with it. The libraries that it needs are made of Debian's sources, which come from the mirror that this machine's
# apt reads, in build-musl/root; SQLite is a current one (scripts/current-sqlite.sh).
# Exits with 77 (skipped) where there are no sources.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build-musl/sources build-musl/lists/partial build-musl/root
root=$PWD/build-musl/root
sources=(bzip2 cmocka libarchive libdeflate libzstd ncurses nettle pcre2 protobuf-c xz-utils zlib)

release=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' | head -n 1)
echo "deb-src $mirror $release main" >build-musl/sources.list
apt=(-q -o "Dir::Etc::sourcelist=$PWD/build-musl/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$PWD/build-musl/lists")
if ! scripts/current-sqlite.sh build/current-sqlite || ! apt-get "${apt[@]}" update ||
  ! (cd build-musl/sources && apt-get "${apt[@]}" source --download-only "${sources[@]}"); then
  echo "musl: its libraries' sources are not to be had"
  exit 77
fi

# musl has no headers of the kernel.
mkdir -p "$root/include/protobuf-c" "$root/kernel" "$root/lib/pkgconfig"
for folder in linux asm asm-generic; do
  for parent in /usr/include "/usr/include/$(gcc -dumpmachine)"; do
    [ ! -d "$parent/$folder" ] || ln -sfn "$parent/$folder" "$root/kernel/$folder"
  done
done
export CC=musl-gcc CFLAGS=-O1 C_INCLUDE_PATH=$root/include:$root/kernel LIBRARY_PATH=$root/lib PKG_CONFIG_LIBDIR=$root/lib/pkgconfig

# What the library NAME is for pkg-config.
described() { # NAME VERSION LIBRARY
  printf 'Name: %s\nDescription: %s\nVersion: %s\nLibs: -L%s -l%s\nCflags: -I%s\n' "$1" "$1" "$2" "$root/lib" "$3" \
    "$root/include" >"$root/lib/pkgconfig/$1.pc"
}

unpack() { # SOURCE
  echo "musl: $1"
  rm -rf "build-musl/$1"
  mkdir "build-musl/$1"
  tar -C "build-musl/$1" --strip-components 1 -xf "$(find build-musl/sources -name "$1_*.orig.tar.*" ! -name '*.asc')"
}

configured() { # SOURCE OPTION...
  unpack "$1"
  (
    cd "build-musl/$1"
    ./configure --prefix="$root" "${@:2}"
    make -j"$(nproc)"
    make install
  ) >"build-musl/$1.log" 2>&1 || { tail -n 20 "build-musl/$1.log" && return 1; }
}

compiled() { # FOLDER LIBRARY ARGUMENT...: what wants no configuration
  (
    cd "build-musl/$1"
    # A line for each file, as many at a time as there are processors.
    printf '%s\n' "${@:3}" | grep '\.[cS]$' |
      xargs -P "$(nproc)" -I{} sh -c 'file=$1; shift; exec $CC $CFLAGS "$@" -c -o "$(echo "$file" | tr / _).o" "$file"' \
        compile {} $(printf '%s\n' "${@:3}" | grep -v '\.[cS]$')
    ar rcs "$root/lib/lib$2.a" ./*.o
  )
}

configured zlib --static
configured ncurses --enable-widec --with-termlib=no --without-cxx --without-ada --without-progs --without-tests --without-manpages \
  --without-debug --enable-pc-files --with-pkg-config-libdir="$root/lib/pkgconfig" --disable-db-install \
  --with-default-terminfo-dir=/usr/share/terminfo --with-terminfo-dirs=/etc/terminfo:/lib/terminfo:/usr/share/terminfo
configured pcre2 --disable-shared
configured xz-utils --disable-shared --disable-xz --disable-xzdec --disable-lzmadec --disable-lzmainfo --disable-scripts --disable-doc --disable-nls
configured nettle --disable-shared --disable-public-key --disable-openssl --disable-documentation
unpack bzip2
compiled bzip2 bz2 blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c
cp build-musl/bzip2/bzlib.h "$root/include/"
configured libarchive --disable-shared --disable-bsdtar --disable-bsdcat --disable-bsdcpio --without-xml2 --without-expat --without-openssl \
  --without-lz4 --without-zstd --with-nettle --disable-acl --disable-xattr
unpack libdeflate
compiled libdeflate deflate -I. $(cd build-musl/libdeflate && ls lib/*.c lib/*/*.c)
cp build-musl/libdeflate/libdeflate.h "$root/include/"
described libdeflate 1.14 deflate
unpack libzstd
compiled libzstd zstd -DZSTD_DISABLE_ASM $(cd build-musl/libzstd && ls lib/common/*.c lib/compress/*.c lib/decompress/*.c)
cp build-musl/libzstd/lib/*.h "$root/include/"
described libzstd 1.5.4 zstd
unpack protobuf-c
compiled protobuf-c protobuf-c -I. protobuf-c/protobuf-c.c
cp build-musl/protobuf-c/protobuf-c/protobuf-c.h "$root/include/protobuf-c/"
described libprotobuf-c 1.4.1 protobuf-c
unpack cmocka
compiled cmocka cmocka -Iinclude -DHAVE_STDINT_H -DHAVE_INTTYPES_H -DHAVE_SIGNAL_H -DHAVE_UNISTD_H -DHAVE_SYS_TYPES_H -DHAVE_TIME_H \
  -DHAVE_STRUCT_TIMESPEC -DHAVE_CLOCK_GETTIME -D_GNU_SOURCE src/cmocka.c
cp build-musl/cmocka/include/*.h "$root/include/"
described cmocka 1.1.5 cmocka
mkdir -p build-musl/sqlite
cp build/current-sqlite/package/deps/sqlite3/sqlite3.[ch] build-musl/sqlite/
compiled sqlite sqlite3 -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_STMTVTAB sqlite3.c
cp build-musl/sqlite/sqlite3.h "$root/include/"
described sqlite3 3.53 sqlite3

unset CFLAGS CC_LD # its programs are linked by ld
# Optimized less, it takes half the time, and gcc guesses of lengths that it knows otherwise.
meson setup -Dstatic=true -Doptimization=1 -Dc_args=-Wno-format-truncation -Dhttp=disabled -Dline_editing=disabled -Ddemangle=disabled -Ddwarf=disabled -Detm=disabled \
  build-musl/tptui
# What these tests need.
meson introspect --tests build-musl/tptui >build-musl/tests.json
meson introspect --targets build-musl/tptui >build-musl/targets.json
needed=$(python3 - <<'END'
import json, os

names = {t for test in json.load(open("build-musl/tests.json")) if {"tptui:rows", "tptui:screens"} & set(test["suite"])
         for t in test["depends"]}
for target in json.load(open("build-musl/targets.json")):
    if target["id"] in names:
        print(*(os.path.relpath(f, "build-musl/tptui") for f in target["filename"]))
END
)
# shellcheck disable=SC2086
ninja -C build-musl/tptui $needed
meson test -C build-musl/tptui --no-rebuild --print-errorlogs --num-processes $(($(nproc) + 1)) --suite rows --suite screens
