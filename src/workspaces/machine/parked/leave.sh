# shellcheck shell=sh
# include tools.sh
# include part.sh
# Removes names below tree/, which come zero-ended and begin with "./". Their folders keep their times.
in_part
cd tree || exit 1
xargs -0 -r -n 1 sh -c "d=\${1%/*} && t=\$(stat -c %y \"\$d\") && rm -rf -- \"\$1\" && touch -d \"\$t\" \"\$d\"" left &&
  echo left
exit 0
