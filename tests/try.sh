#!/bin/sh
# Shows the product on this very repository: index, remember, inject, search. Everything is kept in build/try.
set -eu
vademecum=$1
cd "$(dirname "$0")/.."
VADEMECUM_HOME="$PWD/build/try"
export VADEMECUM_HOME
rm -rf "$VADEMECUM_HOME"

bold=''; plain=''
if [ -t 1 ]; then bold=$(printf '\033[1m'); plain=$(printf '\033[0m'); fi
# Shows a command as one would type it, and runs it.
say() {
  printf '\n%s$' "$bold"
  for word in "$@"; do
    case $word in *' '*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
  done
  printf '%s\n' "$plain"
  "$@"
}

printf 'Vademecum keeps everything of this trial in build/try; your own memories are not touched.\n'
say "$vademecum" index
say "$vademecum" remember "Run make check before every commit." --category Rule
say "$vademecum" remember "I prefer short answers with code first." --scope user
say "$vademecum" memories
say "$vademecum" prompt
say "$vademecum" search "how is a prompt block kept within its bounds" --limit 3
say "$vademecum" status
printf '\nThat was it. Next: README.md, "Your editor".\n'
