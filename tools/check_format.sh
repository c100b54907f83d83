#!/bin/sh
# Checks that clang-format would change no source file of the project; with --fix, changes them.
set -eu
cd "$(dirname "$0")/.."

# Other versions lay out some lines in another way.
formatter=$(command -v clang-format-14 || true)
if [ -z "$formatter" ]; then
  echo "error: clang-format-14 is missing; tools/install_packages.sh installs it" >&2
  exit 1
fi

# What git tracks, or in an unpacked archive whatever is there.
sources() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z -- '*.h' '*.cc'
  else
    find include src apps tests bench -type f \( -name '*.h' -o -name '*.cc' \) -print0
  fi
}

case "${1-}" in
  --fix)  # touches only what it changes, so that nothing else is compiled anew
    sources | xargs -0 -r -n 1 sh -c '"$0" --dry-run -Werror "$1" 2>/dev/null || "$0" -i "$1"' "$formatter"
    ;;
  "") sources | xargs -0 -r "$formatter" --dry-run -Werror ;;
  *)
    echo "usage: tools/check_format.sh [--fix]" >&2
    exit 2
    ;;
esac
