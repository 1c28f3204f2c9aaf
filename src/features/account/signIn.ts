import type * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { askLine, pickOne } from '../../editor/quickPick';
import { withCancellableProgress } from '../../editor/progress';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import { askForKey } from './keyBox';
import { findImportableKeys, type ImportableKey } from './keyImport';
import { normalizeServiceUrl, serviceUrlProblem } from './serviceUrl';
import type { PickRow } from '../../editor/plainRow';

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
    title: t('Sign In: API Key'),
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
    title: t('Sign In: Service'),
    placeHolder: t('Where is your account?'),
  });
  if (picked !== other) {
    return picked?.label;
  }
  const typed = await askLine({
    title: t('Sign In: Service Address'),
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
    title: t('Sign In: API Key'),
    placeHolder: t('Which key do you want to use?'),
  });
  return picked === undefined ? 'stopped' : (picked.source ?? 'paste');
}

function checkWithProgress(deps: Deps, serviceUrl: string, apiKey: string): Promise<Account> {
  return withCancellableProgress(t('Checking the key…'), (signal) =>
    deps.accounts.signIn({ serviceUrl, apiKey }, signal),
  );
}
