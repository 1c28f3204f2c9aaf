import type { SshService } from './service';
import { checkId, UnsafeValueError } from './validate';
import { idleGpuPercent } from '../model/instances/lease';
import { text } from '../util/text';

/** What the machine itself is to do with its own restricted key. */
export interface TimerOrder {
  readonly serviceUrl: string;
  readonly instanceId: number;
  readonly action: 'stop' | 'destroy';
  /** After so long: from now, or without a GPU in use and anybody logged in. */
  readonly seconds: number;
  readonly mode: 'at' | 'idle';
  /** Hexadecimal; names the process on the machine. */
  readonly token: string;
}

/** Armed is only what has proved so: its process lives and its key reads its own instance. */
export type TimerVerdict =
  | { readonly kind: 'armed'; readonly tool: string }
  /** None of curl, python3 and a wget that can send PUT. */
  | { readonly kind: 'noTool' }
  /** Whether its GPUs are used cannot be told there. */
  | { readonly kind: 'noGpuUse' }
  /** Who is logged in cannot be told there: not even this login is seen. */
  | { readonly kind: 'noLoginSeen' }
  /** The machine has no `CONTAINER_API_KEY`. */
  | { readonly kind: 'noKey' }
  /** The key was not accepted for reading its own instance; an HTTP status. */
  | { readonly kind: 'refused'; readonly status: number }
  /** The machine could not reach the service. */
  | { readonly kind: 'noAnswer' }
  /** The process did not start or has ended. */
  | { readonly kind: 'notAlive' }
  /** The machine did not let us in, or said something else. */
  | { readonly kind: 'noLogin' };

const greeting = 'gpu-rental timer';

/**
 * How the service is called from the machine; needs `url`, `id`, `key`, `tool` and `out`. The key goes by
 * standard input, a file or the environment, never by an argument that others on the machine can list, and
 * no redirection is followed with it.
 */
const callFunctions = [
  'call() {',
  '  case "$tool" in',
  '  curl)',
  `    printf 'header = "Authorization: Bearer %s"\\nheader = "Content-Type: application/json"\\n' "$key" |`,
  `      curl -q -s -m 30 -o "$out" -w '%{http_code}' -X "$1" \${2:+--data "$2"} -K - "$url/api/v0/instances/$id/" ;;`,
  '  python3)',
  `    GPU_RENTAL_KEY="$key" python3 -c '`,
  'import os, sys, urllib.error, urllib.request',
  'class Stay(urllib.request.HTTPRedirectHandler):',
  '    def redirect_request(self, *rest):',
  '        return None',
  'method, url, body, out = sys.argv[1:5]',
  'headers = {"Authorization": "Bearer " + os.environ["GPU_RENTAL_KEY"], "Content-Type": "application/json"}',
  'request = urllib.request.Request(url, method=method, data=body.encode() or None, headers=headers)',
  'try:',
  '    answer = urllib.request.build_opener(Stay).open(request, timeout=30)',
  'except urllib.error.HTTPError as error:',
  '    answer = error',
  'open(out, "wb").write(answer.read())',
  `print(answer.code)' "$1" "$url/api/v0/instances/$id/" "$2" "$out" 2>/dev/null || echo 000 ;;`,
  '  wget)',
  `    printf 'header = Authorization: Bearer %s\\nheader = Content-Type: application/json\\n' "$key" >"$out.rc"`,
  '    WGETRC="$out.rc" wget -q -S -T 30 -t 1 --max-redirect=0 --content-on-error -O "$out" --method="$1" \\',
  '      ${2:+--body-data="$2"} "$url/api/v0/instances/$id/" 2>&1 |',
  `      sed -n 's/^ *HTTP\\/[0-9.]* \\([0-9]*\\).*/\\1/p' | tail -n 1`,
  '    rm -f "$out.rc" ;;',
  '  esac',
  '}',
].join('\n');

/** The use of each GPU in per cent, a line each; a driver that hangs says nothing. */
const useFunctions = [
  'gpu_use() { limit=""; command -v timeout >/dev/null 2>&1 && limit="timeout 20"',
  '  use=$($limit nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader,nounits 2>/dev/null) || use=""',
  '  echo "${use:-failed}"; }',
  // OpenSSH names the process of a login so; nothing else is read of other processes. `HOST_PROC` is where a container
  // sees the processes of its host, by the convention of monitoring agents.
  'logged_in() { LC_ALL=C grep -Eqs "^sshd(-session)?: [^ ]+@" "${HOST_PROC:-/proc}"/[0-9]*/cmdline; }',
].join('\n');

/**
 * The detached process: waits by the machine's own uptime, so that a set clock does not matter, then calls.
 * What cannot be told counts as use, and so does a look that came late: nothing is known of the time between.
 */
