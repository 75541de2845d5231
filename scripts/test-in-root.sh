#!/usr/bin/env bash
# Builds and runs every test in a root of another release of Debian: scripts/test-in-root.sh RELEASE [CPU], as in
# `scripts/test-in-root.sh trixie`. The build is build-RELEASE/ of this checkout; the root, made by debootstrap of the
# mirror that this machine's apt reads, is gone at the end. Exits with 77 (skipped) where there is no root or no debootstrap.
# With a CPU ("bookworm arm64", a file of scripts/*.cross) it builds for that in build-RELEASE-CPU/, and runs the tests of
# rows and functions, and what they need, by qemu-user, which the kernel is told to start for as long as that takes.
set -euo pipefail
cd "$(dirname "$0")/.."
release=$1
cpu=
if [[ ${2:-} != --* ]]; then
  cpu=${2:-}
fi
build=build-$release${cpu:+-$cpu}
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
  echo "a root of $release: needs root and debootstrap"
  exit 77
fi
if [ "${*: -2:1}" != --mounts-are-mine ]; then
  root=$(mktemp -d)
  chmod 755 "$root" # services have users of their own
  trap 'rm -rf --one-file-system "$root"' EXIT
  # What is mounted below is gone with the namespace, before the folder is.
  unshare --mount --propagation private "$0" "$@" --mounts-are-mine "$root"
  exit
fi

root=${*: -1}
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' | head -n 1)
if ! debootstrap --variant=minbase "$release" "$root" "$mirror"; then
  echo "a root of $release: it cannot be made from this machine's mirror"
  exit 77
fi
cp -n /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/" # a proxy
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
mount -t tmpfs tmpfs "$root/run"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # nothing is started
chmod 755 "$root/usr/sbin/policy-rc.d"
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
mkdir -p "$root/checkout"
mount --bind . "$root/checkout"
in_root() { # COMMAND...
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"
}
if ! in_root /checkout/scripts/install-deps.sh ${cpu:+--for "$cpu"} --tests; then
  echo "a root of $release: its packages cannot be installed"
  exit 77
fi
if [ -z "$cpu" ]; then
  in_root meson setup -Doptimization=2 -Devery_window=false "/checkout/$build" /checkout
  in_root ninja -C "/checkout/$build"
  in_root meson test -C "/checkout/$build" --print-errorlogs --num-processes $(($(nproc) + 1))
  exit
fi

# Programs of that processor start as others do: shells and scripts of tests call them.
interpreter=$(sed -n "s/^exe_wrapper = '\(.*\)'/\1/p" "scripts/$cpu.cross")
formats=$root/run/formats
mkdir "$formats"
mount -t binfmt_misc none "$formats"
if [ ! -e "$formats/$interpreter" ]; then
  magic=$(sed -n "s/^# ELF's machine: \(.*\)/\1/p" "scripts/$cpu.cross")
  trap 'echo -1 >"$formats/$interpreter"' EXIT
  printf '%s' ":$interpreter:M:18:$magic::$root/usr/bin/$interpreter:F" >"$formats/register"
fi
in_root meson setup -Doptimization=2 --cross-file "/checkout/scripts/$cpu.cross" "/checkout/$build" /checkout
in_root ninja -C "/checkout/$build"
in_root meson test -C "/checkout/$build" --print-errorlogs --timeout-multiplier 30 --no-suite cli --no-suite terminal --no-suite walks --no-suite fuzz
