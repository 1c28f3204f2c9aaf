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
import { areAllPrinted, differsFromPrinted, printedHostKeys, startLineHostKeys } from './printedHostKeys';

/** Logs in once and returns the result; the entry remembers whether it worked. */
export async function preflightHost(
  context: SshContext,
  alias: string,
  options?: PreflightOptions,
): Promise<PreflightResult> {
  const folder = context.folder();
  const { result, isPrinted } = await provenPreflight(context, folder, alias, options);
  const entry = await folder.read(alias);
  const isProved = isLoggedIn(result);
  const isKeyPrinted = isPrinted ?? entry?.isKeyPrinted === true;
  if (entry && ((entry.isProved === true) !== isProved || (entry.isKeyPrinted === true) !== isKeyPrinted)) {
    await folder.write({ ...entry, isProved, isKeyPrinted }, options?.signal);
  }
  return result;
}

interface Proven {
  readonly result: PreflightResult;
  /** Whether the start line of its rental printed the host key that this login stored; absent if it stored none. */
  readonly isPrinted?: boolean;
}

/** The host key of a first contact is kept only where the login worked. */
async function provenPreflight(
  context: SshContext,
  folder: OwnFolder,
  alias: string,
  options: PreflightOptions | undefined,
): Promise<Proven> {
  const run = await context.runAlone(alias, options?.signal);
  const identityFile = (await folder.read(alias))?.identityFile;
  const { keepsSharedTmux } = context.deps.environment();
  const deps = { ...context.deps, run, command: context.ssh(), identityFile, keepsSharedTmux };
  if ((await folder.hostKeys(alias)).length > 0) {
    const pinned = await context.hostKeyOptions(alias);
    const result = await runPreflight({ ...deps, options: pinned }, alias, options);
    return { result: result.ok ? result : await comparedWithLog(context, alias, result, options) };
  }
  return folder.provingHostKey<Proven>(
    alias,
    async (file, seen) => {
      const own = hostKeyOptions(alias, file, 'accept-new');
      const result = await runPreflight({ ...deps, options: own }, alias, options);
      if (!isLoggedIn(result)) {
        return { isProven: false, result: { result } };
      }
      const printed = await comparedAtFirst(context, alias, await seen(), options);
      return printed === 'other'
        ? { isProven: false, result: { result: notPrinted } }
        : { isProven: true, result: { result, isPrinted: printed === 'printed' } };
    },
    options?.signal,
  );
}

const notPrinted: Failure = { ok: false, problem: 'hostKeyNotPrinted', detail: '', keysTried: [] };
/** The longest wait for a log; without it a first contact is trusted as usual. */
const logPatienceMs = 5_000;

/** A log that does not name an offered host key is read again after this time (ms); some repeat logins every few seconds. */
const logAgainMs = 60_000;

/**
 * Compares the host key of a first contact with the log. Where the start line of a rental of ours printed keys, no other
 * line counts. `unknown`: the login alone proves the key.
 */
async function comparedAtFirst(
  context: SshContext,
  alias: string,
  seen: readonly string[],
  options: PreflightOptions | undefined,
): Promise<'printed' | 'other' | 'unknown'> {
  const content = await readLog(context, options);
  const token = context.deps.startTokenOf?.(alias);
  const own = token === undefined ? undefined : startLineHostKeys(content, token);
  const isPrinted = own !== undefined && areAllPrinted(seen, own);
  const isOther = !isPrinted && differsFromPrinted(seen, own ?? printedHostKeys(content));
  context.deps.log.info(
    isPrinted
      ? 'The start line in the log printed this host key'
      : isOther
        ? 'The log names another host key'
        : 'The log does not name the host key, which is trusted at this login',
  );
  return isPrinted ? 'printed' : isOther ? 'other' : 'unknown';
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
    const content = await readLog(context, options);
    const token = deps.startTokenOf?.(alias);
    const own = token === undefined ? undefined : startLineHostKeys(content, token);
    const printed = [...(own ?? printedHostKeys(content)).values()];
    known = { isPrinted: printed.some((fingerprints) => fingerprints.has(offered)), at: now };
    offeredHostKeys.set(key, known);
  }
  return known.isPrinted ? { ...failure, isPrinted: true } : failure;
}

/** Returns nothing without a log. */
async function readLog(
  { deps: { clock, log } }: SshContext,
  options: PreflightOptions | undefined,
): Promise<string> {
  if (!options?.log) {
    return '';
  }
  try {
    const content = await Promise.race([options.log(), wait(clock, logPatienceMs, options.signal)]);
    return content ?? '';
  } catch (error) {
    log.info(`The log could not be read for the host key: ${String(error)}`);
    return '';
  }
}

/** Problems after a login that worked. */
const loggedInProblems: readonly PreflightProblem[] = ['diskFull', 'startupScript'];

export function isLoggedIn(result: PreflightResult): boolean {
  return result.ok || loggedInProblems.includes(result.problem);
}
