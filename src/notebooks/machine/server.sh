# The Jupyter server of GPU Rental on a rented machine. Standard input: what to do, the token for a new server, the name of
# the folder in which kernels start, and the minutes that any of this may take. For a kernel of a folder its name stands
# in place of the token, and a fifth line is its kernel.json. The token is in no argument and no environment.
umask 077
IFS= read -r verb
IFS= read -r token
IFS= read -r folder
IFS= read -r minutes
own=$HOME/.gpu-rental/jupyter
venv=$HOME/.gpu-rental/venv
echo 'gpu-rental notebooks'
if ! mkdir -p "$own/run" 2>/dev/null || ! : >"$own/written"; then
  echo 'no-folder'
  exit 0
fi
# Some disks keep no modes.
chmod 700 "$own"
# A Python finds modules where it starts: a file of the user named logging.py would stop the server.
cd "$own" || exit

# include containerVariables.sh

# What the user gave this machine, of which no login shell has told here.
# shellcheck disable=SC1091
[ ! -r "$HOME/.gpu-rental/setup/environment.want" ] || . "$HOME/.gpu-rental/setup/environment.want"

pythons() {
  for dir in "${VIRTUAL_ENV:-}" /venv/main /opt/conda /opt/venv /workspace/.venv "$venv"; do
    [ -n "$dir" ] && [ -x "$dir/bin/python" ] && echo "$dir/bin/python"
  done
  command -v python3
  command -v python
  [ -x /usr/bin/python3 ] && echo /usr/bin/python3
}

# Without importing them, which takes seconds on a slow disk.
look='
from importlib.util import find_spec as find
server = "jupyter_server" if find("jupyter_server") else "notebook" if find("notebook") else ""
print(server if server and find("ipykernel") else "-")
'

# Stands for the module of that name where the server starts. Kernels start where the server is, so it goes to the folder of
# the user once nothing is looked for there.
begin='
import os, runpy, sys
sys.path.pop(0)
os.chdir(os.environ.pop("GPU_RENTAL_ROOT"))
runpy.run_module(os.environ.pop("GPU_RENTAL_MODULE"), run_name="__main__", alter_sys=True)
'

# Sets python and module; the module is "-" where the first Python lacks a server or ipykernel.
find_python() {
  python=
  module=
  while IFS= read -r candidate; do
    found=$("$candidate" -c "$look" 2>/dev/null </dev/null) || continue
    if [ "$found" != - ]; then
      python=$candidate
      module=$found
      return
    fi
    [ -n "$python" ] || { python=$candidate module=-; }
  done <<END
$(pythons)
END
}

# Sets pid and port of the server of ours that runs.
find_server() {
  for info in "$own"/run/jpserver-*.json "$own"/run/nbserver-*.json; do
    [ -f "$info" ] || continue
    pid=${info##*-}
    pid=${pid%.json}
    port=$(sed -n 's/.*"port": *\([0-9][0-9]*\).*/\1/p' "$info")
    # Another program may have the number by now.
    if [ -n "$port" ] && tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -Eq -- '-m (jupyter_server|notebook) '; then
      return 0
    fi
    # A file without a port is not written to its end yet.
    if [ -n "$port" ] || ! kill -0 "$pid" 2>/dev/null; then
      rm -f "$info"
    fi
  done
  return 1
}

# Jupyter writes the token for its own tools as well; nothing of ours reads it there.
strip_token() {
  tries=0
  until [ -f "${info%.json}-open.html" ] || [ "$tries" -ge 6 ]; do
    sleep 0.5
    tries=$((tries + 1))
  done
  rm -f "${info%.json}-open.html"
  sed 's/"token": *"[^"]*"/"token": ""/' "$info" >"$own/written" && cp "$own/written" "$info"
}

tell() {
  printf 'running %s %s\n' "$port" "$(cat "$own/token")"
}

start() {
  find_server && { tell; return; }
  find_python
  if [ -z "$python" ]; then
    echo 'no-python'
    return
  fi
  if [ "$module" = - ]; then
    printf 'missing %s\n' "$python"
    return
  fi
  # The token of a server that ended stays, so that a notebook finds the new one by itself.
  grep -Eqx '[0-9a-f]{64}' "$own/token" 2>/dev/null || printf %s "$token" >"$own/token" || { echo 'no-folder'; return; }
  chmod 600 "$own/token"
  root=$HOME/$folder
  [ -d /workspace ] && [ -w /workspace ] && root=/workspace/$folder
  mkdir -p "$root" 2>/dev/null && (cd "$root") || root=$HOME
  rm -rf begin
  mkdir begin && printf %s "$begin" >"begin/$module.py" && cd begin || { echo 'no-folder'; return; }
  env -u JUPYTER_TOKEN "GPU_RENTAL_ROOT=$root" "GPU_RENTAL_MODULE=$module" JUPYTER_NO_CONFIG=1 "JUPYTER_RUNTIME_DIR=$own/run" "JUPYTER_TOKEN_FILE=$own/token" \
    "JUPYTER_PATH=$own/share${JUPYTER_PATH:+:$JUPYTER_PATH}" \
    setsid nohup "$python" -m "$module" --no-browser --ip=127.0.0.1 --port=48650 --allow-root \
    "--notebook-dir=$root" >"$own/log" 2>&1 </dev/null 9<&- &
  started=$!
  tries=0
  while [ "$tries" -lt 120 ]; do
    find_server && { strip_token; tell; return; }
    kill -0 "$started" 2>/dev/null || [ "$tries" -lt 8 ] || break
    sleep 0.5
    tries=$((tries + 1))
  done
  echo 'failed'
  tail -n 5 "$own/log"
}

# Runs a step of the installation. A canceled login closes the output and ends nothing here, so that an empty line finds
# out: the signal that it gets then ends the step and gives the lock back.
step() {
  "$@" 2>&1 </dev/null &
  work=$!
  while kill -0 "$work" 2>/dev/null; do
    echo
    sleep 0.5
  done
  wait "$work"
  code=$?
  work=
  return "$code"
}

install() {
  find_python
  if [ -z "$python" ]; then
    echo 'no-python'
    return
  fi
  if [ "$module" = - ] && ! step "$python" -m pip install jupyter_server ipykernel; then
    # A Python of the system takes no packages, or has no pip.
    step "$python" -m venv --system-site-packages "$venv" &&
      step "$venv/bin/python" -m pip install jupyter_server ipykernel
  fi
  find_python
  if [ "$module" = - ]; then
    echo 'not-installed'
  else
    echo 'installed'
  fi
}

# The server lists the folders of kernels at each question. It may do so while the file is written.
add_kernel() {
  case $token in *[!a-z0-9-]* | '') return ;; esac
  IFS= read -r spec
  kernel=$own/share/kernels/$token
  mkdir -p "$kernel" && printf '%s\n' "$spec" >"$kernel/new" && mv "$kernel/new" "$kernel/kernel.json" && echo 'added'
}

# include alone.sh

# It waits for no start or installation of another window.
[ "$verb" != kernel ] || { add_kernel; exit 0; }
# Two windows start one server.
if ! alone "$own" lock 150 "$minutes"; then
  echo 'busy'
  exit 0
fi
trap give_turn EXIT
work=
trap '[ -z "$work" ] || kill "$work"; exit 1' HUP INT TERM PIPE
case $verb in
  start) start ;;
  install) install ;;
  find) if find_server; then tell; else echo 'none'; fi ;;
esac
