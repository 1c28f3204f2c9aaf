import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFileSystem } from '../../../../src/ssh/fileSystem';
import { TemplateStorage } from '../../../../src/store/templates/templateStorage';
import { systemClock } from '../../../../src/util/clock';
import { withLock } from '../../../../src/util/fileLock';
import { silentLog } from '../../../../src/util/log';
import { noSecrets } from '../../../support/slowFile';

describe('two windows that remember templates at the same moment', () => {
  let storageDir: string;

  beforeEach(() => {
    storageDir = mkdtempSync(join(tmpdir(), 'gpu-rental-memory-'));
  });
  afterEach(() => rmSync(storageDir, { recursive: true, force: true }));

  const open = (pid: number) =>
    new TemplateStorage(
      storageDir,
      silentLog,
      (action) =>
        withLock(
          join(storageDir, 'templates.lock'),
          { fs: nodeFileSystem, clock: systemClock, identity: { pid, host: 'here', isAlive: () => true } },
          action,
        ),
      noSecrets,
    );

  it('lose nothing that the other one wrote', async () => {
    const [one, other] = [open(1), open(2)];
    const ids = [...Array(20).keys()];
    await Promise.all(
      ids.map((id) =>
        (id % 2 === 0 ? one : other).change('a', (memory) => ({
          ...memory,
          favourites: [...memory.favourites, { id }],
          slots: { ...memory.slots, [String(id)]: { docker_login_pass: `registry-${id}` } },
        })),
      ),
    );
    const { favourites, slots } = await open(3).account('a');
    assert.deepEqual(
      favourites.map(({ id }) => id).sort((a, b) => a - b),
      ids,
    );
    assert.deepEqual(Object.keys(slots).map(Number), ids);
    assert.deepEqual(readdirSync(storageDir), ['templates.json']);
  });
});
