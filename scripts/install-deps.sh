#!/usr/bin/env bash
# Installs the Debian packages that are missing: those that building needs, with --tests also those
# that only the tests need; with --for CPU those for building for another processor, and for running that.
# Asks for nothing and does nothing where all are there.
set -euo pipefail

tests=
cpu=
while [ $# -gt 0 ]; do
  case $1 in
  --tests) tests=yes ;;
  --for) cpu=$2 && shift ;;
  esac
  shift
done
packages=(build-essential meson ninja-build pkg-config lemon libprotobuf-dev protobuf-compiler protobuf-c-compiler python3)
libraries=(libarchive-dev libbz2-dev libcmocka-dev libdeflate-dev libdw-dev libedit-dev libiberty-dev liblzma-dev libncurses-dev
  libpcre2-dev libprotobuf-c-dev libsqlite3-dev libwebsockets-dev libzstd-dev nettle-dev zlib1g-dev)
if [ -n "$cpu" ]; then
  packages+=("crossbuild-essential-$cpu" qemu-user-static "${libraries[@]/%/:$cpu}")
else
  packages+=("${libraries[@]}")
fi
if [ -n "$tests" ] && [ -n "$cpu" ]; then
  packages+=(git llvm)
elif [ -n "$tests" ]; then
  packages+=(chromium clang clang-format debootstrap git libclang-rt-dev libopencsd-dev lld llvm munge musl-tools openssh-server parallel rsync slurm-client slurmctld slurmd strace tmux)
  command -v npm >/dev/null || packages+=(npm) # a current SQLite comes from there
fi

missing=()
for package in "${packages[@]}"; do
  if ! dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed; then
    missing+=("$package")
  fi
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
export DEBIAN_FRONTEND=noninteractive
if [[ " ${missing[*]} " == *' openssh-server '* ]]; then # a test starts its own: Debian's then starts none
  "${as_root[@]}" mkdir -p /etc/ssh
  "${as_root[@]}" touch /etc/ssh/sshd_not_to_be_run
fi
[ -z "$cpu" ] || "${as_root[@]}" dpkg --add-architecture "$cpu"
"${as_root[@]}" apt-get update -q
"${as_root[@]}" apt-get install -q -y --no-install-recommends "${missing[@]}"
