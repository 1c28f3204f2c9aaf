import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { PrepareRequest } from '../../src/ssh/prepareHost';
import { SshHome } from './sshHome';
import { sshAccount, sshInstance } from './sshInstance';
import { SshMachine } from './sshMachine';

/** Names, sizes, times and contents of a folder, to prove that it was not touched. */
function snapshot(dir: string): string {
  if (!existsSync(dir)) {
    return 'missing';
  }
  const hash = createHash('sha256');
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()) {
    const facts = lstatSync(join(dir, name));
    hash.update(`${name} ${facts.mode} ${facts.mtimeMs} `);
    if (facts.isFile()) {
      hash.update(readFileSync(join(dir, name)));
    }
  }
  return hash.digest('hex');
}

/** A home folder and a machine of its own for one test with the real programs. */
export interface RealSshScene {
  readonly home: SshHome;
  readonly machine: SshMachine;
  /** Asks for instance 7, which is the machine, with these keys registered. */
  request(more?: Parameters<typeof sshInstance>[1], keys?: readonly string[]): PrepareRequest;
  /** Has the server listen until the test ends, and returns its port. */
  listen(server: Server): Promise<number>;
  atEnd(close: () => unknown): void;
}

/** A scene for each test, after which the real ~/.ssh must be as it was: `scene()` is the one of the running test. */
export function useRealSsh(): () => RealSshScene {
  const realFolder = join(userInfo().homedir, '.ssh');
  const closers: (() => unknown)[] = [];
  let before: string;
  let scene: RealSshScene | undefined;

  beforeEach(async () => {
    before = snapshot(realFolder);
    const home = new SshHome();
    const machine = await new SshMachine().start();
    scene = {
      home,
      machine,
      request: (more = {}, keys = []) => ({
        account: sshAccount,
        instanceId: 7,
        instance: sshInstance(machine.port, more),
        registeredKeys: keys,
      }),
      listen: async (server) => {
        server.listen(0, '127.0.0.1');
        await new Promise((resolve) => server.once('listening', resolve));
        closers.push(() => server.close());
        const address = server.address();
        return address !== null && typeof address === 'object' ? address.port : 0;
      },
      atEnd: (close) => void closers.push(close),
    };
  });

  afterEach(async () => {
    for (const close of closers.splice(0)) {
      await close();
    }
    await scene?.machine.dispose();
    scene?.home.dispose();
    scene = undefined;
    assert.equal(snapshot(realFolder), before, 'the real ~/.ssh was touched');
  });

  return () => {
    assert.ok(scene, 'the scene is there in tests');
    return scene;
  };
}
