import { gzipSync } from 'node:zlib';
import { idleGpuPercent } from '../../model/instances/gauges';
import { guardMark } from '../../model/rentals/birthGuard';
import { kernelUseOf } from '../../notebooks/machine/kernelUse';
import kernelsPy from '../../notebooks/machine/kernels.py';
import kernels from '../../notebooks/machine/kernels.sh';
import type { KernelUse } from '../../notebooks/model/kernelUse';
import alone from '../../ssh/alone.sh';
import lock from '../../ssh/lock.sh';
import type { SshService } from '../../ssh/service';
import { assembled, withoutComments } from '../../ssh/shellProgram';
import { checkId, UnsafeValueError } from '../../ssh/validate';
import { isCancelled } from '../../util/errors';
import { text } from '../../util/text';
import { silentKernelMs } from '../model/schedule';
import asked from './timer/asked.sh';
import birth from './timer/birth.sh';
import callPy from './timer/call.py';
import functions from './timer/functions.sh';
import gpuUse from './timer/gpuUse.sh';
import guard from './timer/guard.sh';
import jobs from './timer/jobs.sh';
import login from './timer/login.sh';
import logins from './timer/logins.sh';
import printed from './timer/printed.sh';
import processes from './timer/process.sh';
import tick from './timer/tick.sh';
import timer from './timer/timer.sh';
import use from './timer/use.sh';

/** What the machine must do to itself with its own restricted key. */
export interface TimerOrder {
  readonly serviceUrl: string;
  readonly instanceId: number;
  readonly action: 'stop' | 'destroy';
  /** Seconds from now, seconds without GPU use or login, or seconds from now without a job, depending on the mode. */
  readonly seconds: number;
  readonly mode: 'at' | 'idle' | 'job';
  /** In the mode `job`: the time to fetch the outputs of the last job, from its end or the last login. */
  readonly fetchSeconds?: number;
  /** In the mode `idle`: for how long it is kept in any case. */
  readonly keptSeconds?: number;
  /** In the mode `idle`: how long a notebook server that does not report its kernels counts as use. */
  readonly doubtSeconds?: number;
  /** Hexadecimal; identifies the process on the machine. */
  readonly token: string;
}

/** The result of arming. `armed` is proved: the process lives and its key can read its own instance. */
export type TimerVerdict =
  | { readonly kind: 'armed'; readonly tool: string }
  /** The machine has neither curl, nor python3, nor a wget that can send PUT. */
  | { readonly kind: 'noTool' }
  /** Another login starts or ends a timer there, and took too long. */
  | { readonly kind: 'busy' }
  /** The machine can't report whether its GPUs are in use. */
  | { readonly kind: 'noGpuUse' }
  /** The machine can't list its logins: not even this one is visible. */
  | { readonly kind: 'noLoginSeen' }
  /** The machine has no `CONTAINER_API_KEY`. */
  | { readonly kind: 'noKey' }
  /** The key was not accepted for reading its own instance; `status` is the HTTP status. */
  | { readonly kind: 'refused'; readonly status: number }
  /** The machine could not reach the service. */
  | { readonly kind: 'noAnswer' }
  /** The process did not start, or it has ended. */
  | { readonly kind: 'notAlive' }
  /** No answer: the request may have taken effect anyway. */
  | { readonly kind: 'notKnown' };

const parts: Readonly<Record<string, string>> = {
  'alone.sh': alone,
  'lock.sh': lock,
  'call.py': callPy,
  'functions.sh': functions,
  'gpuUse.sh': gpuUse,
  'guard.sh': guard,
  'jobs.sh': jobs,
  'kernels.py': kernelsPy,
  'kernels.sh': kernels,
  'login.sh': login,
  'logins.sh': logins,
  'printed.sh': printed,
  'process.sh': processes,
  'tick.sh': tick,
  'use.sh': use,
};
const script = assembled(timer, parts);

/** As in logins.sh, without the room to know our own looks. */
const anyLogin = 'LC_ALL=C grep -Eqs "^sshd(-session)?: [^ ]+@" "${HOST_PROC:-/proc}"/[0-9]*/cmdline';

/** The programs that run on a machine, for the checks of the tests. */
export const timerPrograms = {
  login: script,
  // Its guard waits for jobs alone, and its length counts.
  birth: assembled(birth, {
    ...parts,
    'gpuUse.sh': '',
    'kernels.sh': '',
    'logins.sh': `person_in() { ${anyLogin}; }\n`,
    'printed.sh': '',
    'use.sh': 'in_use() { return 1; }\n',
  }),
  guard: assembled(guard, parts),
  asked: assembled(asked, parts),
  call: callPy,
};

const timeoutMs = 90_000;
/** No login has its turn for longer. */
const turnMinutes = Math.ceil(timeoutMs / 60_000) + 1;

type Exec = Pick<SshService, 'exec'>;

/**
 * Starts the process on the machine, replacing any other of ours, and proves that it can act. Without an answer, it looks
 * once whether the process runs; one that is `notKnown` after that may run or start yet.
 */
