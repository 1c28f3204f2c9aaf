import * as vscode from 'vscode';
import type { Client, Listing } from '../../api/client';
import { localize, t } from '../../editor/localize';
import { whileAsking, withCancellableProgress } from '../../editor/progress';
import { askText, pickFromList, type StepAnswer, type Row, type StepTitle } from '../../editor/quickPick';
import { runtypeName, templateRuntype } from '../../model/rentals/rentPlan';
import { isOwnTemplate, type Template } from '../../model/templates/template';
import { templateImage, templateName, unreadTemplatesText } from '../../model/templates/templateName';
import { parseTemplateQuery } from '../../model/templates/templateQuery';
import type { Services } from '../../services';
import { whileLoading } from '../../shared/reading';
import type { Account } from '../../store/accounts/accounts';
import { currentTemplate } from '../../store/templates/findTemplate';
import { UserError, isCancelled } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';

/** A template, a remembered one, or a row that leads to more templates. */
export type TemplatePick = Template | { readonly rememberedId: number } | 'recommended' | 'search';

export interface TemplateChoices {
  readonly rows: readonly Row<TemplatePick>[];
  readonly find: (id: number | undefined) => Template | undefined;
}

interface Remembered {
  readonly id: number;
  readonly name?: string | undefined;
  readonly hash?: string | undefined;
}

/** Lists the account's own templates, then recent, favorite and recommended ones. */
export async function templateChoices(
  { templates, templateStores, log }: Pick<Services, 'templates' | 'templateStores' | 'log'>,
  account: Account,
): Promise<TemplateChoices> {
  const problem = await loaded(templates);
  const list = templates.state.kind === 'ready' ? templates.state.value : [];
  const memory = await templateStores.memory.account(account.key).catch((error: unknown) => {
    log.warn(`Recent and favourite templates could not be read: ${String(error)}`);
    return { recents: [], favourites: [] };
  });
  const shown = new Set<number>();
  const group = (label: string, members: readonly (Template | Remembered)[]): Row<TemplatePick>[] => {
    const fresh = members.filter(({ id }) => !shown.has(id));
    fresh.forEach(({ id }) => shown.add(id));
    return fresh.length === 0
      ? []
      : [
          { label, kind: vscode.QuickPickItemKind.Separator },
          ...fresh.map((one) => ('image' in one ? templateRow(one, edited.has(one)) : rememberedRow(one))),
        ];
  };
  const edited = new Set<Template>();
  const known = (one: Remembered) => {
    const found = list.find(({ id }) => id === one.id);
    if (found && one.hash !== undefined && one.hash !== found.hashId) {
      edited.add(found);
    }
    return found ?? one;
  };
  return {
    find: (id) => list.find((one) => one.id === id),
    rows: [
      ...(problem === undefined ? [] : [{ id: 'templateProblem', icon: 'error', label: problem }]),
      ...group(
        t('Your Templates'),
        list.filter((one) => isOwnTemplate(one, account.user.id)),
      ),
      ...group(t('Recent Templates'), memory.recents.map(known)),
      ...group(t('Favorite Templates'), memory.favourites.map(known)),
      ...group(
        t('Recommended Templates'),
        list.filter((one) => one.recommended === true),
      ),
      { label: t('More Templates'), kind: vscode.QuickPickItemKind.Separator },
      {
        id: 'recommended',
        icon: 'star',
        label: t('Recommended by the Service…'),
        value: 'recommended',
      },
      { id: 'search', icon: 'search', label: t('Search All Templates'), value: 'search' },
    ],
  };
}

