import { imageLogin, type RegistryLogin } from '../../api/imageLogin';
import { chooseSecret } from '../../editor/chooseSecret';
import { localize, t } from '../../editor/localize';
import { ask, message } from '../../editor/message';
import { askText, pickFromList } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
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

/** What a login is for. */
interface LoginQuestion {
  /** The command, of which `title` names the step. */
  readonly of: string;
  readonly title: string;
  readonly placeholder: string;
  /** What gets the token. */
  readonly purpose: string;
  /** The label of a row for no login. */
  readonly none?: string;
}

/** Sets the login to a private registry. Its token is a secret of the account, and is offered again later. */
export async function loginOption(secrets: RentSecrets): Promise<StepResult | undefined> {
  const login = await chooseLogin(secrets, {
    of: t('Rent'),
    title: t('Rent: {0}', t('Registry login')),
    placeholder: t('The service needs a login to pull a private image.'),
    purpose: t('{0}: {1}', t('Access token'), t('The rented machine gets the value.')),
    none: t('No Login from Here'),
  });
  return login === 'none' ? { unset: ['imageLogin'] } : login && { set: { imageLogin: imageLogin(login) } };
}

/** Asks for the login to push a snapshot with. */
export async function loginToPush(secrets: RentSecrets): Promise<RegistryLogin | undefined> {
  const login = await chooseLogin(secrets, {
    of: titleOf('gpuRental.instance.takeSnapshot'),
    title: titleOf('gpuRental.instance.takeSnapshot'),
    placeholder: t('Which registry should the image go to?'),
    purpose: t(
      '{0}: {1}',
      t('Access token'),
      t(
        'The service and the host of the machine get the value. Use one that can only push to one repository.',
      ),
    ),
  });
  return login === 'none' ? undefined : login;
}

async function chooseLogin(
  secrets: RentSecrets,
  question: LoginQuestion,
): Promise<RegistryLogin | 'none' | undefined> {
  let logins: readonly RegistryLogin[] = [];
  let unreadable: Text | undefined;
  try {
    logins = registryLogins(await secrets.keptSecrets.all(secrets.accountKey));
  } catch (error) {
    unreadable = storeProblem(error);
  }
  const { none } = question;
  const answer = await pickFromList<RegistryLogin | 'enter' | 'none'>({
    title: question.title,
    placeholder: unreadable ? localize(unreadable) : question.placeholder,
    canGoBack: none !== undefined,
    rows: [
      ...logins.map((login) => ({
        id: `kept:${login.registry} ${login.user}`,
        label: t('Use the Saved Login to {0}', plainLabel(login.registry)),
        description: plainLabel(login.user),
        value: login,
      })),
      { id: 'enter', label: t('Enter a Login…'), value: 'enter' },
      ...(none === undefined ? [] : [{ id: 'none', label: none, value: 'none' as const }]),
    ],
  });
  if (answer.kind !== 'picked') {
    return undefined;
  }
  return answer.value === 'none'
    ? 'none'
    : answer.value === 'enter'
      ? enter(secrets, question)
      : checked(answer.value);
}

/** Returns what the secret store of this computer has against it. @throws any other error. */
export function storeProblem(error: unknown): Text {
  if (error instanceof SecretUnreadableError || error instanceof SecretNotKeptError) {
    return error.text;
  }
  throw error;
}

async function enter(secrets: RentSecrets, question: LoginQuestion): Promise<RegistryLogin | undefined> {
  const { title } = question;
  const registry = await askPart(title, t('Address of the registry'), { placeholder: 'ghcr.io' });
  const user = registry && (await askPart(title, t('User name')));
  // Checked before a token is asked for, which would be stored for nothing.
  if (!registry || !user || !(await checked({ registry, user, token: 'x' }))) {
    return undefined;
  }
  return withToken(secrets, question, registry, user);
}

async function askPart(
  title: string,
  prompt: string,
  how: { readonly placeholder?: string; readonly password?: boolean } = {},
): Promise<string | undefined> {
  const answer = await askText({
    title,
    prompt,
    ...how,
    canGoBack: true,
    ignoreFocusOut: true,
    problem: (typed) => (typed.trim() === '' ? prompt : undefined),
  });
  return answer.kind === 'picked' ? answer.value.trim() : undefined;
}

/** Returns the login with a token that the user chooses among the secrets or types, if need be for this time alone. */
async function withToken(
  { accounts, keptSecrets, accountKey }: RentSecrets,
  { of, title, purpose }: LoginQuestion,
  registry: string,
  user: string,
): Promise<RegistryLogin | undefined> {
  const use = registryUse(registry, user);
  try {
    const chosen = await chooseSecret({ accounts, keptSecrets }, accountKey, {
      title: t('{0}: {1}', of, plainLabel(registry)),
      purpose,
      use,
      wanted: registryName(registry),
    });
    const token = chosen && secretFor(await keptSecrets.all(accountKey), use)?.value.trim();
    const result = token === undefined ? undefined : await checked({ registry, user, token });
    if (chosen && !result) {
      // What can't be sent would be offered again.
      await keptSecrets.release(accountKey, use);
    }
    return result;
  } catch (error) {
    storeProblem(error);
  }
  message('warning', t('Could not save the login in the secret store. It is used this time only.'));
  const token = await askPart(title, t('Access token'), { password: true });
  return token === undefined ? undefined : checked({ registry, user, token });
}

/** Returns the login if it can be sent; otherwise shows why not. */
async function checked(login: RegistryLogin): Promise<RegistryLogin | undefined> {
  try {
    imageLogin(login);
    return login;
  } catch (error) {
    if (error instanceof UserError) {
      await ask('warning', { message: localize(error.text) });
      return undefined;
    }
    throw error;
  }
}
