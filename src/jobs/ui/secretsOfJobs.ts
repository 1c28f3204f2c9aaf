import { signedIn } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { askLine, pickOne } from '../../editor/quickPick';
import { accountStill } from '../../store/accounts/sameAccount';
import { JobSecrets, secretUseOf, type KeptSecret, type SecretUse } from '../store/jobSecrets';
import type { JobDeps } from './deps';
import type { JobSource } from './jobSource';

/**
 * Asks for the secrets that this job of this folder was not given yet, also where another job has a value
 * for the same name: the file of a repository may name anything. Returns false if the user canceled.
 */
export async function askSecrets(
  deps: Pick<JobDeps, 'secrets' | 'redactor'>,
  accountKey: string,
  { spec, folder }: Pick<JobSource, 'spec' | 'folder'>,
  destination: string,
): Promise<boolean> {
  if (spec.secrets.length === 0) {
    return true;
  }
  const kept = new JobSecrets(deps.secrets, accountKey);
  const use = await secretUseOf({ workspace: folder, spec });
  const known = await kept.read(use, spec.secrets);
  for (const name of spec.secrets.filter((one) => !Object.hasOwn(known, one))) {
    const value = await valueFor(deps, name, use, destination, await kept.all());
    if (value === undefined) {
      return false;
    }
    await kept.keep(use, name, value);
  }
  return true;
}

async function valueFor(
  deps: Pick<JobDeps, 'redactor'>,
  name: string,
  { folder, job }: SecretUse,
  destination: string,
  all: readonly KeptSecret[],
): Promise<string | undefined> {
  const title = t('Secret {0} of {1}', name, job);
  const others = all.filter((one) => one.name === name);
  if (others.length > 0) {
    // The first row sends nothing, so that a habitual Enter does not either.
    const picked = await pickOne(
      [
        { icon: 'edit', label: t('Enter a Value for This Job…'), description: '', secret: undefined },
        ...others.map((secret) => ({
          icon: 'key',
          label: t('Use the Value of Another Job'),
          description: usesText(secret),
          secret,
        })),
      ],
      {
        title,
        placeHolder: t('{0} in {1} asks for {2} and sends it to {3}.', job, folder, name, destination),
        ignoreFocusOut: true,
      },
    );
    if (!picked) {
      return undefined;
    }
    if (picked.secret) {
      return picked.secret.value;
    }
  }
  const prompt = t(
    "Sent to {0} for {1} in {2}. Stored in the editor's secret store for this job only.",
    destination,
    job,
    folder,
  );
  return askValue(deps, title, prompt);
}

/** Returns the jobs that have a value, with their folders. */
function usesText({ uses }: KeptSecret): string {
  return uses.map(({ folder, job }) => t('{0} in {1}', job, folder)).join(', ');
}

async function askValue(
  { redactor }: Pick<JobDeps, 'redactor'>,
  title: string,
  prompt: string,
): Promise<string | undefined> {
  const value = await askLine({
    title,
    prompt,
    password: true,
    ignoreFocusOut: true,
    problem: (typed) => (typed === '' ? t('Enter a value.') : undefined),
  });
  if (value !== undefined) {
    redactor.addSecret(value);
  }
  return value;
}

/** Lets the user change or remove the values that jobs get as secrets. A value is never shown. */
export async function changeSecrets(deps: Pick<JobDeps, 'accounts' | 'secrets' | 'redactor'>): Promise<void> {
  const account = await signedIn(deps.accounts);
  if (!account) {
    return;
  }
  const kept = new JobSecrets(deps.secrets, account.key);
  const all = await kept.all();
  if (all.length === 0) {
    message('info', t('No job has a secret yet. A job asks for those that it names in "secrets".'));
    return;
  }
  const rows = all.flatMap((secret) => {
    const { name } = secret;
    const description = usesText(secret);
    return [
      { icon: 'edit', label: t('Change {0}', name), description, secret, isRemoved: false },
      { icon: 'trash', label: t('Remove {0}', name), description, secret, isRemoved: true },
    ];
  });
  const picked = await pickOne(rows, {
    title: t('Secrets of Jobs'),
    placeHolder: t('Change or remove which?'),
  });
  if (picked?.isRemoved) {
    await remove(deps, account.key, kept, picked.secret);
  } else if (picked) {
    const { secret } = picked;
    const prompt = t("Stored in the editor's secret store for {0}", usesText(secret));
    const value = await askValue(deps, t('New Value of {0}', secret.name), prompt);
    if (value !== undefined) {
      accountStill(deps.accounts, account.key);
      await kept.change(secret, value);
      message('info', t('{0} is changed. Jobs that start from now on get the new value.', secret.name));
    }
  }
}

async function remove(
  { accounts }: Pick<JobDeps, 'accounts'>,
  accountKey: string,
  kept: JobSecrets,
  secret: KeptSecret,
): Promise<void> {
  const isAgreed = await confirm({
    message: t('Remove the secret {0}?', secret.name),
    detail: t(
      'It is used by {0}. Jobs that have not started yet can’t start. The next one asks for a value.',
      usesText(secret),
    ),
    button: t('Remove'),
  });
  if (isAgreed) {
    accountStill(accounts, accountKey);
    await kept.remove(secret);
  }
}
