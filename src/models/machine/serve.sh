# shellcheck shell=bash disable=SC2154 # The editor sets the variables that are not set here.
# Written by GPU Rental: serves a model to programs of this machine that know its key, until no request has come for the idle
# time. Lines that begin with `gpu-rental: ` are for people and for src/models/model/servingLog.ts.
# A job runs its command with -e.
set +e
say() { printf 'gpu-rental: %s\n' "$*"; }
lacks=""
[ -n "$BASH_VERSION" ] || lacks=" bash"
for tool in awk dd df du grep head mkfifo od sed tr wc; do
  command -v "$tool" >/dev/null 2>&1 || lacks="$lacks $tool"
done
if [ -n "$lacks" ]; then
  say "Missing on this machine:$lacks."
  exit 1
fi
# The shell reports each program that it ends.
exec 2>/dev/null

# include tick.sh
# include engineOutput.sh
# include askEngine.sh

own=$GPU_RENTAL_JOB_FOLDER/serving
engine="" copier="" key=""
fail() {
  say "$*"
  exit 1
}
clean_up() {
  rm -f "$own/key" "$own/port"
  stop_engine
}
trap clean_up EXIT
trap 'exit 143' TERM INT HUP

(umask 077 && mkdir -p "$own") || fail 'Could not write to the home folder.'

# Sets `program` to the engine, which an image may keep outside of the path.
find_engine() {
  program=$(command -v "$1") && return
  for folder in /app /venv/main/bin /opt/venv/bin; do
    program=$folder/$1
    [ ! -x "$program" ] || return 0
  done
  fail "$1 is not installed on this machine."
}

# Some models need a template of the image for tool calls.
find_template() {
  case $tool_parser in
    gemma4) template=gemma4 ;;
    llama3_json) template=llama3.1_json ;;
    *) return ;;
  esac
  template=${VLLM_EXAMPLES:-/vllm-workspace/examples}/tool_chat_template_$template.jinja
  [ -r "$template" ] || tool_parser=""
}

vllm_command() {
  command=("$program" serve "$repository" --host 127.0.0.1 --port "$port" --served-model-name "$name"
    --max-model-len "${context:-auto}" --max-num-seqs "$sequences" --enable-prompt-tokens-details
    --disable-access-log-for-endpoints '/health,/metrics')
  [ "$gpus" -lt 2 ] || command+=(--tensor-parallel-size "$gpus")
  [ -z "$revision" ] || command+=(--revision "$revision" --tokenizer-revision "$revision")
  [ -z "$tool_parser" ] || command+=(--enable-auto-tool-choice --tool-call-parser "$tool_parser")
  [ "$tool_parser" != mistral ] || command+=(--tokenizer-mode mistral --config-format mistral --load-format mistral)
  [ -z "$tool_parser" ] || [ -z "$template" ] || command+=(--chat-template "$template")
  [ -z "$reasoning_parser" ] || command+=(--reasoning-parser "$reasoning_parser")
}
# With --kv-unified each answer can have the whole context.
llama_command() {
  command=("$program" --host 127.0.0.1 --port "$port" --alias "$name" --metrics --jinja
    -c "${context:-0}" -np "$sequences" --kv-unified)
  case $file in
    *.gguf) command+=(-hf "$repository" -hff "$file") ;;
    *) command+=(-hf "$repository${file:+:$file}") ;;
  esac
}

start_engine() {
  rm -f "$own"/retry.* "$own/output"
  mkfifo "$own/output" || fail 'Could not write to the home folder.'
  copy_output <"$own/output" &
  copier=$!
  "${kind}_command"
  # A group of its own, so that all of it can be ended.
  set -m
  (
    # An argument could be read by other programs.
    export VLLM_API_KEY=$key LLAMA_API_KEY=$key
    exec "${command[@]}"
  ) </dev/null >"$own/output" 2>&1 &
  engine=$!
  set +m
  progress_at=$at
}

is_engine_up() { kill -0 "$engine"; }

# What it started can hold the GPU, and its output, longer than it lives.
stop_engine() {
  [ -n "$engine" ] || return 0
  kill -TERM -- "-$engine"
  wait_for_end 50 "-$engine"
  kill -KILL -- "-$engine"
  wait_for_end 15 "$copier"
  kill -KILL "$copier"
  engine=""
}
wait_for_end() {
  local tries=$1
  while [ "$tries" -gt 0 ] && kill -0 -- "$2"; do
    tries=$((tries - 1))
    sleep 0.2 || sleep 1
  done
}

