import * as vscode from 'vscode';
import { longestOnstart, packOnstart } from '../../api/onstart';
import { localize, t } from '../../editor/localize';
import { ask } from '../../editor/message';
import { askText, pickFromList } from '../../editor/quickPick';
import type { RentFlow } from '../../model/rentals/rentFlow';
import { UserError } from '../../util/errors';
import { scriptLines } from '../../util/scriptLines';
import type { StepResult } from './rentSteps';

type Origin = 'editor' | 'file' | 'type' | 'none';

/** Sets a script that runs when the machine has started, and checks its length. */
export async function onstartOption(flow: RentFlow): Promise<StepResult | undefined> {
  const editor = vscode.window.activeTextEditor;
  const answer = await pickFromList<Origin>({
    title: t('Rent: {0}', t('On-start script')),
    placeholder: t(
      'Where is the script? At most {0} characters are sent; longer ones are compressed.',
      longestOnstart,
    ),
    canGoBack: true,
    rows: [
      ...(editor
        ? [
            {
              id: 'editor',
              label: t('From the Active Editor'),
              description: lengthText(textOf(editor)),
              value: 'editor' as const,
            },
          ]
        : []),
      { id: 'file', label: t('From a File…'), value: 'file' },
      { id: 'type', label: t('Type One Line…'), value: 'type' },
      {
        id: 'none',
        label: flow.choices.source.kind === 'template' ? t('As the Template Says') : t('No Script'),
        value: 'none',
      },
    ],
  });
  if (answer.kind !== 'picked') {
    return undefined;
  }
  switch (answer.value) {
    case 'none':
      return { unset: ['onstart'] };
    case 'editor':
      return editor && checked(textOf(editor));
    case 'file':
      return fromFile();
    case 'type':
      return typed(flow.choices.onstart);
  }
}

/** Returns the selection, or the whole document if nothing is selected. */
function textOf({ document, selection }: vscode.TextEditor): string {
  return selection.isEmpty ? document.getText() : document.getText(selection);
}

function lengthText(script: string): string {
  return t('{0} of {1} characters', script.length, longestOnstart);
}

async function fromFile(): Promise<StepResult | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: t('On-start script'),
      openLabel: t('Use This Script'),
      canSelectMany: false,
    })) ?? [];
  if (!file) {
    return undefined;
  }
  const script = decoded(await vscode.workspace.fs.readFile(file));
  if (script === undefined) {
    const name = file.path.slice(file.path.lastIndexOf('/') + 1);
    await ask('warning', { message: t('{0} is not UTF-8 text. Save it as UTF-8 and try again.', name) });
    return undefined;
  }
  return checked(script);
}

/** Returns the text; `undefined` for another encoding, such as the UTF-16 of a shell on Windows. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    const script = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return script.includes('\0') ? undefined : script;
  } catch {
    return undefined;
  }
}

async function typed(current: string | undefined): Promise<StepResult | undefined> {
  const answer = await askText({
    title: t('Rent: {0}', t('On-start script')),
    prompt: t('One line of shell commands'),
    value: current?.includes('\n') === true ? '' : (current ?? ''),
    canGoBack: true,
    problem: (value) => ({ message: lengthText(value), severity: vscode.InputBoxValidationSeverity.Info }),
  });
  if (answer.kind !== 'picked') {
    return undefined;
  }
  return answer.value.trim() === '' ? { unset: ['onstart'] } : checked(answer.value);
}

/** Reports a script that is too long even when compressed, before the confirmation. */
async function checked(script: string): Promise<StepResult | undefined> {
  const onstart = scriptLines(script);
  try {
    packOnstart(onstart);
    return { set: { onstart } };
  } catch (error) {
    if (error instanceof UserError) {
      await ask('warning', { message: localize(error.text) });
      return undefined;
    }
    throw error;
  }
}
