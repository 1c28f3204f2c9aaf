# Beside $root, the set $set grows in a folder of its own: tree/ is what it holds so far, have/ has a mark for each archive
# that is in it, in/ has what arrived of large ones. Where it was given its name, $mark knows the folder.
unset CDPATH
umask 022
parent=${root%/*} own=${root##*/} mark=$HOME/.gpu-rental/parked/$set
mkdir -p "${parent:-/}" 2>/dev/null
cd -P "${parent:-/}" 2>/dev/null || { echo denied; exit 0; }
beside=$(pwd -P)
# named N: sets $name to the Nth name that the folder may get.
named() { if [ "$1" = 1 ]; then name=$own; else name=$own-$1; fi; }
free_kb() { df -Pk . | awk 'NR == 2 { print $4 }'; }
# Goes there; a link in its place leads elsewhere.
in_part() {
  mkdir -m 700 "./$own.part-$set" 2>/dev/null
  [ -e "./$own.part-$set" ] || [ -L "./$own.part-$set" ] || { echo denied; exit 0; }
  cd -P "./$own.part-$set" 2>/dev/null && [ "$(pwd -P)" = "${beside%/}/$own.part-$set" ] && [ -O . ] ||
    { echo link; exit 0; }
  [ -z "$fresh" ] || { chmod -R u+rwx tree 2>/dev/null; rm -rf tree; }
  if [ ! -d tree ] || [ -L tree ]; then rm -rf tree have in && mkdir tree; fi
  mkdir -p have in
}