# Starts it again where it named what it can do, once for each reason; otherwise this is the end.
engine_ended() {
  wait "$engine"
  code=$?
  stop_engine
  if [ -z "$is_ready" ] && { restart_with context 256 || restart_with sequences 1; }; then return; fi
  say "The inference server ended with code $code."
  exit $((code == 0 ? 1 : code))
}
restart_with() {
  local more
  read -r more <"$own/retry.$1" && [ "$more" -ge "$2" ] || return
  case $1$retried in *"$1 "*) return 1 ;; esac
  retried="$retried$1 "
  if [ "$1" = context ]; then
    context=$more
    say "Starting again with a context of $context tokens."
  else
    [ "$more" -ge "$sequences" ] || sequences=$more
    say "Starting again with $sequences answers at a time."
  fi
  start_engine
}

cached_bytes() {
  for folder in "$hub" "$LLAMA_CACHE"; do
    [ ! -d "$folder" ] || du -sb "$folder" | grep . || du -sk "$folder" | awk '{ print $1 * 1024 }'
  done | awk '{ sum += $1 } END { printf "%.0f\n", sum }' >"$own/cached"
}
# Sets `cached` to the bytes in the folder of the model.
measure_cache() {
  cached=0
  within 20 cached_bytes && read -r cached <"$own/cached"
}
report_download() {
  [ $((at - measured_at)) -ge "$measure_seconds" ] || return
  measured_at=$at
  local before=$cached
  measure_cache
  [ "$cached" -gt "$before" ] || return
  progress_at=$at
  say "Downloaded $cached${download_bytes:+ of $download_bytes} bytes."
}

# A real answer, of a token at least: the first ones of some models only begin it. What the engine refuses it will refuse again.
has_answered() {
  ask 10 GET /health && [ "$status" = 200 ] || return
  [ "$tries" -gt 0 ] || say 'The inference server is up. Asking for a first answer.'
  tries=$((tries + 1))
  ask 600 POST /v1/chat/completions "$(chat '"content":"Hi"' '"max_tokens":16')"
  [ "$status" != 200 ] || ! grep -q '"completion_tokens": *[1-9]' "$own/answer" || return 0
  is_engine_up || return
  case $tries$status in [3-9]* | 14?? | 24??) fail "The inference server gave no answer ($status): $(answer_words)" ;; esac
  return 1
}

# Asks for a tool call: first as usual, then without the thinking that some models begin with.
has_called_tool() {
  [ "$kind" = llama ] || [ -n "$tool_parser" ] || return
  for more in '' ',"chat_template_kwargs":{"enable_thinking":false}'; do
    ask 180 POST /v1/chat/completions "$(chat '"content":"Call the tool get_time for Paris."' '"max_tokens":1024,"tools":[{"type":"function","function":{"name":"get_time","description":"Returns the time in a city.","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}]'"$more")"
    [ "$status" = 200 ] && grep -q '"name": *"get_time"' "$own/answer" && return
  done
  return 1
}
chat() { printf '{"model":"%s","messages":[{"role":"user",%s}],%s}' "$name" "$1" "$2"; }

# The context of one answer, as the engine fitted it.
read_context() {
  ask 30 GET /v1/models
  fitted=$(grep -o '"\(max_model_len\|n_ctx\)": *[0-9]\{1,9\}' "$own/answer" | sed -n '1s/.*[: ]//p')
}

