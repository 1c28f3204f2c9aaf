import * as vscode from 'vscode';
import type { CommandId, TemplateTarget } from '../../commandSpecs';
import { confirm, type Question } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { pickOne } from '../../editor/quickPick';
import { isSavedFirst, shownAddressOf, unsavedTemplate } from '../../editor/templateTabs';
import { titleOf } from '../../editor/titles';
import type { Template } from '../../model/templates/template';
import type { DocumentFields } from '../../model/templates/templateDocument';
import { templateImage, templateName } from '../../model/templates/templateName';
import { templateOwner, type SecretOwner } from '../../model/templates/templateReference';
import { templateIdOf, templateUriParts } from '../../model/templates/templateUri';
import type { Services } from '../../services';
import { accountFor } from '../../store/accounts/sameAccount';
import type { KnownTemplate } from '../../store/templates/templateReader';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import type { TemplateLists } from './templateLists';

export type CommandDeps = Pick<
  Services,
  'accounts' | 'fleet' | 'templates' | 'templateStores' | 'commands' | 'log'
> & { readonly lists: TemplateLists };

/** Returns the template of a tree node, a lens, the active editor or a call, or lets the user pick one. */
export async function chooseTemplate(
  deps: CommandDeps,
  target: TemplateTarget | undefined,
  command: CommandId,
  accepts: (template: Template) => boolean = () => true,
): Promise<number | undefined> {
  const active = vscode.window.activeTextEditor?.document.uri;
  const given = target?.templateId ?? (active && templateIdOf(active));
  if (given !== undefined) {
    return given;
  }
  deps.templateStores.documents.account();
  if (deps.templates.state.kind !== 'ready') {
    await deps.templates.refresh();
  }
  const { state } = deps.templates;
  const rows = (state.kind === 'ready' ? state.value : []).filter(accepts).map((template) => ({
    label: templateName(template),
    description: templateImage(template),
    detail: deps.lists.isMine(template) ? '' : t('By another user'),
    id: template.id,
  }));
  if (rows.length === 0) {
    message('info', t('There are no templates.'));
    return undefined;
  }
  const picked = await pickOne(rows, { title: titleOf(command), placeHolder: t('Which template?') });
  return picked?.id;
}

/** Reads a template that a command needs. */
export async function knownTemplate(deps: CommandDeps, id: number): Promise<KnownTemplate> {
  const account = deps.templateStores.documents.account();
  const stale = deps.templateStores.documents.peek(id);
  if (stale && stale.accountKey !== account.key) {
    if (unsavedTemplate(id)) {
      throw new UserError(
        text('An unsaved template of another account has the same number. Save or close it first.'),
      );
    }
    deps.templateStores.documents.close(id);
  }
  const known = await deps.templateStores.documents.openCurrent(id);
  if (!known) {
    throw new UserError(text('This no longer exists. Refresh the list.'));
  }
  return known;
}

/**
 * Like `knownTemplate`, for a copy of the version at the service: offers to save the template first if it is being
 * edited. Returns `undefined` if the user cancels.
 */
export async function savedTemplate(
  deps: CommandDeps,
  id: number,
  question: (name: string) => Pick<Question, 'message' | 'button'>,
): Promise<KnownTemplate | undefined> {
  const known = await knownTemplate(deps, id);
  const document = known.isMine ? unsavedTemplate(id) : undefined;
  if (!document) {
    return known;
  }
  return (await isSavedFirst(document, question(templateName(known)))) ? knownTemplate(deps, id) : undefined;
}

/** Opens the document of a template. */
export async function openTemplate(deps: CommandDeps, target: TemplateTarget | undefined): Promise<void> {
  const id = await chooseTemplate(deps, target, 'gpuRental.template.edit');
  if (id === undefined) {
    return;
  }
  await showTemplate(deps, await knownTemplate(deps, id));
}

/** Shows the document of a template that was read: editable if the account owns it, otherwise read-only. */
export async function showTemplate(
  deps: CommandDeps,
  { id, name, isMine, hashId }: KnownTemplate,
): Promise<void> {
  const uri = vscode.Uri.from(templateUriParts({ kind: isMine ? 'own' : 'public', id, name }));
  await vscode.window.showTextDocument(shownAddressOf(uri));
  await deps.lists.noteUse({ id, name, hash: hashId });
}

/** Opens a draft. Saving it sends it to the service. */
export async function openDraft(
  deps: CommandDeps,
  fields: DocumentFields,
  from?: SecretOwner,
  options: { readonly hidesVariables?: boolean } = {},
): Promise<void> {
  const token = await deps.templateStores.creation.addDraft(fields, from, options);
  const name = typeof fields['name'] === 'string' ? fields['name'] : '';
  await vscode.window.showTextDocument(vscode.Uri.from(templateUriParts({ kind: 'draft', token, name })), {
    preview: false,
  });
}

