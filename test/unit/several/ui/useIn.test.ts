import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { useInstancesIn, useSetIn } from '../../../../src/several/ui/useIn';
import { anInstance } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { OnQuick } from '../../../support/onQuick';
import { openScreen, runCommandsBy, textsOn } from '../../../support/onScreen';
import { only } from '../../../support/only';
import { removeFolder } from '../../../support/removeFolder';
import { until } from '../../../support/until';

describe('A group that is handed to a tool', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'gr-use-in-'));
    writeFileSync(path.join(folder, 'hosts.txt'), '');
  });
  afterEach(() => removeFolder(folder));

  /** A group whose members run; those of `reachable` have let somebody in. */
  function scene({
    ids = [7],
    reachable = ids,
  }: { readonly ids?: number[]; readonly reachable?: number[] } = {}) {
    const screen = openScreen({ folders: [folder] });
    const quick = new OnQuick(screen);
    const ran: string[] = [];
    runCommandsBy((id, [target]) => {
      ran.push(`${id} ${JSON.stringify(target)}`);
      return Promise.resolve(id.endsWith('Several') ? { alias: 'gpu' } : 'gpu');
    });
    const instances = ids.map((id) => anInstance({ id, label: `sweep-${id}` }));
    const set = { id: 'one', name: 'crew', folder, createdAt: 0, members: { kind: 'running' as const } };
    const aliasOf = (_: unknown, id: number) => `gpu-${id}`;
    const keeper = {
      ...{ isLost: () => false, strangersOf: (): string[] => [], runningOf: () => instances },
      keepThere: (id: string) => {
        ran.push(`keep ${id}`);
        return Promise.resolve();
      },
      hostsOf: () => Promise.resolve(reachable.map((id) => ({ alias: aliasOf(0, id), gpuCount: 1 }))),
    };
    const state: object = {
      kind: 'ready',
      value: { instances, skipped: 0, missing: undefined },
      fetchedAt: 0,
    };
    const deps = {
      ...{ keeper, clock: new FakeClock(), accounts: { active: { key: 'mine' } } },
      fleet: { state, facts: () => ({}), refresh: () => Promise.resolve() },
      ssh: { aliasOf, command: (alias: string) => ['ssh', '-o', 'A=b', alias] },
    };
    const account = { key: 'mine' };
    const use = () => useSetIn(only(deps), () => only(account), set);
    /** Uses the group in a tool, up to the list of its commands or its end. */
    const begin = async (tool: string) => {
      let isOver = false;
      const used = use().finally(() => {
        isOver = true;
      });
      // The test looks at what it waits for later.
      used.catch(() => undefined);
      await quick.pick(tool);
      await until(`the commands of ${tool}`, () => isOver || quick.title === `${tool}: crew`, { everyMs: 1 });
      return { used };
    };
    const useInstances = (all: object, ...targets: readonly { readonly instanceId: number }[]) =>
      useInstancesIn(only(all), targets[0], targets.slice(1));
    return { screen, quick, ran, keeper, deps, use, useInstances, begin, set };
  }

  it('is logged in to first, since the tools can’t ask about a host key', async () => {
    const one = scene();
    await one.begin('hosts.txt');
    const login = { instanceId: 7, accountKey: 'mine' };
    assert.deepEqual(one.ran, [`gpuRental.prepareSsh ${JSON.stringify(login)}`, 'keep one']);
    const several = scene({ ids: [7, 8] });
    await several.begin('hosts.txt');
    assert.deepEqual(
      several.ran.map((line) => line.replace(/ .*/, '')),
      ['gpuRental.prepareSshOfSeveral', 'gpuRental.prepareSshOfSeveral', 'keep'],
    );
  });

  for (const [what, change, why] of [
    ['its folder is gone', ({ keeper }: Scene) => (keeper.isLost = () => true), /no longer exists/],
    [
      'its files are of others',
      ({ keeper }: Scene) => (keeper.strangersOf = () => ['/a/hosts.txt']),
      /would be overwritten: \/a\/hosts\.txt/,
    ],
  ] as const) {
    it(`is not used where ${what}`, async () => {
      const one = scene();
      change(one);
      await assert.rejects((await one.begin('hosts.txt')).used, why);
    });
  }
  type Scene = ReturnType<typeof scene>;

  it('shows that all refuse the login', async () => {
    const { begin, screen } = scene({ reachable: [] });
    await begin('hosts.txt');
    assert.match(
      textsOn(screen).join(),
      /^info You can't log in to any instance of the group crew now\..*\[Show Log\]$/,
    );
  });

  it('names those that are left out, and no others', async () => {
    const { begin, screen } = scene({ ids: [7, 8], reachable: [8] });
    await begin('hosts.txt');
    assert.deepEqual(
      textsOn(screen).filter((line) => line.startsWith('warning')),
      ['warning Could not log in to these instances, so the files leave them out: sweep-7 [Show Log]'],
    );
  });

  for (const [what, more, why] of [
    ['the list can’t be read', { error: new Error('No network') }, /No network/],
    ['the list lacks some', { value: { instances: [], skipped: 1 } }, /did not send all instances/],
    ['the disk refuses', {}, /Could not write the files/],
  ] as const) {
    it(`is not used without its files: ${what}`, async () => {
      const one = scene();
      await removeFolder(path.join(folder, 'hosts.txt'));
      Object.assign(one.deps.fleet.state, more);
      await assert.rejects((await one.begin('hosts.txt')).used, why);
    });
  }

  for (const [ids, words] of [
    [[7], 'Instances: 1. Press Enter in the terminal to run the command.'],
    [[7, 8], 'Instances: 2. Press Enter in the terminal to run the command.'],
  ] as const) {
    it(`leaves a command in a terminal, ready for Enter: ${ids.length}`, async () => {
      const { begin, quick, screen } = scene({ ids: [...ids] });
      const { used } = await begin('hosts.txt');
      assert.equal(screen.quick.current?.placeholder, words);
      const [first = ''] = await quick.rows();
      await quick.enter();
      await used;
      const [terminal] = screen.terminals.all;
      assert.equal(terminal?.name, 'hosts.txt: crew');
      assert.ok(terminal.isShown && first.includes(terminal.sent[0] ?? '?'), terminal.sent.join());
    });
  }

  it('opens its file, or its folder, and shows that it is gone', async () => {
    const one = scene();
    const { used: shown } = await one.begin('hosts.txt');
    await one.quick.pick('Open hosts.txt');
    await shown;
    assert.equal(one.screen.documents.active?.document.uri.fsPath, path.join(folder, 'hosts.txt'));
    const { used: opened } = await one.begin('hosts.txt');
    await one.quick.pick('Show the Folder');
    await opened;
    assert.deepEqual(
      one.screen.commands.executed.map(({ id }) => id),
      ['revealInExplorer'],
    );
  });

  it('is handed to nothing where no tool is picked', async () => {
    const { use, quick, ran } = scene();
    const used = use();
    await quick.escape();
    await used;
    assert.deepEqual(ran, []);
  });

  describe('that is new', () => {
    /** The groups of this computer, and what is made of the answers. */
    function newScene(known: readonly object[] = []) {
      const one = scene();
      const made: { readonly name: string; readonly folder: string; readonly members: object }[] = [];
      const sets = {
        ...{ ready: Promise.resolve(), rows: known, everywhere: () => Promise.resolve(known) },
        inFolder: () => Promise.resolve(undefined),
        add: (_: string, set: (typeof made)[number]) => {
          made.push(set);
          // It is handed over only by the tests above.
          return Promise.reject(new Error('made'));
        },
      };
      one.screen.commands.register('gpuRental.signIn', () => one.ran.push('sign in'));
      const start = (...targets: { readonly instanceId: number }[]) => {
        const used = one.useInstances({ ...one.deps, sets }, ...targets);
        used.catch(() => undefined);
        return used;
      };
      return { ...one, made, start };
    }
    const there = () => path.join(folder, '.gpu-rental', 'crew');

    it('is made of what was selected, under its name, in a folder that is made for it', async () => {
      const { start, quick, made } = newScene();
      const used = start({ instanceId: 7 });
      await quick.pick('hosts.txt');
      await quick.pick('Only These Instances…');
      assert.equal(quick.value, 'gpus');
      await quick.type(' crew ');
      await quick.enter();
      await quick.pick('In the Workspace');
      await assert.rejects(used, /made/);
      assert.deepEqual(made, [{ name: 'crew', folder: there(), members: { kind: 'chosen', ids: [7] } }]);
      assert.ok(existsSync(there()));
    });

    it('is not made where the user leaves a question', async () => {
      for (const answers of [[], ['hosts.txt'], ['hosts.txt', 'All Running Instances']]) {
        const { start, quick, made } = newScene();
        const used = start();
        for (const answer of answers) {
          await quick.pick(answer);
        }
        await quick.escape();
        await used;
        assert.deepEqual(made, []);
      }
      assert.equal(existsSync(there()), false);
    });

    it('is asked for beside those that exist, unless instances are selected', async () => {
      const { start, quick } = newScene([
        { id: 'a', name: 'old', folder: '/old', members: { kind: 'running' } },
      ]);
      const used = start();
      await quick.pick('hosts.txt');
      const rows = await quick.rows();
      assert.ok(rows.some((row) => row.includes('old')) && rows.some((row) => row.includes('New Group…')));
      await quick.pick('New Group…');
      assert.ok((await quick.rows()).some((row) => row.includes('All Running Instances')));
      await quick.escape();
      await used;
      const selected = start({ instanceId: 7 });
      await quick.pick('hosts.txt');
      assert.ok((await quick.rows()).some((row) => row.includes('All Running Instances')));
      await quick.escape();
      await selected;
    });

    it('is not made in a tool that can’t use containers, which explains why', async () => {
      const { start, quick, screen, made } = newScene();
      const opened: unknown[] = [];
      screen.commands.ofEditor.set('gpuRental.openGuide', (guide) => opened.push(guide));
      const used = start();
      await quick.pick('Ray, SkyPilot, dstack, DevPod, Slurm, Kubernetes, torchrun, MPI, DeepSpeed');
      await used;
      assert.deepEqual([opened, made], [['engines'], []]);
    });

    it('needs a sign-in', async () => {
      const { start, quick, deps, ran } = newScene();
      Object.assign(deps.accounts, { active: undefined });
      await start();
      assert.deepEqual([ran, quick.title], [['sign in'], undefined]);
    });
  });
});
