import * as vscode from 'vscode';
import * as z from 'zod';
import { runCommand } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { whileSending } from '../../editor/progress';
import { askLine } from '../../editor/quickPick';
import { envFlagsToObject } from '../../model/documents/envObject';
import { JsonPlaces } from '../../model/documents/jsonPlaces';
import { parseDocument, referencesIn } from '../../model/templates/templateDocument';
import { removeVariable, replaceByReference } from '../../model/templates/templateFixes';
import { makeReference, referenceNameFor, type ReferenceSlot } from '../../model/templates/templateReference';
import { draftParts } from '../../model/templates/templateUri';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import { readAfter } from '../../store/readAfter';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import type { DocumentDiagnostics } from './documentDiagnostics';
import { toEdit } from './documentFixes';
import { accountKeyOf, changeDocument, kindOf, ownerOf, type DocumentKind } from './openDocuments';

export type SecretDeps = Pick<Services, 'accounts' | 'templateStores'> & {
  readonly diagnostics: DocumentDiagnostics;
};
type Deps = SecretDeps;

const slot = z.custom<ReferenceSlot>(
  (value) => value === 'docker_login_pass' || (typeof value === 'string' && value.startsWith('env.')),
);
/** Links can run this command, so its argument is checked. */
const request = z.object({
  uri: z.string(),
  action: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('moveToSecrets'), slot }),
    z.object({ kind: z.literal('makeAccountSecret'), name: z.string().min(1) }),
    z.object({ kind: z.literal('enterSecret'), reference: z.string().min(1) }),
    z.object({ kind: z.literal('changeSecret'), slot }),
  ]),
});

/** Applies a fix that needs the secret store or the service. */
export async function applySecretFix(deps: Deps, input: unknown): Promise<void> {
  const { uri, action } = request.parse(input);
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true));
  const kind = kindOf(document);
  if (!kind) {
    return;
  }
  switch (action.kind) {
    case 'moveToSecrets':
      return moveToSecrets(deps, secretPlace(deps, document, kind), action.slot);
    case 'makeAccountSecret':
      return makeAccountSecret(deps, document, action.name);
    case 'enterSecret': {
      const place = secretPlace(deps, document, kind);
      const value = await askForValue(action.reference);
      return value === undefined ? undefined : enterSecret(deps, place, action.reference, value);
    }
    case 'changeSecret': {
      const place = secretPlace(deps, document, kind);
      const value = await askForValue(action.slot.replace(/^env\./, ''));
      return value === undefined ? undefined : keepAt(deps, place, action.slot, value);
    }
  }
}

/** A document, and the account whose secrets it uses. */
export interface SecretPlace {
  readonly document: vscode.TextDocument;
  readonly kind: DocumentKind;
  readonly accountKey: string;
}

/** Returns the place of a secret. Call this before asking the user. */
export function secretPlace(deps: Deps, document: vscode.TextDocument, kind: DocumentKind): SecretPlace {
  const accountKey = accountKeyOf(deps, kind) ?? deps.templateStores.documents.account().key;
  return { document, kind, accountKey };
}

/** Stores a secret. If another document uses the name, its value stays, and this secret gets its own name. */
async function enterSecret(deps: Deps, place: SecretPlace, reference: string, value: string): Promise<void> {
  const { secrets } = deps.templateStores;
  const { document, kind, accountKey } = place;
  const owner = ownerOf(document.uri, kind);
  if (!(await secrets.isForeign(accountKey, owner, reference))) {
    await secrets.keep(accountKey, owner, reference, value);
    deps.diagnostics.all();
    return;
  }
  for (const [at, name] of referencesIn(parseDocument(document.getText()))) {
    if (name === reference) {
      await keepAt(deps, place, at, value);
    }
  }
}

