import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { EffectiveConfig } from '../../../src/ssh/effectiveConfig';
import { nodeFileSystem } from '../../../src/ssh/fileSystem';
import { givenAway } from '../../../src/ssh/verify';
import { systemClock, type Clock } from '../../../src/util/clock';
import { FakeClock } from '../../support/fakeClock';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';

describe('What ssh makes of its config', () => {
  let home: SshHome;
  let asked: string[][];
  let clock: FakeClock;
  const service = (ofService: Clock = clock) =>
    home.service({
      clock: ofService,
      probe: () => Promise.resolve('ssh'),
      run: (program, args, options) => {
        asked.push([program, ...args]);
        return home.run(program, args, options);
      },
    });
  const count = (option: string) => asked.filter((args) => args.includes(option)).length;
  beforeEach(() => {
    home = new SshHome();
    clock = new FakeClock();
    asked = [];
    home.key();
    home.write('Host *\n  User someone\n');
  });
  afterEach(() => home.dispose());

  it('is asked for once as long as the files stay as they are', async () => {
    const ssh = service();
    await ssh.localKeys();
    assert.equal(count('-G'), 1);
    await Promise.all([ssh.localKeys(), ssh.unreadKeys()]);
    assert.equal(count('-G'), 1);
    const second = service();
    await Promise.all([second.localKeys(), second.unreadKeys()]);
    assert.equal(count('-G'), 2);
  });

  it('is asked for once where it is missing or refused, until it is there', async () => {
    const ssh = service();
    rmSync(home.configFile);
    for (const [content, times] of [
      [undefined, 1],
      ['Frobnicate yes\n', 2],
      ['Host *\n', 3],
    ] as const) {
      if (content !== undefined) {
        home.write(content);
      }
      await ssh.localKeys();
      await ssh.localKeys();
      assert.equal(count('-G'), times, content);
    }
  });

  it('is asked for after each change of a file that ssh reads, and of the folders in which they lie', async () => {
    const ssh = service();
    const changes: readonly (() => void)[] = [
      () => home.write(`Host *\n  Include ${join(home.sshDir, 'more.d')}/*\n`),
      () => home.write(`IdentityFile ${join(home.sshDir, 'first')}\n`, join(home.sshDir, 'more.d', 'a')),
      () => home.write(`IdentityFile ${join(home.sshDir, 'other')}\n`, join(home.sshDir, 'more.d', 'a')),
      () => home.write('Host a\n', join(home.sshDir, 'more.d', 'b')),
      () => {
        rmSync(join(home.sshDir, 'more.d', 'a'));
      },
    ];
    mkdirSync(join(home.sshDir, 'more.d'));
    home.write('# nothing\n', join(home.sshDir, 'more.d', 'c'));
    await ssh.localKeys();
    for (const [index, change] of changes.entries()) {
      change();
      await ssh.localKeys();
      assert.equal(count('-G'), index + 2, `after change ${index}`);
      await ssh.localKeys();
      assert.equal(count('-G'), index + 2, `once after change ${index}`);
    }
  });

  it('is that of the files as they were when it was asked for, though another question is under way', async () => {
    for (const isRead of [false, true]) {
      let goOn = () => {};
      let isUnderWay = () => {};
      const underWay = new Promise<void>((resolve) => (isUnderWay = resolve));
      const held = new Promise<void>((resolve) => (goOn = resolve));
      let isFirst = true;
      const effective = new EffectiveConfig({
        fs: nodeFileSystem,
        clock,
        run: async (program, args, options) => {
          if (!isFirst) {
            return home.run(program, args, options);
          }
          isFirst = false;
          // ssh has read the file, or is about to.
          const answer = isRead ? await home.run(program, args, options) : undefined;
          isUnderWay();
          await held;
          return answer ?? home.run(program, args, options);
        },
      });
      home.write('Host *\n  User first\n');
      const paths = { ownDir: home.ownDir, userConfig: home.configFile };
      const ask = () => effective.ask(['ssh', '-F', home.configFile], 'gpu-7', paths);
      const first = ask();
      await underWay;
      home.write('Host *\n  User second\n');
      const second = ask();
      goOn();
      await first;
      for (const answer of [await second, await ask()]) {
        assert.match(answer.stdout, /^user second$/m);
      }
    }
  });

  it('is asked for again after a while, since a folder that is named may have been empty', async () => {
    const ssh = service();
    await ssh.localKeys();
    await clock.advance(31_000);
    await ssh.localKeys();
    assert.equal(count('-G'), 2);
  });

  it('is asked for each time where a line depends on a program', async () => {
    home.write('Match exec "test -e /tmp/vpn"\n  ProxyJump gate\n');
    const ssh = service();
    await ssh.localKeys();
    await ssh.localKeys();
    assert.equal(count('-G'), 2);
  });

  it('is compared again with an entry that was rewritten', async () => {
    const ssh = service(systemClock);
    const registeredKeys = await ssh.localKeys().then((keys) => keys.map(({ line }) => line));
    const request = { account: sshAccount, instanceId: 7, registeredKeys };
    const first = await ssh.writeEntry({ ...request, instance: sshInstance(2201) });
    const second = await ssh.writeEntry({ ...request, instance: sshInstance(2202) });
    assert.deepEqual([first.endpoint.port, second.endpoint.port], [2201, 2202]);
    assert.deepEqual([first.verification.kind, second.verification.kind], ['equal', 'equal']);
  });

  it('is read in a home folder of any name, which ssh escapes in its trace', async () => {
    const other = new SshHome('Jos\u00e9 \u5bb6');
    try {
      const line = other.key();
      const vault = join(other.root, 'caf\u00e9');
      mkdirSync(vault);
      for (const name of ['id_ed25519', 'id_ed25519.pub']) {
        renameSync(join(other.sshDir, name), join(vault, name));
      }
      other.write(`Host *\n  IdentityFile "${join(vault, 'id_ed25519')}"\n  SendEnv AWS_*\n`);
      const ssh = other.service({
        probe: () => Promise.resolve('ssh'),
        run: (program, args, options) => {
          asked.push([program, ...args]);
          return other.run(program, args, options);
        },
      });
      const keys = await ssh.localKeys();
      assert.deepEqual(
        keys.map((key) => key.line),
        [line],
      );
      await ssh.localKeys();
      assert.equal(count('-G'), 1);
      const request = {
        account: sshAccount,
        instanceId: 7,
        instance: sshInstance(2201),
        registeredKeys: [line],
      };
      const { verification } = await ssh.writeEntry(request);
      const [given] = givenAway(verification);
      assert.deepEqual(given?.place, { file: other.configFile, line: 6, text: 'SendEnv AWS_*' });
      other.write(`Frobnicate yes\n${other.read()}`);
      const { verification: broken } = await ssh.writeEntry(request);
      assert.match(broken.kind === 'broken' ? broken.message : '', /Jos\u00e9 \u5bb6.*Frobnicate/i);
    } finally {
      other.dispose();
    }
  });

  it('starts no program for an agent where none is named', async () => {
    await service().localKeys();
    assert.deepEqual(
      asked.map(([program]) => program),
      ['ssh'],
    );
  });
});
