import type { AccountRef } from '../model/accounts/account';
import type { Instance } from '../model/instances/instance';
import { UserError } from '../util/errors';
import { text } from '../util/text';
import { accountMark, aliasOf, type AliasAccount } from './alias';
import type { SshContext } from './context';
import { endpointsOf, sameEndpoint, type Endpoint } from './endpoints';
import type { HostEntry } from './hostConfig';
import { isLoggedIn, preflightHost } from './hostLogin';
import { chooseIdentity, type Identity } from './identity';
import type { KeyMeasures } from './inherited';
import { agentKeyFile } from './paths';
import type { Failure, PreflightOptions, PreflightProblem, PreflightResult } from './preflight';
import { chooseEndpoint, type ProbeResult } from './probe';
import { explainNoLogin } from './problemText';
import { ManualStepError } from './userConfig';
import type { Verification } from './verify';

export type SshAccount = AliasAccount & Pick<AccountRef, 'key'>;

export interface PrepareRequest {
  readonly account: SshAccount;
  readonly instanceId: number;
  /** As last reported; `undefined` if the service can't be reached, then the last address is used. */
  readonly instance: Instance | undefined;
  /** Public keys that the instance or the account knows; `undefined` if they could not be read. */
  readonly registeredKeys: readonly string[] | undefined;
  /** Off unless the user asked for it for this instance. */
  readonly forwardAgent?: boolean;
  /** Its log, in which some images print the fingerprint of their host key. */
  readonly log?: (() => Promise<string>) | undefined;
  /** The record is the last one before the service stopped answering. */
  readonly isOld?: boolean;
  /** It is still booting, so a login of an earlier boot proves nothing. */
  readonly isBooting?: boolean;
  /** A connection has refused its host key since, so that a login shows what helps. */
  readonly isRefused?: boolean;
}

/** An instance that the SSH config knows. */
export interface PreparedHost {
  readonly alias: string;
  /** The user's file, which holds our Include. */
  readonly userConfig: string;
  readonly endpoint: Endpoint;
  /** The other addresses, in the order in which they are worth a try. */
  readonly others: readonly Endpoint[];
  readonly probes: readonly ProbeResult[];
  readonly identity: Identity;
  /** Why the address is the last known one: the service did not answer, or its answer had none. */
  readonly fromMemory: 'noAnswer' | 'noAddress' | false;
  readonly verification: Verification;
}

/** The result of connecting: prepared, checked, and on which address. */
export interface ConnectOutcome {
  readonly host: PreparedHost;
  readonly preflight: PreflightResult;
}

/** No address of the instance let us in, so that nothing that asks no questions can use the entry. */
export class NoLoginError extends UserError {
  constructor(
    readonly host: PreparedHost,
    readonly failure: Failure,
  ) {
    super(explainNoLogin(failure, host).text, { nextStep: 'retry' });
  }
}

/** The instance has no SSH address (yet). */
export class NoAddressError extends UserError {
  constructor() {
    super(
      text('The instance has no SSH address yet. Wait until it is running, or start it, and try again.'),
      { nextStep: 'retry' },
    );
  }
}

/** Problems of one address; a stranger's server may be at it, so a refused login is one as well. */
const addressProblems: readonly PreflightProblem[] = [
  'refused',
  'timedOut',
  'unreachable',
  'unresolved',
  'noGreeting',
  'authentication',
  'hostKeyChanged',
  'hostKeyNotPrinted',
];

/** The problems that are more precise than a missing answer. */
const specificProblems: readonly PreflightProblem[] = [
  'hostKeyNotPrinted',
  'hostKeyChanged',
  'authentication',
];

/** Writes what ssh needs to reach an instance, see `SshService.prepare`. */
export async function prepareHost(
  context: SshContext,
  request: PrepareRequest,
  signal?: AbortSignal,
): Promise<PreparedHost> {
  const alias = aliasOf(request.account, request.instanceId);
  const host = await writeEntry(context, request, signal);
  const isProved = (await context.folder().read(alias))?.isProved === true;
  const isTrusted = request.isBooting !== true && request.isRefused !== true && isProved;
  if (isTrusted && (await context.folder().hostKeys(alias)).length > 0) {
    return host;
  }
  const outcome = await logIn(context, host, { signal, log: request.log });
  if (!outcome.preflight.ok && !isLoggedIn(outcome.preflight)) {
    throw new NoLoginError(outcome.host, outcome.preflight);
  }
  return outcome.host;
}

