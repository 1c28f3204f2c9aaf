import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AuditLog } from '../../../../src/agents/store/auditLog';
import { systemClock } from '../../../../src/util/clock';
import { silentLog } from '../../../../src/util/log';
import { useFolder } from '../../../support/useFolder';

const call = {
  at: Date.UTC(2026, 10, 23),
  caller: { id: 'x', name: 'claude-code', door: 'mcp' },
  tool: 'list_instances',
  isError: false,
  outcome: 'done',
} as const;

const deps = { clock: systemClock, log: silentLog };

describe('the log of what agents called', () => {
  let dir = '';
  useFolder((made) => void (dir = made));

  it('has a line for each call, in a file of this user alone', async () => {
    const file = join(dir, 'storage', 'agents.log');
    const audit = new AuditLog(file, deps);
    await Promise.all([audit.add(call), audit.add({ ...call, tool: 'request_rental', outcome: 'pending' })]);
    const lines = (await audit.read()).trim().split('\n');
    assert.deepEqual(JSON.parse(lines[1] ?? ''), {
      time: '2026-11-23T00:00:00.000Z',
      door: 'mcp',
      clientCallsItself: 'claude-code',
      tool: 'request_rental',
      isError: false,
      outcome: 'pending',
    });
    assert.equal(lines.length, 2);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
  });

  it('keeps two files of 1 MB at most', async () => {
    const file = join(dir, 'agents.log');
    await writeFile(file, `${'x'.repeat(1024 * 1024)}\n`);
    await writeFile(`${file}.old`, 'oldest\n');
    const audit = new AuditLog(file, deps);
    await audit.add(call);
    assert.match(await readFile(file, 'utf8'), /^\{.*\}\n$/);
    assert.doesNotMatch(await audit.read(), /oldest/);
  });

  it('begins another file at 1 MB and not before', async () => {
    const file = join(dir, 'agents.log');
    for (const [bytes, isBegun] of [
      [1024 * 1024 - 1, false],
      [1024 * 1024, true],
    ] as const) {
      await writeFile(file, 'x'.repeat(bytes));
      await new AuditLog(file, deps).add(call);
      assert.equal((await stat(file)).size < 1000, isBegun, String(bytes));
    }
  });

  it('continues if the disk refuses', async () => {
    await writeFile(join(dir, 'file'), '');
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (line: string) => warnings.push(line) };
    await new AuditLog(join(dir, 'file', 'agents.log'), { clock: systemClock, log }).add(call);
    assert.equal(warnings.length, 1);
  });
});