export async function armTimer(
  ssh: Exec,
  alias: string,
  order: TimerOrder,
  signal?: AbortSignal,
): Promise<TimerVerdict> {
  const verdict = await run(ssh, alias, 'arm', order, signal);
  if (verdict.kind !== 'notKnown') {
    return verdict;
  }
  const found = await run(ssh, alias, 'check', order, signal);
  return found.kind === 'armed' ? found : verdict;
}

/**
 * Asks a machine whether a person or a kernel uses it, or did in the last minutes. No answer is doubt. A machine that no
 * login of ours has reached before is not asked.
 */
export async function readUse(
  ssh: Pick<SshService, 'entry' | 'exec'>,
  alias: string,
  minutes: number,
  signal?: AbortSignal,
): Promise<KernelUse> {
  if (!(await ssh.entry(alias))) {
    return 'unknown';
  }
  const use = await ssh
    .exec(alias, timerPrograms.asked, { input: `${Math.ceil(minutes)}\n`, timeoutMs, signal, isLook: true })
    .then(
      ({ stdout }) => kernelUseOf(stdout),
      (error: unknown): KernelUse => {
        if (isCancelled(error)) {
          throw error;
        }
        return 'unknown';
      },
    );
  return use === 'unknown' ? 'silent' : use;
}

/** Checks that the process still lives and the key is still accepted. */
export function checkTimer(ssh: Exec, alias: string, order: TimerOrder, signal?: AbortSignal) {
  return run(ssh, alias, 'check', order, signal);
}

/**
 * Does the same, and runs another program in the same login after it. `mark` is the first line of its output, all of
 * which is `rest`.
 */
export async function checkTimerAnd(
  ssh: Exec,
  alias: string,
  order: TimerOrder,
  { program, mark }: { readonly program: string; readonly mark: string },
): Promise<{ readonly verdict: TimerVerdict; readonly rest: string }> {
  const lines = await ask(ssh, alias, 'check', order, undefined, `(\n${script}\n)\n${program}`);
  const at = lines.indexOf(mark);
  const own = at < 0 ? lines : lines.slice(0, at);
  return { verdict: verdictOf(own), rest: lines.slice(own.length).join('\n') };
}

/**
 * Ends our processes for the instance, either the user's or those of jobs; returns true if the machine confirmed it.
 */
export async function disarmTimer(
  ssh: Exec,
  alias: string,
  instanceId: number,
  signal?: AbortSignal,
  mode: TimerOrder['mode'] = 'at',
): Promise<boolean> {
  const order: TimerOrder = {
    serviceUrl: 'https://none.invalid',
    instanceId,
    action: 'stop',
    seconds: 0,
    token: '0',
    mode,
  };
  const lines = await ask(ssh, alias, 'disarm', order, signal);
  return lines.includes('disarmed');
}

/** What an instance does from its start on, without a login. */
export interface BirthOrder extends Pick<TimerOrder, 'serviceUrl' | 'seconds'> {
  readonly fetchSeconds: number;
}

/**
 * Returns the line of an on-start script that starts the process of the mode `job` at each start of the container. It
 * holds no secret: the machine has its own key.
 */
export function birthLine({ serviceUrl, seconds, fetchSeconds }: BirthOrder): string {
  const data = gzipSync(withoutComments(timerPrograms.birth), { level: 9 }).toString('base64');
  const values = [checkServiceUrl(serviceUrl), Math.ceil(seconds), Math.ceil(fetchSeconds)].join(' ');
  return [
    '{ h="${HOME:-/root}"; d="$h/.gpu-rental"; mkdir -p "$d" && chmod 700 "$d"',
    `echo ${data} | base64 -d | gzip -dc >"$d/birth.sh"`,
    `HOME="$h" sh "$d/birth.sh" ${values} </dev/null >/dev/null 2>&1; } || : ${guardMark}\n`,
  ].join(' && ');
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
  program = script,
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
    idleGpuPercent,
    Math.ceil(order.fetchSeconds ?? order.keptSeconds ?? 0),
    turnMinutes,
    Math.ceil(order.doubtSeconds ?? silentKernelMs / 1000),
  ];
  const { stdout } = await ssh.exec(alias, program, {
    input: `${values.join('\n')}\n`,
    timeoutMs,
    signal,
    isLook: true,
  });
  return stdout.split(/\r?\n/);
}

/** Checks that an address contains nothing that a shell or a config file could interpret. */
function checkServiceUrl(value: string): string {
  const url = value.replace(/(?<!\/)\/+$/, '');
  if (/^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost):)[A-Za-z0-9][A-Za-z0-9.:/_-]{0,250}$/.test(url)) {
    return url;
  }
  throw new UnsafeValueError(text('an address'));
}

export function verdictOf(lines: readonly string[]): TimerVerdict {
  for (const line of lines) {
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
  return { kind: 'notKnown' };
}

const plainVerdicts = new Map<string, 'busy' | 'noTool' | 'noKey' | 'notAlive' | 'noGpuUse' | 'noLoginSeen'>([
  ['busy', 'busy'],
  ['no-gpu-use', 'noGpuUse'],
  ['no-login-seen', 'noLoginSeen'],
  ['no-tool', 'noTool'],
  ['no-key', 'noKey'],
  ['not-alive', 'notAlive'],
]);
