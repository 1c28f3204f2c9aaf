import type { RemoteFileTarget } from '../../commandSpecs';
import { runCommand } from '../../editor/commands';
import type { FileDrops } from '../../editor/fileDrops';
import type { Services } from '../../services';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { wordsOf } from '../machine/rawPath';
import { fileUri } from './fileDocuments';
import type { FileTree } from './fileTree';

/** Returns what is dropped on a folder as an upload, and files as the documents that they open as. */
export function fileRowDrops(
  { accounts, ssh }: Pick<Services, 'accounts' | 'ssh'>,
  tree: Pick<FileTree, 'kindOf' | 'startOf'>,
): Parameters<FileDrops['setFeature']>[0] {
  return {
    take: async (row, files) => {
      const place = placeOf(row);
      const isFolder = place && (place.remotePath === '' || tree.kindOf(row) === 'folder');
      if (!isFolder || wordsOf(place.remotePath) === undefined) {
        throw new UserError(text('Drop files on a folder of an instance.'));
      }
      const other = files.find(({ scheme }) => scheme !== 'file');
      if (other) {
        throw new UserError(
          text('{0} is not on this computer. Choose a file or folder that is.', other.path),
        );
      }
      const { instanceId } = place;
      const remotePath = place.remotePath === '' ? tree.startOf(instanceId) : place.remotePath;
      const target = { instanceId, ...(remotePath === undefined ? {} : { remotePath }) };
      await runCommand(
        'gpuRental.files.upload',
        target,
        files.map(({ fsPath }) => fsPath),
      );
    },
    give: (rows) =>
      rows.flatMap((row) => {
        const place = tree.kindOf(row) === 'file' ? placeOf(row) : undefined;
        const words = place && wordsOf(place.remotePath);
        return !place || words === undefined || !accounts.active
          ? []
          : fileUri(ssh.aliasOf(accounts.active, place.instanceId), words);
      }),
  };
}

/** Returns undefined for a row that is no file and no folder. */
function placeOf(row: object): RemoteFileTarget | undefined {
  return 'remotePath' in row && !('note' in row) ? (row as RemoteFileTarget) : undefined;
}