/** Reads the list if it is not loaded yet; returns the reason if that failed. */
async function loaded(templates: Services['templates']): Promise<string | undefined> {
  const { kind } = templates.state;
  if (kind === 'idle' || kind === 'loading') {
    await withCancellableProgress(t('Waiting for the service…'), (signal) =>
      Promise.race([
        kind === 'loading' ? whileLoading(templates) : templates.refresh().catch(() => undefined),
        new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve());
        }),
      ]),
    );
  }
  const { state } = templates;
  if (state.kind === 'ready' && state.error === undefined) {
    return unread(state.skipped);
  }
  const error = state.kind === 'ready' || state.kind === 'failed' ? state.error : undefined;
  return error instanceof UserError
    ? plainLabel(localize(error.text))
    : t('Something unexpected happened. See the log for details.');
}

function unread(skipped: number | undefined): string | undefined {
  const sentence = unreadTemplatesText(skipped);
  return sentence && localize(sentence);
}

/** Returns the picked template after any further lists; *back* returns to the previous list. */
export async function templateOf(
  pick: TemplatePick,
  client: Client,
  titled: StepTitle,
): Promise<StepAnswer<Template>> {
  if (pick === 'recommended') {
    return fromSearch(
      titled,
      (signal) => client.templates.search({ recommended: { eq: true } }, { signal }),
      {
        title: t('Recommended Templates'),
        none: t('The service recommends no templates.'),
      },
    );
  }
  if (pick === 'search') {
    return searched(client, titled);
  }
  return 'image' in pick
    ? { kind: 'picked', value: pick }
    : { kind: 'picked', value: await whileAsking(currentTemplate(client, pick.rememberedId)) };
}

async function searched(client: Client, titled: StepTitle): Promise<StepAnswer<Template>> {
  let query = '';
  for (;;) {
    const answer = await askText({
      ...titled,
      title: t('Search All Templates'),
      canSkip: false,
      prompt: t('For example: image in [pytorch/pytorch] and count_created > 100'),
      value: query,
      problem: (typed) => {
        const parsed = parseTemplateQuery(typed);
        return parsed.kind === 'problem' ? parsed.problem.message : undefined;
      },
    });
    if (answer.kind !== 'picked') {
      return answer;
    }
    query = answer.value;
    const parsed = parseTemplateQuery(query);
    const filters = parsed.kind === 'filters' ? parsed.filters : {};
    const found = await fromSearch(titled, (signal) => client.templates.search(filters, { signal }), {
      title: t('Templates Found'),
      none: t('No template matches.'),
    });
    if (found.kind !== 'back') {
      return found;
    }
  }
}

/** Shows an error in place of the results; the user can still go back. */
async function fromSearch(
  titled: StepTitle,
  search: (signal: AbortSignal) => Promise<Listing<Template>>,
  texts: { readonly title: string; readonly none: string },
): Promise<StepAnswer<Template>> {
  let rows: readonly Row<TemplatePick>[];
  try {
    const { items, skipped } = await withCancellableProgress(t('Waiting for the service…'), (signal) =>
      search(signal),
    );
    const label = unread(skipped);
    rows = [
      ...(label === undefined ? [] : [{ icon: 'warning', label }]),
      ...(items.length === 0 ? [{ label: texts.none }] : items.map((item) => templateRow(item))),
    ];
  } catch (error) {
    if (!(error instanceof UserError) || isCancelled(error)) {
      throw error;
    }
    rows = [{ icon: 'error', label: localize(error.text) }];
  }
  return pickFromList<Template>({
    ...titled,
    title: texts.title,
    canSkip: false,
    canGoBack: true,
    placeholder: t('Which template?'),
    rows: rows as readonly Row<Template>[],
  });
}

export function templateRow(template: Template, isEdited = false): Row<Template> {
  return {
    id: `template:${template.id}`,
    label: templateName(template),
    description: isEdited ? t('template, edited since you chose it') : t('template'),
    detail: `${templateImage(template)} · ${localize(runtypeName(templateRuntype(template)))}`,
    value: template,
  };
}

function rememberedRow(remembered: Remembered): Row<TemplatePick> {
  return {
    id: `template:${remembered.id}`,
    label: templateName(remembered),
    description: t('template'),
    value: { rememberedId: remembered.id },
  };
}
