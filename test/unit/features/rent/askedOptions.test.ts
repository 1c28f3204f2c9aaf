import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setWindowParts } from '../../../../src/editor/windowParts';
import { loginOption, type RentSecrets } from '../../../../src/features/rent/loginOption';
import { onstartOption } from '../../../../src/features/rent/onstartOption';
import { registryUse } from '../../../../src/model/accounts/keptSecret';
import type { KeptSecrets } from '../../../../src/store/accounts/keptSecrets';
import { FakeClock } from '../../../support/fakeClock';
import type { Screen } from '../../../support/fakeEditor/screen';
import { FakeRange } from '../../../support/fakeEditor/values';
import { FakeSecrets } from '../../../support/fakeWindows';
import { keptSecrets } from '../../../support/keptSecrets';
import { OnQuick } from '../../../support/onQuick';
import { openScreen, textsOn } from '../../../support/onScreen';
import { only } from '../../../support/only';
import { removeFolder } from '../../../support/removeFolder';

let screen: Screen;
let quick: OnQuick;

function open(): void {
  screen = openScreen();
  quick = new OnQuick(screen);
}

/** The result; a message that waits for an answer is closed. */
async function resultOf<T>(
  work: Promise<T>,
): Promise<{ readonly result: T; readonly said: readonly string[] }> {
  const waits = () => Promise.race([work.then(() => false), setImmediate(true)]);
  while (await waits()) {
    for (const one of [...screen.messages.shown]) {
      one.close();
    }
  }
  return { result: await work, said: textsOn(screen) };
}

describe('The login to a private registry', () => {
  let ring: FakeSecrets;
  let kept: KeptSecrets;
  let secrets: RentSecrets;
  beforeEach(() => {
    open();
    setWindowParts({ clock: new FakeClock() });
    ring = new FakeSecrets();
    kept = keptSecrets(ring);
    const active = { key: 'ada', client: { secrets: { list: () => Promise.resolve([]) } } };
    secrets = only({ accounts: { active }, keptSecrets: kept, accountKey: 'ada' });
  });
  const choose = async (label: string) => {
    const chosen = loginOption(secrets);
    await quick.pick(label);
    return resultOf(chosen);
  };
  const enter = async (...parts: readonly string[]) => {
    const chosen = loginOption(secrets);
    await quick.pick('Enter a Login…');
    for (const part of parts) {
      await quick.type(part);
      await quick.enter();
    }
    if (parts.length < 3) {
      await quick.escape();
    }
    return resultOf(chosen);
  };
  const uses = async () => (await kept.all('ada')).map(({ name, uses: all }) => [name, ...all]);
  const login = registryUse('ghcr.io', 'me');

  it('is one that is kept here, where there is one', async () => {
    const none = loginOption(secrets);
    assert.deepEqual(await quick.rows(), ['Enter a Login…', 'No Login from Here']);
    assert.equal(quick.message, 'The service needs a login to pull a private image.');
    await quick.back();
    assert.equal(await none, undefined);
    await kept.add('ada', 'x', 'token', login);
    assert.deepEqual((await choose('Use the Saved Login to ghcr.io')).result, {
      set: { imageLogin: '-u me -p token ghcr.io' },
    });
    assert.deepEqual((await choose('No Login from Here')).result, { unset: ['imageLogin'] });
  });

  it('can be entered for this rental where the secrets can’t be read', async () => {
    ring.isLocked = true;
    const chosen = loginOption(secrets);
    assert.deepEqual(await quick.rows(), ['Enter a Login…', 'No Login from Here']);
    assert.match(quick.message ?? '', /^Could not read your secrets/);
    await quick.pick('Enter a Login…');
    for (const part of ['ghcr.io', 'me', 'token']) {
      await quick.type(part);
      await quick.enter();
    }
    const { result, said } = await resultOf(chosen);
    assert.deepEqual(result, { set: { imageLogin: '-u me -p token ghcr.io' } });
    assert.deepEqual(said, [
      'warning Could not save the login in the secret store. It is used this time only. []',
    ]);
    assert.equal(ring.values.size, 0);
  });

  it('is asked for part by part, the token out of sight, which is a secret of the account', async () => {
    const chosen = loginOption(secrets);
    await quick.pick('Enter a Login…');
    const hidden: unknown[] = [];
    for (const part of [' ghcr.io ', ' me ', ' token ']) {
      hidden.push((screen.quick.current as { readonly password?: boolean }).password);
      await quick.type(part);
      await quick.enter();
    }
    assert.deepEqual(hidden, [false, false, true]);
    const { result, said } = await resultOf(chosen);
    assert.deepEqual(said, []);
    assert.deepEqual(result, { set: { imageLogin: '-u me -p token ghcr.io' } });
    assert.deepEqual(await uses(), [['registry-ghcr.io', login]]);
  });

  it('can be a secret that is there, which is chosen by name and may be used for the registry from now on', async () => {
    await kept.add('ada', 'HF_TOKEN', 'token', 'list');
    const chosen = loginOption(secrets);
    await quick.pick('Enter a Login…');
    for (const part of ['ghcr.io', 'me']) {
      await quick.type(part);
      await quick.enter();
    }
    assert.deepEqual(await quick.rows(), ['HF_TOKEN', 'New Secret…']);
    assert.equal(quick.message, 'Access token: The rented machine gets the value.');
    await quick.pick('HF_TOKEN');
    assert.deepEqual((await resultOf(chosen)).result, { set: { imageLogin: '-u me -p token ghcr.io' } });
    assert.deepEqual(await uses(), [['HF_TOKEN', 'list', login]]);
  });

  it('is none where a part is missing', async () => {
    for (const parts of [[], ['ghcr.io'], ['ghcr.io', 'me']]) {
      assert.deepEqual(await enter(...parts), { result: undefined, said: [] });
    }
    assert.deepEqual(await uses(), []);
  });

  it('shows what can’t be sent to the service, and keeps nothing of it', async () => {
    for (const parts of [
      ['ghcr.io', 'me', 'a token with spaces'],
      ['ghcr.io', '-x'],
    ]) {
      const chosen = loginOption(secrets);
      await quick.pick('Enter a Login…');
      for (const part of parts) {
        await quick.type(part);
        await quick.enter();
      }
      const { result, said } = await resultOf(chosen);
      assert.equal(result, undefined);
      assert.match(said.at(-1) ?? '', /^warning dialog /);
      assert.deepEqual(await uses(), []);
    }
  });
});

