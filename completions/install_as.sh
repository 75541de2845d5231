#!/bin/sh
# Installs a file under a name of its own: install_as.sh FILE PLACE, the place below the prefix.
set -e
place=$MESON_INSTALL_DESTDIR_PREFIX/$2
mkdir -p "$(dirname "$place")"
cp "$1" "$place"
chmod 644 "$place"
