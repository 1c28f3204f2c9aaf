# shellcheck shell=sh
# include tools.sh
# include part.sh
# Says what is there of a set; with $fresh all of it is removed before, and $again names archives that are to be sent again.
if read -r is n 2>/dev/null <"$mark"; then
  named "$n"
  if [ ! -L "./$name" ] && [ "$(stat -c %W:%i "./$name" 2>/dev/null)" = "$is" ]; then echo "placed $n"; exit 0; fi
fi
in_part
for id in $again; do rm -f "have/$id"; done
echo "place $(free_kb)"
for file in have/*; do [ ! -f "$file" ] || echo "done ${file#have/}"; done
for file in in/*; do [ ! -f "$file" ] || echo "begun ${file#in/} $(stat -c %s "$file")"; done
echo end
exit 0
