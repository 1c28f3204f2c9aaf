import { basename } from 'node:path/posix';
import * as vscode from 'vscode';
import * as z from 'zod';
import { chooseSecret, setVariable, type SecretQuestion } from '../../editor/chooseSecret';
import { runCommand } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { envFlagsToObject } from '../../model/documents/envObject';
import { JsonPlaces } from '../../model/documents/jsonPlaces';
import { parseDocument, referencesIn } from '../../model/templates/templateDocument';
import { removeVariable, replaceByReference } from '../../model/templates/templateFixes';
import { makeReference, referenceNameFor, type ReferenceSlot } from '../../model/templates/templateReference';
import { draftParts } from '../../model/templates/templateUri';
import type { Services } from '../../services';
import { readAfter } from '../../store/readAfter';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import type { DocumentDiagnostics } from './documentDiagnostics';
import { toEdit } from './documentFixes';
import { accountKeyOf, changeDocument, kindOf, ownerOf, type DocumentKind } from './openDocuments';

export type SecretDeps = Pick<Services, 'accounts' | 'keptSecrets' | 'templateStores'> & {
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
    case 'enterSecret':
      return chooseFor(deps, secretPlace(deps, document, kind), action.reference, (chosen) =>
        [...referencesIn(parseDocument(document.getText()))].flatMap(([at, name]) =>
          name === action.reference && name !== chosen ? [at] : [],
        ),
      );
    case 'changeSecret':
      return chooseFor(deps, secretPlace(deps, document, kind), action.slot, () => [action.slot]);
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

/** Lets the user choose a secret, then puts its reference into these places of the document. */
async function chooseFor(
  deps: Deps,
  place: SecretPlace,
  called: string,
  placesOf: (chosen: string) => readonly ReferenceSlot[],
): Promise<void> {
  const chosen = await chooseSecret(deps, place.accountKey, secretQuestion(place, called));
  if (chosen) {
    await putReference(deps, place, chosen, placesOf(chosen.name));
  }
}

/** Returns the question for the secret of a place, or for one that the document refers to. */
export function secretQuestion({ document, kind }: SecretPlace, called: string): SecretQuestion {
  const isPlace = called === 'docker_login_pass' || called.startsWith('env.');
  return {
    title: t('Value of the Secret {0}', called.replace(/^env\./, '')),
    purpose: t('{0} gets a reference, and its instances the value.', basename(document.uri.path)),
    use: ownerOf(document.uri, kind),
    // A place is a slot by its name.
    wanted: isPlace ? referenceNameFor(called as ReferenceSlot, calledOf(kind)) : called,
  };
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
  place: SecretPlace,
  at: ReferenceSlot,
  value: string,
): Promise<void> {
  const { wanted, use } = secretQuestion(place, at);
  const name = await deps.keptSecrets.add(place.accountKey, wanted, value, use);
  await putReference(deps, place, { name, isNew: true }, [at]);
}

/** Refers to a secret in these places; one that was stored for them is deleted if the document refuses. */
async function putReference(
  deps: Deps,
  { document, kind, accountKey }: SecretPlace,
  { name, isNew }: { readonly name: string; readonly isNew: boolean },
  places: readonly ReferenceSlot[],
): Promise<void> {
  try {
    for (const at of places) {
      const changes = replaceByReference(document.getText(), at, makeReference(name)) ?? [];
      if (changes.length === 0) {
        throw new UserError(
          text(
            "The environment of this document can't be rewritten: a name occurs twice, or it can't be read. Correct it and try again.",
          ),
        );
      }
      await changeDocument(document, toEdit(document, changes));
    }
  } catch (error) {
    if (isNew) {
      await deps.keptSecrets.release(accountKey, ownerOf(document.uri, kind), name);
    }
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
  const isSet = await readAfter(setVariable(account, name, value), async () => {
    await runCommand('gpuRental.refreshAccount');
  });
  if (isSet) {
    await changeDocument(document, toEdit(document, removeVariable(document.getText(), name) ?? []));
  }
}
