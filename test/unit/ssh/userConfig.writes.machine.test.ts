import assert from 'node:assert/strict';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { nodeFileSystem, type FileSystem } from '../../../src/ssh/fileSystem';
import { CrashingFileSystem } from '../../support/crashingFileSystem';
import type { SshHome } from '../../support/sshHome';
import { block, line, user, useUserConfig } from '../../support/userConfig';

describe("The user's SSH config while it is written", () => {
  const { home: homeOfTest, config } = useUserConfig();
  let home: SshHome;
  beforeEach(() => {
    home = homeOfTest();
  });

  it('is tried again where a virus scanner holds it for a moment', async () => {
    home.write(user);
    let refusals = 3;
    const fs: FileSystem = {
      ...nodeFileSystem,
      replaceIfSame: (temp, target, expected) => {
        refusals -= 1;
        return refusals >= 0
          ? Promise.reject(Object.assign(new Error('busy'), { code: 'EBUSY' }))
          : nodeFileSystem.replaceIfSame(temp, target, expected);
      },
    };
    assert.equal(await config(fs).ensure(), 'written');
    assert.equal(home.read(), block + user);
  });

  it('keeps the lines that a program adds to the old file, which it opened before the rename', async () => {
    home.write(user);
    const other = openSync(home.configFile, 'a');
    const fs: FileSystem = {
      ...nodeFileSystem,
      replaceIfSame: async (temp, target, expected) => {
        const old = await nodeFileSystem.replaceIfSame(temp, target, expected);
        writeSync(other, 'Host at-once\n');
        return (
          old && {
            ...old,
            late: async () => {
              const late = await old.late();
              writeSync(other, late.length < 20 ? 'Host later\n' : '');
              return late;
            },
          }
        );
      },
    };
    assert.equal(await config(fs).ensure(), 'written');
    closeSync(other);
    assert.equal(home.read(), `${block + user}Host at-once\nHost later\n`);
  });

  it('is read again if another program edits it right before the rename', async () => {
    home.write(user);
    let edited = false;
    const fs: FileSystem = {
      ...nodeFileSystem,
      createSynced: async (path, bytes, mode) => {
        await nodeFileSystem.createSynced(path, bytes, mode);
        if (!edited) {
          edited = true;
          home.write(`${user}Host new\n`);
        }
      },
    };
    assert.equal(await config(fs).ensure(), 'written');
    assert.equal(home.read(), `${block}${user}Host new\n`);
  });

  it('is not covered if another program makes it right before we do', async () => {
    let made = false;
    const fs: FileSystem = {
      ...nodeFileSystem,
      linkNew: (temp, target) => {
        if (!made) {
          made = true;
          home.write(user);
        }
        return nodeFileSystem.linkNew(temp, target);
      },
    };
    await config(fs).ensure();
    assert.equal(home.read(), block + user);
  });

  it('is made on file systems without second names too', async () => {
    const fs: FileSystem = {
      ...nodeFileSystem,
      linkNew: () => Promise.reject(Object.assign(new Error('no links'), { code: 'EPERM' })),
    };
    assert.equal(await config(fs).ensure(), 'written');
    assert.ok(home.read().includes(line));
  });

  const scenes: Record<string, { readonly before: string | undefined; readonly act: 'ensure' | 'remove' }> = {
    'the block is put in': { before: user, act: 'ensure' },
    'the block moves up': { before: user + block, act: 'ensure' },
    'the file is made': { before: undefined, act: 'ensure' },
    'the block is taken out': { before: block + user, act: 'remove' },
  };
  for (const [scene, { before, act }] of Object.entries(scenes)) {
    it(`is the old or the new one wherever the power fails while ${scene}`, async () => {
      const content = () => (existsSync(home.configFile) ? home.read() : undefined);
      const reset = () => {
        rmSync(home.sshDir, { recursive: true, force: true });
        mkdirSync(home.sshDir, { mode: 0o700 });
        if (before !== undefined) {
          home.write(before);
        }
      };
      reset();
      const whole = new CrashingFileSystem(0, 'before');
      await config(whole.fs)[act]();
      const after = content();
      assert.notEqual(after, before);
      const results = new Set<string | undefined>();
      for (let at = 1; at <= whole.operations.length; at += 1) {
        for (const when of ['before', 'during', 'after'] as const) {
          reset();
          const crashing = new CrashingFileSystem(at, when);
          const worked = await config(crashing.fs, 999_999)
            [act]()
            .then(
              () => true,
              () => false,
            );
          const left = content();
          // Only what comes after the work, such as giving back the lock, may fail without a word.
          assert.ok(!worked || left === after, crashing.operations.join());
          assert.ok(
            left === before || left === after,
            `${when} ${crashing.operations.join()}: ${left ?? ''}`,
          );
          results.add(left);
          // The next one gets through, and whoever writes next clears the wreck away.
          await config()[act]();
          assert.equal(content(), after);
          await config()[act === 'ensure' ? 'remove' : 'ensure']();
          const rest = [...readdirSync(home.sshDir), ...readdirSync(home.ownDir)];
          assert.deepEqual(
            rest.filter((name) => name.startsWith('.')),
            [],
          );
        }
      }
      assert.deepEqual([...results].sort(), [before, after].sort());
    });
  }
});
