import * as vscode from 'vscode';
import { imageLogin } from '../../api/imageLogin';
import { localize } from '../../editor/localize';
import { askText, pickFromList } from '../../editor/quickPick';
import { UserError } from '../../util/errors';
import type { StepResult } from './rentSteps';

/** `vscode.SecretStorage`, as far as it is needed. */
export interface LoginSecrets {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
}

const loginKey = 'gpuRental.registryLogin';

/** The login to a private registry; kept in the secret store alone, and offered again from there. */
export async function loginOption(secrets: LoginSecrets): Promise<StepResult | undefined> {
  const kept = await secrets.get(loginKey);
  const keptRegistry = kept?.split(' ').at(-1);
  const answer = await pickFromList<'kept' | 'enter' | 'none' | 'forget'>({
    title: vscode.l10n.t('Rent: Private Registry'),
    placeholder: vscode.l10n.t('The service needs a login to pull an image that is not public.'),
    canGoBack: true,
    rows: [
      ...(keptRegistry === undefined
        ? []
        : [
            {
              id: 'kept',
              label: vscode.l10n.t('Use the Kept Login to {0}', keptRegistry),
              value: 'kept' as const,
            },
            { id: 'forget', label: vscode.l10n.t('Forget the Kept Login'), value: 'forget' as const },
          ]),
      { id: 'enter', label: vscode.l10n.t('Enter a Login…'), value: 'enter' },
      { id: 'none', label: vscode.l10n.t('No Login from Here'), value: 'none' },
    ],
  });
  if (answer.kind !== 'picked') {
    return undefined;
  }
  switch (answer.value) {
    case 'kept':
      return kept === undefined ? undefined : { set: { imageLogin: kept } };
    case 'forget':
      await secrets.delete(loginKey);
      return { unset: ['imageLogin'] };
    case 'none':
      return { unset: ['imageLogin'] };
    case 'enter':
      return enter(secrets);
  }
}

async function enter(secrets: LoginSecrets): Promise<StepResult | undefined> {
  const title = vscode.l10n.t('Rent: Private Registry');
  const ask = async (prompt: string, placeholder: string, password: boolean) => {
    const answer = await askText({
      title,
      prompt,
      placeholder,
      password,
      canGoBack: true,
      ignoreFocusOut: true,
      problem: (typed) => (typed.trim() === '' ? prompt : undefined),
    });
    return answer.kind === 'picked' ? answer.value.trim() : undefined;
  };
  const registry = await ask(vscode.l10n.t('Address of the registry'), 'ghcr.io', false);
  const user = registry && (await ask(vscode.l10n.t('User name'), '', false));
  const token = user && (await ask(vscode.l10n.t('Access token'), '', true));
  if (!registry || !user || !token) {
    return undefined;
  }
  try {
    const login = imageLogin({ registry, user, token });
    await secrets.store(loginKey, login);
    return { set: { imageLogin: login } };
  } catch (error) {
    if (error instanceof UserError) {
      await vscode.window.showWarningMessage(localize(error.text), { modal: true });
      return undefined;
    }
    throw error;
  }
}
