#!/bin/sh
# Written by GPU Rental: the steps of a set-up that may take long, in a terminal that the user can watch. Nothing here waits
# for an answer. A step runs once for its input; setUp.sh forgets its mark where the user wants it again.
dir="$HOME/.gpu-rental/setup"
export GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=false SSH_ASKPASS=false DEBIAN_FRONTEND=noninteractive
export GIT_SSH_COMMAND="ssh -o BatchMode=yes -o StrictHostKeyChecking=accept-new"
# shellcheck disable=SC1091
[ ! -r "$dir/environment.want" ] || . "$dir/environment.want"

# Programs that a step leaves running don't hold the lock.
exec 9>>"$dir/lock"
if command -v flock >/dev/null 2>&1 && ! flock -n 9; then
  echo "GPU Rental: waiting for the set-up that is running already"
  flock 9
fi

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
    if [ -x "$one" ]; then
      "./$one"
    elif command -v bash >/dev/null 2>&1; then
      bash "./$one"
    else
      sh "./$one"
    fi
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

broken=""
rm -f "$dir/output"
# shellcheck disable=SC2043
for step in dotfiles; do
  [ -r "$dir/$step.want" ] || continue
  mark=$(head -n 1 "$dir/$step.want")
  [ "$mark" != "$(head -n 1 "$dir/$step.mark" 2>/dev/null)" ] || continue
  printf '%s\n' "$step" >"$dir/running"
  echo "GPU Rental: $step"
  mkfifo "$dir/output"
  tee "$dir/$step.log" <"$dir/output" 9>&- &
  shown=$!
  ("$step") >"$dir/output" 2>&1 </dev/null 9>&-
  code=$?
  # What a step leaves running may keep its output open for ever.
  (sleep 2 && kill "$shown") >/dev/null 2>&1 9>&- &
  late=$!
  wait "$shown"
  kill "$late" 2>/dev/null
  rm -f "$dir/running" "$dir/output"
  # The input may be another by now.
  printf '%s\n%s %s\n' "$mark" "$code" "$(date +%s)" >"$dir/$step.new" && mv -f "$dir/$step.new" "$dir/$step.mark"
  [ "$code" = 0 ] || broken="$broken $step"
done
[ -z "$broken" ] || echo "GPU Rental: failed:$broken"
