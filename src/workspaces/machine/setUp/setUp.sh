#!/bin/sh
# Written by GPU Rental: takes over what a machine is set up with, does the steps that come before a window, and prints the
# state of all of them. Standard input: "want STEP MARK", the lines of its input and "end MARK"; "forget STEP", to do it
# again; "drop STEP"; "did STEP MARK" or "failed STEP MARK" for what the window has done, with the lines of its log and
# "end MARK"; "wait", until the steps of later.sh have ended, which begins with a line "."; and at last "go". Values of secrets are in no
# argument and no environment of this program. A step is done where its mark is that of its input: what is on the machine
# counts, since a recycled one has its number and none of its files.
umask 077
export LC_ALL=C GIT_TERMINAL_PROMPT=0
dir="$HOME/.gpu-rental/setup"
etc="${GPU_RENTAL_ETC:-}"
[ -n "$etc" ] || [ "$HOME" != /root ] || etc=/etc
mkdir -p "$dir" || exit 1
chmod 700 "$dir"

# receive STEP MARK KIND: keeps a whole input, behind its mark as a comment. Logins of two windows write files of their own.
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
  } >"$dir/$1.new-$$" && [ -n "$whole" ] && mv -f "$dir/$1.new-$$" "$dir/$1.$3" && return
  # It may hold a part of a secret.
  rm -f "$dir/$1.new-$$"
  return 1
}

# mark_of STEP: where its mark is. The scripts of two folders don't replace each other's.
mark_of() {
  if [ "$1" = script ]; then echo "$dir/script.$(sed -n '1s/^# //p' "$dir/script.want").mark"; else echo "$dir/$1.mark"; fi
}

# mark STEP CODE: done with this input, with this exit code.
mark() {
  { head -n 1 "$dir/$1.want" && printf '%s %s\n' "$2" "$(date +%s)"; } >"$dir/$1.new-$$" &&
    mv -f "$dir/$1.new-$$" "$(mark_of "$1")"
}

# seen STEP CODE: what the window has done, unless the input is another by now.
seen() {
  sed 1d "$dir/$1.said" >"$dir/$1.log"
  [ "$(head -n 1 "$dir/$1.said")" != "$(head -n 1 "$dir/$1.want")" ] || mark "$1" "$2"
  rm -f "$dir/$1.said"
}

# code_of STEP: the exit code with this input; nothing where it was not done.
code_of() {
  at=$(mark_of "$1")
  [ -r "$at" ] && [ "$(head -n 1 "$dir/$1.want")" = "$(head -n 1 "$at")" ] &&
    sed -n 's/^\([0-9][0-9]*\) .*/\1/p' "$at"
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
    [ ! -e "$1" ] || cp -p "$1" "$1.gpu-rental-$$" || exit
    { printf '%s\n' "$hook" && { [ ! -e "$1" ] || cat "$1"; }; } >"$1.gpu-rental-$$" && mv -f "$1.gpu-rental-$$" "$1"
  )
}

unhook() {
  ! grep -qxF "$hook" "$1" 2>/dev/null || {
    cp -p "$1" "$1.gpu-rental-$$" && {
      grep -vxF "$hook" "$1" >"$1.gpu-rental-$$"
      mv -f "$1.gpu-rental-$$" "$1"
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
  shell_files >"$dir/shells.new-$$"
  all=0
  while IFS= read -r file; do
    "$1" "$file" || all=1
  done <"$dir/shells.new-$$"
  rm -f "$dir/shells.new-$$"
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
    identity | environment | extensions | dotfiles | script | program | "") ;;
    *) continue ;;
  esac
  case "$verb" in
    want) receive "$step" "$mark" want || exit 1 ;;
    did) receive "$step" "$mark" said && seen "$step" 0 || exit 1 ;;
    failed) receive "$step" "$mark" said && seen "$step" 1 || exit 1 ;;
    forget) [ ! -r "$dir/$step.want" ] || rm -f "$(mark_of "$step")" ;;
    drop)
      [ "$step" != environment ] || each_shell_file unhook
      rm -f "$dir/$step.want" "$dir/$step.log" "$dir/$step".*mark
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

# later_runs: as later.sh finds it.
later_runs() {
  runner=$(cat "$dir/runner" 2>/dev/null) || return 1
  pid=${runner%% *}
  kill -0 "$pid" 2>/dev/null || return 1
  [ -r "/proc/$pid/stat" ] || return 0
  # shellcheck disable=SC2046
  set -- $(sed 's/.*) //' "/proc/$pid/stat")
  [ "$1" != Z ] && [ "${20}" = "${runner#* }" ]
}

# is_left: a step of it has not been done.
is_left() {
  for one in dotfiles script; do
    if [ -r "$dir/$one.want" ] && [ -z "$(code_of "$one")" ]; then return; fi
  done
  return 1
}

# Its terminal may need some seconds to begin.
tries=0
[ -z "$waits" ] || echo .
while [ -n "$waits" ] && is_left && [ "$tries" -lt 60 ]; do
  if later_runs; then
    tries=0
    sleep 1
  else
    sleep 0.5
  fi
  tries=$((tries + 1))
done

running=""
if later_runs; then running=$(cat "$dir/running" 2>/dev/null); fi
printf 'gpu-rental setup\nhome %s\n' "$HOME"
for step in identity environment extensions dotfiles script; do
  [ -r "$dir/$step.want" ] || continue
  code=$(code_of "$step")
  if [ "$running" = "$step" ]; then code=running; fi
  printf 'step %s %s\n' "$step" "${code:-waits}"
done
echo end
