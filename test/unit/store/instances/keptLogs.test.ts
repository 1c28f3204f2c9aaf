import assert from 'node:assert/strict';
import { readdir, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeptLogs } from '../../../../src/store/instances/keptLogs';
import { CancelledError } from '../../../../src/util/errors';
import { silentLog } from '../../../../src/util/log';
import { Redactor } from '../../../../src/util/redact';
import { FakeClock } from '../../../support/fakeClock';
import { FakeService } from '../../../support/fakeService';
import { useFolder } from '../../../support/useFolder';

const account = '0123456789abcdef';

describe('The kept logs', () => {
  let dir = '';
  let clock: FakeClock;
  let service: FakeService;
  let content: string | Promise<string>;
  let reads: number;
  useFolder((made) => void (dir = made));
  beforeEach(() => {
    clock = new FakeClock();
    service = new FakeService();
    content = 'line one\nline two\n';
    reads = 0;
  });

  function open(limits = { ofOne: 1000, inAll: 10_000 }) {
    const redactor = new Redactor();
    redactor.addSecret('hf_verysecret');
    const redact = (text: string) => redactor.redact(text);
    const kept = new KeptLogs({ storageDir: dir, clock, log: silentLog, redact, limits });
    Object.assign(service.client.instances, {
      logs: () => {
        reads += 1;
        return Promise.resolve(content);
      },
    });
    return { kept, client: kept.around(service.client, account) };
  }

  it('hold what was read last, readable by the user alone', async () => {
    const { kept, client } = open();
    assert.equal(await kept.read(account, 7), undefined);
    assert.equal(await client.instances.logs(7, { tail: 100 }), content);
    assert.equal(await kept.read(account, 7), content);
    assert.equal((await stat(join(dir, 'accounts', account, 'history', '7.log'))).mode & 0o777, 0o600);
    content = '';
    await client.instances.logs(7, {});
    assert.equal(await kept.read(account, 7), 'line one\nline two\n', 'an empty log takes none away');
  });

  it('hold nothing of a part of a log, or of the log of the host', async () => {
    const { kept, client } = open();
    await client.instances.logs(7, { filter: 'error' });
    await client.instances.logs(7, { daemon: true });
    assert.equal(await kept.read(account, 7), undefined);
  });

  it('are read before an instance is destroyed, and not twice in a moment', async () => {
    const { kept, client } = open();
    await client.instances.destroy(7);
    assert.equal(await kept.read(account, 7), content);
    assert.deepEqual([reads, service.count('instances.destroy')], [1, 1]);
    await client.instances.destroy(7);
    assert.equal(reads, 1);
    await clock.advance(14_999);
    await client.instances.destroy(7);
    assert.equal(reads, 1);
    await clock.advance(1);
    await client.instances.destroy(7);
    assert.equal(reads, 2);
  });

  it('hold up no destroy for longer than a few seconds, and never by their failure', async () => {
    const hangs: typeof service.client.instances.logs = (_id, _query, { signal } = {}) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('aborted')));
      });
    Object.assign(service.client.instances, { logs: hangs });
    const kept = new KeptLogs({ storageDir: dir, clock, log: silentLog, redact: (text) => text });
    const client = kept.around(service.client, account);
    const destroyed = client.instances.destroy(8);
    await clock.advance(4999);
    assert.equal(service.count('instances.destroy'), 0);
    await clock.advance(1);
    await destroyed;
    assert.equal(service.count('instances.destroy'), 1);
  });

  it('hold no secret', async () => {
    const { kept, client } = open();
    content = 'export HF_TOKEN=hf_verysecret\nAuthorization: Bearer abcdef123456\n';
    await client.instances.logs(7, {});
    const text = (await kept.read(account, 7)) ?? '';
    assert.doesNotMatch(text, /verysecret|abcdef123456/);
    assert.match(text, /HF_TOKEN/);
  });

  it('keep the end of a long log, in whole lines', async () => {
    const { kept, client } = open({ ofOne: 50, inAll: 10_000 });
    content = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');
    await client.instances.logs(7, {});
    const text = (await kept.read(account, 7)) ?? '';
    assert.ok(Buffer.byteLength(text) <= 50);
    assert.match(text, /^line \d+\n/);
    assert.ok(text.endsWith('line 99'));
  });

  it('keep a log whole up to 256 KB, and read its last 1000 lines', async () => {
    let lines: number | undefined;
    const kept = new KeptLogs({ storageDir: dir, clock, log: silentLog, redact: (text) => text });
    Object.assign(service.client.instances, {
      logs: (_id: number, { tail }: { tail?: number }) => {
        lines = tail;
        return Promise.resolve(content);
      },
    });
    const client = kept.around(service.client, account);
    content = 'x\n'.repeat(2 ** 17);
    await client.instances.destroy(7);
    assert.equal(lines, 1000);
    assert.equal((await kept.read(account, 7))?.length, 256 * 1024);
    content += 'y';
    await client.instances.logs(7, {});
    assert.equal((await kept.read(account, 7))?.length, 256 * 1024 - 1, 'the first line is gone');
  });

  it('are only mentioned in the log if they can’t be read or written', async () => {
    const events: string[] = [];
    const keep = (line: string) => void events.push(line.replace(/:.*/, ''));
    const log = { ...silentLog, info: keep, warn: keep };
    const deps = { storageDir: dir, clock, log, redact: (text: string) => text };
    await new KeptLogs(deps).capture(7, account, { logs: () => Promise.reject(new Error('down')) });
    assert.deepEqual(events.splice(0), ['The log of 7 could not be kept']);
    await new KeptLogs(deps).capture(7, account, { logs: () => Promise.reject(new CancelledError()) });
    assert.deepEqual(events, [], 'not of what was given up');
    await writeFile(join(dir, 'accounts'), 'no folder');
    Object.assign(service.client.instances, { logs: () => Promise.resolve(content) });
    assert.equal(await new KeptLogs(deps).around(service.client, account).instances.logs(7, {}), content);
    assert.deepEqual(events, ['The log of 7 could not be kept']);
  });

  it('use 16 MB in all, and leave files alone that are no logs', async () => {
    const kept = new KeptLogs({ storageDir: dir, clock, log: silentLog, redact: (text) => text });
    Object.assign(service.client.instances, { logs: () => Promise.resolve(content) });
    const client = kept.around(service.client, account);
    await client.instances.logs(7, {});
    const folder = join(dir, 'accounts', account, 'history');
    const old = async (name: string, bytes: number) => {
      await writeFile(join(folder, name), '');
      await truncate(join(folder, name), bytes);
      await utimes(join(folder, name), 1, 1);
    };
    const most = 16 * 2 ** 20 - 'line one\nline two\n'.length;
    await old('5.json', 2 ** 24);
    await old('5.log', most);
    await client.instances.logs(7, {});
    assert.deepEqual((await readdir(folder)).sort(), ['5.json', '5.log', '7.log']);
    await old('5.log', most + 1);
    await client.instances.logs(7, {});
    assert.deepEqual((await readdir(folder)).sort(), ['5.json', '7.log']);
  });

  it('let the oldest go where there is no room for all', async () => {
    const { client } = open({ ofOne: 1000, inAll: 200 });
    content = `${'x'.repeat(99)}\n`;
    for (const id of [1, 2, 3]) {
      await client.instances.logs(id, {});
    }
    const names = (await readdir(join(dir, 'accounts', account, 'history'))).sort();
    assert.deepEqual(names, ['2.log', '3.log']);
  });
});
