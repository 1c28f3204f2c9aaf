import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../../src/ssh/fileSystem';
import { renderHost, type HostEntry } from '../../../src/ssh/hostConfig';
import { OwnFolder } from '../../../src/ssh/ownFolder';
import { sshPaths } from '../../../src/ssh/paths';
import { thisProcess } from '../../../src/util/fileLock';
import { CrashingFileSystem } from '../../support/crashingFileSystem';
import { FakeClock } from '../../support/fakeClock';
import { SshHome } from '../../support/sshHome';

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
  /** Goes on while a lock whose owner cannot be told is waited for, and stands still while the disk is busy. */
  let clock: FakeClock;

  beforeEach(() => {
    home = new SshHome();
    clock = new FakeClock();
  });
  afterEach(() => home.dispose());

  const paths = () => sshPaths(home.environment);
  const conf = () => join(home.ownDir, 'gpu-7.conf');
  const rendered = (of: HostEntry) => renderHost(of, paths().knownHosts, false);

  function folder(fs: FileSystem = nodeFileSystem, pid = process.pid): OwnFolder {
    // Another pid than ours has died, as far as the lock can see.
    const identity = { ...thisProcess, pid, isAlive: (other: number) => other === process.pid };
    const deps = { fs, clock, identity, platform: 'linux' as const };
    return new OwnFolder(deps, paths(), () => Promise.resolve());
  }

  it('keeps the name of a workspace that it got while another login was under way', async () => {
    const own = folder();
    await own.write(entry);
    const before = await own.read('gpu-7');
    assert.ok(before);
    await own.name('gpu-7', 'gpu-ws-llm');
    await own.write({ ...before, endpoint: moved.endpoint });
    const after = await own.read('gpu-7');
    assert.deepEqual([after?.workspace, after?.endpoint], ['gpu-ws-llm', moved.endpoint]);
    await own.name('gpu-7', undefined);
    await own.name('gpu-8', 'gpu-ws-llm');
    assert.equal((await own.read('gpu-7'))?.workspace, undefined);
    assert.equal(existsSync(join(home.ownDir, 'gpu-8.conf')), false);
  });

  const known = 'gpu-7 ssh-ed25519 AAAA\ngpu-7.host ssh-ed25519 CCCC\ngpu-77 ssh-ed25519 BBBB\n';
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
      await clock.through(act(folder(whole.fs)));
      assert.equal(content(), after());
      assert.ok(whole.operations.length > 3, whole.operations.join());
      const met = new Set<string | undefined>();
      for (let at = 1; at <= whole.operations.length; at += 1) {
        for (const when of ['before', 'during', 'after'] as const) {
          reset();
          const crashing = new CrashingFileSystem(at, when);
          const worked = await clock.through(act(folder(crashing.fs, 999_999))).then(
            () => true,
            () => false,
          );
          const left = content();
          // Only what comes after the work, such as giving back the lock, may fail without a word.
          assert.ok(!worked || left === after(), crashing.operations.join());
          assert.ok(left === before() || left === after(), `${when} ${crashing.operations.join()}: ${left}`);
          met.add(left);
          // Whoever comes next gets through and can take all of the wreck away.
          await clock.through(act(folder()));
          assert.equal(content(), after());
          await clock.through(folder().removeAll());
          assert.equal(existsSync(home.ownDir), false, `${when} ${crashing.operations.join()}`);
        }
      }
      assert.equal(met.size, 2, 'both the old and the new were met');
    });
  }

  it('leaves nothing half-written behind once it is written again', async () => {
    const whole = new CrashingFileSystem(0, 'before');
    await clock.through(folder(whole.fs).write(entry));
    for (let at = 1; at <= whole.operations.length; at += 1) {
      const crashing = folder(new CrashingFileSystem(at, 'during').fs, 999_999);
      await clock.through(crashing.write(moved)).catch(() => undefined);
      await clock.through(folder().write(at % 2 === 0 ? entry : { ...entry, forwardAgent: true }));
    }
    assert.deepEqual(readdirSync(home.ownDir), ['gpu-7.conf']);
  });
});
