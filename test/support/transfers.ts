import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { download } from '../../src/ssh/download';
import { chosenFiles } from '../../src/ssh/fileTree';
import type { SshService } from '../../src/ssh/service';
import type { TransferOptions, TransferOutcome } from '../../src/ssh/transfer';
import { upload } from '../../src/ssh/upload';
import { systemClock } from '../../src/util/clock';
import { formatText } from '../../src/util/text';
import { openedFolder } from './openedFolder';
import { SshHome } from './sshHome';
import { sshTo } from './sshInstance';
import { SshMachine } from './sshMachine';

interface Conditions {
  readonly platform?: NodeJS.Platform;
  readonly singleBytes?: number;
  readonly ssh?: SshService;
}
type Transfer = (
  from: string,
  options?: TransferOptions,
  conditions?: Conditions,
) => Promise<TransferOutcome>;

/** A machine that can be logged in to, with a folder there and one here. */
export interface TransferScene {
  readonly home: SshHome;
  readonly machine: SshMachine;
  readonly ssh: SshService;
  readonly remote: string;
  readonly local: string;
  /** Moves into the folder on the machine. */
  readonly up: Transfer;
  /** Moves into the folder here. */
  readonly down: Transfer;
}

/** A scene for each test: `scene()` is the one of the running test. */
export function useTransfers(): () => TransferScene {
  let scene: TransferScene | undefined;

  beforeEach(async () => {
    const home = new SshHome();
    const machine = await new SshMachine().start();
    const ssh = await sshTo(home, machine);
    // The machine is this computer: its folder stands beside the local one.
    const remote = join(home.root, "remote's folder");
    const local = join(home.root, 'local folder');
    mkdirSync(remote);
    mkdirSync(local);
    const deps = (conditions: Conditions) => ({
      ssh,
      clock: systemClock,
      platform: process.platform,
      ...conditions,
    });
    scene = {
      home,
      machine,
      ssh,
      remote,
      local,
      up: (from, options, conditions = {}) =>
        chosenFiles([from]).then((chosen) => upload(deps(conditions), 'gpu-7', chosen, remote, options)),
      down: (from, options, conditions = {}) =>
        download(deps(conditions), 'gpu-7', from, openedFolder(local), options),
    };
  });

  afterEach(async () => {
    await scene?.machine.dispose();
    scene?.home.dispose();
    scene = undefined;
  });

  return () => {
    assert.ok(scene, 'the scene is there in tests');
    return scene;
  };
}

/** Returns what was left out, with the reason of each. */
export function named({ leftOut }: TransferOutcome): Record<string, string> {
  return Object.fromEntries(leftOut.map(({ name, why }) => [name, formatText(why)]));
}

/** Makes files that hold their names. */
export function fill(folder: string, names: Iterable<string>): void {
  for (const name of names) {
    const file = join(folder, name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, name);
  }
}
