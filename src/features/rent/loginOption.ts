import { imageLogin, type RegistryLogin } from '../../api/imageLogin';
import { chooseSecret } from '../../editor/chooseSecret';
import { localize, t } from '../../editor/localize';
import { ask, message } from '../../editor/message';
import { askText, pickFromList } from '../../editor/quickPick';
import { registryLogins, registryName, registryUse, secretFor } from '../../model/accounts/keptSecret';
import type { Services } from '../../services';
import { SecretNotKeptError, SecretUnreadableError } from '../../store/accounts/keptSecrets';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import type { Text } from '../../util/text';
import type { StepResult } from './rentSteps';

/** The secrets of the account that rents. */
export interface RentSecrets extends Pick<Services, 'accounts' | 'keptSecrets'> {
  readonly accountKey: string;
}

/** Sets the login to a private registry. Its token is a secret of the account, and is offered again later. */
export async function loginOption(secrets: RentSecrets): Promise<StepResult | undefined> {
  let logins: readonly RegistryLogin[] = [];
  let unreadable: Text | undefined;
  try {
    logins = registryLogins(await secrets.keptSecrets.all(secrets.accountKey));
  } catch (error) {
    unreadable = storeProblem(error);
  }
  const answer = await pickFromList<RegistryLogin | 'enter' | 'none'>({
    title: t('Rent: {0}', t('Registry login')),
    placeholder: unreadable ? localize(unreadable) : t('The service needs a login to pull a private image.'),
    canGoBack: true,
    rows: [
      ...logins.map((login) => ({
        id: `kept:${login.registry} ${login.user}`,
        label: t('Use the Saved Login to {0}', plainLabel(login.registry)),
        description: plainLabel(login.user),
        value: login,
      })),
      { id: 'enter', label: t('Enter a Login…'), value: 'enter' },
      { id: 'none', label: t('No Login from Here'), value: 'none' },
    ],
  });
  if (answer.kind !== 'picked') {
    return undefined;
  }
  switch (answer.value) {
    case 'none':
      return { unset: ['imageLogin'] };
    case 'enter':
      return enter(secrets);
    default:
      return setTo(answer.value);
  }
}

/** Returns what the secret store of this computer has against it. @throws any other error. */
export function storeProblem(error: unknown): Text {
  if (error instanceof SecretUnreadableError || error instanceof SecretNotKeptError) {
    return error.text;
  }
  throw error;
}

async function enter(secrets: RentSecrets): Promise<StepResult | undefined> {
  const registry = await askPart(t('Address of the registry'), { placeholder: 'ghcr.io' });
  const user = registry && (await askPart(t('User name')));
  // Checked before a token is asked for, which would be stored for nothing.
  if (!registry || !user || !(await setTo({ registry, user, token: 'x' }))) {
    return undefined;
  }
  return withToken(secrets, registry, user);
}

async function askPart(
  prompt: string,
  how: { readonly placeholder?: string; readonly password?: boolean } = {},
): Promise<string | undefined> {
  const answer = await askText({
    title: t('Rent: {0}', t('Registry login')),
    prompt,
    ...how,
    canGoBack: true,
    ignoreFocusOut: true,
    problem: (typed) => (typed.trim() === '' ? prompt : undefined),
  });
  return answer.kind === 'picked' ? answer.value.trim() : undefined;
}

/** Sets the login with a token that the user chooses among the secrets or types, if need be for this rental alone. */
async function withToken(
  { accounts, keptSecrets, accountKey }: RentSecrets,
  registry: string,
  user: string,
): Promise<StepResult | undefined> {
  const use = registryUse(registry, user);
  try {
    const chosen = await chooseSecret({ accounts, keptSecrets }, accountKey, {
      title: t('Rent: {0}', plainLabel(registry)),
      purpose: t('{0}: {1}', t('Access token'), t('The rented machine gets the value.')),
      use,
      wanted: registryName(registry),
    });
    const token = chosen && secretFor(await keptSecrets.all(accountKey), use)?.value.trim();
    const result = token === undefined ? undefined : await setTo({ registry, user, token });
    if (chosen && !result) {
      // What can't be sent would be offered again.
      await keptSecrets.release(accountKey, use);
    }
    return result;
  } catch (error) {
    storeProblem(error);
  }
  message('warning', t('Could not save the login in the secret store. It is used for this rental only.'));
  const token = await askPart(t('Access token'), { password: true });
  return token === undefined ? undefined : setTo({ registry, user, token });
}

async function setTo(login: RegistryLogin): Promise<StepResult | undefined> {
  try {
    return { set: { imageLogin: imageLogin(login) } };
  } catch (error) {
    if (error instanceof UserError) {
      await ask('warning', { message: localize(error.text) });
      return undefined;
    }
    throw error;
  }
}
