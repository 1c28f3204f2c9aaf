import { JsonPlaces } from '../../../model/documents/jsonPlaces';
import { extensionIdShape } from '../../../model/workspace/extensionId';
import { readSetUp, type RepositorySetUp } from '../../../model/workspace/setUpField';
import { renderWorkspaceFile } from '../../../model/workspace/workspaceFile';
import { quoteForShell } from '../../../ssh/commandLine';

/** Where development containers are described, the first one first (containers.dev/implementors/spec). */
export const devcontainerPaths = ['.devcontainer/devcontainer.json', '.devcontainer.json'];

export interface DevcontainerSetUp {
  readonly setUp: RepositorySetUp;
  /** What of the extensions and the command has no place in a set-up. */
  readonly leftOut: readonly string[];
}

/**
 * Returns what the extensions and `postCreateCommand` of a `devcontainer.json` are as a set-up; undefined without any.
 * @throws UserError if the set-up could not be shown or stored whole.
 */
export function readDevcontainer(source: string): DevcontainerSetUp | undefined {
  const places = new JsonPlaces(source);
  if (places.brokenLine !== undefined) {
    return undefined;
  }
  const leftOut: string[] = [];
  const listed = [places.value(['customizations', 'vscode', 'extensions'])].flat();
  // A hyphen takes an extension away from those of the image.
  const ids = listed.filter((id): id is string => typeof id === 'string' && !id.startsWith('-'));
  const extensions = ids.filter((id) => extensionIdShape.test(id));
  leftOut.push(...ids.filter((id) => !extensions.includes(id)));
  const command = places.value(['postCreateCommand']);
  const named = typeof command === 'object' && command !== null && !Array.isArray(command);
  const script = (named ? Object.values(command) : [command]).flatMap((one) => {
    const line = lineOf(one);
    // What is left of its variables has a meaning on the computer of the container only.
    const isUsable = line !== undefined && !/\$\{[A-Za-z]+:[A-Za-z]/.test(line);
    leftOut.push(...(line === undefined || isUsable ? [] : [line]));
    return isUsable ? [line] : [];
  });
  const setUp = {
    ...(extensions.length > 0 && { extensions }),
    ...(script.length > 0 && { script: script.join('\n') }),
  };
  const read = readSetUp(renderWorkspaceFile({ setUp }));
  return read && { setUp: read, leftOut };
}

/** A command is text for a shell, or the words of a program. */
function lineOf(command: unknown): string | undefined {
  if (typeof command === 'string') {
    return command.trim() === '' ? undefined : inShell(command);
  }
  const words = Array.isArray(command) ? command.filter((word) => typeof word === 'string') : [];
  return words.length > 0 ? words.map((word) => quoteForShell(word)).join(' ') : undefined;
}

/** Variables that containers replace before the shell sees them. */
function inShell(line: string): string {
  return line
    .replace(/\$\{(?:containerWorkspaceFolder|localWorkspaceFolder)\}/g, '$PWD')
    .replace(/\$\{(?:containerWorkspaceFolder|localWorkspaceFolder)Basename\}/g, '${PWD##*/}')
    .replace(
      /\$\{containerEnv:([A-Za-z_]\w*)(?::([^{}"'`$\\]*))?\}/g,
      (_, name: string, otherwise?: string) =>
        otherwise === undefined ? `\${${name}}` : `\${${name}:-${otherwise}}`,
    );
}
