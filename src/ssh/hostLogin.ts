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
import { differsFromPrinted, printedHostKeys, type PrintedHostKeys } from './printedHostKeys';

/** Logs in once and returns the result; the entry remembers whether it worked. */
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
  const run = await context.runAlone(alias, options?.signal);
  const identityFile = (await folder.read(alias))?.identityFile;
  const { keepsSharedTmux } = context.deps.environment();
  const deps = { ...context.deps, run, command: context.ssh(), identityFile, keepsSharedTmux };
  if ((await folder.hostKeys(alias)).length > 0) {
    const pinned = await context.hostKeyOptions(alias);
    const result = await runPreflight({ ...deps, options: pinned }, alias, options);
    return result.ok ? result : comparedWithLog(context, alias, result, options);
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
/** The longest wait for a log; without it a first contact is trusted as usual. */
const logPatienceMs = 5_000;

/** A log that does not name an offered host key is read again after this time (ms); some repeat logins every few seconds. */
const logAgainMs = 60_000;

async function isOtherThanPrinted(
  context: SshContext,
  seen: readonly string[],
  options: PreflightOptions | undefined,
): Promise<boolean> {
  const printed = await readPrinted(context, options);
  if (printed.size === 0) {
    return false;
  }
  const isOther = differsFromPrinted(seen, printed);
  context.deps.log.info(
    isOther ? 'The log names another host key' : 'The log was compared with the host key',
  );
  return isOther;
}

/**
 * Returns whether the log of the instance names a changed host key, as with images that create one at each
 * start. That is a hint for the user and no proof: programs print into the log what strangers send them.
 */
async function comparedWithLog(
  context: SshContext,
  alias: string,
  failure: Failure,
  options: PreflightOptions | undefined,
): Promise<Failure> {
  const { offeredHostKey: offered } = failure;
  if (offered === undefined || !options?.log) {
    return failure;
  }
  const { offeredHostKeys, deps } = context;
  const key = `${alias} ${offered}`;
  const now = deps.clock.elapsed();
  let known = offeredHostKeys.get(key);
  if (!known || (!known.isPrinted && now - known.at >= logAgainMs)) {
    const printed = [...(await readPrinted(context, options)).values()];
    known = { isPrinted: printed.some((fingerprints) => fingerprints.has(offered)), at: now };
    offeredHostKeys.set(key, known);
  }
  return known.isPrinted ? { ...failure, isPrinted: true } : failure;
}

/** Returns none without a log. */
async function readPrinted(
  { deps: { clock, log } }: SshContext,
  options: PreflightOptions | undefined,
): Promise<PrintedHostKeys> {
  if (!options?.log) {
    return new Map();
  }
  try {
    const content = await Promise.race([options.log(), wait(clock, logPatienceMs, options.signal)]);
    return printedHostKeys(content ?? '');
  } catch (error) {
    log.info(`The log could not be read for the host key: ${String(error)}`);
    return new Map();
  }
}

/** Problems after a login that worked. */
const loggedInProblems: readonly PreflightProblem[] = ['diskFull', 'startupScript'];

export function isLoggedIn(result: PreflightResult): boolean {
  return result.ok || loggedInProblems.includes(result.problem);
}
