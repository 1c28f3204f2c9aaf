import * as vscode from 'vscode';
import type { CommandId } from '../commandSpecs';

interface Manifest {
  readonly contributes: {
    /** The editor adds the English title to a translated one. */
    readonly commands: readonly {
      readonly command: string;
      readonly title: string | { readonly value: string };
    }[];
  };
}

/** Returns the title of a command in the language of the editor, without its ellipsis, for what the command asks. */
export function commandTitle(id: CommandId): string {
  const own = vscode.extensions.getExtension('gpu-rental.gpu-rental');
  const { contributes } = own?.packageJSON as Manifest;
  const title = contributes.commands.find(({ command }) => command === id)?.title ?? id;
  return (typeof title === 'string' ? title : title.value).replace(/…$/, '');
}
