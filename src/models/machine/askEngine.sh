# shellcheck shell=bash disable=SC2154
# Questions to the engine on this machine. The key is in no argument, and no answer is waited for without an end.

# within SECONDS COMMAND...: ends the command, with what it started, once its time is over or the engine has ended.
within() {
  local left=$(($1 * 5)) pid
  shift
  set -m
  "$@" </dev/null &
  pid=$!
  set +m
  while kill -0 "$pid"; do
    if [ "$left" -le 0 ] || { [ -n "$engine" ] && ! is_engine_up; }; then
      kill -KILL -- "-$pid"
      wait "$pid"
      return 124
    fi
    left=$((left - 1))
    sleep 0.2 || sleep 1
  done
  wait "$pid"
}

# ask SECONDS METHOD PATH [BODY]: sets `status`, and leaves at most 2 MB of the answer in a file.
ask() {
  status=none
  : >"$own/answer"
  within "$1" send "$2" "$3" "${4-}" || return
  read -r _ status _ <"$own/answer"
  case $status in [1-5][0-9][0-9]) ;; *) status=none && return 1 ;; esac
}

# An answer to HTTP/1.0 has no chunks, and ends with its connection.
send() {
  exec 3<>"/dev/tcp/127.0.0.1/$port" || return
  printf '%s %s HTTP/1.0\r\nHost: 127.0.0.1:%s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n%s' \
    "$1" "$2" "$port" "$key" "${#3}" "$3" >&3
  head -c 2000000 <&3 >"$own/answer"
}

# The beginning of its body, as one plain line without secrets, also where the engine repeats them.
answer_words() {
  local words
  without_secrets "$(sed '1,/^.\{0,1\}$/d' "$own/answer" | head -c 20000 | tr -cd '\40-\176')"
  printf '%s' "${words:0:300}"
}

# Sets the counters; false for an answer without them, or with one that is no number.
read_counters() {
  local next_running next_waiting next_prompt next_output next_requests
  ask 10 GET /metrics && [ "$status" = 200 ] || return
  read -r next_running next_waiting next_prompt next_output next_requests < <(awk '
    BEGIN {
      split("running waiting prompt output requests", order)
      names["num_requests_running"] = names["requests_processing"] = "running"
      names["num_requests_waiting"] = names["requests_deferred"] = "waiting"
      names["prompt_tokens_total"] = "prompt"
      names["generation_tokens_total"] = names["tokens_predicted_total"] = "output"
      names["request_success_total"] = "requests"
    }
    /^(vllm|llamacpp):/ {
      sub(/\r$/, "")
      name = $1
      sub(/^[a-z]*:/, "", name)
      sub(/\{.*/, "", name)
      if (!(name in names)) next
      if ($NF !~ /^[0-9]+(\.[0-9]+)?(e[+]?[0-9]+)?$/ || $NF + 0 > 1e15) bad = 1
      seen[names[name]] = 1
      sum[names[name]] += $NF
    }
    END {
      if (bad || !seen["running"] || !seen["output"]) exit
      for (i = 1; i <= 5; i++) printf "%.0f ", sum[order[i]]
      print ""
    }' "$own/answer") && [ -n "$next_requests" ] || return
  running=$next_running waiting=$next_waiting prompt=$next_prompt output=$next_output requests=$next_requests
}
