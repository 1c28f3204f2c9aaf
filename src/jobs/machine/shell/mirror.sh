# shellcheck shell=sh
# include process.sh
# Opens the mirror of a workspace, once one that is made again from the files of a job is whole. One whose maker is gone
# is dropped. The time of the last sync that was whole stands beside it.
m=$1 now=$2
umask 077
mkdir -p "$m" && cd "$m" && pwd || exit 3
for remade in remake.*; do
  [ -d "$remade" ] || continue
  left=1000
  while [ "$left" -gt 0 ] && read -r pid born <"$remade/pid" && alive "$pid" "$born"; do
    [ -d "$remade" ] || break
    sleep 1
    left=$((left - 1))
  done 2>/dev/null
  mv "$remade" "dropped.$$" 2>/dev/null
  rm -rf "dropped.$$"
done
mkdir -p tree || exit 3
[ -s scanned ] || echo "$now" >scanned
cat scanned
