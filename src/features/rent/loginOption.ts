import { imageLogin } from '../../api/imageLogin';
import { localize, t } from '../../editor/localize';
import { ask, message } from '../../editor/message';
import { askText, pickFromList } from '../../editor/quickPick';
import type { RegistryLogins } from '../../store/accounts/registryLogins';
import { UserError } from '../../util/errors';
import type { StepResult } from './rentSteps';

/** Sets the login to a private registry. It is stored only in the secret store, and offered again later. */
export async function loginOption(logins: RegistryLogins): Promise<StepResult | undefined> {
  const kept = await logins.read();
  const answer = await pickFromList<'kept' | 'enter' | 'none' | 'forget'>({
    title: t('Rent: {0}', t('Registry login')),
    placeholder:
      kept.kind === 'unreadable'
        ? t(
            'Could not read the secret store of the editor. Unlock the key ring of this computer, then try again.',
          )
        : t('The service needs a login to pull a private image.'),
    canGoBack: true,
    rows: [
      ...(kept.kind === 'present'
        ? [
            {
              id: 'kept',
              label: t('Use the Saved Login to {0}', kept.registry),
              value: 'kept' as const,
            },
            { id: 'forget', label: t('Forget the Saved Login'), value: 'forget' as const },
          ]
        : []),
      { id: 'enter', label: t('Enter a Login…'), value: 'enter' },
      { id: 'none', label: t('No Login from Here'), value: 'none' },
    ],
  });
  if (answer.kind !== 'picked') {
    return undefined;
  }
  switch (answer.value) {
    case 'kept':
      return kept.kind === 'present' ? { set: { imageLogin: kept.flags } } : undefined;
    case 'forget':
      if (!(await logins.forget())) {
        message(
          'warning',
          t(
            'The secret store of the editor did not keep the change. Unlock the key ring of this computer, then try again.',
          ),
        );
      }
      return { unset: ['imageLogin'] };
    case 'none':
      return { unset: ['imageLogin'] };
    case 'enter':
      return enter(logins);
  }
}

async function enter(logins: RegistryLogins): Promise<StepResult | undefined> {
  const title = t('Rent: {0}', t('Registry login'));
  const part = async (prompt: string, placeholder: string, password: boolean) => {
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
  const registry = await part(t('Address of the registry'), 'ghcr.io', false);
  const user = registry && (await part(t('User name'), '', false));
  const token = user && (await part(t('Access token'), '', true));
  if (!registry || !user || !token) {
    return undefined;
  }
  try {
    const login = imageLogin({ registry, user, token });
    if (!(await logins.keep(login))) {
      message('warning', t('Could not save the login in the secret store. It is used for this rental only.'));
    }
    return { set: { imageLogin: login } };
  } catch (error) {
    if (error instanceof UserError) {
      await ask('warning', { message: localize(error.text) });
      return undefined;
    }
    throw error;
  }
}
