# shellcheck shell=sh

# at_work FOLDER: the runner of this job lives and has not ended it.
at_work() {
  read -r runner began _ 2>/dev/null <"$1/pid" && alive "$runner" "$began" || return 1
  read -r phase _ 2>/dev/null <"$1/phase"
  [ "$phase" != ended ]
}
