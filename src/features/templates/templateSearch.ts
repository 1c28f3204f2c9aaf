import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import { localize, reasonOf, t } from '../../editor/localize';
import { QuickInput } from '../../editor/quickInput';
import type { LevelRow } from '../../editor/quickLevels';
import { labelOf, titleOf } from '../../editor/titles';
import type { Template } from '../../model/templates/template';
import { templateImage, templateName, unreadTemplatesText } from '../../model/templates/templateName';
import {
  completeTemplateQuery,
  parseTemplateQuery,
  type TemplateFilters,
} from '../../model/templates/templateQuery';
import type { Clock } from '../../util/clock';
import { MutableDisposable } from '../../util/disposable';
import { isCancelled, needsCode } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { refOf } from './createTemplate';
import { knownTemplate, showTemplate, type CommandDeps } from './templateCommands';

const startQuery = 'recommended = true';
const mostRows = 200;
/** The pause in typing before a search (ms). The service allows one every few seconds. */
const delayMs = 500;

/** Shows a quick pick whose input is the query. It completes the query and lists the templates found. */
export function searchTemplates(deps: CommandDeps & { readonly clock: Clock }): void {
  deps.templateStores.documents.account();
  void new TemplateSearch(deps).show();
}

class TemplateSearch {
  private readonly input = new QuickInput();
  private found: readonly Template[] = [];
  private note: string | undefined;
  /** Why the last search failed; `undefined` once another query is typed. */
  private failure: unknown;
  private skipped = 0;
  private isBusy = false;
  private stop = new AbortController();
  private readonly timer = new MutableDisposable();
  private searched = '';

  constructor(private readonly deps: CommandDeps & { readonly clock: Clock }) {}

  async show(): Promise<void> {
    const closed = this.input.open({
      title: titleOf('gpuRental.template.search'),
      placeholder: t('For example: image in [pytorch/pytorch] and count_created > 100'),
      line: () => startQuery,
      followsTyping: true,
      typed: (value) => this.typed(value),
      rows: (value) => this.rows(value),
      busy: () => this.isBusy,
    });
    this.typed(startQuery, 0);
    await closed;
    this.stop.abort();
    this.timer.dispose();
  }

  private typed(value: string, afterMs = delayMs): void {
    this.failure = undefined;
    this.timer.value = undefined;
    const parsed = parseTemplateQuery(value);
    // A single word that is not a query filters the names of the templates found.
    const isWord = /^[^\s=<>!]*$/.test(value.trim());
    this.note = parsed.kind === 'problem' && !isWord ? localize(parsed.problem.message) : undefined;
    if (parsed.kind === 'filters') {
      this.timer.value = this.deps.clock.schedule(() => this.run(() => this.search(parsed.filters)), afterMs);
    }
  }

  private async search(filters: TemplateFilters): Promise<void> {
    const key = JSON.stringify(filters);
    // Abort the running search, because it was for another query.
    this.stop.abort();
    if (key === this.searched) {
      return;
    }
    const stop = (this.stop = new AbortController());
    this.setBusy(true);
    try {
      const { items, skipped } = await this.deps.templateStores.documents
        .account()
        .client.templates.search(filters, { signal: stop.signal });
      if (!stop.signal.aborted) {
        this.found = items;
        this.skipped = skipped;
        this.searched = key;
        this.note = undefined;
      }
    } finally {
      if (stop === this.stop) {
        this.setBusy(false);
      }
    }
  }

  private setBusy(isBusy: boolean): void {
    this.isBusy = isBusy;
    this.input.refresh();
  }

  /** Runs the action and shows in the list why it failed. */
  private run(action: () => Thenable<unknown>): void {
    Promise.resolve(action()).catch((error: unknown) => {
      if (!isCancelled(error)) {
        // Without the note, a failed search would look like one without results.
        this.failure = error;
        this.note = reasonOf(error) ?? t('The search failed.');
        this.deps.log.warn(`The search for templates failed: ${String(error)}`);
        this.input.refresh();
      }
    });
  }

  private rows(value: string): readonly LevelRow[] {
    const word = value.trim().toLowerCase();
    const isQuery = parseTemplateQuery(value).kind === 'filters';
    const matching = this.found.filter(
      ({ name, image }) => isQuery || /[=<>!]/.test(word) || `${name} ${image}`.toLowerCase().includes(word),
    );
    const completions = completeTemplateQuery(value).map((completion): LevelRow => ({
      icon: 'symbol-keyword',
      label: completion.label,
      description: localize(completion.detail),
      run: () => this.input.type(completion.query),
    }));
    const unread = unreadTemplatesText(this.skipped);
    const notes = [this.note, unread && localize(unread)]
      .filter((label) => label !== undefined)
      .map((label): LevelRow => ({
        icon: 'warning',
        label,
        run: needsCode(this.failure) ? () => this.enterCode(value) : undefined,
      }));
    const none: LevelRow[] =
      matching.length === 0 && this.searched !== '' && notes.length === 0 && completions.length === 0
        ? [{ label: t('No template matches.') }]
        : [];
    const results = matching.slice(0, mostRows).map((template) => this.row(template));
    const more = matching.length - results.length;
    return [
      ...notes,
      ...completions,
      ...none,
      ...results,
      ...(more > 0 ? [{ label: t('{0} more; narrow the search to see them', more) }] : []),
    ];
  }

  private enterCode(query: string): void {
    this.run(async () => {
      await runCommand('gpuRental.tfa.signIn');
      this.typed(query, 0);
    });
  }

  private row(template: Template): LevelRow {
    const isFavourite = this.deps.lists.isFavourite(template.id);
    const button = (icon: string, tooltip: string, run: () => void) => ({
      iconPath: new vscode.ThemeIcon(icon),
      tooltip,
      run,
    });
    return {
      id: String(template.id),
      label: templateName(template),
      description: this.deps.lists.isMine(template)
        ? t('{0} · yours', templateImage(template))
        : templateImage(template),
      detail: plainLabel(template.desc ?? ''),
      run: () => this.run(() => this.open(template)),
      buttons: [
        button('rocket', t('Rent'), () => this.closeAndRun('gpuRental.rentFromTemplate', template)),
        button('files', t('Save as Mine'), () => this.closeAndRun('gpuRental.template.duplicate', template)),
        button(
          isFavourite ? 'star-full' : 'star-empty',
          isFavourite
            ? labelOf('gpuRental.template.removeFavourite')
            : labelOf('gpuRental.template.addFavourite'),
          () =>
            this.run(async () => {
              await this.deps.lists.setFavourite(refOf(template), !isFavourite);
              this.input.refresh(String(template.id));
            }),
        ),
      ],
    };
  }

  /** Opens a template. Templates of other users are read-only. */
  private async open(template: Template): Promise<void> {
    // Read the template while the list is open, because the list shows why it can't be opened.
    const known = await knownTemplate(this.deps, template.id);
    this.input.close();
    await showTemplate(this.deps, known);
  }

  /** Closes the list and runs the command, which reports its own errors. */
  private closeAndRun(
    command: 'gpuRental.rentFromTemplate' | 'gpuRental.template.duplicate',
    { id }: Template,
  ): void {
    this.input.close();
    this.run(() => runCommand(command, { templateId: id }));
  }
}
