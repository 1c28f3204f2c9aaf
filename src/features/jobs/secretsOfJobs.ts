import { signedIn } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { askLine, pickOne } from '../../editor/quickPick';
import type { JobSpec } from '../../model/jobs/jobSpec';
import { accountStill } from '../../store/accounts/sameAccount';
import { JobSecrets } from '../../store/jobs/jobSecrets';
import type { JobDeps } from './deps';

/** Asks for secrets that are not stored yet; returns false if the user canceled. */
export async function askSecrets(
  deps: Pick<JobDeps, 'secrets' | 'redactor'>,
  accountKey: string,
  spec: JobSpec,
): Promise<boolean> {
  if (spec.secrets.length === 0) {
    return true;
  }
  const kept = new JobSecrets(deps.secrets, accountKey);
  const known = await kept.read(spec.secrets);
  for (const name of spec.secrets.filter((one) => !Object.hasOwn(known, one))) {
    const value = await askValue(deps, t('Secret {0} of {1}', name, spec.name));
    if (value === undefined) {
      return false;
    }
    await kept.keep({ [name]: value });
  }
  return true;
}

async function askValue({ redactor }: Pick<JobDeps, 'redactor'>, title: string): Promise<string | undefined> {
  const value = await askLine({
    title,
    prompt: t("Stored in the editor's secret store and passed to jobs that name it"),
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
  const names = await kept.names();
  if (names.length === 0) {
    message('info', t('No job has a secret yet. A job asks for those that it names in "secrets".'));
    return;
  }
  const rows = names.flatMap((name) => [
    { icon: 'edit', label: t('Change {0}', name), name, isRemoved: false },
    { icon: 'trash', label: t('Remove {0}', name), name, isRemoved: true },
  ]);
  const picked = await pickOne(rows, {
    title: t('Secrets of Jobs'),
    placeHolder: t('Change or remove which?'),
  });
  if (picked?.isRemoved) {
    await remove(deps, account.key, kept, picked.name);
  } else if (picked) {
    const value = await askValue(deps, t('New Value of {0}', picked.name));
    if (value !== undefined) {
      accountStill(deps.accounts, account.key);
      await kept.keep({ [picked.name]: value });
      message('info', t('{0} is changed. Jobs that start from now on get the new value.', picked.name));
    }
  }
}

async function remove(
  { accounts }: Pick<JobDeps, 'accounts'>,
  accountKey: string,
  kept: JobSecrets,
  name: string,
): Promise<void> {
  const isAgreed = await confirm({
    message: t('Remove the secret {0}?', name),
    detail: t('Jobs that name it and have not started yet can’t start. The next one asks for a value.'),
    button: t('Remove'),
  });
  if (isAgreed) {
    accountStill(accounts, accountKey);
    await kept.remove(name);
  }
}
