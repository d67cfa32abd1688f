#!/usr/bin/env bash
# Makes the extension for VS Code, editors/vscode/fly.vsix, after checking its types and the grammar. Needs Node 20 or
# later with npm. The packages are those of package-lock.json; once they are in npm's cache, no network is needed.
# Two runs make the same bytes.
#
#   scripts/vscode.sh          everything
#   scripts/vscode.sh setup    only installs the packages, as tests in tests/editors want them
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root/editors/vscode"

case ${1-} in
  '' | setup) ;;
  *)
    echo "vscode: \`$1\` is unknown; it takes \`setup\`, or nothing" >&2
    exit 2
    ;;
esac
if ! command -v npm >/dev/null; then
  echo "vscode: npm is missing; install Node 20 or later" >&2
  exit 1
fi
major=$(node --print 'process.versions.node.split(".")[0]')
if [[ $major -lt 20 ]]; then
  echo "vscode: Node $(node --version) is too old; it must be 20 or later" >&2
  exit 1
fi

if [[ ! -e node_modules/.package-lock.json || package-lock.json -nt node_modules/.package-lock.json ]]; then
  npm ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error
  touch node_modules/.package-lock.json
fi
if [[ ${1-} == setup ]]; then exit 0; fi

npm run --silent test
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 315532800)}
npm run --silent package >/dev/null
echo "vscode: $root/editors/vscode/fly.vsix"
