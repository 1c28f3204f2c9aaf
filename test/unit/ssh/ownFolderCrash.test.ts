import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../../src/ssh/fileSystem';
import { renderHost, type HostEntry } from '../../../src/ssh/hostConfig';
import { thisProcess } from '../../../src/ssh/nodeSsh';
import { OwnFolder } from '../../../src/ssh/ownFolder';
import { sshPaths } from '../../../src/ssh/paths';
import { systemClock, type Clock } from '../../../src/util/clock';
import { CrashingFileSystem } from '../../support/crashingFileSystem';
import { SshHome } from '../../support/sshHome';

/** A hundred times as fast, so that a lock whose owner cannot be told is given up soon. */
const hastyClock: Clock = {
  now: () => systemClock.now() * 100,
  elapsed: () => systemClock.elapsed() * 100,
  schedule: (run, delayMs) => systemClock.schedule(run, delayMs / 100),
};

const entry: HostEntry = {
  alias: 'gpu-7',
  endpoint: { kind: 'direct', host: '192.0.2.1', port: 22 },
  identityFile: undefined,
  forwardAgent: false,
  account: '0123456789abcdef',
};
const moved: HostEntry = { ...entry, endpoint: { ...entry.endpoint, port: 41_022 } };

describe('A file of ours', () => {
  let home: SshHome;

  beforeEach(() => {
    home = new SshHome();
  });
  afterEach(() => home.dispose());

  const paths = () => sshPaths(home.environment);
  const conf = () => join(home.ownDir, 'gpu-7.conf');
  const rendered = (of: HostEntry) => renderHost(of, paths().knownHosts);

  function folder(fs: FileSystem = nodeFileSystem, pid = process.pid): OwnFolder {
    // Another pid than ours has died, as far as the lock can see.
    const identity = { ...thisProcess, pid, isAlive: (other: number) => other === process.pid };
    const deps = { fs, clock: hastyClock, identity, platform: 'linux' as const };
    return new OwnFolder(deps, paths(), () => Promise.resolve());
  }

  const known = 'gpu-7 ssh-ed25519 AAAA\ngpu-77 ssh-ed25519 BBBB\n';
  const scenes: Record<
    string,
    {
      readonly file: () => string;
      readonly before: () => string | undefined;
      readonly act: (own: OwnFolder) => Promise<unknown>;
      readonly after: () => string | undefined;
    }
  > = {
    'an entry is made': {
      file: conf,
      before: () => undefined,
      act: (own) => own.write(entry),
      after: () => rendered(entry),
    },
    'an entry moves': {
      file: conf,
      before: () => rendered(entry),
      act: (own) => own.write(moved),
      after: () => rendered(moved),
    },
    'an entry goes': {
      file: conf,
      before: () => rendered(entry),
      act: (own) => own.remove(['gpu-7']),
      after: () => undefined,
    },
    'a host key is forgotten': {
      file: () => paths().knownHosts,
      before: () => known,
      act: (own) => own.forgetHostKeys(['gpu-7']),
      after: () => 'gpu-77 ssh-ed25519 BBBB\n',
    },
    'a config file is remembered': {
      file: () => join(home.ownDir, 'config-files'),
      before: () => '/one\n',
      act: (own) => own.rememberConfigFile('/two'),
      after: () => '/one\n/two\n',
    },
    'everything goes': {
      file: conf,
      before: () => rendered(entry),
      act: (own) => own.removeAll(),
      after: () => undefined,
    },
  };

  for (const [scene, { file, before, act, after }] of Object.entries(scenes)) {
    it(`is the old or the new one wherever the power fails while ${scene}`, async () => {
      const content = () => (existsSync(file()) ? home.read(file()) : undefined);
      const reset = () => {
        rmSync(home.ownDir, { recursive: true, force: true });
        const old = before();
        if (old !== undefined) {
          home.write(old, file());
        }
      };
      reset();
      const whole = new CrashingFileSystem(0, 'before');
      await act(folder(whole.fs));
      assert.equal(content(), after());
      assert.ok(whole.operations.length > 3, whole.operations.join());
      const met = new Set<string | undefined>();
      for (let at = 1; at <= whole.operations.length; at += 1) {
        for (const when of ['before', 'during', 'after'] as const) {
          reset();
          const crashing = new CrashingFileSystem(at, when);
          await assert.rejects(act(folder(crashing.fs, 999_999)));
          const left = content();
          assert.ok(left === before() || left === after(), `${when} ${crashing.operations.join()}: ${left}`);
          met.add(left);
          // Whoever comes next gets through and can take all of the wreck away.
          await act(folder());
          assert.equal(content(), after());
          await folder().removeAll();
          assert.equal(existsSync(home.ownDir), false, `${when} ${crashing.operations.join()}`);
        }
      }
      assert.equal(met.size, 2, 'both the old and the new were met');
    });
  }

  it('leaves nothing half-written behind once it is written again', async () => {
    const whole = new CrashingFileSystem(0, 'before');
    await folder(whole.fs).write(entry);
    for (let at = 1; at <= whole.operations.length; at += 1) {
      await folder(new CrashingFileSystem(at, 'during').fs, 999_999)
        .write(moved)
        .catch(() => undefined);
      await folder().write(at % 2 === 0 ? entry : { ...entry, forwardAgent: true });
    }
    assert.deepEqual(readdirSync(home.ownDir), ['gpu-7.conf']);
  });
});
