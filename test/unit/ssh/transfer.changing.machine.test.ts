import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SshService } from '../../../src/ssh/service';
import { TransferError } from '../../../src/ssh/transfer';
import type { SshHome } from '../../support/sshHome';
import { fill, named, useTransfers, type TransferScene } from '../../support/transfers';

describe('Moving files over SSH with a machine that changes or lies', () => {
  const scene = useTransfers();
  const up: TransferScene['up'] = (...parts) => scene().up(...parts);
  const down: TransferScene['down'] = (...parts) => scene().down(...parts);
  let home: SshHome;
  let ssh: SshService;
  let remote: string;
  let local: string;

  beforeEach(() => {
    ({ home, ssh, remote, local } = scene());
  });

  it('does not report a file that keeps growing as fetched', async () => {
    fill(join(remote, 'out'), ['log', 'still']);
    const growing: SshService = {
      ...ssh,
      exec: async (alias, script, options) => {
        appendFileSync(join(remote, 'out', 'log'), 'more');
        return ssh.exec(alias, script, options);
      },
    };
    const outcome = await down(join(remote, 'out'), {}, { ssh: growing });
    assert.deepEqual(named(outcome), { 'out/log': 'changed during the transfer' });
    assert.match(readFileSync(join(local, 'out', 'log'), 'utf8'), /^out\/log|log(?:more)+$/);
  });

  it('brings what appears on the machine during the transfer', async () => {
    fill(join(remote, 'out'), ['first']);
    let count = 0;
    const later: SshService = {
      ...ssh,
      exec: async (alias, script, options) => {
        count += 1;
        if (count === 2) {
          fill(join(remote, 'out'), ['second']);
        }
        return ssh.exec(alias, script, options);
      },
    };
    assert.deepEqual(await down(join(remote, 'out'), {}, { ssh: later }), {
      files: 2,
      bytes: 11,
      leftOut: [],
    });
    assert.equal(readFileSync(join(local, 'out', 'second'), 'utf8'), 'second');
  });

  it('is not led astray by what start-up files of the machine print', async () => {
    fill(join(remote, 'out'), ['a', 'b']);
    const noisy: SshService = {
      ...ssh,
      exec: (alias, script, options) =>
        ssh.exec(alias, `echo 'see https://example.com//x'; ${script}`, options),
    };
    const more = { ssh: noisy };
    assert.deepEqual((await down(join(remote, 'out'), {}, more)).leftOut, []);
    assert.equal(readFileSync(join(local, 'out', 'b'), 'utf8'), 'b');
    fill(join(local, 'back'), ['c']);
    assert.deepEqual((await up(join(local, 'back'), {}, more)).leftOut, []);
  });

  it('does not believe a list of the machine that ends early, and never reports it as complete', async () => {
    fill(join(remote, 'out'), ['a', 'b']);
    const listing = (end: string): SshService => ({
      ...ssh,
      exec: (alias, script, options) => ssh.exec(alias, script.replace(/\nfind .*/, `\n${end}`), options),
    });
    for (const torn of ["printf '//81a4 1 17'", "printf '//81a4 1 1700000000 ./out/a'"]) {
      await assert.rejects(down(join(remote, 'out'), {}, { ssh: listing(torn) }), TransferError, torn);
    }
    const failed = await down(join(remote, 'out'), {}, { ssh: listing('echo "no memory" >&2; exit 1') });
    assert.deepEqual(named(failed), { out: 'no memory' });
  });

  it('accepts nothing from the machine that leads out of the folder', async () => {
    fill(join(remote, 'out'), ['a']);
    const names = ['../evil', 'out/../../evil', 'other'];
    const lies = names.map((name) => `//81a4 1 1 ./${name}\\n`).join('');
    const lying: SshService = {
      ...ssh,
      exec: (alias, script, options) =>
        ssh.exec(alias, script.replace(/\nstat -L/, `\nprintf '${lies}'\nstat -L`), options),
    };
    const outcome = await down(join(remote, 'out'), {}, { ssh: lying });
    assert.deepEqual(named(outcome), {
      '../evil': 'a name that leads out of the folder',
      'out/../../evil': 'a name that leads out of the folder',
      other: 'a name that leads out of the folder',
    });
    assert.ok(!existsSync(join(home.root, 'evil')) && !existsSync(join(local, 'other')));
  });
});
