import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SavedHosts } from '../../../../src/several/model/savedHosts';
import { saveHostFiles } from '../../../../src/several/ui/saveHostFiles';
import { anInstance } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { OnQuick } from '../../../support/onQuick';
import { openScreen, runCommandsBy, textsOn } from '../../../support/onScreen';
import { only } from '../../../support/only';
import { removeFolder } from '../../../support/removeFolder';
import { until } from '../../../support/until';
import { useFolder } from '../../../support/useFolder';

const aliasOf = (_: unknown, id: number) => `gpu-${id}`;

describe('Save Host Files', () => {
  let folder = '';
  useFolder((made) => void (folder = realpathSync(made)));
  const here = () => path.join(folder, '.gpu-rental', 'hosts');
  const hosts = (place = here()) => readFileSync(path.join(place, 'hosts.txt'), 'utf8');

  /** A window with these running instances; those of `closed` let nothing in. */
  function scene({ ids = [7, 8], closed = [] }: { ids?: number[]; closed?: number[] } = {}) {
    const screen = openScreen({ folders: [folder] });
    const quick = new OnQuick(screen);
    const ran: string[] = [];
    const account = { key: 'mine' };
    const accounts: { active?: typeof account } = { active: account };
    const fate: { atLogin: () => unknown } = { atLogin: () => undefined };
    runCommandsBy((id, [target]) => {
      const { instanceId } = (target ?? {}) as { instanceId?: number };
      ran.push(`${id.replace('gpuRental.', '')} ${instanceId ?? String(target)}`);
      fate.atLogin();
      return Promise.resolve(
        closed.includes(instanceId ?? 0) ? { problem: 'The key was refused.' } : { alias: 'gpu' },
      );
    });
    const mark: { last?: SavedHosts | undefined; keep(saved: SavedHosts | undefined): Promise<void> } = {
      keep: (saved) => Promise.resolve(void (mark.last = saved)),
    };
    const state: Record<string, unknown> = { kind: 'ready' };
    const run = (...running: number[]) => {
      const instances = running.map((id) => anInstance({ id, label: `sweep-${id}` }));
      state['value'] = { instances, skipped: 0 };
    };
    run(...ids);
    const deps = {
      ...{ accounts, mark, clock: new FakeClock() },
      fleet: { state, facts: () => ({}), refresh: () => Promise.resolve() },
      ssh: { aliasOf, command: (alias: string) => ['ssh', '-F', '/a b/config', alias] },
    };
    const save = (...selected: number[]) => {
      const rows = selected.map((instanceId) => ({ instanceId }));
      return saveHostFiles(only(deps as object), rows[0], rows);
    };
    /** Picks a row of the list that opens once the disk has answered. */
    const pick = async (label: string) => {
      await until('a list', () => quick.title !== undefined, { everyMs: 1 });
      await quick.pick(label);
    };
    return { accounts, fate, mark, pick, quick, ran, run, save, screen, state };
  }
  type Scene = ReturnType<typeof scene>;

  /** Saves the files of all for the first time, in the workspace. */
  async function saved(one: Scene): Promise<void> {
    const first = one.save();
    await one.quick.enter();
    await one.pick('In the Workspace');
    await first;
    textsOn(one.screen);
    one.ran.length = 0;
  }

  it('asks for the instances and the folder, and logs in to each, since the tools can’t ask', async () => {
    const one = scene();
    const first = one.save();
    assert.deepEqual(await one.quick.rows(), ['sweep-7 #7 · 1× RTX 4090', 'sweep-8 #8 · 1× RTX 4090']);
    await one.quick.enter();
    await one.pick('In the Workspace');
    await first;
    assert.deepEqual(one.ran, ['prepareSshOfSeveral 7', 'prepareSshOfSeveral 8']);
    assert.equal(hosts(), 'gpu-7\ngpu-8\n');
    assert.match(
      readFileSync(path.join(here(), 'sshloginfile'), 'utf8'),
      /^1\/ssh -F '\/a b\/config' gpu-7$/m,
    );
    assert.deepEqual(textsOn(one.screen), [
      `info Saved host files in ${here()}. Instances: 2. [Open Guide…, Show the Folder, Choose Again…]`,
    ]);
    assert.deepEqual(one.mark.last?.names, { 7: 'sweep-7', 8: 'sweep-8' });
  });

  it('asks nothing the next time: later instances belong to them, if all were left ticked', async () => {
    const one = scene();
    await saved(one);
    one.run(8, 9);
    await one.save();
    assert.equal(hosts(), 'gpu-8\ngpu-9\n');
  });

  it('keeps to the chosen ones, also by the same selection in any order', async () => {
    const one = scene({ ids: [7, 8, 9] });
    const first = one.save(7, 8);
    await one.pick('In the Workspace');
    await first;
    one.run(7, 9);
    await one.save();
    assert.equal(hosts(), 'gpu-7\n');
    one.run(7, 8, 9);
    await one.save(8, 7);
    assert.equal(hosts(), 'gpu-7\ngpu-8\n');
    assert.deepEqual(one.mark.last?.ids, [7, 8]);
  });

  it('asks for the folder of other instances, with the one before as the first answer', async () => {
    const one = scene();
    const other = path.join(folder, 'other');
    mkdirSync(other);
    one.screen.answerFileDialog = () => Promise.resolve([other]);
    const first = one.save(7);
    await one.pick('In Another Folder…');
    await first;
    assert.equal(hosts(other), 'gpu-7\n');
    const second = one.save(8);
    assert.match((await one.quick.rows())[0] ?? '', /In the Same Folder .*other/);
    await one.quick.enter();
    await second;
    assert.equal(hosts(other), 'gpu-8\n');
  });

  it('names nothing once none of them runs, and asks again after that', async () => {
    const one = scene({ ids: [7] });
    const first = one.save(7);
    await one.pick('In the Workspace');
    await first;
    one.run(8);
    await one.save();
    assert.equal(hosts(), '');
    textsOn(one.screen);
    const again = one.save();
    await one.pick('In the Workspace');
    await again;
    assert.equal(hosts(), 'gpu-8\n');
  });

  it('asks again where the folder was removed', async () => {
    const one = scene();
    await saved(one);
    await removeFolder(here());
    const again = one.save();
    await until('a list', () => one.quick.title !== undefined, { everyMs: 1 });
    await one.quick.escape();
    await again;
    assert.equal(one.mark.last, undefined);
  });

  it('lets you choose again from its message', async () => {
    const one = scene();
    await saved(one);
    await one.save();
    const [shown] = one.screen.messages.shown.slice(-1);
    shown?.press('Choose Again…');
    assert.equal((await one.quick.rows()).length, 2);
    await one.quick.escape();
    assert.equal(hosts(), 'gpu-7\ngpu-8\n');
  });

  it('leaves out what lets nothing in, and names it', async () => {
    const one = scene({ closed: [7] });
    const first = one.save();
    await one.quick.enter();
    await one.pick('In the Workspace');
    await first;
    assert.equal(hosts(), 'gpu-8\n');
    assert.deepEqual(textsOn(one.screen), [
      `warning Saved host files in ${here()}. Instances: 1. Left out, because no login works: sweep-7. [Show Log]`,
    ]);
    assert.deepEqual(one.mark.last?.leftOut, [7]);
  });

  for (const [what, change, why] of [
    [
      'no login works',
      ({ closed }: Faults) => closed.push(7, 8),
      /no login works\. sweep-7: The key was refused/,
    ],
    [
      'the list can’t be read',
      ({ state }: Faults) => (state['error'] = new Error('No network')),
      /No network/,
    ],
    [
      'the list lacks some',
      ({ state }: Faults) => Object.assign(state['value'] as object, { skipped: 1 }),
      /did not send all instances/,
    ],
    [
      'the account is switched',
      ({ fate, accounts }: Faults) => (fate.atLogin = () => (accounts.active = { key: 'other' })),
      /account was switched/,
    ],
  ] as const) {
    it(`changes no file where ${what}`, async () => {
      const closed: number[] = [];
      const one = scene({ closed });
      await saved(one);
      writeFileSync(path.join(here(), 'hosts.txt'), 'before');
      change({ ...one, closed });
      await assert.rejects(one.save(), why);
      assert.equal(hosts(), 'before');
    });
  }
  type Faults = Scene & { readonly closed: number[] };

  it('replaces a file that you have changed only after a yes', async () => {
    const one = scene();
    await saved(one);
    writeFileSync(path.join(here(), 'inventory.yml'), 'mine');
    one.run(7);
    for (const [button, expected] of [
      ['Not Now', 'gpu-7\ngpu-8\n'],
      ['Replace', 'gpu-7\n'],
    ] as const) {
      const again = one.save();
      const isAsked = () => one.screen.messages.shown.find(({ modal }) => modal);
      const question = await until('a question', isAsked, { everyMs: 1 });
      assert.match(`${question.text} ${question.detail}`, /^Replace 1 file .*inventory\.yml\.$/);
      question.press(button);
      await again;
      assert.equal(hosts(), expected);
    }
  });

  it('needs a sign-in, and an instance that runs', async () => {
    const one = scene({ ids: [] });
    await one.save();
    assert.deepEqual(textsOn(one.screen), ['info This needs a running instance. [Show Instances]']);
    delete one.accounts.active;
    one.screen.commands.register('gpuRental.signIn', () => one.ran.push('sign in'));
    await one.save();
    assert.deepEqual(one.ran, ['sign in']);
  });

  it('writes nothing where you leave a question', async () => {
    const one = scene();
    for (const answers of [0, 1]) {
      const first = one.save();
      await one.quick.flush();
      if (answers === 1) {
        await one.quick.enter();
      }
      await one.quick.escape();
      await first;
    }
    assert.deepEqual([one.ran, one.mark.last], [[], undefined]);
  });
});
