import { formatMoney, fromDollars } from '../model/money';
import { machineNames, parseWorkspaceFile, type Recipe } from '../model/workspace/workspaceFile';
import { CancelledError } from '../util/errors';
import { plainLabel } from '../util/plainLabel';
import { t } from './localize';
import { pickOne } from './quickPick';

/**
 * Lets the user choose one of the machines that a workspace file describes, unless there is only one.
 * @throws WorkspaceFileError if that one can't be rented; CancelledError
 */
export async function chooseMachine(source: string, title: string): Promise<Recipe> {
  const names = machineNames(source);
  if (names.length === 1) {
    return parseWorkspaceFile(source, names[0]);
  }
  const rows = names.map((name) => ({
    label: name === undefined ? t('Default') : plainLabel(name),
    description: describe(source, name),
    name,
  }));
  const picked = await pickOne(rows, { title, placeHolder: t('Which machine of the workspace?') });
  if (!picked) {
    throw new CancelledError();
  }
  return parseWorkspaceFile(source, picked.name);
}

/** Returns nothing for one that can't be rented: the reason follows once it is chosen. */
function describe(source: string, name: string | undefined): string {
  try {
    const { image, template, maxPricePerHour } = parseWorkspaceFile(source, name);
    const runs = plainLabel(image ?? template?.name ?? '');
    const most = t('at most {0}/h', formatMoney(fromDollars(maxPricePerHour)));
    return runs === '' ? most : `${runs} · ${most}`;
  } catch {
    return '';
  }
}
