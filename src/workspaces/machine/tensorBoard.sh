# Shows the logs in the folder $dir, which may be relative to the home folder. Images of the service run a TensorBoard
# for the folder of TENSORBOARD_LOG_DIR, or else of WORKSPACE.
unset CDPATH
cd || exit
if ! cd -P -- "$dir" 2>/dev/null; then
  echo 'no-folder'
  exit
fi
dir=$(pwd -P)
shown=$(cd -P -- "${TENSORBOARD_LOG_DIR:-${WORKSPACE:-/dev/null}}" 2>/dev/null && pwd -P)
proc=${HOST_PROC:-/proc}
# Port 16006, by a program that listens.
if [ -n "$shown" ] && cat "$proc/net/tcp" "$proc/net/tcp6" 2>/dev/null | grep -q ':3E86 [0-9A-F]*:[0-9A-F]* 0A '; then
  case $dir/ in "${shown%/}"/*)
    echo 'runs'
    exit
    ;;
  esac
fi
if command -v tensorboard >/dev/null 2>&1; then
  set -- tensorboard
elif python3 -c 'import tensorboard' 2>/dev/null; then
  set -- python3 -m tensorboard.main
else
  echo 'missing'
  exit
fi
set -- "$@" --logdir "$dir" --host 127.0.0.1 --port 0
# include held.sh
