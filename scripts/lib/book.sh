#!/usr/bin/env bash
# scripts/lib/book.sh [--check]: builds build/book/html, the docs as a site, by Sphinx from PyPI. Its warnings, such as a link that
# leads nowhere, are errors. With --check it also looks for what the pages would load from the network, and searches in a
# headless chromium, if there is one, from a file:// address.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cd "$root"
venv=build/book/venv
html=build/book/html

skip() {
  echo "book: $1" >&2
  exit 77
}

# Made anew when the requirements change.
if ! cmp -s scripts/book/requirements.txt "$venv/requirements.txt"; then
  rm -rf "$venv"
  said=$(mktemp)
  { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet -r scripts/book/requirements.txt; } >"$said" 2>&1 || {
    cat "$said" >&2
    rm -f "$said"
    skip "cannot fetch Sphinx from PyPI (Debian: python3-venv)"
  }
  rm -f "$said"
  cp scripts/book/requirements.txt "$venv/requirements.txt"
fi
"$venv/bin/sphinx-build" -q -W --keep-going -b html -c scripts/book -d build/book/doctrees . "$html" >&2

# What a page loads by itself: scripts, styles, pictures, fonts. Links that a reader follows may lead anywhere.
check_network() {
  local found
  found=$({
    grep -rEo --include='*.html' '<(script|img|iframe|source)[^>]* src="(https?:)?//[^"]*"' "$html"
    grep -rEo --include='*.html' '<link[^>]* rel="(stylesheet|preload|icon|preconnect)"[^>]* href="(https?:)?//[^"]*"' "$html"
    grep -rEo --include='*.css' '(@import|url\()[^;)]*https?:[^;)]*' "$html"
  } || true)
  if [[ -n $found ]]; then
    printf 'book: pages load this from the network:\n%s\n' "$found" >&2
    return 1
  fi
}

# A word that stands on one page is found there.
check_search() {
  local browser profile status=0
  browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "book: no chromium: the search was not tried" >&2
    return 0
  }
  profile=$(mktemp -d)
  "$browser" --headless=new --no-sandbox --disable-gpu "--user-data-dir=$profile" --virtual-time-budget=20000 --dump-dom \
    "file://$root/$html/search.html?q=recompute_grad" 2>/dev/null | grep -q 'href="docs/gradients.html' || status=1
  rm -rf "$profile"
  if ((status)); then echo "book: the search does not find recompute_grad in docs/gradients.html" >&2; fi
  return "$status"
}

if [[ ${1-} == --check ]]; then
  check_network
  check_search
fi
printf '%s\n' "$root/$html/index.html"
