import assert from 'node:assert/strict';
import { defaultNetworkSettings } from '../../../../src/api/chooseTransport';
import { register } from '../../../../src/features/doctor';
import { DoctorScene } from '../../../support/doctorScene';
import { OnQuick } from '../../../support/onQuick';
import { openScreen, textsOn } from '../../../support/onScreen';
import { only } from '../../../support/only';
import { until } from '../../../support/until';

describe('The list of the doctor', () => {
  const scene = new DoctorScene();
  const properties = { 'remote.SSH.configFile': {} };
  const remoteSsh = {
    id: 'ms-vscode-remote.remote-ssh',
    packageJSON: { contributes: { configuration: { properties } } },
  };
  after(() => scene.dispose());

  /** The doctor of a computer without an account, up to its list. */
  async function examined({ configFile }: { readonly configFile?: unknown } = {}) {
    const screen = openScreen({ folders: [], extensions: [remoteSsh] });
    const quick = new OnQuick(screen);
    let run: (() => Promise<void>) | undefined;
    const asked: string[] = [];
    const { ssh } = scene.ports();
    const deps = {
      accounts: { active: undefined, state: { kind: 'signedOut' } },
      fleet: { state: { kind: 'idle' }, facts: () => ({}) },
      ...{ ssh, clock: { now: () => 0 }, network: () => defaultNetworkSettings },
      sshConsent: { ask: () => Promise.resolve(asked.push('consent')) },
      settings: {
        foreign: (key: string) => {
          asked.push(key);
          return configFile;
        },
      },
      redactor: { redact: (words: string) => words.replaceAll('SSH', '[hidden]') },
      commands: {
        register: (_: string, handler: () => Promise<void>) => {
          run ??= handler;
          return { dispose: () => undefined };
        },
      },
    };
    register(only(deps));
    const isOpen = () => quick.title?.startsWith('Doctor') === true;
    const done = run?.();
    await until('the list', isOpen, { everyMs: 5 });
    return { quick, screen, asked, done, isOpen };
  }

  it('asks first whether SSH may be used, and ends with its list', async () => {
    const { asked, quick, done } = await examined();
    assert.equal(asked[0], 'consent');
    await quick.escape();
    await done;
  });

  it('counts what is to be fixed, and has the worst first', async () => {
    const { quick, done, screen } = await examined();
    const list = screen.quick.current as unknown as { items: readonly { label: string }[] };
    const icons = list.items.map(({ label }) => /^\$\(([\w-]+)\)/.exec(label)?.[1] ?? '');
    const order = ['error', 'info', 'pass', 'circle-slash', 'file-text', 'refresh'];
    const ranks = icons.map((icon) => order.indexOf(icon));
    assert.deepEqual(
      ranks,
      [...ranks].sort((one, other) => one - other),
    );
    const problems = icons.filter((icon) => icon === 'error').length;
    assert.equal(quick.title, problems === 0 ? 'Doctor: no problem found' : `Doctor: ${problems} to fix`);
    await quick.escape();
    await done;
  });

  for (const [configFile, isSet] of [
    ['/home/me/own', true],
    [' ', false],
    [undefined, false],
    [7, false],
  ] as const) {
    it(`knows whether Remote-SSH reads another file: ${String(configFile)}`, async () => {
      const { quick, asked, done } = await examined({ configFile });
      assert.ok(asked.includes('remote.SSH.configFile'));
      const said = (await quick.rows()).find((row) => row.startsWith('SSH config file setting')) ?? '';
      assert.match(said, isSet ? /reads the SSH config from the setting/ : /Your usual SSH config is used/);
      await quick.escape();
      await done;
    });
  }

  it('checks again, and returns from a line and from its text', async () => {
    const one = await examined();
    await one.quick.pick('Check Again');
    await until('the list again', one.isOpen, { everyMs: 5 });
    assert.equal(one.asked.filter((what) => what === 'remote.SSH.configFile').length, 2);
    const [first = ''] = (await one.quick.rows()).map((row) => row.replace(/\s.*/, ''));
    assert.notEqual(first, '');
    await one.quick.enter();
    const [line = ''] = textsOn(one.screen).filter((said) => said.includes('dialog'));
    assert.match(line, /^(info|warning) dialog \S.* \/\/ \S/s);
    one.screen.messages.shown[0]?.close();
    await until('the list after a line', one.isOpen, { everyMs: 5 });
    await one.quick.pick('Show as Text…');
    await one.done;
    const text = one.screen.documents.active?.document.getText() ?? '';
    assert.match(text, /^# GPU Rental: Doctor/);
    assert.match(text, /\[hidden\]/);
    assert.doesNotMatch(text, /SSH/);
  });
});
