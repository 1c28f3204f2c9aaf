# shellcheck shell=bash disable=SC2154
# What becomes of the output of an engine, which can print anything.

# Copies it in lines of at most 15,000 bytes, without secrets. A bar that is drawn over itself has no end of line, so that its
# last state is copied once a second. It outlives the engine, whose last lines say why it ended.
copy_output() {
  trap '' TERM INT HUP
  local line="" piece code LC_ALL=C
  while :; do
    IFS= read -r -t 1 -n 4000 piece
    code=$? line=$line$piece
    if [ "$code" -eq 0 ] && [ "${#piece}" -lt 4000 ]; then
      copy_line "$line"
      line=""
    elif [ "$code" -eq 0 ] || [ "$code" -gt 128 ]; then
      case $line in
        *$'\r'*)
          copy_line "${line%$'\r'*}"
          line=${line##*$'\r'}
          ;;
      esac
      if [ "${#line}" -gt 60000 ]; then
        copy_line "$line"
        line=""
        skip_line || return
      fi
    else
      [ -z "$line" ] || copy_line "$line"
      return
    fi
  done
}

# The shell reads byte by byte, which is too slow for a line without an end.
skip_line() {
  local lines bytes
  while read -r lines bytes < <(dd bs=65536 count=1 | wc -lc); do
    [ "$bytes" -gt 0 ] || return
    [ "$lines" -eq 0 ] || return 0
  done
}

# Sets `words`.
without_secrets() {
  local secret
  words=$1
  for secret in "$key" "$HF_TOKEN"; do
    [ -z "$secret" ] || words=${words//"$secret"/…}
  done
}

# A secret that a cut could split lies behind it.
copy_line() {
  local line=${1%$'\r'} words
  without_secrets "${line##*$'\r'}"
  line=${words:0:15000}
  note_retry "$line"
  # Only this program speaks in our name.
  case $line in "gpu-rental: "*) line=" $line" ;; esac
  printf '%s\n' "$line"
}

# What the engine can do instead, in numbers of at most nine digits.
note_retry() {
  case $1 in
    *'estimated maximum model length is '*)
      [[ $1 =~ estimated\ maximum\ model\ length\ is\ ([0-9]{1,9})([^0-9]|$) ]] && echo "${BASH_REMATCH[1]}" >"$own/retry.context"
      ;;
    *'greater than the derived max_model_len'*)
      [[ $1 =~ derived\ max_model_len\ \([a-z_]{1,40}=([0-9]{1,9})([^0-9]|$) ]] && echo "${BASH_REMATCH[1]}" >"$own/retry.context"
      ;;
    *'Mamba cache blocks ('*)
      [[ $1 =~ Mamba\ cache\ blocks\ \(([0-9]{1,9})\) ]] && echo "${BASH_REMATCH[1]}" >"$own/retry.sequences"
      ;;
  esac
}
