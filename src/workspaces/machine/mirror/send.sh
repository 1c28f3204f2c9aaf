# shellcheck shell=sh
# include place.sh
# include alone.sh
# send KEY NAME ID ROOT KIB TOKEN COUNT OTHERS: an archive comes on standard input, with the files below tree/, and at its end
# what each name has to be by now: a file is put in its place only where nothing else changed it. What is deleted, or replaced
# against another version, is kept beside the mirror for a week; OTHERS is how many names these are, of COUNT.
place "$1" "$2" '' "$4"
[ "$id" = "$3" ] || { echo other; exit 0; }
need=$5 token=$6 count=$7 others=$8 large=$base/large
mkdir -p "$root" && cd "$root" && root=$(pwd -P) || exit 3
# shellcheck disable=SC2046
set -- $(stat -c %d . "$base")
[ "$1" = "$2" ] || { base=$root/.gpu-rental-mirror && mkdir -p "$base" || exit 3; }
if [ "$need" -gt 0 ]; then
  free=$(free_kb)
  [ "${free:-0}" -gt "$need" ] || { echo "full ${free:-0}"; exit 0; }
fi
stage=$base/stage.$token
trap 'give_turn; rm -rf "$stage"' EXIT
trap 'exit 7' HUP INT TERM
mkdir -p "$stage/tree" && cd "$stage" && tar -xof - || exit 4
# The archive may end early without a complaint.
[ -e whole ] || exit 4
while IFS='	' read -r file hash name; do
  [ "$(sha256sum <"$large/$file")" = "$hash  -" ] || { rm -f "$large/$file"; exit 5; }
  case $name in */*) mkdir -p "tree/${name%/*}" ;; esac
  mv -f "$large/$file" "tree/$name" || exit 5
done <large
if [ "$count" -le 64 ]; then find tree -type f -exec sync -d {} + 2>/dev/null; else sync -f . 2>/dev/null; fi
alone "$base" turn 60 10 || exit 9

# Each line of the list: what to do, the facts as they were, the hashes that it may have otherwise, the name.
: >ok && : >ask && : >bad && : >left
(cd "$root" && xargs -0 stat -c "$facts" 2>/dev/null) <names >are
awk -F '\t' '
  f == 0 {
    name = $0
    sub(/^[^ ]* [^ ]* [^ ]* [^ ]* \.\//, "", name)
    are[name] = substr($0, 1, length($0) - length(name) - 3)
    next
  }
  { is = ($4 in are) ? are[$4] : "-" }
  is == $2 { print >>"ok"; next }
  is != "-" && $3 != "-" { print >>"ask"; next }
  { print $4 >>"bad" }
' f=0 are f=1 list || exit 6
if [ -s ask ]; then
  awk -F '\t' '{ print "./" $4 }' ask | tr '\n' '\0' | (cd "$root" && sums 2>/dev/null) >sums
  awk -F '\t' '
    f == 0 { at = index($0, "  ./"); sum[substr($0, at + 4)] = substr($0, 1, at - 1); next }
    ($4 in sum) && index("," $3 ",", "," sum[$4] ",") { print >>"ok"; next }
    { print $4 >>"bad" }
  ' f=0 sums f=1 ask || exit 6
fi
[ ! -s bad ] || (cd tree && tr '\n' '\0' <../bad | xargs -0 rm -rf --)

# take_apart NAME: sets $folder to what is above a name, with a slash before it.
take_apart() { case $1 in */*) folder=/${1%/*} ;; *) folder='' ;; esac; }
made=''
if [ "$others" -gt 0 ]; then
  past=$base/replaced/$(date +%Y%m%d-%H%M%S).$token
  while IFS='	' read -r what _ _ name; do
    [ "$what" != put ] || continue
    take_apart "$name"
    [ "$made" = "$past$folder" ] || { made=$past$folder && mkdir -p "$made" || exit 6; }
    if [ "$what" = drop ]; then
      mv -f "$root/$name" "$past/$name" || echo "$name" >>left
      [ -z "$folder" ] || (cd "$root" && rmdir -p ".$folder" 2>/dev/null)
    else
      ln "$root/$name" "$past/$name" 2>/dev/null || cp -pP "$root/$name" "$past/$name" || exit 6
    fi
  done <ok
fi
is_folder() { [ -d "$1" ] && [ ! -L "$1" ]; }
if [ "$count" -le 20 ]; then
  while IFS='	' read -r what _ _ name; do
    [ "$what" != drop ] || continue
    take_apart "$name"
    ! is_folder "$root/$name" || find "$root/$name" -depth -type d -exec rmdir {} + 2>/dev/null
    [ -d "$root$folder" ] || mkdir -p "$root$folder"
    # The slash has it replace a link to a folder, and not be put into that.
    ! is_folder "$root/$name" && mv -f "tree/$name" "$root$folder/" || echo "$name" >>left
  done <ok
else
  cd tree || exit 6
  find . -mindepth 1 -type d -print0 | (cd "$root" && xargs -0 mkdir -p -- /)
  # shellcheck disable=SC2016
  find . -type d -exec sh -c 'to=$1 && shift && for d; do
    find "$d" -mindepth 1 -maxdepth 1 ! -type d -print0 |
      xargs -0 sh -c "[ \$# -eq 0 ] || exec mv -f -- \"\$@\" \"\$0/\"" "$to/$d"
  done' sh "$root" {} +
  find . -mindepth 1 ! -type d | sed 's|^\./||' >>../left
fi
echo placed
# Then a later change shows in the time that the disk notes.
[ "$need" -eq 0 ] || sleep 0.2 2>/dev/null || sleep 1
now
if [ -s "$stage/left" ] || [ -s "$stage/bad" ]; then sed 's|^|x |' "$stage/left" "$stage/bad"; fi
cd "$root" && xargs -0 stat -c "$facts" <"$stage/names" 2>/dev/null
if [ -n "$made" ]; then
  find "$base/replaced" -mindepth 1 -maxdepth 1 -mtime +7 -exec rm -rf {} +
  while [ "$(du -sk "$base/replaced" | awk '{ print $1 }')" -gt 1048576 ]; do
    set -- "$base"/replaced/*
    [ $# -gt 1 ] || break
    rm -rf "$1"
  done
fi
exit 0
