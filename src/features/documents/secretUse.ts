import * as vscode from 'vscode';
import type { SecretTarget } from '../../commandSpecs';
import { askSecretValue } from '../../editor/chooseSecret';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileAsking } from '../../editor/progress';
import { pickOne } from '../../editor/quickPick';
import { templateDocument } from '../../editor/templateTabs';
import { titleOf } from '../../editor/titles';
import { secretNamed, type Secret } from '../../model/accounts/secret';
import { templateIdOf, templateUriParts } from '../../model/templates/templateUri';
import type { Services } from '../../services';
import { accountFor } from '../../store/accounts/sameAccount';
import { plainLabel } from '../../util/plainLabel';
import { accountKeyOf, kindOf, openDocuments } from './openDocuments';
import { keepAt, secretPlace, secretQuestion, valueAt, type SecretDeps } from './secretFixes';

type Deps = SecretDeps & Pick<Services, 'templates'>;

/**
 * Adds a variable of the account to the active template, or to one that the user picks, as a reference to the secret
 * store.
 */
export async function useSecret(deps: Deps, target: SecretTarget | undefined): Promise<void> {
  const account = accountFor(deps.accounts);
  const { client } = deps.templateStores.documents.account();
  const secrets = await whileAsking(client.secrets.list());
  const secret = target ? secretNamed(secrets, target.secretName) : await pickSecret(secrets);
  const uri = secret && (await chooseDocument(deps, secret.name));
  if (!uri) {
    return;
  }
  // Another account may have another template with this number.
  account();
  const document = await vscode.workspace.openTextDocument(uri);
  const kind = kindOf(document);
  if (!kind || !(await mayReplace(document, secret.name))) {
    return;
  }
  account();
  const place = secretPlace(deps, document, kind);
  const at = `env.${secret.name}` as const;
  const { title, purpose } = secretQuestion(place, at);
  // The service may not return the value.
  const value = secret.value ?? (await askSecretValue(title, purpose));
  if (value !== undefined) {
    await keepAt(deps, place, at, value);
    await vscode.window.showTextDocument(document, { preview: false });
  }
}

async function pickSecret(secrets: readonly Secret[]): Promise<Secret | undefined> {
  if (secrets.length === 0) {
    message('info', t('There are no secrets.'));
    return undefined;
  }
  const rows = secrets.map((secret) => ({ label: plainLabel(secret.name), secret }));
  const picked = await pickOne(rows, {
    title: titleOf('gpuRental.secret.useInTemplate'),
    placeHolder: t('Which one?'),
  });
  return picked?.secret;
}

/** Returns the active template; otherwise asks for one of the open templates or of the account. */
async function chooseDocument(deps: Deps, name: string): Promise<vscode.Uri | undefined> {
  const front = vscode.window.activeTextEditor?.document;
  if (front && isWritable(deps, front)) {
    return front.uri;
  }
  if (deps.templates.state.kind !== 'ready') {
    await deps.templates.refresh();
  }
  const { state } = deps.templates;
  const open = openDocuments().flatMap(([document]) => (isWritable(deps, document) ? [document.uri] : []));
  const own = (state.kind === 'ready' ? state.value : [])
    .filter(({ id }) => !open.some((uri) => templateIdOf(uri) === id))
    .map(({ id, name: title }) => vscode.Uri.from(templateUriParts({ kind: 'own', id, name: title })));
  const rows = [...open, ...own].map((uri) => ({
    label: plainLabel(
      uri.path
        .split('/')
        .at(-1)
        ?.replace(/(?:\.gpu-template)?\.json$/, '') ?? '',
    ),
    description: open.includes(uri) ? t('open') : '',
    uri,
  }));
  if (rows.length === 0) {
    message('info', t('There are no templates.'));
    return undefined;
  }
  const picked = await pickOne(rows, {
    title: t('{0}: {1}', titleOf('gpuRental.secret.useInTemplate'), plainLabel(name)),
    placeHolder: t('Which template? It gets a reference; the value stays in the secret store.'),
  });
  return picked?.uri;
}

/** Returns true for a document that can get a variable of the active account. */
function isWritable(deps: Deps, document: vscode.TextDocument): boolean {
  const kind = kindOf(document);
  if (!kind || accountKeyOf(deps, kind) !== deps.accounts.active?.key) {
    return false;
  }
  return (
    kind.kind === 'templateFile' ||
    kind.kind === 'draft' ||
    (kind.kind === 'template' && templateDocument(kind.id) === document)
  );
}

async function mayReplace(document: vscode.TextDocument, name: string): Promise<boolean> {
  if (valueAt(document, `env.${name}`) === undefined) {
    return true;
  }
  return confirm({
    message: t('Replace {0} in this template?', plainLabel(name)),
    detail: t('The template already sets it. You can undo the change until you save.'),
    button: t('Replace'),
  });
}
