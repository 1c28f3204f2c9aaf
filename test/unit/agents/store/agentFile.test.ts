import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentRequest } from '../../../../src/agents/model/request';
import { AgentFile } from '../../../../src/agents/store/agentFile';
import { FakeClock } from '../../../support/fakeClock';
import { MemoryLog } from '../../../support/fakeTransport';
import { useFolder } from '../../../support/useFolder';

const secret = 'curl -H "token: planted-9f31"';

function aRequest(state: AgentRequest['state'], id: string): AgentRequest {
  const caller = { id: 'model', name: 'Model', door: 'chat' } as const;
  return { id, requestId: id, tool: 'run_command', print: 'p', caller, at: 1, state, command: secret };
}

describe('The file of what agents asked for', () => {
  let storageDir = '';
  let log: MemoryLog;
  let file: AgentFile;
  const folder = () => path.join(storageDir, 'accounts', 'key', 'agents');
  useFolder((made) => void (storageDir = made));
  beforeEach(() => {
    log = new MemoryLog();
    file = new AgentFile({ storageDir, clock: new FakeClock(), log }, 'key');
  });

  it('keeps a command only until it is answered, since it may hold secrets', async () => {
    await file.write({ quotes: [], requests: [aRequest('pending', 'a')] });
    assert.deepEqual(
      (await file.list()).map(({ command }) => command),
      [secret],
    );
    await file.write({ quotes: [], requests: [aRequest('approved', 'a'), aRequest('done', 'b')] });
    assert.deepEqual(
      (await file.list()).map((one) => ['command' in one, one.state]),
      [
        [false, 'approved'],
        [false, 'done'],
      ],
    );
    const all = readdirSync(folder()).map((name) => readFileSync(path.join(folder(), name), 'utf8'));
    assert.doesNotMatch(all.join(''), /planted/);
  });

  it('is set aside where it is damaged, which is logged, and counts until the user knows of it', async () => {
    assert.deepEqual([await file.list(), await file.broken(), log.lines], [[], [], []]);
    mkdirSync(folder(), { recursive: true });
    writeFileSync(path.join(folder(), 'requests.json'), '{"quotes": [');
    assert.deepEqual(await file.list(), []);
    assert.equal(log.lines.length, 1);
    assert.match(log.lines.join(''), /was kept as .*requests\.json\.broken-\d+$/);
    const broken = await file.broken();
    assert.equal(broken.length, 1);
    await file.accept(broken);
    assert.deepEqual(await file.broken(), []);
    assert.match(readdirSync(folder()).join(' '), /requests\.json\.known-\d+/);
  });
});
