#!/usr/bin/env bash
# Runs tests/mcp_client.mjs with the protocol's official client, which npm has. The packages stay in DIR.
#
#   scripts/mcp-client.sh DIR TPTUI TRACE
#
# Exit status 77: npm does not give them.
set -euo pipefail

packages=(@modelcontextprotocol/client@2.4.0)
program=$(realpath "$2") trace=$(realpath "$3") test=$(realpath "$(dirname "$0")/../tests/mcp_client.mjs")
mkdir -p "$1"
cd "$1"
[ -d node_modules ] || npm install --silent --no-audit --no-fund --prefix . "${packages[@]}" || exit 77
cp "$test" . # packages are looked for beside it
exec node mcp_client.mjs "$program" "$trace"
