import { usesText, type SecretUse } from '../model/accounts/keptSecret';
import type { Services } from '../services';
import { errorCode } from '../util/errorCode';
import { plainLabel } from '../util/plainLabel';
import { confirm } from './confirm';
import { localize, t } from './localize';
import { whileAsking, whileSending } from './progress';
import { askLine, pickFromList, type Row } from './quickPick';

export interface SecretQuestion {
  readonly title: string;
  /** What gets the value, and where it goes. */
  readonly purpose: string;
  /** What may use the secret from now on. */
  readonly use: SecretUse;
  /** The name of a new secret, unless it is taken. */
  readonly wanted: string;
  /** The label of a row for a value that is no secret, which the caller asks for. */
  readonly plain?: string;
}

export interface ChosenSecret {
  readonly name: string;
  readonly isNew: boolean;
}

/** Gives the secret and returns its name. */
type Choice = (() => Promise<string>) | 'new' | 'plain';
type Deps = Pick<Services, 'accounts' | 'keptSecrets'>;

/**
 * Lets the user give something a secret by name: one of this computer, a variable of the account whose value the service
 * reveals, or a new one. Returns its name, and whether this question stored it; `undefined` if the user cancels.
 */
export function chooseSecret(
  deps: Deps,
  accountKey: string,
  question: Omit<SecretQuestion, 'plain'>,
): Promise<ChosenSecret | undefined>;
export function chooseSecret(
  deps: Deps,
  accountKey: string,
  question: SecretQuestion,
): Promise<ChosenSecret | 'plain' | undefined>;
export async function chooseSecret(
  { accounts, keptSecrets }: Deps,
  accountKey: string,
  { title, purpose, use, wanted, plain }: SecretQuestion,
): Promise<ChosenSecret | 'plain' | undefined> {
  const kept = await keptSecrets.all(accountKey);
  const { active } = accounts;
  // A list that can't be read leaves what can be typed.
  const variables =
    active?.key === accountKey ? await whileAsking(active.client.secrets.list()).catch(() => []) : [];
  const rows = [
    ...kept.map((secret): Row<Choice> => ({
      icon: 'key',
      label: plainLabel(secret.name),
      description: usesText(secret).map(localize).join(', '),
      value: async () => {
        await keptSecrets.allow(accountKey, [secret.name], use);
        return secret.name;
      },
    })),
    ...variables.flatMap(({ name, value }): Row<Choice>[] =>
      value === undefined || kept.some((one) => one.name === name)
        ? []
        : [
            {
              icon: 'symbol-variable',
              label: plainLabel(name),
              description: t('kept by the service'),
              value: () => keptSecrets.add(accountKey, name, value, use),
            },
          ],
    ),
  ];
  if (rows.length > 0 || plain !== undefined) {
    const answer = await pickFromList<Choice>({
      title,
      placeholder: purpose,
      rows: [
        ...rows,
        { id: 'new', icon: 'add', label: t('New Secret…'), value: 'new' },
        ...(plain === undefined
          ? []
          : [{ id: 'plain', icon: 'edit', label: plain, value: 'plain' as const }]),
      ],
      // A habitual Enter gives nothing away.
      activeId: plain === undefined ? 'new' : 'plain',
      ignoreFocusOut: true,
    });
    if (answer.kind !== 'picked') {
      return undefined;
    }
    if (answer.value === 'plain') {
      return answer.value;
    }
    if (answer.value !== 'new') {
      return { name: await answer.value(), isNew: false };
    }
  }
  const value = await askSecretValue(title, purpose);
  return value === undefined
    ? undefined
    : { name: await keptSecrets.add(accountKey, wanted, value, use), isNew: true };
}

export function askSecretValue(title: string, purpose: string): Promise<string | undefined> {
  return askLine({
    title,
    prompt: `${purpose} ${t('The value is kept in the secret store of this computer.')}`.trim(),
    password: true,
    ignoreFocusOut: true,
    problem: (typed) => (typed === '' ? t('Enter a value.') : undefined),
  });
}

/** Creates a variable of the account, or replaces its value after a question; false if the user declines. */
export async function setVariable(
  { client }: NonNullable<Services['accounts']['active']>,
  name: string,
  value: string,
): Promise<boolean> {
  try {
    await whileSending(client.secrets.create(name, value));
    return true;
  } catch (error) {
    if (errorCode(error) !== 'existing_key') {
      throw error;
    }
  }
  const detail = t('Running instances keep the old value until they are created again.');
  if (!(await mayReplace(name, detail))) {
    return false;
  }
  await whileSending(client.secrets.update(name, value));
  return true;
}

export function mayReplace(name: string, detail: string): Promise<boolean> {
  return confirm({ message: t('Replace the value of {0}?', name), detail, button: t('Replace') });
}
