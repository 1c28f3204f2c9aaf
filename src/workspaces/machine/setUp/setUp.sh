#!/bin/sh
# Written by GPU Rental: takes over what a machine is set up with, does the steps that come before a window, and prints the
# state of all of them. Standard input: "want STEP MARK", the lines of its input and "end MARK"; "forget STEP", to do it
# again; "drop STEP"; "wait", until the steps of later.sh have
# ended, which begins with a line "."; and at last "go". Values of secrets are in no
# argument and no environment of this program. A step is done where its mark is that of its input: what is on the machine
# counts, since a recycled one has its number and none of its files.
umask 077
export LC_ALL=C GIT_TERMINAL_PROMPT=0
dir="$HOME/.gpu-rental/setup"
etc="${GPU_RENTAL_ETC:-}"
[ -n "$etc" ] || [ "$HOME" != /root ] || etc=/etc
mkdir -p "$dir" || exit 1
chmod 700 "$dir"

# receive STEP MARK: keeps a whole input, behind its mark as a comment.
receive() {
  whole=""
  {
    printf '# %s\n' "$2"
    while IFS= read -r line; do
      if [ "$line" = "end $2" ]; then
        whole=yes
        break
      fi
      printf '%s\n' "$line"
    done
  } >"$dir/$1.new" && [ -n "$whole" ] && mv -f "$dir/$1.new" "$dir/$1.want" && return
  # It may hold a part of a secret.
  rm -f "$dir/$1.new"
  return 1
}

# mark STEP CODE: done with this input, with this exit code.
mark() {
  { head -n 1 "$dir/$1.want" && printf '%s %s\n' "$2" "$(date +%s)"; } >"$dir/$1.new" &&
    mv -f "$dir/$1.new" "$dir/$1.mark"
}

# code_of STEP: the exit code with this input; nothing where it was not done.
code_of() {
  [ -r "$dir/$1.mark" ] && [ "$(head -n 1 "$dir/$1.want")" = "$(head -n 1 "$dir/$1.mark")" ] &&
    sed -n 's/^\([0-9][0-9]*\) .*/\1/p' "$dir/$1.mark"
}

# set_where_unset KEY VALUE: what the user or the image has set stays, unless it came from here.
set_where_unset() {
  [ -n "$2" ] || return 0
  old=$(git config --get "$1")
  if [ -z "$old" ] || { [ -r "$dir/$1.set" ] && [ "$old" = "$(cat "$dir/$1.set")" ]; }; then
    git config --global "$1" "$2" && printf '%s\n' "$2" >"$dir/$1.set"
  else
    echo "$1 is set already and stays."
  fi
}

identity() {
  if ! command -v git >/dev/null 2>&1; then
    echo "git is not installed."
    return 127
  fi
  # No repository has a say in it.
  cd / || return
  set_where_unset user.name "$(sed -n 2p "$dir/identity.want")" &&
    set_where_unset user.email "$(sed -n 3p "$dir/identity.want")"
}

# shellcheck disable=SC2016
hook='[ ! -r "$HOME/.gpu-rental/setup/environment.want" ] || . "$HOME/.gpu-rental/setup/environment.want" # GPU Rental'

# hook_into FILE: as its first line, before what ends or replaces a shell.
hook_into() {
  ! grep -qxF "$hook" "$1" 2>/dev/null || return 0
  (
    umask 022
    [ ! -e "$1" ] || cp -p "$1" "$1.gpu-rental" || exit
    { printf '%s\n' "$hook" && { [ ! -e "$1" ] || cat "$1"; }; } >"$1.gpu-rental" && mv -f "$1.gpu-rental" "$1"
  )
}

unhook() {
  ! grep -qxF "$hook" "$1" 2>/dev/null || {
    cp -p "$1" "$1.gpu-rental" && {
      grep -vxF "$hook" "$1" >"$1.gpu-rental"
      mv -f "$1.gpu-rental" "$1"
    }
  }
}

# The files of the system where they may be written: dotfiles replace those of the user, and an edit would change the clone.
shell_files() {
  if [ -n "$etc" ] && [ -w "$etc" ] && [ -d "$etc/profile.d" ]; then
    echo "$etc/profile.d/gpu-rental.sh"
    [ ! -f "$etc/bash.bashrc" ] || echo "$etc/bash.bashrc"
    if [ -d "$etc/zsh" ]; then echo "$etc/zsh/zshenv"; fi
  else
    for name in .profile .bash_profile .bash_login .bashrc .zshenv; do
      case "$name" in
        .bash_*) [ -f "$HOME/$name" ] || continue ;;
      esac
      [ -L "$HOME/$name" ] || echo "$HOME/$name"
    done
  fi
}

# each_shell_file ACTION
each_shell_file() {
  shell_files >"$dir/shells.new"
  all=0
  while IFS= read -r file; do
    "$1" "$file" || all=1
  done <"$dir/shells.new"
  rm -f "$dir/shells.new"
  return "$all"
}

environment() {
  each_shell_file hook_into
}

# early STEP: one that failed is tried each time.
early() {
  [ -r "$dir/$1.want" ] && [ "$(code_of "$1")" != 0 ] || return 0
  ("$1") >"$dir/$1.log" 2>&1 </dev/null
  mark "$1" "$?"
}

whole_input="" waits=""
while read -r verb step mark; do
  case "$step" in
    identity | environment | dotfiles | program | "") ;;
    *) continue ;;
  esac
  case "$verb" in
    want) receive "$step" "$mark" || exit 1 ;;
    forget) rm -f "$dir/$step.mark" ;;
    drop)
      [ "$step" != environment ] || each_shell_file unhook
      rm -f "$dir/$step.want" "$dir/$step.mark" "$dir/$step.log"
      ;;
    wait) waits=yes ;;
    go)
      whole_input=yes
      break
      ;;
  esac
done
[ -n "$whole_input" ] || exit 1

early identity
early environment

# later_runs: its lock ends with it, however that happens.
later_runs() {
  command -v flock >/dev/null 2>&1 && ! flock -n -s "$dir/lock" true
}

# is_left: a step of it has not been done.
is_left() {
  [ -r "$dir/dotfiles.want" ] && [ -z "$(code_of dotfiles)" ]
}

# Its terminal may need some seconds to begin.
tries=0
[ -z "$waits" ] || echo .
while [ -n "$waits" ] && is_left && [ "$tries" -lt 60 ]; do
  if later_runs; then
    flock -s "$dir/lock" true
  else
    sleep 0.5
  fi
  tries=$((tries + 1))
done

running=""
if later_runs; then running=$(cat "$dir/running" 2>/dev/null); fi
printf 'gpu-rental setup\nhome %s\n' "$HOME"
for step in identity environment dotfiles; do
  [ -r "$dir/$step.want" ] || continue
  code=$(code_of "$step")
  if [ "$running" = "$step" ]; then code=running; fi
  printf 'step %s %s\n' "$step" "${code:-waits}"
done
echo end