# A completion, one under way, or a word of the user is use; open connections, refused calls and our looks are not.
look_at_use() {
  if [ -e "$own/keep" ]; then
    rm -f "$own/keep"
    used_at=$at warned="" said_at=$((at - 60))
  fi
  [ $((at - looked_at)) -ge "$interval" ] || return
  looked_at=$at
  local old_prompt=$prompt old_output=$output old_requests=$requests seconds=$((at - answered_at)) tokens=0 answers=0
  if ! read_counters; then
    [ "$seconds" -lt "$silent_seconds" ] || fail "The inference server has not answered for $((silent_seconds / 60)) minutes."
    return
  fi
  answered_at=$at
  # Those of a new process begin again.
  if [ "$seconds" -gt 0 ] && [ -n "$old_prompt" ]; then
    [ "$output" -le "$old_output" ] || tokens=$(((output - old_output) * 10 / seconds)) used_at=$at
    [ "$requests" -le "$old_requests" ] || answers=$(((requests - old_requests) * 10 / seconds)) used_at=$at
    [ "$prompt" -le "$old_prompt" ] || used_at=$at
  fi
  [ $((running + waiting)) -eq 0 ] || used_at=$at
  [ "$used_at" -lt "$at" ] || warned=""
  if [ "$used_at" -eq "$at" ] || [ $((at - said_at)) -ge 60 ]; then
    said_at=$at
    say_use
  fi
  [ "$idle_seconds" -eq 0 ] || end_if_idle $((used_at + idle_seconds - at))
}
say_use() {
  local said="$prompt prompt tokens, $output output tokens, $((tokens / 10)).$((tokens % 10)) tokens/s, $running running"
  [ "$kind" = llama ] || said="$requests requests, $((answers / 10)).$((answers % 10)) requests/s, $said"
  said="$said, $waiting waiting, last use $((at - used_at)) s ago"
  [ "$idle_seconds" -eq 0 ] || said="$said, ends in $((used_at + idle_seconds - at)) s"
  say "In use: $said."
}
end_if_idle() {
  if [ "$1" -le 0 ] && [ -n "$warned" ]; then
    say "Ended after $((idle_seconds / 60)) minutes without requests."
    exit 0
  fi
  if [ "$1" -le "$warn_seconds" ] && [ -z "$warned" ]; then
    warned=yes
    say "Ends in $(($1 > 0 ? $1 : interval)) s, because there are no requests."
  fi
}

if [ -n "$cache" ]; then
  export HF_HOME=$cache/huggingface VLLM_CACHE_ROOT=$cache/vllm LLAMA_CACHE=$cache/llama.cpp
else
  cache=${WORKSPACE:-$HOME}
  export HF_HOME="${HF_HOME:-$cache/.hf_home}" VLLM_CACHE_ROOT="${VLLM_CACHE_ROOT:-$cache/.vllm_cache}"
  export LLAMA_CACHE="${LLAMA_CACHE:-$cache/.llama.cpp}"
fi
hub=${HF_HUB_CACHE:-$HF_HOME/hub}/models--${repository//\//--}
mkdir -p "$HF_HOME" "$VLLM_CACHE_ROOT" "$LLAMA_CACHE" || fail "Could not write to $cache."
# What works together on one machine needs no other address, and no statistics leave it.
export VLLM_HOST_IP=127.0.0.1 GLOO_SOCKET_IFNAME=lo NCCL_SOCKET_IFNAME=lo HF_HUB_DISABLE_PROGRESS_BARS=1
export DO_NOT_TRACK=1 HF_HUB_DISABLE_TELEMETRY=1

template="" retried="" is_ready="" tries=0 measured_at=0 cached=0
if [ "$kind" = vllm ]; then find_engine vllm && find_template; else find_engine llama-server; fi
measure_cache
free=$(df -Pk "$HF_HOME" | awk 'NR == 2 { printf "%.0f", $4 * 1024 }')
if [ -n "$download_bytes" ] && [ -n "$free" ] && [ $((download_bytes - cached)) -gt "$free" ]; then
  fail "No space left on device: $((download_bytes - cached)) bytes are needed, $free are free."
fi
[ -n "$port" ] || port=$((18200 + RANDOM % 800))
while (exec 3<>"/dev/tcp/127.0.0.1/$port"); do port=$((port + 1)); done
key=$(head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n')
(umask 077 && [ "${#key}" -eq 64 ] && echo "$key" >"$own/key" && echo "$port" >"$own/port") ||
  fail 'Could not write to the home folder.'

say "Starting $program with $repository."
tick 0
start_engine
until has_answered; do
  sleep 1
  tick 1
  is_engine_up || engine_ended
  report_download
  [ $((at - progress_at)) -lt "$start_seconds" ] || fail "The inference server is not ready $((start_seconds / 60)) minutes after its download."
done
tools=no
! has_called_tool || tools=yes
read_context
tick 0
is_ready=yes used_at=$at looked_at=0 answered_at=$at said_at=$((at - 60)) warned="" prompt="" output="" requests=""
say "Ready. Context: ${fitted:-unknown} tokens. Tool calls: $tools."
while :; do
  is_engine_up || engine_ended
  look_at_use
  sleep 1
  before=$at
  tick 1
  # What a machine was suspended for was no time to use it.
  [ $((at - before)) -le 60 ] || used_at=$((used_at + at - before)) answered_at=$((answered_at + at - before))
done
