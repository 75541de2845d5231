#!/usr/bin/env bash
# Installs what building needs and builds into build/.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-deps.sh
[ -f build/build.ninja ] || meson setup build
ninja -C build
