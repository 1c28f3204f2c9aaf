import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { Emitter } from '../../../../src/util/emitter';
import type { FolderMirror, MirroredFolder } from '../../../../src/workspaces/model/mirror';
import type { MirrorNotes } from '../../../../src/workspaces/model/mirrorMemory';
import { Mirrors } from '../../../../src/workspaces/store/mirrors';
import { anInstance } from '../../../support/builders';
import { computerScene, passUntil, type ComputerScene } from '../../../support/computerScene';
import { only } from '../../../support/only';

describe('The folders that are kept on instances', () => {
  let { service, computer } = {} as ComputerScene;
  beforeEach(async () => {
    ({ service, computer } = await computerScene({ instances: [anInstance()] }));
  });
  afterEach(() => computer.dispose());

  async function open() {
    const window = await computer.openSignedIn();
    const { clock, log, storageDir } = computer;
    const notes = new Map<string, MirrorNotes>();
    const ended: string[] = [];
    const create = (folder: MirroredFolder, own: MirrorNotes) => {
      notes.set(folder.local, own);
      const changed = new Emitter<void>();
      return {
        ...only<FolderMirror>({ folder, onDidChange: (listener) => changed.event(listener) }),
        dispose: () => void ended.push(folder.local),
      };
    };
    const mirrors = window.owned.add(new Mirrors({ ...window, storageDir, clock, log, create }));
    await window.fleet.refresh();
    await mirrors.ready;
    const locals = () => mirrors.all.map(({ folder }) => folder.local);
    const folder = (local: string) => ({
      accountKey: window.accounts.active?.key ?? '',
      instanceId: 5001,
      contractStart: 1_700_000_000,
      local,
    });
    return { ...window, mirrors, locals, folder, notes, ended };
  }

  it('are the same in all windows and after a restart, and each is there once', async () => {
    const window = await open();
    const other = await open();
    const first = await window.mirrors.begin(window.folder('/a'));
    assert.equal(await window.mirrors.begin(window.folder('/a')), first);
    await passUntil(computer, 'the other window has it', () => other.locals().length === 1);
    await other.mirrors.begin(other.folder('/b'));
    window.close();
    assert.deepEqual((await open()).locals(), ['/a', '/b']);
    await other.mirrors.end(other.folder('/a'));
    assert.deepEqual([other.locals(), other.ended], [['/b'], ['/a']]);
  });

  it('remember what was sent of any name, and forget it with the instance', async () => {
    const window = await open();
    await window.mirrors.begin(window.folder('/a'));
    const notes = window.notes.get('/a');
    assert.ok(notes);
    const entry = { hash: 'ab', isExecutable: true, local: '1 2', there: '' };
    const memory = { machineId: '0f', remote: '/root/a', localId: '1 2' };
    const files = new Map([
      ['__proto__', entry],
      ['constructor', entry],
    ]);
    await notes.alone(() => notes.write({ ...memory, files, large: new Map([['x', false]]) }));
    await notes.writeAttempts(new Map([['__proto__', ['-', 'cd']]]));
    const other = await open();
    const kept = other.notes.get('/a');
    assert.deepEqual(await kept?.read(), { version: 1, ...memory, files, large: new Map([['x', false]]) });
    assert.deepEqual(await kept?.readAttempts(), new Map([['__proto__', ['-', 'cd']]]));
    service.instances = [];
    await passUntil(computer, 'it is forgotten', () => window.locals().length === 0);
    await passUntil(computer, 'nothing is left', () => !existsSync(notes.folder));
  });
});
