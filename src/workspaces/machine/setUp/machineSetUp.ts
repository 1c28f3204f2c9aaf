import { setUpSteps, type SetUpSeen, type SetUpStep } from '../../../model/instances/setUpSteps';
import { sha256 } from '../../../ssh/alias';
import { quoteForShell } from '../../../ssh/commandLine';
import { isRemotePath } from '../../../ssh/remoteFolders';
import type { RunOptions } from '../../../ssh/run';
import type { SshService } from '../../../ssh/service';
import { UserError } from '../../../util/errors';
import { text } from '../../../util/text';
import later from './later.sh';
import setUp from './setUp.sh';

/** A step with the lines of its input, in the form that `setUp.sh` and `later.sh` read. */
export interface WantedStep {
  readonly step: SetUpStep;
  readonly lines: readonly string[];
  /** Where it runs, as a line before the others. The same lines in another place are the same step. */
  readonly place?: string;
}

export interface SetUpOrder {
  readonly wanted?: readonly WantedStep[];
  /** Steps that run again, whatever the machine remembers. */
  readonly again?: readonly SetUpStep[];
  /** Steps whose input and mark are removed. */
  readonly dropped?: readonly SetUpStep[];
  /** A step that the window has done, with the lines of its log. */
  readonly done?: { readonly of: WantedStep; readonly isOk: boolean; readonly log: readonly string[] };
  /** Answers once the steps that take long have ended. */
  readonly waits?: boolean;
}

const timeoutMs = 60_000;

/** What a terminal runs for the steps that may take long; `setUp.sh` puts it there. */
export const laterProgram = 'sh "$HOME/.gpu-rental/setup/program.want"';

/** The steps that `later.sh` does. */
export const laterSteps: readonly SetUpStep[] = ['dotfiles', 'script'];

/** Returns where a step writes what it prints. */
export function logOf({ home }: SetUpSeen, step: SetUpStep): string {
  return `${home.replace(/\/$/, '')}/.gpu-rental/setup/${step}.log`;
}

export function identityStep(name: string, email: string): WantedStep {
  return { step: 'identity', lines: [name, email] };
}

/** Returns variables as a shell reads them; a value may have several lines. */
export function environmentStep(variables: ReadonlyMap<string, string>): WantedStep {
  const lines = [...variables].map(([name, value]) => `export ${name}=${quoteForShell(value)}`);
  return { step: 'environment', lines };
}

/** Returns the step of extensions, which the window on the machine does; none without extensions. */
export function extensionsStep(ids: readonly string[]): readonly WantedStep[] {
  const lines = [...new Set(ids.map((id) => id.toLowerCase()))].sort();
  return lines.length > 0 ? [{ step: 'extensions', lines }] : [];
}

/**
 * Returns the step of a script, in the copy of its folder where that is at this place. With a hash, that is the copy only
 * if its workspace file is this one.
 */
export function scriptStep(script: string, place: string | undefined, hash?: string): WantedStep {
  const of = hash === undefined ? (place ?? '') : `${hash} ${place ?? ''}`;
  return { step: 'script', lines: script.split('\n'), place: of };
}

/** Identifies the input of a step. */
function fingerprint({ step, lines }: { readonly step: string; readonly lines: readonly string[] }) {
  return sha256(JSON.stringify([step, lines])).slice(0, 32);
}

/** Returns the standard input of `setUp.sh`. */
export function setUpInput({ wanted = [], again = [], dropped = [], done, waits }: SetUpOrder): string {
  const want = (one: Omit<WantedStep, 'step'> & { readonly step: string }) => [
    `want ${one.step} ${fingerprint(one)}`,
    ...(one.place === undefined ? [] : [one.place]),
    ...one.lines,
    `end ${fingerprint(one)}`,
  ];
  const did = ({ of, isOk, log }: NonNullable<SetUpOrder['done']>) => [
    `${isOk ? 'did' : 'failed'} ${of.step} ${fingerprint(of)}`,
    ...log,
    `end ${fingerprint(of)}`,
  ];
  return [
    ...want({ step: 'program', lines: [later] }),
    ...dropped.map((step) => `drop ${step}`),
    ...wanted.flatMap(want),
    ...again.map((step) => `forget ${step}`),
    ...(done ? did(done) : []),
    ...(waits === true ? ['wait'] : []),
    'go',
    '',
  ].join('\n');
}

/** Returns undefined without a whole answer. */
export function parseSetUp(output: string): SetUpSeen | undefined {
  const lines = output.split(/\r?\n/);
  const start = lines.indexOf('gpu-rental setup');
  const end = lines.indexOf('end', start);
  const home = /^home (.+)$/.exec(lines[start + 1] ?? '')?.[1] ?? '';
  if (start < 0 || end < 0 || !isRemotePath(home)) {
    return undefined;
  }
  const steps = lines.slice(start, end).flatMap((line) => {
    const [, name, state = ''] = /^step ([a-z]+) (waits|running|\d{1,3})$/.exec(line) ?? [];
    const step = setUpSteps.find((one) => one === name);
    return step ? { step, state: stateOf(state) } : [];
  });
  return { home, steps: steps.slice(0, setUpSteps.length) };
}

function stateOf(said: string): SetUpSeen['steps'][number]['state'] {
  return said === 'waits' || said === 'running' ? said : Math.min(Number(said), 255);
}

/** Tells a machine what it is set up with, does the short steps there, and returns the state of all. One login. */
export async function orderSetUp(
  ssh: Pick<SshService, 'exec'>,
  alias: string,
  order: SetUpOrder,
  signal?: RunOptions['signal'],
): Promise<SetUpSeen> {
  const { stdout } = await ssh.exec(alias, setUp, {
    input: setUpInput(order),
    signal,
    ...(order.waits === true ? { endsWithUs: true } : { timeoutMs }),
    isLook: true,
  });
  const seen = parseSetUp(stdout);
  if (!seen) {
    throw new UserError(text('Its machine does not answer.'), { nextStep: 'retry' });
  }
  return seen;
}