export function askForValue(name: string): Promise<string | undefined> {
  return askLine({
    title: t('Value of the Secret {0}', name),
    prompt: t('It is kept in the secret store of the editor. The document holds a reference to it.'),
    password: true,
    ignoreFocusOut: true,
    problem: (value) => (value === '' ? t('Enter a value.') : undefined),
  });
}

export function valueAt(document: vscode.TextDocument, at: ReferenceSlot): string | undefined {
  const places = new JsonPlaces(document.getText());
  if (at === 'docker_login_pass') {
    const password = places.value([at]);
    return typeof password === 'string' ? password : undefined;
  }
  const name = at.slice('env.'.length);
  const env = places.value(['env']);
  const value: unknown =
    typeof env === 'string' ? envFlagsToObject(env)?.[name] : places.value(['env', name]);
  return typeof value === 'string' ? value : undefined;
}

async function moveToSecrets(deps: Deps, place: SecretPlace, at: ReferenceSlot): Promise<void> {
  const value = valueAt(place.document, at);
  if (value !== undefined && value !== '') {
    await keepAt(deps, place, at, value);
  }
}

/** Stores the value under a free name, then puts the reference into the document. */
export async function keepAt(
  deps: Deps,
  { document, kind, accountKey }: SecretPlace,
  at: ReferenceSlot,
  value: string,
): Promise<void> {
  const { secrets } = deps.templateStores;
  const name = await secrets.freeName(accountKey, referenceNameFor(at, calledOf(kind)));
  const changes = () => replaceByReference(document.getText(), at, makeReference(name)) ?? [];
  if (changes().length === 0) {
    throw new UserError(
      text(
        "The environment of this document can't be rewritten: a name occurs twice, or it can't be read. Correct it and try again.",
      ),
    );
  }
  await secrets.keep(accountKey, ownerOf(document.uri, kind), name, value);
  try {
    await changeDocument(document, toEdit(document, changes()));
  } catch (error) {
    await secrets.discard(accountKey, name);
    throw error;
  }
  deps.diagnostics.all();
}

/** Returns what the reference to a secret of a document is named after. */
function calledOf(kind: DocumentKind): string {
  switch (kind.kind) {
    case 'template':
      return String(kind.id);
    case 'draft':
      return draftParts(kind.token).unique;
    case 'templateFile':
    case 'workspaceFile':
      return 'file';
  }
}

/** Moves a variable from the document to the account, whose variables every instance gets. */
async function makeAccountSecret(deps: Deps, document: vscode.TextDocument, name: string): Promise<void> {
  const account = deps.templateStores.documents.account();
  const value = valueAt(document, `env.${name}`);
  const changes = removeVariable(document.getText(), name);
  if (value === undefined || !changes) {
    return;
  }
  if (
    !(await confirm({
      message: t('Make {0} an environment variable of your account?', name),
      detail: t('Every instance that you rent gets it, with any template. It is removed from this document.'),
      button: t('Make It an Account Secret'),
    }))
  ) {
    return;
  }
  // The account view lists the variable.
  const isSet = await readAfter(setAccountSecret(account, name, value), async () => {
    await runCommand('gpuRental.refreshAccount');
  });
  if (isSet) {
    await changeDocument(document, toEdit(document, removeVariable(document.getText(), name) ?? []));
  }
}

/** Creates a variable of the account, or replaces its value after a question; false if the user declines. */
async function setAccountSecret({ client }: Account, name: string, value: string): Promise<boolean> {
  try {
    await whileSending(client.secrets.create(name, value));
    return true;
  } catch (error) {
    if (!isTaken(error)) {
      throw error;
    }
  }
  const isWanted = await confirm({
    message: localize(text('Your account has a variable {0} already.', name)),
    button: t('Replace Its Value'),
  });
  if (isWanted) {
    await whileSending(client.secrets.update(name, value));
  }
  return isWanted;
}

function isTaken(error: unknown): boolean {
  return error instanceof UserError && 'code' in error && error.code === 'existing_key';
}
