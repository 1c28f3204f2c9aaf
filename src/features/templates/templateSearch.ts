import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { plainRow, type PickRow } from '../../editor/plainRow';
import { comeBack } from '../../editor/unasked';
import { keepOrder, plainLabel } from '../../editor/quickPick';
import type { Template } from '../../model/templates/template';
import { templateImage, templateName } from '../../model/templates/templateName';
import {
  completeTemplateQuery,
  parseTemplateQuery,
  type TemplateFilters,
} from '../../model/templates/templateQuery';
import { DisposableStore } from '../../util/disposable';
import { isCancelled, UserError } from '../../util/errors';
import type { Clock } from '../../util/clock';
import { refOf } from './createTemplate';
import { knownTemplate, openTemplate, type CommandDeps } from './templateCommands';

interface SearchRow extends PickRow {
  /** The query after taking a completion. */
  readonly query?: string;
  readonly template?: Template;
}

const startQuery = 'recommended = true';
const mostRows = 200;
/** Long enough for a pause in typing; the service takes a search every few seconds. */
const delayMs = 500;

/** A quick pick whose line is the query; it completes what is typed and shows what is found. */
export function searchTemplates(deps: CommandDeps & { readonly clock: Clock }): void {
  deps.templateDesk.documents.account();
  new TemplateSearch(deps).show();
}

class TemplateSearch {
  private readonly store = new DisposableStore();
  private readonly picker = this.store.add(vscode.window.createQuickPick<SearchRow>());
  private found: readonly Template[] = [];
  private note: string | undefined;
  private stop = new AbortController();
  private timer: { dispose(): void } | undefined;
  private searched = '';
  private readonly buttons = {
    save: { iconPath: new vscode.ThemeIcon('files'), tooltip: t('Save as Mine') },
    rent: { iconPath: new vscode.ThemeIcon('rocket'), tooltip: t('Rent') },
    favourite: { iconPath: new vscode.ThemeIcon('star-empty'), tooltip: t('Add to Favorites') },
    plain: { iconPath: new vscode.ThemeIcon('star-full'), tooltip: t('Remove from Favorites') },
  };

  constructor(private readonly deps: CommandDeps & { readonly clock: Clock }) {
    const { picker } = this;
    keepOrder(picker);
    picker.title = t('Search Public Templates');
    picker.placeholder = t('For example: image in [pytorch/pytorch] and count_created > 100');
    picker.value = startQuery;
    picker.keepScrollPosition = true;
    this.store.add(picker.onDidChangeValue(() => this.typed()));
    this.store.add(picker.onDidAccept(() => this.accept()));
    this.store.add(comeBack(picker, { ended: () => this.dispose() }));
    this.store.add(
      picker.onDidTriggerItemButton(({ item, button }) => {
        if (item.template) {
          void this.press(item.template, button).catch((error: unknown) => this.fail(error));
        }
      }),
    );
  }

  show(): void {
    this.picker.show();
    this.typed(0);
  }

  private dispose(): void {
    this.stop.abort();
    this.timer?.dispose();
    this.store.dispose();
  }

  private typed(afterMs = delayMs): void {
    this.timer?.dispose();
    const parsed = parseTemplateQuery(this.picker.value);
    // One word that is no query looks among the names of what was found.
    const isWord = /^[^\s=<>!]*$/.test(this.picker.value.trim());
    this.note = parsed.kind === 'problem' && !isWord ? localize(parsed.problem.message) : undefined;
    if (parsed.kind === 'filters') {
      this.timer = this.deps.clock.schedule(() => {
        void this.search(parsed.filters).catch((error: unknown) => this.fail(error));
      }, afterMs);
    }
    this.showRows();
  }

  private async search(filters: TemplateFilters): Promise<void> {
    const key = JSON.stringify(filters);
    // One that is under way was for another query.
    this.stop.abort();
    if (key === this.searched) {
      return;
    }
    const stop = (this.stop = new AbortController());
    this.picker.busy = true;
    try {
      const { items } = await this.deps.templateDesk.documents
        .account()
        .client.templates.search(filters, { signal: stop.signal });
      if (!stop.signal.aborted) {
        this.found = items;
        this.searched = key;
        this.note = undefined;
        this.showRows();
      }
    } finally {
      if (stop === this.stop) {
        this.picker.busy = false;
      }
    }
  }

  private fail(error: unknown): void {
    if (isCancelled(error)) {
      return;
    }
    // "Could not load" is told from "none".
    this.note = error instanceof UserError ? localize(error.text) : t('The search failed.');
    this.deps.log.warn(`The search for templates failed: ${String(error)}`);
    this.showRows();
  }

  private showRows(): void {
    const { value } = this.picker;
    const word = value.trim().toLowerCase();
    const isQuery = parseTemplateQuery(value).kind === 'filters';
    const matching = this.found.filter(
      ({ name, image }) => isQuery || /[=<>!]/.test(word) || `${name} ${image}`.toLowerCase().includes(word),
    );
    const completions = completeTemplateQuery(value).map((completion): SearchRow => ({
      icon: 'symbol-keyword',
      label: completion.label,
      description: localize(completion.detail),
      query: completion.query,
      alwaysShow: true,
    }));
    const notes: SearchRow[] =
      this.note === undefined ? [] : [{ icon: 'warning', label: this.note, alwaysShow: true }];
    const none: SearchRow[] =
      matching.length === 0 && this.searched !== '' && notes.length === 0 && completions.length === 0
        ? [{ label: t('No template matches.'), alwaysShow: true }]
        : [];
    const results = matching.slice(0, mostRows).map((template) => this.row(template));
    const more = matching.length - results.length;
    const rows: readonly SearchRow[] = [
      ...notes,
      ...completions,
      ...none,
      ...results,
      ...(more > 0 ? [{ label: t('{0} more; narrow the search to see them', more), alwaysShow: true }] : []),
    ];
    this.picker.items = rows.map(plainRow);
  }

  private row(template: Template): SearchRow {
    return {
      label: templateName(template),
      description: this.deps.lists.isMine(template)
        ? t('{0} · yours', templateImage(template))
        : templateImage(template),
      detail: plainLabel(template.desc ?? ''),
      alwaysShow: true,
      template,
      buttons: [
        this.buttons.rent,
        this.buttons.save,
        this.deps.lists.isFavourite(template.id) ? this.buttons.plain : this.buttons.favourite,
      ],
    };
  }

  private accept(): void {
    const [row] = this.picker.selectedItems;
    if (row?.query !== undefined) {
      this.picker.value = row.query;
      this.typed();
    } else if (row?.template) {
      void this.open(row.template).catch((error: unknown) => this.fail(error));
    }
  }

  /** To look at; what is found is other people's unless it says otherwise. */
  private async open(template: Template): Promise<void> {
    // While the list is there to say why it cannot be opened.
    await knownTemplate(this.deps, template.id);
    this.picker.hide();
    await openTemplate(this.deps, { templateId: template.id });
  }

  private async press(template: Template, button: vscode.QuickInputButton): Promise<void> {
    if (button === this.buttons.favourite || button === this.buttons.plain) {
      await this.deps.lists.setFavourite(refOf(template), button === this.buttons.favourite);
      this.showRows();
      this.picker.activeItems = this.picker.items.filter((row) => row.template?.id === template.id);
      return;
    }
    this.picker.hide();
    // Commands say themselves what went wrong; this list is gone by then.
    await runCommand(
      button === this.buttons.rent ? 'gpuRental.rentFromTemplate' : 'gpuRental.template.duplicate',
      { templateId: template.id },
    );
  }
}
