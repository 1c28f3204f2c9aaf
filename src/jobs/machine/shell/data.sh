# Written by GPU Rental: fetches what a workspace file names under "data", or, with mode=measure, states what that takes.
# Beside each target is a marker with its source and revision, written last: what it names is not fetched again.
# A job runs its command with -e.
set +e
failed=0
problem() {
  printf '%s\n' "$1" >&2
  failed=1
}
has() { command -v "$1" >/dev/null 2>&1; }
marker() { printf 'source %s\nrevision %s\n' "$1" "$2"; }
# Of a target, with its source and revision.
is_there() {
  [ -e "$1" ] && [ "$(tail -n 1 "$1.gpu-rental" 2>/dev/null)" = complete ] &&
    [ "$(head -n 2 "$1.gpu-rental")" = "$(marker "$2" "$3")" ]
}
# True for a target that is on no volume.
is_mounted() {
  [ -z "$mount" ] || [ "$(df -P "$mount" 2>/dev/null | awk 'NR == 2 { print $6 }')" = "$mount" ]
}
kilobytes() { du -sk "$1" 2>/dev/null | cut -f 1; }
finish() {
  bytes=$(($(kilobytes "$1") * 1024))
  { marker "$2" "$3" && printf 'bytes %s\ncomplete\n' "$bytes"; } >"$1.gpu-rental.part" &&
    mv -f "$1.gpu-rental.part" "$1.gpu-rental" && printf '%s is complete: %s bytes\n' "$1" "$bytes"
}
# True for what lies in the way of a target and was not fetched here: it is not ours to replace.
is_foreign() {
  if [ ! -e "$1" ] && [ ! -L "$1" ]; then return 1; fi
  if [ -d "$1" ] && [ -z "$(ls -A "$1")" ]; then return 1; fi
  [ ! -e "$1.gpu-rental" ] && [ ! -e "$1.part.gpu-rental" ]
}
# Programs that fetch the same target take turns, also on instances that share a volume. A lock that nobody touches is left.
take_turn() {
  lock=""
  # What begins shows these.
  if ! is_mounted || is_foreign "$1"; then return 0; fi
  mkdir -p "${1%/*}" && lock="$1.lock.gpu-rental" || return 1
  told=""
  until mkdir "$lock" 2>/dev/null; do
    [ -d "$lock" ] || { lock=""; return 1; }
    if [ -n "$(find "$lock" -prune -mmin +5 2>/dev/null)" ]; then
      mv "$lock" "$lock.$$" 2>/dev/null && rmdir "$lock.$$"
      continue
    fi
    [ -n "$told" ] || printf '%s is being fetched by another program. Waiting.\n' "$1"
    told=yes
    sleep 2
  done
  while sleep 30 && kill -0 $$ 2>/dev/null && [ -d "$lock" ]; do touch "$lock"; done </dev/null >/dev/null 2>&1 &
  turn=$!
}
give_turn() {
  [ -n "$lock" ] || return 0
  kill "$turn" 2>/dev/null
  rmdir "$lock"
}
# What another source left half done is of no use.
begin() {
  is_mounted || { problem "No volume is mounted at $mount."; return 1; }
  ! is_foreign "$1" || { problem "$1 exists and was not fetched here. Rename it, then run this again."; return 1; }
  mkdir -p "${1%/*}" || return 1
  if [ "$(cat "$1.part.gpu-rental" 2>/dev/null)" != "$(marker "$2" "$3")" ]; then
    rm -rf "$1.part" && marker "$2" "$3" >"$1.part.gpu-rental"
  fi
}
# The old target stays until the new one is whole.
replace() {
  rm -rf "$1.old.gpu-rental" "$1.gpu-rental"
  if [ -e "$1" ] || [ -L "$1" ]; then mv "$1" "$1.old.gpu-rental"; fi &&
    mv "$1.part" "$1" && rm -rf "$1.old.gpu-rental"
}
# The mark of what is half done goes last: until then it shows that the target is ours.
keep() {
  if replace "$target" && finish "$target" "$1" "$2"; then
    rm -f "$target.part.gpu-rental"
  else
    problem "Could not write $target."
  fi
}
watched() {
  "$@" &
  fetching=$!
  while kill -0 "$fetching" 2>/dev/null; do
    sleep 0.2 2>/dev/null || sleep 1
    ticks=$(((ticks + 1) % 75))
    [ "$ticks" -ne 0 ] || printf '%s: %s kB so far\n' "$target" "$(kilobytes "$target.part")"
  done
  wait "$fetching"
}
free_kb() {
  folder=$1
  while [ -n "$folder" ] && [ ! -d "$folder" ]; do folder=${folder%/*}; done
  df -Pk "${folder:-/}" 2>/dev/null | awk 'NR == 2 { print $4 }'
}
# The token is in no argument, which other programs can read.
ask_hub() {
  if [ -n "$HF_TOKEN" ]; then
    printf 'authorization: Bearer %s' "$HF_TOKEN" |
      curl -fsS --max-time 30 -H @- "https://huggingface.co/api/$1"
  else
    curl -fsS --max-time 30 "https://huggingface.co/api/$1"
  fi
}

# address argument...: the address is in no argument, which other programs can read.
by_curl() {
  address=$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')
  shift
  printf 'url = "%s"\n' "$address" | curl -K - "$@"
}
# shellcheck disable=SC2317 # By watched.
by_wget() {
  case $1 in *\?*) printf '%s\n' "$1" | wget -q -c -O "$target.part" -i - ;; *) wget -q -c -O "$target.part" "$1" ;; esac
}
# The one of BusyBox reads no list.
can_wget() {
  has wget || return 1
  case $1 in *\?*) wget --version 2>/dev/null | grep -q GNU ;; esac
}

# index address sha256 target
# The query of a presigned address is a secret, and another one each time, so that it is no part of the source.
from_https() {
  target=$4 source=${2%%\?*}
  if [ "$mode" = measure ]; then
    printf 'free %s %s\n' "$1" "$(free_kb "$target")"
    ! is_foreign "$target" || printf 'taken %s\n' "$1"
    is_mounted || printf 'missing %s volume\n' "$1"
    has curl || can_wget "$2" || printf 'missing %s curl\n' "$1"
    has sha256sum || printf 'missing %s sha256sum\n' "$1"
    if is_there "$target" "$source" "sha256:$3"; then
      printf 'there %s\n' "$1"
    else
      printf 'size %s %s\n' "$1" "$(by_curl "$2" -fsSIL --proto =https --max-time 20 2>/dev/null | tr -d '\r' |
        awk 'tolower($1) == "content-length:" { size = $2 } END { print size }')"
    fi
    return
  fi
  if is_there "$target" "$source" "sha256:$3"; then
    printf '%s is there already\n' "$target"
    return
  fi
  take_turn "$target" || { problem "Could not write to $target."; return; }
  fetch_https "$2" "$source" "$3"
  give_turn
}
# address source sha256
fetch_https() {
  if is_there "$target" "$2" "sha256:$3"; then
    printf '%s is there already\n' "$target"
    return
  fi
  begin "$target" "$2" "sha256:$3" || { problem "Could not write to $target."; return; }
  if is_sum "$3"; then
    :
  elif has curl; then
    watched by_curl "$1" -fsSL --proto =https --retry 5 -C - -o "$target.part"
  elif can_wget "$1"; then
    watched by_wget "$1"
  else
    problem "curl and wget are missing. Install one of them on the machine."
    return
  fi || {
    # A server that can't continue would refuse each time.
    [ "$?" -ne 33 ] || rm -f "$target.part"
    problem "Could not fetch $target. Run this again to continue."
    return
  }
  if ! is_sum "$3"; then
    rm -f "$target.part"
    problem "$target was not kept: its SHA-256 is not the one that the file names."
  else
    keep "$2" "sha256:$3"
  fi
}
# Of what was fetched.
is_sum() {
  case $(sha256sum "$target.part" 2>/dev/null) in "$1 "*) return 0 ;; *) return 1 ;; esac
}

hub_files() {
  watched "$tool" download "$name" --repo-type "${kind%s}" --revision "$commit" --local-dir "$target.part" "$@"
}
# Of several --include, versions of hf before 1.0 take the last one alone.
hub_patterns() {
  [ $# -gt 0 ] || { hub_files; return; }
  for pattern in "$@"; do
    hub_files --include "$pattern" || return
  done
}

# index kind name revision target variable-of-the-token patterns
from_hub() {
  index=$1 kind=$2 name=$3 revision=$4 target=$5 token=$6
  shift 6
  source="hf://$kind/$name $*"
  HF_TOKEN=""
  [ -z "$token" ] || eval "HF_TOKEN=\${$token-}"
  [ -z "$HF_TOKEN" ] || export HF_TOKEN
  tool=hf
  has hf || tool=huggingface-cli
  described=$(ask_hub "$kind/$name/revision/$revision?blobs=true" 2>/dev/null)
  commit=$(printf '%s' "$described" | grep -o '"sha":"[0-9a-f]\{40\}"' | head -n 1 | cut -d '"' -f 4)
  if [ "$mode" = measure ]; then
    printf 'free %s %s\n' "$index" "$(free_kb "$target")"
    ! is_foreign "$target" || printf 'taken %s\n' "$index"
    is_mounted || printf 'missing %s volume\n' "$index"
    has "$tool" || printf 'missing %s hf\n' "$index"
    has curl || printf 'missing %s curl\n' "$index"
    if [ -n "$commit" ] && is_there "$target" "$source" "$commit"; then
      printf 'there %s\n' "$index"
    elif [ $# -eq 0 ] && [ -n "$commit" ]; then
      printf 'size %s %s\n' "$index" "$(printf '%s' "$described" | sed 's/"lfs":{[^}]*}//g' |
        grep -o '"size":[0-9]*' | awk -F : '{ sum += $2 } END { printf "%.0f", sum }')"
    else
      printf 'size %s\n' "$index"
    fi
    return
  fi
  if [ -z "$commit" ]; then
    problem "Could not read the revision $revision of $name. It may need a token, or curl is missing."
    return
  fi
  if is_there "$target" "$source" "$commit"; then
    printf '%s is there already\n' "$target"
    return
  fi
  has "$tool" || { problem "hf is missing. Install it on the machine: pip install huggingface_hub"; return; }
  take_turn "$target" || { problem "Could not write to $target."; return; }
  fetch_hub "$@"
  give_turn
}
fetch_hub() {
  if is_there "$target" "$source" "$commit"; then
    printf '%s is there already\n' "$target"
    return
  fi
  begin "$target" "$source" "$commit" || { problem "Could not write to $target."; return; }
  if hub_patterns "$@"; then
    rm -rf "$target.part/.cache"
    keep "$source" "$commit"
  else
    problem "Could not fetch $target. Run this again to continue."
  fi
}