/** Writes the entry; nothing is tried but the addresses. */
export async function writeEntry(
  context: SshContext,
  request: PrepareRequest,
  signal?: AbortSignal,
): Promise<PreparedHost> {
  const alias = aliasOf(request.account, request.instanceId);
  const folder = context.folder();
  const [known, agentKey] = await Promise.all([folder.read(alias), folder.agentKey(alias)]);
  const offered = request.instance ? endpointsOf(request.instance) : [];
  // While it boots, a neighbor may have its last address, and its next one is known soon.
  const last = known && request.isBooting !== true ? [known.endpoint] : [];
  const endpoints = offered.length > 0 ? offered : last;
  const [choice, identity] = await Promise.all([
    chooseEndpoint(endpoints, context.deps, signal),
    chooseIdentity(context.keyDeps(), request.registeredKeys, known?.identityFile, agentKey, signal),
  ]);
  // Without a greeting, a jump host of the user may still connect: use the last address that worked.
  const endpoint =
    choice.best ??
    endpoints.find((candidate) => known && sameEndpoint(candidate, known.endpoint)) ??
    endpoints[0];
  if (!endpoint) {
    throw new NoAddressError();
  }
  const forwardAgent = request.forwardAgent ?? known?.forwardAgent ?? false;
  const entry: HostEntry = {
    alias,
    endpoint,
    ...(await keyPart(context, identity, forwardAgent, signal)),
    forwardAgent,
    account: accountMark(request.account.key),
    isProved: known?.isProved === true && sameEndpoint(known.endpoint, endpoint),
    // Of the stored host key, which is the same at each address.
    isKeyPrinted: known?.isKeyPrinted === true,
  };
  await writeAgentKey(context, alias, identity, signal);
  const verification = await write(context, entry, signal);
  const answering = (candidate: Endpoint) =>
    choice.results.some(({ endpoint: of, outcome }) => of === candidate && outcome === 'ssh');
  return {
    alias,
    userConfig: context.paths().userConfig,
    endpoint,
    others: endpoints
      .filter((other) => other !== endpoint)
      .sort((one, other) => Number(answering(other)) - Number(answering(one))),
    probes: choice.results,
    identity,
    fromMemory: request.isOld === true ? 'noAnswer' : offered.length === 0 && 'noAddress',
    verification,
  };
}

/** Prepares and logs in, on another address where the first does not let us in. */
export async function connectHost(
  context: SshContext,
  request: PrepareRequest,
  options: PreflightOptions = {},
): Promise<ConnectOutcome> {
  const host = await writeEntry(context, request, options.signal);
  return logIn(context, host, { ...options, log: request.log });
}

/** Logs in at the address of the entry, else at the others; the entry leads to the one that let us in. */
async function logIn(
  context: SshContext,
  host: PreparedHost,
  options: PreflightOptions,
): Promise<ConnectOutcome> {
  const { signal } = options;
  const outcomes: ConnectOutcome[] = [await logInByAnyKey(context, host, options)];
  for (const endpoint of host.others) {
    const { preflight } = last(outcomes);
    if (preflight.ok || !addressProblems.includes(preflight.problem)) {
      break;
    }
    const moved = await moveTo(context, host, endpoint, signal);
    if (!moved) {
      break;
    }
    outcomes.push(await logInByAnyKey(context, moved, options));
  }
  const { preflight } = last(outcomes);
  if (preflight.ok || !addressProblems.includes(preflight.problem)) {
    return last(outcomes);
  }
  // Every login failed: the entry has the address whose failure is shown.
  const specific = specificProblems
    .map((problem) => outcomes.find((one) => !one.preflight.ok && one.preflight.problem === problem))
    .find((one) => one !== undefined);
  const outcome = specific ?? { host, preflight };
  if (outcomes.length > 1) {
    await moveTo(context, host, outcome.host.endpoint, signal);
  }
  return outcome;
}

/**
 * Logs in at the address of the entry, by the other keys where the machine refuses the chosen one or
 * this computer can't use it: of the registered keys, a machine may know only those of the time when
 * it was rented. The entry names the key that was accepted, else the one whose trouble is shown.
 */
async function logInByAnyKey(
  context: SshContext,
  host: PreparedHost,
  options: PreflightOptions,
): Promise<ConnectOutcome> {
  const preflight = await preflightHost(context, host.alias, options);
  const { others = [] } = host.identity;
  if (!isOfKey(preflight) || others.length === 0) {
    return { host, preflight };
  }
  const tried: { readonly host: PreparedHost; readonly preflight: Failure }[] = [{ host, preflight }];
  for (const identity of others) {
    const other = await changeKey(context, host, identity, options.signal);
    if (!other) {
      break;
    }
    const result = await preflightHost(context, host.alias, options);
    if (isLoggedIn(result)) {
      return { host: other, preflight: result };
    }
    if (!isOfKey(result)) {
      break;
    }
    tried.push({ host: other, preflight: result });
  }
  // What this computer can't use may be what the machine knows.
  const own = tried.find((one) => one.preflight.problem !== 'authentication');
  const best = own ?? { host, preflight };
  await changeKey(context, host, best.host.identity, options.signal);
  return own ?? { host, preflight: { ...preflight, ...together(tried.map((one) => one.preflight)) } };
}

