# shellcheck shell=sh
# Who is logged in. Of other processes nothing is read but their parents, and what the children of a login are called.
# HOST_PROC is where a container sees the processes of its host, by the convention of monitoring agents.

# OpenSSH names the process of a login so.
logins() { LC_ALL=C grep -Els "^sshd(-session)?: [^ ]+@" "${HOST_PROC:-/proc}"/[0-9]*/cmdline; }

# count_logins: sets `looks` and `persons`. A look of our own (src/ssh/answer.ts) has no terminal and runs one command,
# known by all of it: a command of a user may name it. What can't be told is a person.
count_logins() {
  looks=0 persons=0 bare=""
  for login in $(logins); do
    login=${login%/cmdline} own=0 other=""
    case "$(words_of "$login")" in *@notty*) ;; *) other=yes ;; esac
    for child in "${HOST_PROC:-/proc}"/[0-9]*; do
      [ -z "$other" ] || break
      child_of "${login##*/}" "$child" || continue
      case "$(words_of "$child")" in
      "/bin/sh -c unset LC_GPU_RENTAL; "*" gpu-rental-look ") own=$((own + 1)) ;;
      *"sh -c exec /bin/sh -c 'unset LC_GPU_RENTAL; "*" gpu-rental-look ") own=$((own + 1)) ;;
      *) other=yes ;;
      esac
    done
    if [ -n "$other" ]; then persons=$((persons + 1)); elif [ "$own" -gt 0 ]; then looks=$((looks + 1)); else bare="$bare."; fi
  done
}

# child_of PARENT FOLDER: one that nobody waited for is none.
child_of() {
  parent=$1 line=""
  read -r line 2>/dev/null <"$2/stat"
  # Numbers and a letter, after a name that may hold spaces and brackets.
  # shellcheck disable=SC2086
  set -- ${line##*) }
  [ "${1:-Z}" != Z ] && [ "$2" = "$parent" ]
}

words_of() { tr '\0' ' ' 2>/dev/null <"$1/cmdline"; }

# One that begins or ends runs nothing for a moment.
person_in() {
  count_logins
  if [ "$persons" = 0 ] && [ -n "$bare" ]; then
    sleep 1
    count_logins
  fi
  persons=$((persons + ${#bare}))
  [ "$persons" -gt 0 ]
}
