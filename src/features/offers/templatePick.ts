import * as vscode from 'vscode';
import type { Client } from '../../api/client';
import { localize } from '../../editor/localize';
import { pickFromList, plainLabel, type Row } from '../../editor/quickPick';
import type { Template } from '../../model/templates/template';
import type { TemplateList } from '../../store/ports';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';

/** The template with this id, or one that the user picks; `undefined` when the user stopped. */
export async function pickTemplate(
  list: TemplateList,
  client: Client,
  id: number | undefined,
): Promise<Template | undefined> {
  if (id !== undefined) {
    // Every edit changes the hash, and a rental needs the one of this moment.
    const found = (await client.templates.search({ id: { eq: id } })).items.find((one) => one.id === id);
    if (!found) {
      throw new UserError(
        text('This template was deleted, or its owner does not show it any more. Choose another one.'),
      );
    }
    return found;
  }
  if (list.state.kind !== 'ready') {
    await list.refresh();
  }
  const own = list.state.kind === 'ready' ? list.state.value : [];
  return choose(own, client, list.state.kind === 'failed' ? list.state.error : undefined);
}

type Pick = Template | 'recommended';

async function choose(
  own: readonly Template[],
  client: Client,
  error: unknown,
): Promise<Template | undefined> {
  const failure: Row<Pick>[] =
    error instanceof UserError ? [{ id: 'error', label: `$(error) ${localize(error.text)}` }] : [];
  const answer = await pickFromList<Pick>({
    title: vscode.l10n.t('Rent from Template'),
    placeholder: vscode.l10n.t('Which template?'),
    rows: [
      ...failure,
      ...own.map(templateRow),
      {
        id: 'recommended',
        label: `$(star) ${vscode.l10n.t('Recommended by the Service…')}`,
        value: 'recommended',
      },
    ],
  });
  if (answer.kind !== 'picked') {
    return undefined;
  }
  if (answer.value !== 'recommended') {
    return answer.value;
  }
  const { items } = await client.templates.search({ recommended: { eq: true } });
  const picked = await pickFromList<Template>({
    title: vscode.l10n.t('Rent from Template: Recommended'),
    placeholder: vscode.l10n.t('Which template?'),
    canGoBack: true,
    rows:
      items.length === 0
        ? [{ label: vscode.l10n.t('The service recommends no templates.') }]
        : items.map(templateRow),
  });
  if (picked.kind === 'back') {
    return choose(own, client, error);
  }
  return picked.kind === 'picked' ? picked.value : undefined;
}

function templateRow(template: Template): Row<Template> {
  return {
    id: String(template.id),
    label: plainLabel(template.name),
    description: plainLabel(`${template.image}${template.tag === undefined ? '' : `:${template.tag}`}`),
    ...(template.desc === undefined || template.desc === '' ? {} : { detail: plainLabel(template.desc) }),
    value: template,
  };
}
