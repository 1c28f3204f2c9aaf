# Runs the arguments as a program until it ends, or until standard input does, which the other side keeps open: without a
# terminal, the end of a login ends no program. What waits for that is in a session of its own, in case a server ends the
# processes of a login.
exec 3<&0
if command -v setsid >/dev/null 2>&1; then alone=setsid group=-; else alone="" group=""; fi
$alone "$@" </dev/null 2>&1 &
pid=$!
# shellcheck disable=SC2016
$alone /bin/sh -c 'cat >/dev/null; kill -TERM "$1"; sleep 3; kill -KILL "$1"' sh "$group$pid" <&3 >/dev/null 2>&1 &
watch=$!
exec 3<&-
wait "$pid"
code=$?
kill "$group$watch" 2>/dev/null
exit "$code"
