# shellcheck shell=sh

# only_waited FOLDER: the container has started again while this job waited for others, so nothing of it has run.
only_waited() {
  read -r waiter began waited_in _ 2>/dev/null <"$1/pid" && ! alive "$waiter" "$began" || return 1
  read -r phase _ 2>/dev/null <"$1/phase"
  [ "$phase" = waiting ] && [ "$waited_in" != "$(container_born)" ]
}
