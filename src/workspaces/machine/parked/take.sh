# shellcheck shell=sh
# include tools.sh
# include part.sh
# Unpacks archives, each after a line of the input: its name, the bytes that follow, and for a large one, which can be
# continued, all of its bytes.
in_part
find tree -type d ! -perm -700 -exec chmod u+rwx {} +
unpack() { tar -xpf "$1" --no-same-owner --warning=no-timestamp -C tree; }
echo take
while read -r id more whole; do
  if [ "$whole" = 0 ]; then
    rm -f "in/$id"
    head -c "$more" | unpack -
  else
    [ "$more" != "$whole" ] || rm -f "in/$id"
    head -c "$more" >>"in/$id"
    [ "$(stat -c %s "in/$id")" = "$whole" ] && { unpack "in/$id" || { rm -f "in/$id"; false; }; }
  fi && : >"have/$id" || { echo "failed $(free_kb)"; exit 0; }
  rm -f "in/$id"
  echo "done $id"
done
exit 0
