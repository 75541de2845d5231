#!/usr/bin/env bash
# Makes a release of HEAD in a folder: scripts/release.sh FOLDER
#   tptui-VERSION.tar.gz             the sources
#   tptui-VERSION-linux-CPU          a static program, without debug information, which is in .debug beside it
#   tptui_VERSION_CPU.deb            a package for Debian, of this machine's processor
#   tptui-VERSION.spdx.json          what is linked into the static programs, with versions and licences
#   SHA256SUMS
# The same commit with the same packages installed gives the same bytes. arm64 is made where a cross compiler and
# libraries for it are there (crossbuild-essential-arm64; -dev packages of arm64), and told as left out elsewhere.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "$1"
out=$(realpath "$1")
version=$(sed -n "s/^project('tptui', 'c', version : '\([^']*\)'.*/\1/p" meson.build)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
export LC_ALL=C TZ=UTC
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

name=tptui-$version
git archive --prefix="$name/" HEAD | gzip -9n >"$out/$name.tar.gz"
tar -C "$work" -xzf "$out/$name.tar.gz"
cd "$work/$name"

static_program() { # CPU PREFIX OPTION...
  local cpu=$1 prefix=$2 program="$out/$name-linux-$1"
  shift 2
  meson setup -Dstatic=true -Dhttp=enabled -Dline_editing=enabled -Ddemangle=enabled \
    -Dc_args="-ffile-prefix-map=$work=. -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables" \
    -Dc_link_args="-Wl,--gc-sections,-Map=$work/$cpu.map" "$@" "build-$cpu" >"$work/$cpu.log"
  ninja -C "build-$cpu" tptui >>"$work/$cpu.log" || { cat "$work/$cpu.log" >&2; exit 1; }
  "${prefix}objcopy" --only-keep-debug "build-$cpu/tptui" "$program.debug"
  "${prefix}strip" -o "$program" "build-$cpu/tptui"
  (cd "$out" && "${prefix}objcopy" --add-gnu-debuglink="$program.debug" "$program")
  chmod 755 "$program"
}

cpu=$(dpkg --print-architecture)
static_program "$cpu" ''
maps=("$work/$cpu.map")
if [ "$cpu" != arm64 ] && command -v aarch64-linux-gnu-gcc >/dev/null && [ -e /usr/lib/aarch64-linux-gnu/libsqlite3.a ]; then
  static_program arm64 aarch64-linux-gnu- --cross-file scripts/arm64.cross
  maps+=("$work/arm64.map")
else
  echo "left out: a program for arm64 (no cross compiler, or no libraries)"
fi
scripts/gen_sbom.py "$version" "$SOURCE_DATE_EPOCH" "$out/$name.spdx.json" "${maps[@]}"

if command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null; then
  dpkg-buildpackage --build=binary --no-sign >"$work/deb.log" 2>&1 || { cat "$work/deb.log" >&2; exit 1; }
  cp "$work"/*.deb "$out/"
else
  echo "left out: a package for Debian (no dpkg-dev, or no debhelper)"
fi
cd "$out"
find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS
