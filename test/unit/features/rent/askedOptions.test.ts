import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { loginOption } from '../../../../src/features/rent/loginOption';
import { onstartOption } from '../../../../src/features/rent/onstartOption';
import type { Screen } from '../../../support/fakeEditor/screen';
import { FakeRange } from '../../../support/fakeEditor/values';
import { OnQuick } from '../../../support/onQuick';
import { openScreen, textsOn } from '../../../support/onScreen';
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
  beforeEach(open);
  const state = { kept: { kind: 'none' } as object, isKept: true, isForgotten: true };
  const stored: unknown[] = [];
  const logins = {
    read: () => Promise.resolve(state.kept),
    forget: () => Promise.resolve(state.isForgotten),
    keep: (login: unknown) => {
      stored.push(login);
      return Promise.resolve(state.isKept);
    },
  } as never;
  const choose = async (label: string) => {
    const chosen = loginOption(logins);
    await quick.pick(label);
    return resultOf(chosen);
  };
  const enter = async (...parts: readonly string[]) => {
    const chosen = loginOption(logins);
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

  beforeEach(() => {
    Object.assign(state, { kept: { kind: 'none' }, isKept: true, isForgotten: true });
    stored.length = 0;
  });

  it('is one that is kept here, where there is one', async () => {
    const none = loginOption(logins);
    assert.deepEqual(await quick.rows(), ['Enter a Login…', 'No Login from Here']);
    assert.equal(quick.message, 'The service needs a login to pull a private image.');
    await quick.back();
    assert.equal(await none, undefined);
    state.kept = { kind: 'present', registry: 'ghcr.io', flags: '-u me' };
    assert.deepEqual((await choose('Use the Saved Login to ghcr.io')).result, {
      set: { imageLogin: '-u me' },
    });
    assert.deepEqual(await choose('Forget the Saved Login'), { result: { unset: ['imageLogin'] }, said: [] });
    assert.deepEqual((await choose('No Login from Here')).result, { unset: ['imageLogin'] });
    state.isForgotten = false;
    assert.deepEqual((await choose('Forget the Saved Login')).said, [
      'warning The secret store of the editor did not keep the change. Unlock the key ring of this computer, then try again. []',
    ]);
  });

  it('can be entered where the kept one can’t be read', async () => {
    state.kept = { kind: 'unreadable' };
    const chosen = loginOption(logins);
    assert.deepEqual(await quick.rows(), ['Enter a Login…', 'No Login from Here']);
    assert.match(quick.message ?? '', /^Could not read the secret store/);
    await quick.escape();
    assert.equal(await chosen, undefined);
  });

  it('is asked for part by part, the token out of sight, and kept', async () => {
    const chosen = loginOption(logins);
    await quick.pick('Enter a Login…');
    const hidden: unknown[] = [];
    for (const part of [' ghcr.io ', ' me ', ' token ']) {
      hidden.push((screen.quick.current as { readonly password?: boolean }).password);
      const asked = quick.message;
      assert.equal(await quick.type('  '), asked, 'nothing is no answer');
      await quick.enter();
      assert.equal(quick.message, asked);
      await quick.type(part);
      await quick.enter();
    }
    assert.deepEqual(hidden, [false, false, true]);
    const { result, said } = await resultOf(chosen);
    assert.deepEqual(said, []);
    assert.equal(stored.length, 1);
    assert.deepEqual(result, { set: { imageLogin: stored[0] } });
    assert.match(JSON.stringify(stored[0]), /ghcr\.io.*me|me.*ghcr\.io/);
    assert.doesNotMatch(JSON.stringify(stored[0]), / {2}/);
  });

  it('is none where a part is missing, and holds for this rental where it can’t be kept', async () => {
    for (const parts of [[], ['ghcr.io'], ['ghcr.io', 'me']]) {
      assert.deepEqual(await enter(...parts), { result: undefined, said: [] });
    }
    assert.deepEqual(stored, []);
    state.isKept = false;
    const { result, said } = await enter('ghcr.io', 'me', 'token');
    assert.deepEqual(result, { set: { imageLogin: stored[0] } });
    assert.deepEqual(said, [
      'warning Could not save the login in the secret store. It is used for this rental only. []',
    ]);
  });

  it('shows what can’t be sent to the service', async () => {
    const { result, said } = await enter('ghcr.io', 'me', 'a token with spaces');
    assert.equal(result, undefined);
    assert.match(said.join(), /^warning dialog /);
    assert.deepEqual(stored, []);
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
