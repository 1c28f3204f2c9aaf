# shellcheck shell=sh
# A login has not what the container was started with. What it has already stays; its programs come first. Our key of the
# instance is for none of the user's programs.
eval "$(
  { tr '\n\0' '\001\n' </proc/1/environ | LC_ALL=C sed -n \
    -e '/^CONTAINER_API_KEY=/d' -e "s/'/'\\\\''/g" -e "s/^PATH=\(.*\)\$/PATH=\$PATH:'\1'/p" -e '/^PATH=/d' \
    -e "s/^\([A-Za-z_][A-Za-z0-9_]*\)=\(.*\)\$/[ \"\${\1+x}\" ] || export \1='\2'/p" | tr '\001' '\n'; } 2>/dev/null
)"
unset CONTAINER_API_KEY TMUX
