# shellcheck shell=sh
# include tools.sh
# include part.sh
# Gives the folder its name, or the next one where another folder with something in it has that.
in_part
sync -f tree 2>/dev/null
mode=$(stat -c %a tree) n=1
while [ "$n" -le 99 ]; do
  named "$n"
  to=../$name
  if { [ ! -e "$to" ] && [ ! -L "$to" ]; } || { [ -d "$to" ] && [ ! -L "$to" ] && [ -z "$(ls -A "$to")" ]; }; then
    mkdir -p "${mark%/*}" && echo "$(stat -c %W:%i tree) $n" >"$mark"
    # A folder is moved by those only who may write into it.
    chmod u+w tree
    if mv -T tree "$to"; then
      chmod "$mode" "$to"
      cd .. && rm -rf "./$own.part-$set"
      echo "placed $n"
      exit 0
    fi
  fi
  n=$((n + 1))
done
echo taken
exit 0
