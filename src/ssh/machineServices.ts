import * as z from 'zod';
import { serviceKey, type FoundService } from '../model/instances/foundServices';
import { parseJson } from '../util/json';
import machineServices from './machineServices.sh';
import { plainText } from './plainText';
import type { RunOptions } from './run';
import type { SshService } from './service';
import startProgram from './startService.sh';

/** For a login that is made anyway; `parseServices` reads its output. */
export const servicesScript = machineServices;

const greeting = 'gpu-rental services';
const timeoutMs = 30_000;
const mostServices = 40;
const longestName = 60;
/** SSH itself. */
const sshPort = 22;

/** The form that images of the service print. A later version may mean something else by other fields. */
const manifest = z.object({
  schema_version: z.unknown().optional(),
  services: z.array(z.unknown()).max(500),
});
const knownVersion = 1;
const service = z.object({
  name: z.string(),
  hostname: z.enum(['localhost', '127.0.0.1']).optional(),
  internal_port: z.int().min(1).max(65_535),
});
/** One slash, since two would name another host, and a browser reads a backslash as a slash. */
const path = z.string().regex(/^\/(?!\/)[\w.~!$&'()*+,;=:@%/?#-]{0,300}$/);
/** A program of its supervisor: no option, no pattern, and not the word for all of them. */
const program = z.string().regex(/^(?!all$)[A-Za-z0-9][\w.-]{0,59}$/);
const details = z.object({
  open_path: z.unknown().optional(),
  state: z.unknown().optional(),
  supervisor_process: z.unknown().optional(),
});

/** Returns undefined without a whole answer. Each value is checked alone, and a service with a wrong one is left out. */
export function parseServices(output: string): readonly FoundService[] | undefined {
  const lines = output.split(/\r?\n/);
  const start = lines.indexOf(greeting);
  const end = lines.indexOf('services end', start);
  if (start < 0 || end < 0) {
    return undefined;
  }
  const own = lines.slice(start + 1, end);
  const said = own.find((line) => line.startsWith('capabilities '))?.slice('capabilities '.length);
  return (said === undefined ? undefined : namedServices(said)) ?? listeningPorts(own);
}

function namedServices(json: string): readonly FoundService[] | undefined {
  const parsed = manifest.safeParse(jsonOf(json));
  if (!parsed.success) {
    return undefined;
  }
  const isKnown = parsed.data.schema_version === knownVersion;
  const found = parsed.data.services.flatMap((given) => toService(given, isKnown) ?? []);
  return found.length === 0
    ? undefined
    : [...new Map(found.map((one) => [serviceKey(one), one])).values()].slice(0, mostServices);
}

function jsonOf(json: string): unknown {
  try {
    return parseJson(json);
  } catch {
    return undefined;
  }
}

function toService(given: unknown, isKnown: boolean): FoundService | undefined {
  const { data } = service.safeParse(given);
  const more = details.safeParse(given).data;
  const opens = isKnown ? path.safeParse(more?.open_path ?? '/').data : '/';
  const name = plainText(data?.name.slice(0, longestName) ?? '');
  if (!data || opens === undefined || name === '') {
    return undefined;
  }
  const state = isKnown ? stateOf(more?.state) : undefined;
  const starts = state === 'stopped' ? program.safeParse(more?.supervisor_process).data : undefined;
  return {
    name,
    port: data.internal_port,
    path: opens,
    ...(state === undefined ? {} : { state }),
    ...(starts === undefined ? {} : { program: starts }),
  };
}

/** The words of its supervisor. What it does not know may run. */
function stateOf(given: unknown): FoundService['state'] {
  return given === 'RUNNING'
    ? 'running'
    : given === 'STOPPED' || given === 'EXITED' || given === 'FATAL'
      ? 'stopped'
      : undefined;
}

/** Of IPv4 and IPv6, loopback and any address: others do not answer on the loopback address. */
const reachable = ['0100007F', '00000000', '0'.repeat(32), `${'0'.repeat(24)}01000000`];

function listeningPorts(lines: readonly string[]): readonly FoundService[] {
  const ports = lines.flatMap((line) => {
    const [, address = '', port = ''] = /^listens ([0-9A-F]+) ([0-9A-F]{4})$/.exec(line) ?? [];
    return reachable.includes(address) ? Number.parseInt(port, 16) : [];
  });
  return [...new Set(ports)]
    .filter((port) => port > 0 && port !== sshPort)
    .sort((one, other) => one - other)
    .slice(0, mostServices)
    .map((port) => ({ port, path: '/' }));
}

/** Logs in once; undefined without an answer. */
export async function readServices(
  ssh: Pick<SshService, 'exec'>,
  alias: string,
  signal?: RunOptions['signal'],
): Promise<readonly FoundService[] | undefined> {
  const { stdout } = await ssh.exec(alias, machineServices, { signal, timeoutMs, isLook: true });
  return parseServices(stdout);
}

/** The longest wait for a program of the supervisor, and for its state. */
const startTimeoutMs = 90_000;

/** Starts the program of a service; returns its state by the supervisor, and what that said. Undefined without an answer. */
export async function startService(
  ssh: Pick<SshService, 'exec'>,
  alias: string,
  name: string,
  signal?: RunOptions['signal'],
): Promise<{ readonly state: string; readonly said: string } | undefined> {
  const input = `${program.parse(name)}\n`;
  const { stdout } = await ssh.exec(alias, startProgram, { input, signal, timeoutMs: startTimeoutMs });
  const [, state, said] = /^gpu-rental start ([A-Z]+)\r?\n([^]*)\nstart end\r?$/m.exec(stdout) ?? [];
  return state === undefined ? undefined : { state, said: plainText(said ?? '').slice(0, 200) };
}
