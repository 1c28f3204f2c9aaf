# shellcheck shell=sh
# include process.sh
# Gives a job its own copy of the mirror. A spare copy, made once the last job had its own, is brought up to date and
# taken, so that a job that sends little does not wait until all of it is copied. Where there is none, a large mirror is
# given to the job itself and made again from what the job has not touched.
m=$1 d=$2 token=$3 scanned=$4 size=$5 large=$6
umask 077
cd "$d" || exit 3
# A job that was started has its copy.
[ ! -e lock ] || { echo copied; exit 0; }
rm -rf src.*
t=$d/src.$token

count() {
  find "$1" ! -type d -exec stat -c '%f %s' {} + |
    awk '/^8/ { n += 1; s += $2 } /^a/ { l += 1 } END { printf "%d %d %.0f", n, l, s }'
}
is_right() { [ -z "$size" ] || [ "$(count "$1")" = "$size" ]; }

listing() { (cd "$1" && find . ! -type d -exec stat -c '%f %s %Y %n' {} + | sort | cksum); }
is_same() {
  one=$(listing "$1") other=$(listing "$2")
  [ -n "$one" ] && [ "$one" = "$other" ]
}

# What has changed in the mirror since has a later ctime, which no program sets; where the clock was set back, size or
# time differ.
# shellcheck disable=SC2016
update='for name; do
  mkdir -p "$to/${name%/*}" && rm -rf "${to:?}/$name" && cp -a "$name" "$to/$name" || exit 255
done'
take_spare() {
  mv "$m/spare" "$m/taken.$token" 2>/dev/null || return 1
  changed=$m/taken.$token/changed
  (cd "$m/tree" && find . ! -type d -cnewer "$m/taken.$token/since" -print0 >"$changed") 2>/dev/null &&
    [ "$(tr -dc '\000' <"$changed" | wc -c)" -le 500 ] &&
    (cd "$m/tree" && to=$m/taken.$token/tree xargs -0 sh -c "$update" sh <"$changed") 2>/dev/null &&
    is_same "$m/tree" "$m/taken.$token/tree" &&
    mv "$m/taken.$token/tree" "$t"
}

copy() {
  cp -a --reflink=auto "$m/tree" "$1" 2>/dev/null && return
  rm -rf "$1"
  cp -a "$m/tree" "$1" && return
  # A disk that keeps no times or owners: the bytes are enough.
  rm -rf "$1"
  cp -RP "$m/tree" "$1" && return
  rm -rf "$1"
  return 1
}

# Only where there is room for many of them: the disk belongs to the job.
needed=$(du -sk "$m/tree" 2>/dev/null | awk '{ print $1 }')
free=$(df -Pk "$m" 2>/dev/null | awk 'NR == 2 { print $4 }')
has_room() { [ -n "$needed" ] && [ -n "$free" ] && [ $((needed * 10)) -lt "$free" ]; }
# A disk that copies without writing needs no more.
clones() {
  cp --reflink=always "$m/scanned" "$m/making.$token" 2>/dev/null
  cloned=$?
  rm -f "$m/making.$token"
  return "$cloned"
}
again=
hand_over() {
  has_room && [ "$needed" -ge "$large" ] && ! clones || return 1
  mkdir "$m/remake.$token" && : >"$m/remake.$token/since" && mv "$m/tree" "$t" && again=$d/src
}

take_spare || hand_over || copy "$t" || exit 4
rm -rf "$m/taken."* "$m/making."*
is_right "$t" || { rm -rf "$t"; echo differs; exit 0; }
if [ -e lock ]; then again=; else rm -rf src && mv "$t" src || exit 5; fi
echo "$scanned" >"$m/scanned.new" && mv "$m/scanned.new" "$m/scanned"

# What the job changed, moved or wrote meanwhile has a later ctime, and so has a folder in which it did so: none of that
# is in the mirror, and it is sent again. Where a file is gone before it was copied, all is sent again.
# shellcheck disable=SC2016
make='cd "$1" || exit
if [ -n "$3" ]; then
  cp -a "$3" "remake.$2/tree" && since=$1/remake.$2/since &&
    (cd "$3" && find . -mindepth 1 -cnewer "$since" -print0) >"remake.$2/changed" &&
    (cd "remake.$2/tree" && xargs -0 rm -rf -- <../changed) && [ ! -e tree ] && mv "remake.$2/tree" tree
  rm -rf "remake.$2"
fi
[ -d tree ] && mkdir "making.$2" && : >"making.$2/since" && cp -a tree "making.$2/tree" && mv "making.$2" spare ||
  rm -rf "making.$2"'
if [ -n "$again" ] || has_room; then
  if command -v setsid >/dev/null 2>&1; then detach='setsid'; else detach='nohup'; fi
  "$detach" nice -n 19 sh -c "$make" sh "$m" "$token" "$again" </dev/null >/dev/null 2>&1 &
  if [ -n "$again" ]; then
    look_at "/proc/$!"
    echo "$! $p_born" >"$m/remake.$token/pid"
  fi
fi
echo copied
