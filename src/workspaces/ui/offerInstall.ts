import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { withCancellableProgress } from '../../editor/progress';
import type { SshService } from '../../ssh/service';
import { pipInstall } from '../machine/pipInstall';

/** Asks for a package that the Python of an instance lacks, and installs it; false if the user did not agree. */
export async function offerInstall(
  ssh: Pick<SshService, 'exec'>,
  alias: string,
  { name, where }: { readonly name: string; readonly where: string },
): Promise<boolean> {
  const isAgreed = await confirm({
    message: t('Install {0} on {1}?', name, where),
    detail: t('It runs pip install {0} on the instance.', name),
    button: t('Install'),
  });
  if (isAgreed) {
    await withCancellableProgress(t('Installing {0} on {1}', name, where), (signal) =>
      pipInstall(ssh, alias, name, signal),
    );
  }
  return isAgreed;
}
