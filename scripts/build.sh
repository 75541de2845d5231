#!/usr/bin/env bash
# Installs what building needs and builds the program, its manual page and the demo trace into build/. The tests are
# scripts/test.sh's.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-deps.sh
if [ -f build/build.ninja ]; then
  meson setup --reconfigure build # files are found when meson configures
else
  meson setup build
fi
ninja -C build tptui demo.pftrace man/tptui.1
