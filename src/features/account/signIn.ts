import { access, readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type * as vscode from 'vscode';
import { t } from '../../editor/localize';
import type { PickRow } from '../../editor/plainRow';
import { withCancellableProgress } from '../../editor/progress';
import { askLine, pickOne } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import { UserError } from '../../util/errors';
import { isLoopback } from '../../util/loopback';
import { text, type Text } from '../../util/text';
import { homeFolder } from '../../util/thisUser';
import { askForKey } from './accountKey';

type Deps = Pick<Services, 'accounts' | 'settings' | 'contextKeys'>;
type KeyPick = PickRow & { readonly source?: ImportableKey };

/** Asks for the service and the key, and checks them. Returns undefined if the user cancelled. */
export async function signIn(deps: Deps): Promise<Account | undefined> {
  const serviceUrl = await pickService(deps);
  if (serviceUrl === undefined) {
    return undefined;
  }
  const offered = await pickExistingKey(new URL(serviceUrl).host);
  if (offered === 'stopped') {
    return undefined;
  }
  if (offered !== 'paste') {
    return checkWithProgress(deps, serviceUrl, await offered.read());
  }
  return askForKey({
    title: t('{0}: {1}', titleOf('gpuRental.signIn'), t('API key')),
    prompt: t(
      'Paste the API key of your account at {0}. It is kept in the secret store of the editor.',
      new URL(serviceUrl).host,
    ),
    check: (apiKey, signal) => deps.accounts.signIn({ serviceUrl, apiKey }, signal),
  });
}

async function pickService(deps: Deps): Promise<string | undefined> {
  const byDefault = normalizeOrSelf(deps.settings.get('gpuRental.service.url'));
  const known = (await deps.accounts.known()).filter((account) => !account.isDemo);
  const urls = [...new Set([byDefault, ...known.map((account) => account.serviceUrl)])];
  const other: vscode.QuickPickItem = {
    label: t('Another Address…'),
    detail: t('A service with the same API'),
  };
  const picked = await pickOne([...urls.map((label) => ({ label })), other], {
    title: titleOf('gpuRental.signIn'),
    placeHolder: t('Where is your account?'),
  });
  if (picked !== other) {
    return picked?.label;
  }
  const typed = await askLine({
    title: titleOf('gpuRental.signIn'),
    prompt: t('Address of the service. Each account keeps its own.'),
    placeholder: 'https://',
    ignoreFocusOut: true,
    problem: (value) => (value.trim() === '' ? undefined : serviceUrlProblem(value)),
  });
  return typed === undefined || serviceUrlProblem(typed) ? undefined : normalizeServiceUrl(typed);
}

function normalizeOrSelf(value: string): string {
  return serviceUrlProblem(value) ? 'https://console.vast.ai' : normalizeServiceUrl(value);
}

/** Offers keys of other tools, with their service; they are never used without a choice. */
async function pickExistingKey(host: string): Promise<ImportableKey | 'paste' | 'stopped'> {
  const keys = await findImportableKeys();
  if (keys.length === 0) {
    return 'paste';
  }
  const items: KeyPick[] = [
    { label: t('Paste an API Key…') },
    ...keys.map((source) => ({
      label: t('Use the Key from {0}', source.place),
      detail:
        source.service === host
          ? t('Key for {0}. It is checked, then kept in the secret store of the editor', host)
          : t('Key for {0}, not for {1}. Choosing it sends it to {1}', source.service, host),
      source,
    })),
  ];
  const picked = await pickOne(items, {
    title: t('{0}: {1}', titleOf('gpuRental.signIn'), t('API key')),
    placeHolder: t('Which one?'),
  });
  return picked === undefined ? 'stopped' : (picked.source ?? 'paste');
}

function checkWithProgress(deps: Deps, serviceUrl: string, apiKey: string): Promise<Account> {
  return withCancellableProgress(t('Waiting for the service…'), (signal) =>
    deps.accounts.signIn({ serviceUrl, apiKey }, signal),
  );
}

/** A key that another tool left on this computer; it is read only if the user picks it. */
interface ImportableKey {
  /** The location, in the user's terms. */
  readonly place: string;
  /** The host of the service that issued the key. */
  readonly service: string;
  read(): Promise<string>;
}

export class EmptyKeyError extends UserError {
  constructor(place: string) {
    super(text('There is no API key in {0}. Paste the key instead.', place), { nextStep: 'signIn' });
  }
}

/** All of these locations belong to the public service. */
const service = 'console.vast.ai';

/** Looks for `VAST_API_KEY` and the public command line's key files, without reading them. */
export async function findImportableKeys(
  env: NodeJS.ProcessEnv = process.env,
  home: string = homeFolder(),
): Promise<readonly ImportableKey[]> {
  const found: ImportableKey[] = [];
  const fromEnv = env['VAST_API_KEY']?.trim();
  if (fromEnv) {
    found.push({ place: 'VAST_API_KEY', service, read: () => Promise.resolve(fromEnv) });
  }
  const wanted = env['XDG_CONFIG_HOME'] ?? '';
  // An empty or relative value does not count (XDG Base Directory Specification).
  const configHome = isAbsolute(wanted) ? wanted : join(home, '.config');
  for (const path of [join(configHome, 'vastai', 'vast_api_key'), join(home, '.vast_api_key')]) {
    const exists = await access(path).then(
      () => true,
      () => false,
    );
    if (exists) {
      const place = path.startsWith(home) ? `~${path.slice(home.length)}` : path;
      found.push({ place, service, read: () => readKeyFile(path, place) });
    }
  }
  return found;
}

async function readKeyFile(path: string, place: string): Promise<string> {
  const key = (await readFile(path, 'utf8')).trim();
  if (key === '') {
    throw new EmptyKeyError(place);
  }
  return key;
}

/** Returns why an address can't be a service; `undefined` if it can. Plain http is only for this computer. */
export function serviceUrlProblem(input: string): Text | undefined {
  let url: URL;
  try {
    url = new URL(input.trim());
  } catch {
    return text('The API key is sent over https only. Enter an address that begins with https://.');
  }
  if (url.username !== '' || url.password !== '') {
    return text(
      'The service address may not contain a user name, a password, a query or a fragment. Remove it.',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    return text(
      'The service address may not contain a user name, a password, a query or a fragment. Remove it.',
    );
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return text('The API key is sent over https only. Enter an address that begins with https://.');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return text('The API key is sent over https only. Enter an address that begins with https://.');
  }
  return undefined;
}

/** Removes the final slash and the part that all calls begin with; keeps a path prefix. */
export function normalizeServiceUrl(input: string): string {
  return new URL(input.trim())
    .toString()
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\/api\/v\d+$/, '');
}
