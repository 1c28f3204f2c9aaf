import { showInstances } from '../../editor/chooseInstance';
import { tellOfDamagedFiles } from '../../editor/damagedFiles';
import { t } from '../../editor/localize';
import type { Disposable } from '../../util/disposable';
import type { ReadinessDeps } from './deps';

/** A damaged rental may have become an instance, which nobody follows. */
export function tellOfDamagedRentals(
  deps: Pick<ReadinessDeps, 'accounts' | 'rentals' | 'oneWindow'>,
): Disposable {
  const { rentals } = deps;
  const list = {
    get damaged() {
      return rentals.damaged.values();
    },
    onDidChange: rentals.onDidChange,
  };
  return tellOfDamagedFiles(deps, list, 'rental', {
    sentence: (path) =>
      t(
        'A rental could not be read because its file is damaged. Its instance may cost money and is not followed. The file is kept as {0}.',
        path,
      ),
    next: showInstances(),
  });
}