const guard = [
  '#!/bin/sh',
  '# Written by GPU Rental: stops or destroys this instance when its time is over.',
  'url=$1 id=$2 action=$3 seconds=$4 file=$5 tool=$6 mode=$7 key=$CONTAINER_API_KEY out=$5.out',
  'umask 077',
  callFunctions,
  'now() { if read -r up rest 2>/dev/null </proc/uptime; then echo "${up%%.*}"; else date +%s; fi; }',
  useFunctions,
  `in_use() { [ "$mode" = idle ] && { gpu_use | grep -Evq '^ *[0-${idleGpuPercent - 1}] *$' || logged_in; }; }`,
  'looked=$(now) end=$(($(now) + seconds))',
  'echo $$ >"$file"',
  'await_end() { while at=$(now); do',
  '  if in_use || { [ "$mode" = idle ] && [ $((at - looked)) -gt 60 ]; }; then end=$((at + seconds)); fi',
  '  looked=$at left=$((end - at))',
  '  [ "$left" -gt 0 ] || return',
  '  [ "$left" -gt 10 ] && left=10',
  '  sleep "$left"',
  'done; }',
  'await_end',
  'tries=0',
  'while [ "$tries" -lt 120 ]; do',
  `  if [ "$action" = stop ]; then status=$(call PUT '{"state":"stopped"}'); else status=$(call DELETE '{}'); fi`,
  `  case "$status" in 2??) grep -Eq '"success": *false' "$out" || break ;; esac`,
  '  tries=$((tries + 1))',
  '  sleep $((tries < 6 ? 5 : 60))',
  '  if in_use; then looked=$(now) end=$(($(now) + seconds)) tries=0; await_end; fi',
  'done',
  'rm -f "$file" "$out"',
].join('\n');

/** Fixed: what differs comes by standard input and is looked at before it is used. */
const script = [
  `printf '%s\\n' '${greeting}'`,
  'umask 077',
  'IFS= read -r verb; IFS= read -r url; IFS= read -r id; IFS= read -r action; IFS= read -r seconds; IFS= read -r token; IFS= read -r mode',
  'case "$id" in ""|*[!0-9]*) exit 2 ;; esac',
  'case "$seconds" in ""|*[!0-9]*) exit 2 ;; esac',
  'case "$token" in ""|*[!0-9a-f]*) exit 2 ;; esac',
  'case "$action" in stop|destroy) ;; *) exit 2 ;; esac',
  'case "$mode" in at|idle) ;; *) exit 2 ;; esac',
  'case "$url" in *[!A-Za-z0-9.:/_-]*) exit 2 ;; https://*|http://127.0.0.1:*|http://localhost:*) ;; *) exit 2 ;; esac',
  'dir="$HOME/.gpu-rental"; file="$dir/timer-$id-$token"; out="$file.read"',
  // Only a process of ours: a number may have come to somebody else.
  'alive() { pid=$(cat "$1" 2>/dev/null); case "$pid" in ""|*[!0-9]*) return 1 ;; esac; kill -0 "$pid" 2>/dev/null || return 1',
  '  [ ! -r "/proc/$pid/cmdline" ] || tr "\\0" " " <"/proc/$pid/cmdline" | grep -q "gpu-rental/guard.sh"; }',
  'end_others() { for one in "$dir/timer-$id-"*; do case "$one" in *.out|*.read|*.rc|"$1") continue ;; esac',
  '  if alive "$one"; then kill "$pid"; fi; rm -f "$one" "$one.out"; done; }',
  'if [ "$verb" = disarm ]; then end_others ""; echo disarmed; exit 0; fi',
  callFunctions,
  'tool=""',
  'if command -v curl >/dev/null 2>&1; then tool=curl',
  'elif command -v python3 >/dev/null 2>&1; then tool=python3',
  'elif wget --help 2>&1 | grep -q -e "--method"; then tool=wget; fi',
  'if [ -z "$tool" ]; then echo no-tool; exit 0; fi',
  'key=$CONTAINER_API_KEY',
  // A login has not always what the container was started with.
  `[ -n "$key" ] || key=$(tr '\\0' '\\n' 2>/dev/null </proc/1/environ | sed -n 's/^CONTAINER_API_KEY=//p' | head -n 1)`,
  'case "$key" in ""|*[!A-Za-z0-9_.-]*) echo no-key; exit 0 ;; esac',
  useFunctions,
  'if [ "$mode" = idle ]; then',
  `  if gpu_use | grep -Evq '^ *[0-9]+ *$'; then echo no-gpu-use; exit 0; fi`,
  '  if ! logged_in; then echo no-login-seen; exit 0; fi',
  'fi',
  'mkdir -p "$dir"',
  `if [ "$verb" = check ] && ! alive "$file"; then echo not-alive; exit 0; fi`,
  'status=$(call GET "")',
  `grep -Eq "\\"id\\": *$id[^0-9]" "$out" 2>/dev/null; own=$?`,
  'rm -f "$out"',
  'if [ "$status" != 200 ] || [ "$own" != 0 ]; then echo "status ${status:-000}"; exit 0; fi',
  'if [ "$verb" = arm ]; then',
  `cat >"$dir/guard.sh" <<'END_OF_GUARD'`,
  guard,
  'END_OF_GUARD',
  'export CONTAINER_API_KEY="$key"',
  'if command -v setsid >/dev/null 2>&1; then',
  '  setsid sh "$dir/guard.sh" "$url" "$id" "$action" "$seconds" "$file" "$tool" "$mode" </dev/null >/dev/null 2>&1 &',
  'else',
  '  nohup sh "$dir/guard.sh" "$url" "$id" "$action" "$seconds" "$file" "$tool" "$mode" </dev/null >/dev/null 2>&1 &',
  'fi',
  'tries=0; while [ ! -s "$file" ] && [ "$tries" -lt 25 ]; do tries=$((tries + 1)); sleep 0.2 || sleep 1; done',
  'fi',
  'if ! alive "$file"; then echo not-alive; exit 0; fi',
  // The one before goes only once this one stands.
  '[ "$verb" != arm ] || end_others "$file"',
  'echo "armed $tool"',
].join('\n');

