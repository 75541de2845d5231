#!/usr/bin/env bash
# Installs what building needs and builds into build/.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-deps.sh
if [ -f build/build.ninja ]; then
  meson setup --reconfigure build # files are found when meson configures
else
  meson setup build
fi
ninja -C build
