import { wait } from '../util/clock';
import type { SshContext } from './context';
import { hostKeyOptions } from './hostKey';
import type { OwnFolder } from './ownFolder';
import {
  runPreflight,
  type Failure,
  type PreflightOptions,
  type PreflightProblem,
  type PreflightResult,
} from './preflight';
import { differsFromPrinted, printedHostKeys } from './printedHostKeys';

/** Logs in once and says how that went; the entry remembers whether it worked. */
export async function preflightHost(
  context: SshContext,
  alias: string,
  options?: PreflightOptions,
): Promise<PreflightResult> {
  const folder = context.folder();
  const result = await provenPreflight(context, folder, alias, options);
  const entry = await folder.read(alias);
  if (entry && (entry.isProved === true) !== isLoggedIn(result)) {
    await folder.write({ ...entry, isProved: isLoggedIn(result) }, options?.signal);
  }
  return result;
}

/** The host key of a first contact is kept only where the login worked. */
async function provenPreflight(
  context: SshContext,
  folder: OwnFolder,
  alias: string,
  options: PreflightOptions | undefined,
): Promise<PreflightResult> {
  const run = context.runAlone(await context.verifyAlias(alias, options?.signal));
  const deps = { ...context.deps, run, command: context.ssh() };
  if ((await folder.hostKeys(alias)).length > 0) {
    const pinned = await context.hostKeyOptions(alias);
    return runPreflight({ ...deps, options: pinned }, alias, options);
  }
  return folder.provingHostKey(
    alias,
    async (file, seen) => {
      const own = hostKeyOptions(alias, file, 'accept-new');
      const result = await runPreflight({ ...deps, options: own }, alias, options);
      const isProven = isLoggedIn(result);
      return isProven && (await isOtherThanPrinted(context, await seen(), options))
        ? { isProven: false, result: notPrinted }
        : { isProven, result };
    },
    options?.signal,
  );
}

const notPrinted: Failure = { ok: false, problem: 'hostKeyNotPrinted', detail: '', keysTried: [] };
/** Nobody waits longer for a log, and without it a first contact is trusted as ever. */
const logPatienceMs = 5_000;

async function isOtherThanPrinted(
  { deps: { clock, log } }: SshContext,
  seen: readonly string[],
  options: PreflightOptions | undefined,
): Promise<boolean> {
  if (!options?.log) {
    return false;
  }
  try {
    const content = await Promise.race([options.log(), wait(clock, logPatienceMs, options.signal)]);
    const printed = printedHostKeys(content ?? '');
    if (printed.size === 0) {
      return false;
    }
    const isOther = differsFromPrinted(seen, printed);
    log.info(isOther ? 'The log names another host key' : 'The log was compared with the host key');
    return isOther;
  } catch (error) {
    log.info(`The log could not be read for the host key: ${String(error)}`);
    return false;
  }
}

/** They come after a login that worked. */
const loggedInProblems: readonly PreflightProblem[] = ['diskFull', 'startupScript'];

export function isLoggedIn(result: PreflightResult): boolean {
  return result.ok || loggedInProblems.includes(result.problem);
}
