import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createTemplateStores } from '../../../../src/store/templates/templateStores';
import { aTemplate } from '../../../support/builders';
import { settle } from '../../../support/fakeClock';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';
import { secretParts } from '../../../support/keptSecrets';
import { TemplateComputer, type TemplateWindow } from '../../../support/templateWindow';
import { until } from '../../../support/until';

describe('Templates where something fails that the user did not ask for', () => {
  let service: FakeService;
  let computer: TemplateComputer;
  let window: TemplateWindow;
  beforeEach(async () => {
    service = new FakeService();
    service.templates = [aTemplate()];
    computer = new TemplateComputer(() => service.client);
    window = await computer.openWindow();
  });
  afterEach(() => computer.dispose());

  const file = () => path.join(computer.storageDir, 'templates.json');
  /** A folder in the place of the file can be neither read nor replaced. */
  const refuse = () => {
    rmSync(file(), { force: true });
    mkdirSync(file());
  };

  it('have no favourites that can’t be read, which is logged', async () => {
    refuse();
    window.refs.show();
    await until('it is told', () => computer.log.count('warn Favourite templates could not be read') > 0);
    assert.deepEqual(window.refs.favourites, []);
  });

  it('open though their time can’t be remembered, which is logged', async () => {
    const { memory } = window;
    memory.change = () => Promise.reject(new Error('disk full'));
    assert.equal((await window.documents.open(77))?.id, 77);
    await settle();
    assert.equal(
      computer.log.count('warn The time of a template could not be remembered: Error: disk full'),
      1,
    );
  });

  it('stay as they are if another window saved and they can’t be read again, which is logged', async () => {
    const other = await computer.openWindow();
    for (const { documents } of [window, other]) {
      await documents.open(77);
    }
    service.failsBefore('templates.search', () => new Error('down'));
    await other.documents.forget(77);
    await until(
      'it is told',
      () => computer.log.count('warn A template could not be read again: Error: down') > 0,
    );
    assert.equal(window.documents.peek(77)?.id, 77);
  });

  it('are remembered from the start if the file is damaged, which is reported once with where it is kept', async () => {
    writeFileSync(file(), '{ torn');
    let found = 0;
    window.memory.onDidFindDamage(() => (found += 1));
    for (let time = 0; time < 2; time += 1) {
      assert.deepEqual((await window.memory.account('account-1')).favourites, []);
    }
    const [kept] = window.memory.damaged;
    assert.equal(found, 1);
    assert.deepEqual(window.memory.damaged, [kept]);
    assert.ok(readdirSync(computer.storageDir).some((name) => kept?.endsWith(name)));
    assert.equal(computer.log.count(`warn What was remembered about templates was not understood`), 1);
  });

  it('are resumed after a restart once it is known who is signed in', async () => {
    const signed = await FakeComputer.make(service.client);
    try {
      (await signed.openSignedIn()).close();
      const { accounts, hub, owned } = signed.openWindow();
      const { clock, log, secrets, storageDir } = signed;
      const deps = { accounts, hub, ...secretParts(secrets, storageDir, log), clock, log, windowName: 'w' };
      const { documents } = owned.add(createTemplateStores(deps));
      const resumed = documents.resume(77);
      await accounts.load();
      await resumed;
      assert.equal(documents.peek(77)?.id, 77);
    } finally {
      await signed.dispose();
    }
  });

  it('leave what can’t be removed of an account that was signed out, which is logged', async () => {
    const signed = await FakeComputer.make(service.client);
    try {
      const { accounts, hub, owned } = await signed.openSignedIn();
      const { clock, log, secrets, storageDir } = signed;
      const deps = { accounts, hub, ...secretParts(secrets, storageDir, log), clock, log, windowName: 'w' };
      const stores = owned.add(createTemplateStores(deps));
      const key = accounts.active?.key ?? '';
      await stores.refs.noteUse(key, { id: 1 });
      stores.memory.change = () => Promise.reject(new Error('disk full'));
      await accounts.signOut(key);
      await until('it is told', () =>
        log.lines.includes(
          'warn What belongs to a signed-out account could not be removed: Error: disk full',
        ),
      );
    } finally {
      await signed.dispose();
    }
  });
});
