import { chooseSecret } from '../../editor/chooseSecret';
import { t } from '../../editor/localize';
import { secretFor } from '../../model/accounts/keptSecret';
import { secretPlaceOf } from '../store/secretUses';
import type { JobDeps } from './deps';
import type { JobSource } from './jobSource';

/**
 * Asks for the secrets that this job of this folder was not given yet, also where another job has a value
 * for the same name: the file of a repository may name anything. Returns false if the user canceled.
 */
export async function askSecrets(
  deps: Pick<JobDeps, 'accounts' | 'keptSecrets'>,
  accountKey: string,
  { spec, folder }: Pick<JobSource, 'spec' | 'folder'>,
  destination: string,
): Promise<boolean> {
  if (spec.secrets.length === 0) {
    return true;
  }
  const place = await secretPlaceOf({ workspace: folder, spec });
  const kept = await deps.keptSecrets.all(accountKey);
  for (const name of spec.secrets.filter((one) => !secretFor(kept, place.useOf(one)))) {
    const chosen = await chooseSecret(deps, accountKey, {
      wanted: name,
      use: place.useOf(name),
      title: t('Secret {0} of {1}', name, place.job),
      purpose: t('{0} in {1} asks for {2} and sends it to {3}.', place.job, place.folder, name, destination),
    });
    if (!chosen) {
      return false;
    }
  }
  return true;
}
