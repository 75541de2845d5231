#!/bin/sh
# Makes the pictures of the README with the program itself: screenshots/make.sh BUILD_FOLDER
set -eu
build=$(cd "${1:-build}" && pwd)
cd "$(dirname "$0")"
for script in *.script; do
    XDG_STATE_HOME=$(mktemp -d) "$build/tptui" --script "$script" --size 120x36 "$build/demo.pftrace"
done
