#!/bin/sh
# Installs the editors that the tests drive, where that can be done without asking: as root on Debian or its kin.
# Elsewhere it says what is missing; those tests are then skipped (and fail where CI is set).
set -eu
missing=""
for package in "$@"; do
  case $package in
    neovim) there="command -v nvim" ;;
    emacs-nox) there="command -v emacs" ;;
    elpa-eglot) there="emacs --batch --eval (require(quote(eglot)))" ;; # part of Emacs since 29
    vim-ale) there="test -d /usr/share/vim-ale" ;;
    *) there="command -v $package" ;;
  esac
  $there >/dev/null 2>&1 || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
else
  echo "Not installed, and their tests are skipped:$missing. On Debian: sudo apt-get install$missing" >&2
fi