/** All keys that were refused, with their files. */
function together(failures: readonly Failure[]): Pick<Failure, 'keysTried' | 'keyFiles'> {
  return {
    keysTried: [...new Set(failures.flatMap(({ keysTried }) => keysTried))],
    keyFiles: Object.assign({}, ...failures.map(({ keyFiles }) => keyFiles)) as Record<string, string>,
  };
}

/** Problems of one key, after which another may work. */
const keyProblems: readonly PreflightProblem[] = [
  'authentication',
  'notSigned',
  'unprotectedKey',
  'unusableKey',
];

function isOfKey(result: PreflightResult): result is Failure {
  return !result.ok && keyProblems.includes(result.problem);
}

/** Writes another key into the entry; `undefined` where the entry is gone. */
async function changeKey(
  context: SshContext,
  host: PreparedHost,
  identity: Identity,
  signal: AbortSignal | undefined,
): Promise<PreparedHost | undefined> {
  const entry = await context.folder().read(host.alias);
  if (!entry) {
    return undefined;
  }
  await writeAgentKey(context, host.alias, identity, signal);
  const part = await keyPart(context, identity, entry.forwardAgent, signal);
  const changed: HostEntry = { ...entry, ...part, isProved: false };
  return { ...host, identity, verification: await write(context, changed, signal) };
}

/** The key in an entry. Without an agent, none could be forwarded. */
async function keyPart(
  context: SshContext,
  identity: Identity,
  forwardAgent: boolean,
  signal: AbortSignal | undefined,
): Promise<Pick<HostEntry, 'identityFile' | keyof KeyMeasures>> {
  const { withoutAgent, withoutCertificates } = await context.keyMeasures(identity, signal);
  return {
    identityFile: identity.file,
    withoutAgent: withoutAgent === true && !forwardAgent,
    withoutCertificates: withoutCertificates === true,
  };
}

/** ssh needs a file for the key that it offers, also for one that only an agent holds. */
async function writeAgentKey(
  context: SshContext,
  alias: string,
  { key, file }: Identity,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (key && file === agentKeyFile(context.paths(), alias)) {
    await context.folder().writeAgentKey(alias, key.line, signal);
  }
}

function last(outcomes: readonly ConnectOutcome[]): ConnectOutcome {
  const outcome = outcomes.at(-1);
  if (!outcome) {
    throw new Error('There is always one');
  }
  return outcome;
}

/** Writes another address into the entry; `undefined` where the entry is gone. */
async function moveTo(
  context: SshContext,
  host: PreparedHost,
  endpoint: Endpoint,
  signal: AbortSignal | undefined,
): Promise<PreparedHost | undefined> {
  const entry = await context.folder().read(host.alias);
  return entry && { ...host, endpoint, verification: await write(context, at(entry, endpoint), signal) };
}

/** The entry at another address, where no login has worked yet. */
function at(entry: HostEntry, endpoint: Endpoint): HostEntry {
  return { ...entry, endpoint, isProved: false };
}

/**
 * Leads an entry to the address that the service names now, where the one in it is no longer among them: at the old
 * one may be a neighbour. Nothing is tried, and only a file of ours changes. The new address, or `undefined`.
 */
export async function followHost(
  context: SshContext,
  account: SshAccount,
  instance: Instance,
): Promise<Endpoint | undefined> {
  const entry = await context.folder().read(aliasOf(account, instance.id));
  const endpoints = entry ? endpointsOf(instance) : [];
  if (!entry || endpoints.some((endpoint) => sameEndpoint(endpoint, entry.endpoint))) {
    return undefined;
  }
  const endpoint = endpoints.find(({ kind }) => kind === entry.endpoint.kind) ?? endpoints[0];
  if (endpoint) {
    await context.folder().write(at(entry, endpoint));
  }
  return endpoint;
}

async function write(context: SshContext, entry: HostEntry, signal?: AbortSignal): Promise<Verification> {
  await context.folder().write(entry, signal);
  const { passedConfig } = context.paths();
  try {
    if (passedConfig !== undefined) {
      await context.folder().rememberConfigFile(passedConfig, signal);
    }
    await context.userConfig().ensure(signal);
  } catch (error) {
    // A config that we may not touch can have our line all the same, further down or elsewhere.
    if (!(error instanceof ManualStepError)) {
      throw error;
    }
    const verification = await context.verify(entry, signal);
    if (verification.kind === 'notIncluded' || verification.kind === 'broken') {
      throw error;
    }
    return verification;
  }
  return context.verify(entry, signal);
}