const timeoutMs = 90_000;

type Exec = Pick<SshService, 'exec'>;

/** Starts the process on the machine in place of any other of ours, and proves that it can act. */
export function armTimer(ssh: Exec, alias: string, order: TimerOrder, signal?: AbortSignal) {
  return run(ssh, alias, 'arm', order, signal);
}

/** Whether the process still lives and the key is still accepted. */
export function checkTimer(ssh: Exec, alias: string, order: TimerOrder, signal?: AbortSignal) {
  return run(ssh, alias, 'check', order, signal);
}

/** Ends all processes of ours for the instance; true where the machine said that it did. */
export async function disarmTimer(
  ssh: Exec,
  alias: string,
  instanceId: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const order: TimerOrder = {
    serviceUrl: 'https://none.invalid',
    instanceId,
    action: 'stop',
    seconds: 0,
    token: '0',
    mode: 'at',
  };
  const said = await ask(ssh, alias, 'disarm', order, signal);
  return said.includes('disarmed');
}

async function run(
  ssh: Exec,
  alias: string,
  verb: 'arm' | 'check',
  order: TimerOrder,
  signal: AbortSignal | undefined,
): Promise<TimerVerdict> {
  return verdictOf(await ask(ssh, alias, verb, order, signal));
}

async function ask(
  ssh: Exec,
  alias: string,
  verb: string,
  order: TimerOrder,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const { instanceId, action, seconds, token, mode } = order;
  const values = [
    verb,
    checkServiceUrl(order.serviceUrl),
    checkId(instanceId),
    action,
    Math.ceil(seconds),
    token,
    mode,
  ];
  const { stdout } = await ssh.exec(alias, script, {
    input: `${values.join('\n')}\n`,
    timeoutMs,
    ...(signal ? { signal } : {}),
  });
  const lines = stdout.split(/\r?\n/);
  const start = lines.indexOf(greeting);
  return start < 0 ? [] : lines.slice(start + 1);
}

/** An address without anything that a shell or a config file could take for more than that. */
function checkServiceUrl(value: string): string {
  const url = value.replace(/\/+$/, '');
  if (/^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost):)[A-Za-z0-9][A-Za-z0-9.:/_-]{0,250}$/.test(url)) {
    return url;
  }
  throw new UnsafeValueError(text('an address'));
}

export function verdictOf(said: readonly string[]): TimerVerdict {
  for (const line of said) {
    const [, tool] = /^armed (curl|python3|wget)$/.exec(line) ?? [];
    if (tool !== undefined) {
      return { kind: 'armed', tool };
    }
    const [, status] = /^status (\d{3})$/.exec(line) ?? [];
    if (status !== undefined) {
      return status === '000' ? { kind: 'noAnswer' } : { kind: 'refused', status: Number(status) };
    }
    const known = plainVerdicts.get(line);
    if (known) {
      return { kind: known };
    }
  }
  return { kind: 'noLogin' };
}

const plainVerdicts = new Map<string, 'noTool' | 'noKey' | 'notAlive' | 'noGpuUse' | 'noLoginSeen'>([
  ['no-gpu-use', 'noGpuUse'],
  ['no-login-seen', 'noLoginSeen'],
  ['no-tool', 'noTool'],
  ['no-key', 'noKey'],
  ['not-alive', 'notAlive'],
]);
