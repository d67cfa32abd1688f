#!/usr/bin/env bash
# Makes the site of docs/ and kernels/: build/site/html, for any server of files. Node and the packages are those of
# scripts/node.sh; once they are there, no network is needed. A built flyc (build/bin/flyc, FLYC, or one on PATH) also makes
# the reports, time pages and pictures of layouts that stand in the gallery; they are kept in build/site/frames.
#
#   scripts/site.sh              everything
#   scripts/site.sh --serve      and serves it at http://127.0.0.1:8000 (PORT)
#   scripts/site.sh --no-frames  without what flyc makes
#
# FLY_SITE_BASE=/0.1/ is the path under which it will be served; FLY_REPOSITORY=https://... is where links to source
# files lead, instead of to copies on the site.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${FLY_BUILD_DIR:-$root/build}/site
serve='' frames=yes
for argument; do
  case $argument in
    --serve) serve=yes ;;
    --no-frames) frames='' ;;
    *)
      echo "site: \`$argument\` is unknown; it takes \`--serve\`, \`--no-frames\`" >&2
      exit 2
      ;;
  esac
done

"$root/scripts/node.sh" --site

cd "$root/site"
mkdir -p "$build"
ln -sfn "$root/site/node_modules" "$build/node_modules" # the pages, which are compiled there, import Vue
export FLY_SITE_PAGES=$build/pages FLY_SITE_OUT=$build/html FLY_SITE_CACHE=$build/cache
flyc=${FLYC:-${FLY_BUILD_DIR:-$root/build}/bin/flyc}
[[ -x $flyc ]] || flyc=$(command -v flyc || true)
if [[ $frames && $flyc ]]; then
  python3 "$root/scripts/gallery.py" "$flyc" --frames "$build/frames"
  python3 "$root/scripts/site_pages.py" "$build/pages" --frames "$build/frames"
else
  if [[ $frames ]]; then echo "site: there is no flyc: the gallery is without reports and time pages"; fi
  python3 "$root/scripts/site_pages.py" "$build/pages"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! "$root/scripts/node.sh" node_modules/.bin/vitepress build >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
echo "site: $build/html"
if [[ $serve ]]; then
  echo "site: http://127.0.0.1:${PORT:-8000}"
  exec python3 -m http.server --bind 127.0.0.1 --directory "$build/html" "${PORT:-8000}"
fi
