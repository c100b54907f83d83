#!/bin/sh
# Installs the Debian packages of a list (default: tools/packages.txt) that are missing. When none is, it needs
# neither root nor a network.
#   usage: tools/install_packages.sh [LIST]...
set -eu
[ $# -gt 0 ] || set -- "$(dirname "$0")/packages.txt"

if ! command -v dpkg-query >/dev/null; then
  echo "note: this is not a Debian system; the libraries and tools of $* must be there already" >&2
  exit 0
fi

wanted=$(sed 's/#.*//' "$@")
# shellcheck disable=SC2086  # one word for each package
installed=$(dpkg-query --show --showformat '${db:Status-Status} ${binary:Package}\n' $wanted 2>/dev/null |
  sed -n 's/^installed \([^:]*\).*/\1/p' || true)
missing=
for package in $wanted; do
  case "
$installed
" in
    *"
$package
"*) ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root=
elif command -v sudo >/dev/null; then
  as_root=sudo
else
  echo "error: these packages are missing, and installing them needs root or sudo:$missing" >&2
  echo "       as root, run: apt-get install --no-install-recommends$missing" >&2
  exit 1
fi

echo "installing$missing"
# shellcheck disable=SC2086  # as_root may be empty, and missing is a list
{
  $as_root apt-get -qq update
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends $missing >/dev/null
}
