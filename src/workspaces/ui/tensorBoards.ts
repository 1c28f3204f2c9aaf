import type { JobRowTarget, RemoteFileTarget } from '../../commandSpecs';
import { runCommand } from '../../editor/commands';
import { t } from '../../editor/localize';
import { withCancellableProgress } from '../../editor/progress';
import { instanceName } from '../../model/instances/instanceLabel';
import type { Services } from '../../services';
import { accountFor } from '../../store/accounts/sameAccount';
import type { Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import { wordsOf } from '../machine/rawPath';
import { imagePort, startTensorBoard } from '../machine/tensorBoard';
import { offerInstall } from './offerInstall';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'ssh'>;

/** A folder of an instance, relative to the home folder unless it is absolute. */
interface Folder {
  readonly instanceId: number;
  readonly folder: string;
}

/** Opens TensorBoard for folders of instances. One that this window started ends with its forwarded port. */
export class TensorBoards implements Disposable {
  private readonly running = new Map<string, { readonly port: number; readonly close: () => void }>();

  constructor(
    private readonly deps: Deps,
    private readonly reach: (instanceId: number) => Promise<string>,
  ) {}

  async open(target: RemoteFileTarget | JobRowTarget | undefined): Promise<void> {
    const folder = target && (await folderOf(target));
    if (folder) {
      await this.openFolder(folder);
    }
  }

  dispose(): void {
    for (const { close } of this.running.values()) {
      close();
    }
  }

  private async openFolder({ instanceId, folder }: Folder): Promise<void> {
    const account = accountFor(this.deps.accounts);
    const alias = await this.reach(instanceId);
    const key = `${alias} ${folder}`;
    const known = this.running.get(key);
    const port = known?.port ?? (await this.start(key, alias, { instanceId, folder }));
    const again = () => this.openFolder({ instanceId, folder });
    const machine = { instanceId, accountKey: account().key };
    const forward =
      port === undefined
        ? undefined
        : await runCommand('gpuRental.port.forward', { ...machine, port, again });
    if (port === undefined || !forward) {
      this.running.get(key)?.close();
      return;
    }
    void forward.ended.then(() => this.running.get(key)?.close());
    await runCommand('gpuRental.port.open', { instanceId, port, via: 'forward' });
  }

  /** Returns the port on the instance; `undefined` if TensorBoard is missing there and is not to be installed. */
  private async start(key: string, alias: string, place: Folder): Promise<number | undefined> {
    const { fleet, ssh } = this.deps;
    const instance = fleet.find(place.instanceId);
    const where = instance ? plainLabel(instanceName(instance)) : `#${place.instanceId}`;
    const program = await withCancellableProgress(t('Starting TensorBoard on {0}', where), (signal) =>
      startTensorBoard(ssh, alias, place.folder, signal),
    );
    const { said, ended } = program;
    const close = () => program.close();
    if (said.kind === 'started') {
      this.running.set(key, { port: said.port, close });
      void ended.then(async () => {
        this.running.delete(key);
        await runCommand('gpuRental.port.stopForwarding', {
          ...{ instanceId: place.instanceId, port: said.port, via: 'forward' },
        });
      });
      return said.port;
    }
    close();
    if (said.kind === 'noFolder') {
      throw new UserError(text('This folder isn’t there yet, or it was removed.'));
    }
    if (said.kind === 'image') {
      return imagePort;
    }
    return (await offerInstall(ssh, alias, { name: 'tensorboard', where }))
      ? this.start(key, alias, place)
      : undefined;
  }
}

async function folderOf(target: RemoteFileTarget | JobRowTarget): Promise<Folder | undefined> {
  if ('jobId' in target) {
    return runCommand('gpuRental.job.outputsOnMachine', target);
  }
  const folder = wordsOf(target.remotePath);
  return folder === undefined ? undefined : { instanceId: target.instanceId, folder };
}