/** Opens a private copy of a template of the account or of another user. */
export async function duplicateTemplate(
  deps: CommandDeps,
  target: TemplateTarget | undefined,
): Promise<void> {
  const id = await chooseTemplate(deps, target, 'gpuRental.template.duplicate');
  if (id === undefined) {
    return;
  }
  const known = await savedTemplate(deps, id, (of) => ({
    message: t('“{0}” is not saved. Save it first?', of),
    button: t('Save and Continue'),
  }));
  if (!known) {
    return;
  }
  const { fields, isMine, name } = known;
  const copy = {
    ...fields,
    name: isMine ? t('Copy of {0}', name) : name,
    private: true,
    // The copy is private and must not carry another user's credentials.
    ...(isMine ? {} : { docker_login_repo: '', docker_login_user: '', docker_login_pass: '' }),
  };
  await openDraft(deps, copy, isMine ? templateOwner(id) : undefined);
}

export async function deleteTemplates(
  deps: CommandDeps,
  target: TemplateTarget | undefined,
  selected: readonly TemplateTarget[] = [],
): Promise<void> {
  const account = accountFor(deps.accounts);
  const several = selected.map(({ templateId }) => templateId);
  const first = await chooseTemplate(deps, target, 'gpuRental.template.delete', (template) =>
    deps.lists.isMine(template),
  );
  const ids = [...new Set(several.length > 1 ? several : first === undefined ? [] : [first])];
  const known = await Promise.all(ids.map((id) => knownTemplate(deps, id)));
  const mine = known.filter(({ isMine }) => isMine);
  if (mine.length === 0) {
    if (known.length > 0) {
      throw new UserError(text("This template belongs to another user and can't be deleted."));
    }
    return;
  }
  const names = mine.map(templateName).join(', ');
  const isWanted = await confirm({
    message:
      mine.length === 1
        ? t('Delete the template {0} from the service?', names)
        : t('Delete {0} templates from the service: {1}?', mine.length, names),
    detail: t("This can't be undone. Instances that you already rented stay."),
    button: t('Delete'),
  });
  if (!isWanted) {
    return;
  }
  const remaining = [...mine];
  try {
    for (const { id } of mine) {
      await deps.templateStores.creation.remove(account(), id);
      remaining.shift();
    }
  } catch (error) {
    throw mine.length > 1 && error instanceof UserError ? notDeleted(remaining, error) : error;
  } finally {
    if (remaining.length < mine.length) {
      // The list must not offer what was deleted, and its rows show why it could not be read.
      await deps.templates.refresh().catch(() => undefined);
    }
  }
}

/** Returns the failure of one of several deletions, with the names of those that are left. */
function notDeleted(remaining: readonly KnownTemplate[], error: UserError): UserError {
  return new UserError(text('Not deleted: {0}. {1}', remaining.map(templateName).join(', '), error.text), {
    nextStep: error.nextStep,
    cause: error,
  });
}

export async function copyOf(
  deps: CommandDeps,
  command: CommandId,
  target: TemplateTarget | undefined,
  value: (known: KnownTemplate) => string,
): Promise<void> {
  const id = await chooseTemplate(deps, target, command);
  if (id !== undefined) {
    await vscode.env.clipboard.writeText(value(await knownTemplate(deps, id)));
    vscode.window.setStatusBarMessage(t('Copied'), 4_000);
  }
}

/** Opens the documentation that the template names, or else the image's page at the public registry. */
export async function openImagePage(deps: CommandDeps, target: TemplateTarget | undefined): Promise<void> {
  const id = await chooseTemplate(deps, target, 'gpuRental.template.openImagePage');
  if (id === undefined) {
    return;
  }
  const { fields } = await knownTemplate(deps, id);
  const page = imagePage(fields);
  if (!page) {
    throw new UserError(text('This image has no known page. Add one as "href" in the template.'));
  }
  // The editor asks the user before it opens an untrusted address.
  await vscode.env.openExternal(page);
}

/** Returns the address if it is a web page. An address from the service can be of any kind. */
function imagePage(fields: DocumentFields): vscode.Uri | undefined {
  const { href, image } = fields;
  if (typeof href === 'string' && URL.canParse(href) && /^https?:$/.test(new URL(href).protocol)) {
    return vscode.Uri.parse(href, true);
  }
  const path = typeof image === 'string' ? image.split(/[:@]/)[0] : undefined;
  return path !== undefined && /^[a-z0-9_-]+(\/[a-z0-9._-]+)?$/.test(path)
    ? vscode.Uri.parse(`https://hub.docker.com/${path.includes('/') ? 'r' : '_'}/${path}`)
    : undefined;
}
