import * as vscode from 'vscode';
import type { DocumentTarget } from '../../commandSpecs';
import { chooseMachine } from '../../editor/chooseMachine';
import { runCommand } from '../../editor/commands';
import { t } from '../../editor/localize';
import { openNamedDocument } from '../../editor/namedDocument';
import { titleOf } from '../../editor/titles';
import { jsonText } from '../../model/documents/jsonText';
import type { MarketQuery } from '../../model/offers/marketQuery';
import { defaultQuery, queryWith } from '../../model/offers/savedSearches';
import { parseDocument, readFilters } from '../../model/templates/templateDocument';
import {
  mergeTemplate,
  recipeRequest,
  templateRequest,
  type RentBody,
} from '../../model/templates/templateMerge';
import { recipeQuery } from '../../model/workspace/recipeQuery';
import type { Services } from '../../services';
import { LastRental } from '../../store/rentals/lastRental';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { kindOf } from './openDocuments';
import type { Previews } from './previews';

type Deps = Pick<Services, 'accounts' | 'globalState' | 'templateStores' | 'commands'>;

/** Registers *Preview What the Service Will Get* and *Find Offers* for documents. */
export function registerPreviews(deps: Deps, previews: Previews): Disposable {
  const store = new DisposableStore();
  store.add(
    deps.commands.register('gpuRental.template.preview', async (target) => {
      const document = await documentOf(target);
      if (document) {
        await preview(deps, previews, document);
      }
    }),
  );
  store.add(
    deps.commands.register('gpuRental.template.findOffers', async (target) => {
      const document = await documentOf(target);
      if (document) {
        await findOffers(deps, document);
      }
    }),
  );
  return store;
}

/** Returns the document of a lens, of a menu, or of the active editor. */
async function documentOf(target: DocumentTarget | undefined): Promise<vscode.TextDocument | undefined> {
  const document = target ? await openNamedDocument(target.uri) : vscode.window.activeTextEditor?.document;
  return document && kindOf(document) ? document : undefined;
}

/** Shows the request on the left, and on the right what the instance gets by the documented merge rules. */
async function preview(deps: Deps, previews: Previews, document: vscode.TextDocument): Promise<void> {
  const { request, template, name } = await requestOf(deps, document);
  const token = `p${Math.abs(hash(document.uri.toString())).toString(36)}`;
  const sent = previews.put(`${token}-sent`, t('Request'), json(request));
  const result = previews.put(`${token}-merged`, t('Instance'), json(mergeTemplate(template, request)));
  await vscode.commands.executeCommand(
    'vscode.diff',
    sent,
    result,
    t('{0}: what is sent ↔ what the instance gets', name),
    { preview: true } satisfies vscode.TextDocumentShowOptions,
  );
}

async function requestOf(
  deps: Deps,
  document: vscode.TextDocument,
): Promise<{ request: RentBody; template: Readonly<Record<string, unknown>>; name: string }> {
  const kind = kindOf(document);
  if (kind?.kind === 'workspaceFile') {
    const recipe = await chooseMachine(document.getText(), titleOf('gpuRental.template.preview'));
    const known = recipe.template && (await deps.templateStores.documents.open(recipe.template.id));
    if (recipe.template && !known) {
      throw new UserError(text('The template {0} of this file no longer exists.', recipe.template.id));
    }
    return {
      request: recipeRequest(recipe, known?.fields, known?.hashId),
      template: known?.fields ?? {},
      name: known?.name ?? recipe.image ?? '',
    };
  }
  const { known, fields } = templateOf(deps, document);
  return {
    request: templateRequest(fields, known?.hashId),
    template: fields,
    name: typeof fields['name'] === 'string' ? fields['name'] : '',
  };
}

function templateOf(deps: Deps, document: vscode.TextDocument) {
  const kind = kindOf(document);
  const known = kind?.kind === 'template' ? deps.templateStores.documents.peek(kind.id) : undefined;
  return { known, fields: parseDocument(document.getText(), known?.fields) };
}

async function findOffers(deps: Deps, document: vscode.TextDocument): Promise<void> {
  const diskGb = new LastRental(deps.globalState).diskGb ?? defaultQuery.diskGb;
  await runCommand('gpuRental.searchFor', {
    title: titleOf('gpuRental.searchOffers'),
    query: await queryOf(deps, document, diskGb),
  });
}

async function queryOf(deps: Deps, document: vscode.TextDocument, diskGb: number): Promise<MarketQuery> {
  if (kindOf(document)?.kind === 'workspaceFile') {
    const recipe = await chooseMachine(document.getText(), titleOf('gpuRental.template.findOffers'));
    const known = recipe.template && (await deps.templateStores.documents.open(recipe.template.id));
    const filters = { ...readFilters(known?.fields['extra_filters']), ...recipe.filters };
    return recipeQuery(recipe, filters, diskGb);
  }
  return queryWith(readFilters(templateOf(deps, document).fields['extra_filters']), diskGb);
}

function json(value: unknown): string {
  return `${jsonText(value, 2)}\n`;
}

/** Returns a short token for an address, so that a second preview replaces the first. */
function hash(value: string): number {
  let result = 0;
  for (let at = 0; at < value.length; at++) {
    result = (Math.imul(result, 31) + value.charCodeAt(at)) | 0;
  }
  return result;
}
