# shellcheck shell=sh
# include place.sh
# include alone.sh
# send KEY NAME ID ROOT KIB TOKEN: an archive comes on standard input, with the files below tree/, and at its end what each
# name has to be by now: a file is put in its place only where nothing else changed it. What is deleted or replaced against
# another version is kept beside the mirror for a week.
place "$1" "$2" '' "$4"
[ "$id" = "$3" ] || { echo other; exit 0; }
mkdir -p "$root" && cd "$root" && root=$(pwd -P) || exit 3
large=$base/large
[ "$(stat -c %d .)" = "$(stat -c %d "$base")" ] || { base=$root/.gpu-rental-mirror && mkdir -p "$base" || exit 3; }
free=$(free_kb)
[ "${free:-0}" -gt "$5" ] || { echo "full ${free:-0}"; exit 0; }
stage=$base/stage.$6
trap 'give_turn; rm -rf "$stage"' EXIT
trap 'exit 7' HUP INT TERM
find "$base" -mindepth 1 -maxdepth 1 -name 'stage.*' -mmin +1440 -exec rm -rf {} +
mkdir -p "$stage/tree" && cd "$stage" && tar -xof - || exit 4
# The archive may end early without a complaint.
[ "$(tail -n 1 list)" = end ] || exit 4
tab=$(printf '\t')
while IFS=$tab read -r file hash name; do
  [ "$(sha256sum <"$large/$file")" = "$hash  -" ] || { rm -f "$large/$file"; exit 5; }
  case $name in */*) mkdir -p "tree/${name%/*}" ;; esac
  mv -f "$large/$file" "tree/$name" || exit 5
done <large
if [ "$(wc -l <list)" -le 65 ]; then find tree -type f -exec sync -d {} + 2>/dev/null; else sync -f . 2>/dev/null; fi
alone "$base" turn 60 10 || exit 9

# Each line: what to do, the facts as they were, the hashes that it may have otherwise, the name.
: >ok && : >ask && : >bad
named() { awk -F '\t' '$4 != "" { print "./" $4 }' "$1" | tr '\n' '\0'; }
named list | (cd "$root" && xargs -0 stat -c "$facts" 2>/dev/null) >are
awk -F '\t' '
  f == 0 {
    name = $0
    sub(/^[^ ]* [^ ]* [^ ]* [^ ]* \.\//, "", name)
    are[name] = substr($0, 1, length($0) - length(name) - 3)
    next
  }
  $4 == "" { next }
  { is = ($4 in are) ? are[$4] : "-" }
  is == $2 { print >>"ok"; next }
  is != "-" && $3 != "-" { print >>"ask"; next }
  { print $4 >>"bad" }
' f=0 are f=1 list || exit 6
if [ -s ask ]; then
  named ask | (cd "$root" && sums 2>/dev/null) >sums
  awk -F '\t' '
    f == 0 { at = index($0, "  ./"); sum[substr($0, at + 4)] = substr($0, 1, at - 1); next }
    ($4 in sum) && index("," $3 ",", "," sum[$4] ",") { print >>"ok"; next }
    { print $4 >>"bad" }
  ' f=0 sums f=1 ask || exit 6
fi
[ ! -s bad ] || (cd tree && tr '\n' '\0' <../bad | xargs -0 rm -rf --)

past=$base/replaced/$(date +%Y%m%d-%H%M%S).$6 made=''
while IFS=$tab read -r what _ _ name; do
  [ "$what" != put ] || continue
  case $name in */*) folder=/${name%/*} ;; *) folder='' ;; esac
  [ "$made" = "$past$folder" ] || { made=$past$folder && mkdir -p "$made" || exit 6; }
  if [ "$what" = drop ]; then
    mv -f "$root/$name" "$past/$name" && { [ -z "$folder" ] || (cd "$root" && rmdir -p ".$folder" 2>/dev/null); }
  else
    ln "$root/$name" "$past/$name" 2>/dev/null || cp -pP "$root/$name" "$past/$name" || exit 6
  fi
done <ok

cd tree || exit 6
find . -mindepth 1 -type d -print0 | (cd "$root" && xargs -0 mkdir -p -- /)
# shellcheck disable=SC2016
find . -type d -exec sh -c 'to=$1 && shift && for d; do
  find "$d" -mindepth 1 -maxdepth 1 ! -type d -print0 |
    xargs -0 sh -c "[ \$# -eq 0 ] || exec mv -f -- \"\$@\" \"\$0/\"" "$to/$d"
done' sh "$root" {} +
echo placed
now
{ find . -mindepth 1 ! -type d | sed 's|^\./||' && cat ../bad; } | sed 's|^|x |'
cd "$root" && named "$stage/ok" | xargs -0 stat -c "$facts" 2>/dev/null
if [ -n "$made" ]; then
  find "$base/replaced" -mindepth 1 -maxdepth 1 -mtime +7 -exec rm -rf {} +
  while [ "$(du -sk "$base/replaced" | awk '{ print $1 }')" -gt 1048576 ]; do
    set -- "$base"/replaced/*
    [ $# -gt 1 ] || break
    rm -rf "$1"
  done
fi
exit 0
