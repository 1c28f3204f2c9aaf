# shellcheck shell=sh
# place KEY NAME ID ROOT: finds the folder of a mirror ($root), and beside it the one with what belongs to it ($base). KEY
# says whose mirror it is, so that two folders of one name don't share one. $id is what the machine knows the mirror by: ID
# from the first time on, and another one after the machine was wiped. HOST_ROOT is for tests.
export LC_ALL=C
umask 022
at() {
  root=$1 base=${1%/*}/.gpu-rental-mirror/${1##*/} owner='' id=''
  [ ! -e "$base/owner" ] || read -r owner id <"$base/owner"
}
place() {
  start=$HOME
  [ ! -w "${HOST_ROOT:-}/workspace" ] || start=${HOST_ROOT:-}/workspace
  if [ -n "$4" ]; then
    at "$4"
  else
    for more in '' -2 -3 -4 -5 -6 -7 -8 -9; do
      at "$start/$2$more"
      [ "${owner:-$1}" != "$1" ] || break
    done
  fi
  if [ "${owner:-$1}" != "$1" ]; then id=other; fi
  [ -z "$id" ] && [ -n "$3" ] || return 0
  id=$3
  mkdir -p "$base" && echo "$1 $id" >"$base/owner.$id" && mv "$base/owner.$id" "$base/owner" || exit 3
}
# The parts of seconds count; BusyBox has none.
facts='%f %s %.9Y %.9Z %n'
# The time of the disk, by which it notes changes.
now() {
  : >"$base/now" && stat -c %.9Z "$base/now"
}
free_kb() { df -Pk "$base" | awk 'NR == 2 { print $4 }'; }
# SHA-256 of files whose names come zero-ended, and of the targets of links, with an l before it. Nothing else is opened: a
# pipe would wait.
sums() {
  xargs -0 sh -c 'find "$@" -maxdepth 0 -type f -exec sha256sum {} +
  find "$@" -maxdepth 0 -type l -exec sh -c "$0" sh {} +' 'for f; do
    t=$(readlink "$f" && echo x) && t=$(printf %s "${t%?x}" | sha256sum) && printf "l%s  %s\n" "${t%% *}" "$f"
  done'
}
