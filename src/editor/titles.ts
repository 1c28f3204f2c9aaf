import * as vscode from 'vscode';
import type { AnyCommandId } from '../commandSpecs';
import { plainLabel } from '../util/plainLabel';

/** A title; the editor keeps the English one beside its translation. */
type Title = string | { readonly value: string };

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: Title }[];
    readonly languageModelTools: readonly { readonly name: string; readonly displayName: Title }[];
  };
}

function contributes(): Manifest['contributes'] {
  return (vscode.extensions.getExtension('gpu-rental.gpu-rental')?.packageJSON as Manifest).contributes;
}

function inWords(title: Title): string {
  return plainLabel(typeof title === 'object' ? title.value : title);
}

/** Returns the title of a contributed command, so that a button or a question is named and translated like it. */
export function labelOf(id: AnyCommandId): string {
  return inWords(contributes().commands.find(({ command }) => command === id)?.title ?? id);
}

/** Returns the title without the dots, for a question that is open already. */
export function titleOf(id: AnyCommandId): string {
  return labelOf(id).replace(/…$/, '');
}

/** Returns the title of a tool of agents; its name if another version of this extension wrote it. */
export function toolTitle(tool: string): string {
  const own = contributes().languageModelTools.find(({ name }) => name === `gpuRental_${tool}`);
  return inWords(own?.displayName ?? tool);
}