describe('The script at the start of a machine', () => {
  beforeEach(open);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gr-onstart-'));
  const flow = (onstart?: string, kind = 'image') => ({ choices: { source: { kind }, onstart } }) as never;
  const fromFile = async (content: string | Uint8Array | undefined) => {
    const file = path.join(folder, 'start.sh');
    if (content !== undefined) {
      writeFileSync(file, content);
    }
    screen.fileDialogs.push(content === undefined ? undefined : [file]);
    const chosen = onstartOption(flow());
    await quick.pick('From a File…');
    return resultOf(chosen);
  };
  after(() => removeFolder(folder));

  it('is none, or as in the template', async () => {
    const none = onstartOption(flow());
    assert.deepEqual(await quick.rows(), ['From a File…', 'Type One Line…', 'No Script']);
    await quick.pick('No Script');
    assert.deepEqual(await none, { unset: ['onstart'] });
    const usual = onstartOption(flow(undefined, 'template'));
    await quick.pick('As the Template Says');
    assert.deepEqual(await usual, { unset: ['onstart'] });
    const back = onstartOption(flow());
    await quick.back();
    assert.equal(await back, undefined);
  });

  it('is what is selected in the editor, else its whole text', async () => {
    const { documents } = screen;
    const document = await documents.open({ content: 'one\r\ntwo\r\nthree\n', language: 'shellscript' });
    await documents.show(document);
    const whole = onstartOption(flow());
    assert.match((await quick.rows())[0] ?? '', /^From the Active Editor 16 of [\d,]+ characters$/);
    await quick.pick('From the Active Editor');
    assert.deepEqual(await whole, { set: { onstart: 'one\ntwo\nthree\n' } });
    await documents.show(document, { selection: new FakeRange(0, 0, 0, 3) });
    const selected = onstartOption(flow());
    assert.match((await quick.rows())[0] ?? '', /^From the Active Editor 3 of [\d,]+ characters$/);
    await quick.pick('From the Active Editor');
    assert.deepEqual(await selected, { set: { onstart: 'one' } });
    documents.close(document);
  });

  it('is a file of text', async () => {
    assert.deepEqual(await fromFile('echo é\r\n'), { result: { set: { onstart: 'echo é\n' } }, said: [] });
    assert.deepEqual(await fromFile(undefined), { result: undefined, said: [] });
    for (const bytes of [new Uint8Array([0x65, 0, 0x66, 0]), new Uint8Array([0xff, 0xfe])]) {
      const { result, said } = await fromFile(bytes);
      assert.equal(result, undefined);
      assert.deepEqual(said, [
        'warning dialog start.sh is not UTF-8 text. Save it as UTF-8 and try again. [OK]',
      ]);
    }
  });

  it('is a line that is typed, with its length below', async () => {
    const typed = onstartOption(flow('make'));
    await quick.pick('Type One Line…');
    assert.equal(quick.value, 'make');
    assert.match((await quick.type('make all')) ?? '', /^8 of [\d,]+ characters$/);
    await quick.enter();
    assert.deepEqual(await typed, { set: { onstart: 'make all' } });
    for (const current of [undefined, 'two\nlines']) {
      const empty = onstartOption(flow(current));
      await quick.pick('Type One Line…');
      assert.equal(quick.value, '');
      await quick.enter();
      assert.deepEqual(await empty, { unset: ['onstart'] });
    }
    const none = onstartOption(flow());
    await quick.pick('Type One Line…');
    await quick.escape();
    assert.equal(await none, undefined);
  });

  it('is refused before the confirmation where it is too long even when compressed', async () => {
    const { result, said } = await fromFile(
      Array.from({ length: 20_000 }, (_, index) => Math.sin(index).toString(36)).join(''),
    );
    assert.equal(result, undefined);
    assert.match(said.join(), /^warning dialog .*\[OK\]$/);
  });
});
