import * as vscode from 'vscode';
import type { RemoteFileTarget } from '../../commandSpecs';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { withCancellableProgress } from '../../editor/progress';
import { askLine } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import { isRemotePath } from '../../ssh/remoteFolders';
import { onAccountEnd } from '../../store/accounts/accountEnds';
import { accountFor } from '../../store/accounts/sameAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { SftpConnections } from '../machine/connections';
import { rawOf, shownName, wordsOf } from '../machine/rawPath';
import { ifThere } from '../machine/replaceRemote';
import { remoteKind } from '../model/remoteKind';
import type { Services } from '../services';
import { FileDocuments, fileUri } from './fileDocuments';
import { fileRowDrops } from './fileRowDrops';
import { FileTree } from './fileTree';
import { registerMirrors, type MirrorUiDeps } from './mirrors';
import { reach } from './reached';
import { TensorBoards } from './tensorBoards';

type Deps = MirrorUiDeps &
  Pick<
    Services,
    | 'accountCleanup'
    | 'accounts'
    | 'clock'
    | 'commands'
    | 'fileDrops'
    | 'fleet'
    | 'instanceGroups'
    | 'log'
    | 'machineFiles'
    | 'ssh'
  >;

/** The files of instances: a tree below each, documents that are opened and saved there, and mirrored folders. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { accounts, commands, fleet, log, ssh } = deps;
  const connections = store.add(new SftpConnections(deps));
  const aliasOf = async (instanceId: number) => (await reach(deps, instanceId)).alias;
  const tree = store.add(
    new FileTree(
      {
        start: async (instanceId) => {
          const alias = await aliasOf(instanceId);
          return connections.use(alias, async (client) => {
            const usual = await ifThere(client.stat('/workspace'));
            return usual && remoteKind(usual) === 'folder' ? '/workspace' : client.realPath('.');
          });
        },
        list: async (instanceId, path, limit) =>
          connections.use(await aliasOf(instanceId), (client) => client.list(path, limit)),
      },
      log,
    ),
  );
  store.add(deps.instanceGroups.addInstanceRows(tree));
  store.add(
    fleet.onDidChange(() => {
      tree.keepOnly((id) => fleet.find(id)?.actualStatus === 'running');
    }),
  );
  store.add(
    onAccountEnd(deps, () => {
      connections.close();
      tree.keepOnly(() => false);
    }),
  );
  const documents = new FileDocuments(connections, ssh, deps.clock);
  deps.machineFiles.setProvider(documents);
  deps.fileDrops.setFeature(fileRowDrops(deps, tree));
  store.add(registerMirrors({ ...deps, documents }));
  store.add(commands.register('gpuRental.files.begin', () => undefined));
  store.add(commands.register('gpuRental.files.list', (target) => tree.below(target)));
  store.add(
    commands.register('gpuRental.files.refresh', (target) => target && tree.refresh(target.instanceId)),
  );
  const boards = store.add(new TensorBoards(deps, aliasOf));
  store.add(commands.register('gpuRental.openTensorBoard', (target) => boards.open(target)));
  store.add(commands.register('gpuRental.files.copyPath', (target) => copyPath(target)));
  store.add(
    commands.register('gpuRental.files.open', async (target) => {
      if (target?.note === 'more') {
        tree.showMore(target);
      } else if (target) {
        await open(target);
      }
    }),
  );
  store.add(
    commands.register('gpuRental.files.goTo', async (target) => {
      const path = target && (await askPath(tree.startOf(target.instanceId)));
      if (target && path !== undefined) {
        await open({ instanceId: target.instanceId, remotePath: rawOf(path) });
      }
    }),
  );

  /** Opens a document, or shows a folder below *Files*; a link is followed. */
  async function open({ instanceId, remotePath }: RemoteFileTarget): Promise<void> {
    const account = accountFor(accounts);
    const alias = await aliasOf(instanceId);
    const words = wordsOf(remotePath);
    const kind = await withCancellableProgress(t('Opening {0}', shownName(remotePath)), (signal) =>
      connections.use(alias, async (client) => remoteKind(await client.stat(remotePath)), signal),
    );
    account();
    if (kind === 'folder') {
      tree.goTo(instanceId, remotePath);
    } else if (kind === 'file' && words !== undefined) {
      await vscode.commands.executeCommand('vscode.open', fileUri(alias, words));
    } else {
      message('warning', t('{0} can’t be opened as a document.', shownName(remotePath)));
    }
  }
  return store;
}

async function copyPath(target: RemoteFileTarget | undefined): Promise<void> {
  if (target) {
    await vscode.env.clipboard.writeText(wordsOf(target.remotePath) ?? shownName(target.remotePath));
    vscode.window.setStatusBarMessage(t('Copied'), 4_000);
  }
}

async function askPath(before: string | undefined): Promise<string | undefined> {
  const path = await askLine({
    title: titleOf('gpuRental.files.goTo'),
    prompt: t('File or folder on the instance'),
    value: before === undefined ? '/' : shownName(before),
    problem: (value) =>
      isRemotePath(value.trim()) ? undefined : t('Enter a full path, such as /workspace.'),
  });
  return path?.trim();
}
