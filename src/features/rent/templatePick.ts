import { t } from '../../editor/localize';
import { whileAsking } from '../../editor/progress';
import { pickFromList } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import type { Template } from '../../model/templates/template';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import { currentTemplate } from '../../store/templates/findTemplate';
import { isCancelled } from '../../util/errors';
import { templateChoices, templateOf, type TemplatePick } from './templateRows';

/** Returns the template with this id, or one that the user picks; `undefined` if the user canceled. */
export async function pickTemplate(
  deps: Pick<Services, 'templates' | 'templateStores' | 'log'>,
  account: Account,
  id: number | undefined,
  title = titleOf('gpuRental.rentFromTemplate'),
): Promise<Template | undefined> {
  if (id !== undefined) {
    return whileAsking(currentTemplate(account.client, id));
  }
  if (deps.templates.state.kind === 'failed') {
    await whileAsking(deps.templates.refresh()).catch((error: unknown) => {
      // The list shows the failure as a row.
      if (isCancelled(error)) {
        throw error;
      }
    });
  }
  const { rows } = await templateChoices(deps, account);
  for (;;) {
    const answer = await pickFromList<TemplatePick>({
      title,
      placeholder: t('Which template?'),
      rows,
    });
    if (answer.kind !== 'picked') {
      return undefined;
    }
    const chosen = await templateOf(answer.value, account.client, { title, canGoBack: true });
    if (chosen.kind !== 'back') {
      return chosen.kind === 'picked' ? chosen.value : undefined;
    }
  }
}
