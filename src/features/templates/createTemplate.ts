import * as vscode from 'vscode';
import type { DocumentTarget, TemplateTarget } from '../../commandSpecs';
import { chooseInstance } from '../../editor/chooseInstance';
import { t } from '../../editor/localize';
import { openNamedDocument } from '../../editor/namedDocument';
import { whileReadingInstances } from '../../editor/progress';
import { askLine, pickOne } from '../../editor/quickPick';
import { saveFile } from '../../editor/saveFile';
import { titleOf } from '../../editor/titles';
import type { Template } from '../../model/templates/template';
import { parseDocument, renderDocument } from '../../model/templates/templateDocument';
import { templateForImage, templateFromInstance } from '../../model/templates/templateFromInstance';
import { fileOwner } from '../../model/templates/templateReference';
import { fileNameOf } from '../../model/templates/templateUri';
import { quoteForShell } from '../../ssh/commandLine';
import { clientFor } from '../../store/accounts/sameAccount';
import { listedInstances } from '../../store/instances/listed';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { chooseTemplate, openDraft, savedTemplate, type CommandDeps } from './templateCommands';

/** Asks what the template starts from and opens it as a draft. */
export async function createTemplate(deps: CommandDeps): Promise<void> {
  deps.templateStores.documents.account();
  const { state } = deps.fleet;
  const instances = state.kind === 'ready' ? state.value.instances : [];
  const rows = [
    {
      icon: 'package',
      label: t('From an Image…'),
      detail: t('A private SSH template with an image of your choice'),
      run: () => fromImage(deps),
    },
    {
      icon: 'new-file',
      label: t('From Scratch'),
      detail: t('All fields, left empty'),
      run: () => openDraft(deps, templateForImage('')),
    },
    ...(instances.length === 0
      ? []
      : [
          {
            icon: 'server',
            label: t('From an Instance…'),
            detail: t('Image, environment, start script and disk of one of your instances'),
            run: () => fromInstance(deps),
          },
        ]),
    {
      icon: 'folder-opened',
      label: t('From a File…'),
      detail: '*.gpu-template.json',
      run: () => importTemplate(deps, undefined),
    },
  ];
  const picked = await pickOne(rows, {
    title: titleOf('gpuRental.template.create'),
    placeHolder: t('What should it start from?'),
  });
  await picked?.run();
}

async function fromImage(deps: CommandDeps): Promise<void> {
  const image = await askLine({
    title: t('Container Image'),
    prompt: t('With its tag, as for docker pull'),
    placeholder: 'pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime',
    problem: (value) =>
      /^\s*[^\s]+\s*$/.test(value) ? undefined : t('Enter an image, such as pytorch/pytorch:latest.'),
  });
  if (image !== undefined) {
    await openDraft(deps, templateForImage(image));
  }
}

async function fromInstance(deps: CommandDeps): Promise<void> {
  const client = clientFor(deps.accounts);
  const id = await chooseInstance(
    undefined,
    () => listedInstances(deps.fleet, whileReadingInstances),
    'gpuRental.template.create',
    t('You have no instances.'),
  );
  if (id === undefined) {
    return;
  }
  // The instances that windows share lack the values of their environment, so read this one from the service.
  const instance = await client().instances.get(id);
  if (!instance) {
    throw new UserError(text('This no longer exists. Refresh the list.'));
  }
  await openDraft(deps, templateFromInstance(instance, quoteForShell), undefined, { hidesVariables: true });
}

/** Writes a template to a file. Secrets stay references; the file never contains their values. */
export async function exportTemplate(deps: CommandDeps, target: TemplateTarget | undefined): Promise<void> {
  const id = await chooseTemplate(deps, target, 'gpuRental.template.export');
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
  const { fields, name } = known;
  const uri = await saveFile({
    title: titleOf('gpuRental.template.export'),
    name: `${fileNameOf(name)}.gpu-template.json`,
    content: renderDocument(fields),
    filters: { [t('GPU Rental Template')]: ['gpu-template.json', 'json'] },
  });
  if (uri) {
    await vscode.window.showTextDocument(uri);
  }
}

/** Opens the content of a file as a draft. */
export async function importTemplate(deps: CommandDeps, from: DocumentTarget | undefined): Promise<void> {
  deps.templateStores.documents.account();
  const uri = from?.uri ?? (await pickFile());
  if (uri) {
    const document = await openNamedDocument(uri);
    await openDraft(deps, parseDocument(document.getText()), fileOwner(document.uri.toString()));
  }
}

async function pickFile(): Promise<vscode.Uri | undefined> {
  const picked = await vscode.window.showOpenDialog({
    title: titleOf('gpuRental.template.import'),
    filters: { [t('GPU Rental Template')]: ['gpu-template.json', 'json'] },
  });
  return picked?.[0];
}

/** Returns what a favorite remembers of a template. */
export function refOf(template: Pick<Template, 'id' | 'name' | 'hashId'>) {
  return { id: template.id, name: template.name, hash: template.hashId };
}
