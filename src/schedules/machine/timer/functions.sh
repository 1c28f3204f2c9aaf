# shellcheck shell=sh
# Shared by the login that arms the timer and the process that waits. Both set url, id, key, tool and out.

call_py=$(cat <<'END_OF_PYTHON'
# include call.py
END_OF_PYTHON
)

# call METHOD BODY: prints the HTTP status. The key goes by standard input, a file or the environment, never by an
# argument that others on the machine can list, and no redirection is followed with it.
call() {
  case "$tool" in
  curl)
    printf 'header = "Authorization: Bearer %s"\nheader = "Content-Type: application/json"\n' "$key" |
      curl -q -s -m 30 -o "$out" -w '%{http_code}' -X "$1" ${2:+--data "$2"} -K - "$url/api/v0/instances/$id/" ;;
  python3)
    GPU_RENTAL_KEY="$key" python3 -I -c "$call_py" "$1" "$url/api/v0/instances/$id/" "$2" "$out" 2>/dev/null ||
      echo 000 ;;
  wget)
    printf 'header = Authorization: Bearer %s\nheader = Content-Type: application/json\n' "$key" >"$out.rc"
    WGETRC="$out.rc" wget -q -S -T 30 -t 1 --max-redirect=0 --content-on-error -O "$out" --method="$1" \
      ${2:+--body-data="$2"} "$url/api/v0/instances/$id/" 2>&1 |
      sed -n 's/^ *HTTP\/[0-9.]* \([0-9]*\).*/\1/p' | tail -n 1
    rm -f "$out.rc" ;;
  esac
}
