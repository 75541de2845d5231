#!/usr/bin/env bash
# Makes a release of HEAD in a folder: scripts/release.sh FOLDER [CPU], one processor at a time; CPU is this machine's where
# it is not said, or arm64.
#   tptui-VERSION.tar.gz                  the sources
#   tptui-VERSION-linux-CPU               a static program, without debug information, which is in .debug beside it
#   tptui-VERSION-linux-CPU.spdx.json     what is linked into it, with versions and licences
#   tptui_VERSION_CPU.deb                 a package for Debian
#   SHA256SUMS                            of all that is in the folder
# The same commit with the same packages installed gives the same bytes. Another processor wants its cross compiler
# (crossbuild-essential-arm64, qemu-user-static) and -dev packages. Those of libwebsockets are there for one processor at a
# time: a root for each is made by debootstrap.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "$1"
out=$(realpath "$1")
here=$(dpkg --print-architecture)
cpu=${2:-$here}
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

tools=''
options=()
host=()
if [ "$cpu" != "$here" ]; then
  tools=$(dpkg-architecture -a"$cpu" -qDEB_HOST_GNU_TYPE)-
  options=(--cross-file "scripts/$cpu.cross")
  host=(--host-arch "$cpu" -d) # what is built with is this machine's, which its control file cannot say
fi
program=$out/$name-linux-$cpu
# What aligns is a twentieth of the program.
meson setup -Ddebug=true -Dstatic=true -Dhttp=enabled -Dline_editing=enabled -Ddemangle=enabled \
  -Dc_args="-ffile-prefix-map=$work=. -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables -falign-functions=4 -fno-align-jumps -fno-align-labels" \
  -Dc_link_args="-Wl,--gc-sections,-Map=$work/$cpu.map" "${options[@]}" "build-$cpu" >"$work/log"
ninja -C "build-$cpu" tptui >>"$work/log" || { cat "$work/log" >&2; exit 1; }
"${tools}objcopy" --only-keep-debug "build-$cpu/tptui" "$program.debug"
"${tools}strip" -o "$program" "build-$cpu/tptui"
(cd "$out" && "${tools}objcopy" --add-gnu-debuglink="$program.debug" "$program")
chmod 755 "$program"
grep -q 'DWARF stacks' "$program" || echo "left out: DWARF stacks (no libdw.a that can be linked)"
scripts/gen_sbom.py "$version" "$SOURCE_DATE_EPOCH" "$program.spdx.json" "$work/$cpu.map"

if command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null; then
  dpkg-buildpackage --build=binary --no-sign "${host[@]}" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  cp "$work"/*.deb "$out/"
else
  echo "left out: a package for Debian (no dpkg-dev, or no debhelper)"
fi
cd "$out"
find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS
