#!/bin/sh
# Written by GPU Rental: the steps of a set-up that may take long, in a terminal that the user can watch. Nothing here waits
# for an answer. A step runs once for its input; setUp.sh forgets its mark where the user wants it again.
dir="$HOME/.gpu-rental/setup"
export GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=false SSH_ASKPASS=false DEBIAN_FRONTEND=noninteractive
export GIT_SSH_COMMAND="ssh -o BatchMode=yes -o StrictHostKeyChecking=accept-new"
# shellcheck disable=SC1091
[ ! -r "$dir/environment.want" ] || . "$dir/environment.want"

# since PID: when a living process began. A number alone may be another process after a restart.
since() {
  kill -0 "$1" 2>/dev/null || return 1
  [ -r "/proc/$1/stat" ] || return 0
  # shellcheck disable=SC2046
  set -- $(sed 's/.*) //' "/proc/$1/stat")
  [ "$1" != Z ] && echo "${20}"
}

# Only one at a time. A file does, since a machine may lack flock, and its disk may know no locks.
own="$$ $(since $$)"
told="" tries=0
until (set -C && echo "$own" >"$dir/runner") 2>/dev/null; do
  runner=$(cat "$dir/runner" 2>/dev/null)
  if now=$(since "${runner%% *}") && [ "$now" = "${runner#* }" ]; then
    [ -n "$told" ] || echo "GPU Rental: waiting for the set-up that is running already"
    told=yes tries=0
    sleep 1
    continue
  fi
  tries=$((tries + 1))
  if [ "$tries" -gt 20 ]; then
    echo "GPU Rental: $dir can't be written."
    exit 1
  elif mv "$dir/runner" "$dir/runner.$$" 2>/dev/null; then
    # Another one may have taken its place since.
    [ "$(cat "$dir/runner.$$")" = "$runner" ] || ln "$dir/runner.$$" "$dir/runner" 2>/dev/null
    rm -f "$dir/runner.$$"
  fi
done
trap '[ "$(cat "$dir/runner" 2>/dev/null)" != "$own" ] || rm -f "$dir/runner"' EXIT
trap 'exit 1' HUP INT TERM

# with_shell FILE: bash where there is one.
with_shell() {
  if command -v bash >/dev/null 2>&1; then bash "$@"; else sh "$@"; fi
}

# warn_about FILE: a line break of Windows is a part of the line for a shell and for the kernel.
warn_about() {
  ! head -n 1 "$1" | grep -q "$(printf '\r')\$" ||
    echo "$1 has line ends of Windows (CRLF), which make it fail here. Store it with LF."
}

dotfiles() {
  address=$(sed -n 2p "$dir/dotfiles.want")
  clone="$HOME/dotfiles"
  if ! command -v git >/dev/null 2>&1; then
    echo "git is not installed."
    return 127
  fi
  if [ -d "$clone/.git" ]; then
    if [ "$(git -C "$clone" config --get remote.origin.url)" != "$address" ]; then
      echo "$clone is a clone of another repository, which stays."
      return 1
    fi
    git -C "$clone" pull --ff-only || echo "Could not update $clone. Continuing with what it has."
  elif [ -e "$clone" ] || [ -L "$clone" ]; then
    echo "$clone exists and is no clone. It stays as it is."
    return 1
  else
    git clone -- "$address" "$clone" || return
  fi
  cd "$clone" || return
  for one in install.sh install bootstrap.sh bootstrap script/bootstrap setup.sh setup script/setup; do
    [ -f "$one" ] || continue
    echo "Running $one"
    warn_about "$one"
    if [ -x "$one" ]; then "./$one"; else with_shell "./$one"; fi
    return
  done
  link_all
}

# Only what is not in the way of anything: of a file, the old one is renamed, and a folder stays.
link_all() {
  failed=0
  for entry in "$clone"/.*; do
    name=${entry##*/}
    place="$HOME/$name"
    case "$name" in . | .. | .git*) continue ;; esac
    [ -e "$entry" ] || [ -L "$entry" ] || continue
    if [ -L "$place" ] && [ "$(readlink "$place")" = "$entry" ]; then
      continue
    elif [ -f "$place" ] || [ -L "$place" ]; then
      old="$place.bak"
      number=1
      while [ -e "$old" ] || [ -L "$old" ]; do
        number=$((number + 1))
        old="$place.bak-$number"
      done
      mv "$place" "$old" || { failed=1; continue; }
      echo "Renamed $place to $old"
    elif [ -e "$place" ]; then
      echo "$place is a folder and stays."
      continue
    fi
    if ln -s "$entry" "$place"; then echo "Linked $place"; else failed=1; fi
  done
  return "$failed"
}

# Of the workspace file, in its folder where that is here: at the place of its mirror, or where the same file is. The first
# command that fails ends it.
script() {
  place=$(sed -n 2p "$dir/script.want")
  case "$place" in
  [0-9a-f]*)
    hash=${place%% *} place=${place#* }
    [ "$(sha256sum <"$place/.vscode/gpu-rental.json" 2>/dev/null | cut -c 1-64)" = "$hash" ] || place="" ;;
  esac
  if [ -z "$place" ] || [ ! -f "$place/.vscode/gpu-rental.json" ]; then place=$HOME; fi
  cd "$place" || return
  echo "Running in $place"
  sed 1,2d "$dir/script.want" >"$dir/script.run"
  with_shell -e "$dir/script.run"
}

# mark_of STEP: where its mark is. The scripts of two folders don't replace each other's.
mark_of() {
  if [ "$1" = script ]; then echo "$dir/script.${mark#\# }.mark"; else echo "$dir/$1.mark"; fi
}

broken=""
rm -f "$dir/output"
for step in dotfiles script; do
  [ -r "$dir/$step.want" ] || continue
  mark=$(head -n 1 "$dir/$step.want")
  [ "$mark" != "$(head -n 1 "$(mark_of "$step")" 2>/dev/null)" ] || continue
  printf '%s\n' "$step" >"$dir/running"
  echo "GPU Rental: $step"
  mkfifo "$dir/output"
  tee "$dir/$step.log" <"$dir/output" &
  shown=$!
  ("$step") >"$dir/output" 2>&1 </dev/null
  code=$?
  # What a step leaves running may keep its output open for ever.
  (sleep 2 && kill "$shown") >/dev/null 2>&1 &
  late=$!
  wait "$shown"
  kill "$late" 2>/dev/null
  rm -f "$dir/running" "$dir/output"
  # The input may be another by now.
  printf '%s\n%s %s\n' "$mark" "$code" "$(date +%s)" >"$dir/$step.new" &&
    mv -f "$dir/$step.new" "$(mark_of "$step")"
  [ "$code" = 0 ] || broken="$broken $step"
done
[ -z "$broken" ] || echo "GPU Rental: failed:$broken"
