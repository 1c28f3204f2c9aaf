# Starts the Python file $file of the folder $root under debugpy, with the rest of the line $words as its arguments, once
# the editor has connected to $port. Whoever reaches it can run code: it is a random one of the loopback address.
# With $uv, the packages are those of the block of the file, for the Python $python where it names one.
unset CDPATH
if ! cd -P -- "$root" 2>/dev/null || [ ! -f "$file" ]; then
  echo 'no-file'
  exit
fi
root=$(pwd -P)
if [ -n "$uv" ]; then
  if ! command -v uv >/dev/null 2>&1; then
    echo 'no-uv'
    exit
  fi
  # The folder may be a project, which is not installed for a script.
  set -- uv run --no-project --with debugpy --with-requirements "$file"
  [ -z "$python" ] || set -- "$@" --python "$python"
  set -- "$@" python
elif python3 -c 'import debugpy' 2>/dev/null; then
  set -- python3
elif command -v python3 >/dev/null 2>&1; then
  echo 'missing'
  exit
else
  echo 'no-python'
  exit
fi

listens() {
  cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
    grep -q "^ *[0-9]*: [0-9A-F]*:$(printf %04X "$port") [0-9A-F]*:[0-9A-F]* 0A "
}

if listens; then
  echo 'taken'
  exit
fi
# The first run by uv installs packages, which it prints.
{
  while kill -0 $$ && ! listens; do sleep 0.2; done
  ! listens || printf '\nwaits %s\n' "$root"
} 2>/dev/null </dev/null &
set -- "$@" -m debugpy --listen "127.0.0.1:$port" --wait-for-client "$root/$file"
eval "set -- \"\$@\" $words"
# include held.sh
