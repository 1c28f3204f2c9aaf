import { showInstances } from '../../editor/chooseInstance';
import { offerDamagedFiles } from '../../editor/damagedFiles';
import { t } from '../../editor/localize';
import type { Disposable } from '../../util/disposable';
import type { ReadinessDeps } from './deps';

/** Names each rental whose file is damaged once: it may have become an instance, which nobody follows. */
export function tellOfDamagedRentals({
  accounts,
  rentals,
  oneWindow,
}: Pick<ReadinessDeps, 'accounts' | 'rentals' | 'oneWindow'>): Disposable {
  const tell = () => {
    const account = accounts.active?.key;
    if (account !== undefined) {
      offerDamagedFiles(oneWindow, `${account}:rental`, rentals.damaged.values(), {
        sentence: (path) =>
          t(
            'A rental could not be read because its file is damaged. Its instance may cost money and is not followed. The file is kept as {0}.',
            path,
          ),
        next: showInstances(),
      });
    }
  };
  tell();
  return rentals.onDidChange(tell);
}
