#!/bin/sh
# Written by GPU Rental: lists the terminals that it keeps on this machine, or ends one. Its input is a line "end NAME"
# (only where no program runs in it), "kill NAME", or nothing. It ends with the line "end" where nothing went wrong.
export LC_ALL=C
verb="" wanted=""
read -r verb wanted
own() { tmux -L gpu-rental "$@"; }

if ! command -v tmux >/dev/null 2>&1; then
  tool=none
  if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then tool=apt; fi
  printf 'tmux %s\nend\n' "$tool"
  exit 0
fi
echo 'tmux there'

# state PID COMMAND: idle where a shell waits and has started nothing that still runs.
state() {
  children="/proc/$1/task/$1/children"
  case "$2" in
    sh | ash | bash | dash | ksh | zsh | fish | csh | tcsh)
      # Not every kernel lists what it has started.
      if [ -r "$children" ] && [ -z "$(cat "$children")" ]; then echo idle; else echo busy; fi ;;
    *) echo busy ;;
  esac
}

# Without a server there is none; any other failure is no answer.
panes=$(own list-panes -a -F '#{session_attached}/#{session_last_attached} #{pane_pid} #{session_name} #{pane_current_command}' 2>&1) ||
  case "$panes" in
    'no server running'* | *'No such file or directory'* | *'Connection refused'*) panes="" ;;
    *) exit 1 ;;
  esac
now=$(date +%s)
kept=$(printf '%s\n' "$panes" | head -n 100 | while read -r attached pid name command; do
  since=${attached#*/}
  [ -z "$name" ] ||
    echo "session $name ${attached%/*}/$((now - ${since:-0})) $(state "$pid" "$command") $command"
done)
if [ "$verb" = kill ] || { [ "$verb" = end ] && ! echo "$kept" | grep -q "^session $wanted [-0-9/]* busy"; }; then
  own kill-session -t "=$wanted" 2>/dev/null && kept=$(echo "$kept" | grep -v "^session $wanted ")
fi
printf '%s\nend\n' "$kept"
