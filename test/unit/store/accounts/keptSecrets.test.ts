import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { secretPlaceOf } from '../../../../src/jobs/store/secretUses';
import {
  jobUse,
  registryLogins,
  registryUse,
  rentalUse,
  secretFor,
  usesText,
  type KeptSecret,
} from '../../../../src/model/accounts/keptSecret';
import { makeReference, referenceName } from '../../../../src/model/templates/templateReference';
import {
  isSecretOf,
  keptNames,
  SecretNotKeptError,
  SecretUnreadableError,
  type KeptSecrets,
} from '../../../../src/store/accounts/keptSecrets';
import { formatText } from '../../../../src/util/text';
import { FakeSecrets } from '../../../support/fakeWindows';
import { keptSecrets, oneByOne } from '../../../support/keptSecrets';
import { sized, testSeed } from '../../../support/seeded';
import { useFolder } from '../../../support/useFolder';

const entry = 'gpuRental.secrets.ada';
const train = jobUse('/ws', 'train', 'HF_TOKEN');
const evaluate = jobUse('/ws', 'eval', 'HF_TOKEN');

describe('The secrets of an account', () => {
  let ring: FakeSecrets;
  let kept: KeptSecrets;
  let heard: string[];
  beforeEach(() => {
    ring = new FakeSecrets();
    heard = [];
    kept = keptSecrets(ring, { onSecret: (value) => heard.push(value) });
  });

  /** Each secret in one line. */
  const lines = async (of = kept) =>
    (await of.all('ada')).map(({ name, value, uses }) => `${name}=${value} ${uses.join(' ')}`.trim());

  it('are kept once for a name, and get another name where that has another value', async () => {
    assert.equal(await kept.add('ada', 'x', 'first', 'template:1'), 'x');
    assert.equal(await kept.add('ada', 'x', 'first', 'template:2'), 'x');
    assert.equal(await kept.add('ada', 'x', 'second', 'list'), 'x-2');
    assert.equal(await kept.add('ada', 'x', 'third', 'list'), 'x-3');
    assert.deepEqual(await lines(), ['x=first template:1 template:2', 'x-2=second list', 'x-3=third list']);
    assert.ok(['first', 'second', 'third'].every((value) => heard.includes(value)));
    assert.deepEqual(await kept.all('grace'), []);
  });

  it('have names that a reference can hold, for any names of variables', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 300 }), fc.string(), async (wanted, value) => {
        const name = await kept.add('ada', wanted, value, 'list');
        assert.equal(referenceName(makeReference(name)), name);
      }),
      { seed: testSeed, numRuns: sized(100, 1000) },
    );
    assert.equal(await kept.add('ada', 'HF_TOKEN}${secret:other', 'value', 'list'), 'HF_TOKEN-secret-other');
  });

  it('are changed for everything that uses them, with the time', async () => {
    await kept.add('ada', 'x', 'first', 'template:1');
    await keptSecrets(ring, { clock: { now: () => 9 } }).change('ada', 'x', 'second');
    assert.deepEqual(await kept.all('ada'), [
      { name: 'x', value: 'second', uses: ['template:1'], changedAt: 9 },
    ]);
  });

  it('are gone with the last use, and stay where the user made them for later', async () => {
    await kept.add('ada', 'x', 'value', 'template:1');
    await kept.add('ada', 'y', 'value', 'list');
    await kept.allow('ada', ['x', 'y', 'none'], 'draft:d');
    await kept.release('ada', 'draft:d', 'y');
    assert.deepEqual(await lines(), ['x=value template:1 draft:d', 'y=value list']);
    await kept.release('ada', 'template:1');
    await kept.release('ada', 'draft:d');
    assert.deepEqual(await lines(), ['y=value list']);
    await kept.remove('ada', 'y');
    assert.deepEqual(await lines(), []);
  });

  it('are never given to a job without a question, for any values that are entered, allowed, changed and removed', async () => {
    const use = fc.constantFrom(
      ...['/a', '/b', '/A'].flatMap((folder) =>
        ['x', 'y'].flatMap((job) => ['HF_TOKEN', 'KEY'].map((name) => jobUse(folder, job, name))),
      ),
    );
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), use, value: fc.constantFrom('1', '2', '3') }),
      fc.record({ kind: fc.constant('allow' as const), use, at: fc.nat(5) }),
      fc.record({ kind: fc.constantFrom('change' as const, 'remove' as const), at: fc.nat(5) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        ring.values.clear();
        const allowed = new Map<string, string>();
        for (const one of steps) {
          if (one.kind === 'add') {
            await kept.add('ada', 'TOKEN', one.value, one.use);
            allowed.set(one.use, one.value);
            continue;
          }
          const secret = (await kept.all('ada'))[one.at];
          if (!secret) {
            continue;
          }
          if (one.kind === 'allow') {
            await kept.allow('ada', [secret.name], one.use);
            allowed.set(one.use, secret.value);
            continue;
          }
          await (one.kind === 'change'
            ? kept.change('ada', secret.name, 'new')
            : kept.remove('ada', secret.name));
          for (const of of secret.uses) {
            allowed.delete(of);
            if (one.kind === 'change') {
              allowed.set(of, 'new');
            }
          }
        }
        const all = await kept.all('ada');
        const found = all.flatMap(({ value, uses }) => uses.map((of) => [of, value] as const));
        assert.deepEqual(new Map(found), allowed);
        assert.equal(found.length, allowed.size);
      }),
      { seed: testSeed, numRuns: sized(200, 5000) },
    );
  });

  it('are changed by several windows at once, and none is lost', async () => {
    const lock = oneByOne();
    const windows = [1, 2, 3, 4].map(() => keptSecrets(ring, { lock }));
    await Promise.all(windows.map((one, at) => one.add('ada', 'x', `value ${at}`, 'list')));
    assert.deepEqual((await lines()).map((line) => line.replace(/^\S+=| list$/g, '')).sort(), [
      'value 0',
      'value 1',
      'value 2',
      'value 3',
    ]);
    assert.equal(new Set((await kept.all('ada')).map(({ name }) => name)).size, 4);
  });

  it('are refused where the key ring does not hold them, and none of its words are passed on', async () => {
    ring.forgets = true;
    await assert.rejects(kept.add('ada', 'x', 'value x', 'list'), SecretNotKeptError);
    ring.store = () => Promise.reject(new Error('value x'));
    await assert.rejects(kept.add('ada', 'x', 'value x', 'list'), (error: unknown) => {
      assert.ok(error instanceof SecretNotKeptError);
      return error.cause === undefined;
    });
    ring.isLocked = true;
    await assert.rejects(kept.all('ada'), SecretUnreadableError);
    ring.keys = () => Promise.reject(new Error('locked'));
    await assert.rejects(keptSecrets(ring).all('ada'), SecretUnreadableError);
    await assert.rejects(keptNames(ring), SecretUnreadableError);
  });

  it('are asked for again where the entry is broken, which stays beside the next one', async () => {
    for (const broken of ['[{"name":"x","value":7}]', '{"x":"of every job"}', '[']) {
      ring.values.set(entry, broken);
      assert.deepEqual(await lines(), []);
      await kept.add('ada', 'x', 'value', 'list');
      assert.equal(ring.values.get(`${entry}.damaged`), broken);
    }
  });

  it('name where they are used, each place once and as words', () => {
    const uses = [
      ...['template:12', 'draft:a.b', 'file:file:///ws/a.gpu-template.json', train, 'list', 'job:broken'],
      jobUse('/ws', 'train', 'OTHER'),
      ...[registryUse('ghcr.io', 'me'), rentalUse('HF_TOKEN'), 'registry:broken'],
    ];
    assert.deepEqual(
      usesText({ uses }).map((one) => formatText(one)),
      [
        ...['template #12', 'an unsaved template', 'a.gpu-template.json', 'train in /ws'],
        ...['Rent: ghcr.io', 'Rent: HF_TOKEN'],
      ],
    );
  });

  it('are one for a login to a registry, which another one replaces', async () => {
    const use = registryUse('ghcr.io', 'me');
    await kept.add('ada', 'old', 'one', use);
    await kept.add('ada', 'new', 'two', 'list');
    await kept.allow('ada', ['new'], use);
    assert.deepEqual(await lines(), [`new=two list ${use}`]);
    assert.equal(secretFor(await kept.all('ada'), use)?.name, 'new');
  });

  it('are known by name where nothing else is, and belong to their own account', async () => {
    await kept.add('ada', 'x.y', 'value', 'list');
    ring.values.set('gpuRental.templateSecret.grace.z.w', 'value');
    ring.values.set('gpuRental.session.ada', 'value');
    assert.deepEqual(
      [...(await keptNames(ring))],
      [
        ['ada', ['x.y']],
        ['grace', ['z.w']],
      ],
    );
    for (const [key, isOwn] of [
      [entry, true],
      [`${entry}.damaged`, true],
      [`${entry}2`, false],
      ['gpuRental.registryLogin.ada', true],
      ['gpuRental.registryLogin.ada2', false],
      ['gpuRental.jobSecrets.ada', true],
      ['gpuRental.jobSecrets.ada2', false],
      ['gpuRental.templateSecret.ada.x', true],
      ['gpuRental.templateSecret.ada2.x', false],
      ['gpuRental.session.ada', false],
    ] as const) {
      assert.equal(isSecretOf('ada', key), isOwn, key);
    }
  });

  describe('of earlier versions', () => {
    const usesOf: Record<string, string[]> = { 'HF_TOKEN-1': ['template:1'], HF_TOKEN: ['template:2'] };
    const ofWindow = (lock = oneByOne()) =>
      keptSecrets(ring, { lock, earlierUses: () => Promise.resolve((name) => usesOf[name] ?? []) });
    const ofJobs = [
      { name: 'HF_TOKEN', value: 'job 1', uses: [{ folder: '/ws', job: 'train' }] },
      { name: 'HF_TOKEN', value: 'job 2', uses: [{ folder: '/ws', job: 'eval' }] },
    ];
    const moved = [
      'HF_TOKEN=of template 2 template:2',
      'HF_TOKEN-1=of template 1 template:1',
      `HF_TOKEN-2=job 1 ${train}`,
      `HF_TOKEN-3=job 2 ${evaluate}`,
      'lost=of no document',
      `registry-ghcr.io=token$1 ${registryUse('ghcr.io', 'me')}`,
    ];
    beforeEach(() => {
      for (const [key, value] of [
        ['jobSecrets.ada', JSON.stringify(ofJobs)],
        ['templateSecret.ada.HF_TOKEN-1', 'of template 1'],
        ['templateSecret.ada.HF_TOKEN', 'of template 2'],
        ['templateSecret.ada.lost', 'of no document'],
        ['registryLogin.ada', '-u me -p token$1 ghcr.io'],
        ['templateSecret.ada2.x', 'of another account'],
      ] as const) {
        ring.values.set(`gpuRental.${key}`, value);
      }
    });

    it('are moved with their uses at the first look, and no other account’s', async () => {
      assert.deepEqual(await lines(ofWindow()), moved);
      assert.deepEqual([...ring.values.keys()].sort(), [entry, 'gpuRental.templateSecret.ada2.x']);
    });

    it('are moved before the first change, and once by windows that start together', async () => {
      const lock = oneByOne();
      const [first, second] = [ofWindow(lock), ofWindow(lock)];
      await Promise.all([first.add('ada', 'new', 'value', 'list'), second.all('ada')]);
      assert.deepEqual(await lines(second), [...moved.slice(0, 5), 'new=value list', ...moved.slice(5)]);
    });

    it('are all there once, for any step after which the window is killed', async () => {
      const before = new Map(ring.values);
      for (let steps = 0; ; steps += 1) {
        ring = new FakeSecrets();
        before.forEach((value, key) => ring.values.set(key, value));
        let left = steps;
        const store = ring.store.bind(ring);
        const remove = ring.delete.bind(ring);
        const dies = () => (left-- > 0 ? undefined : new Promise<never>(() => undefined));
        ring.store = (key, value) => dies() ?? store(key, value);
        ring.delete = (key) => dies() ?? remove(key);
        const isDone = await Promise.race([
          ofWindow()
            .all('ada')
            .then(() => true),
          new Promise<false>((resolve) => setImmediate(resolve, false)),
        ]);
        Object.assign(ring, { store, delete: remove });
        assert.deepEqual(await lines(ofWindow()), moved, `after ${steps} steps`);
        if (isDone) {
          assert.ok(steps >= 5);
          return;
        }
      }
    });

    it('do not appear again once they are changed or removed, also if the key ring refused to delete them', async () => {
      const remove = ring.delete.bind(ring);
      ring.delete = () => Promise.reject(new Error('locked'));
      const window = ofWindow();
      await assert.rejects(window.remove('ada', 'lost'), SecretUnreadableError);
      ring.delete = remove;
      await window.remove('ada', 'lost');
      await window.change('ada', 'HF_TOKEN', 'changed');
      const now = ['HF_TOKEN=changed template:2', ...moved.slice(1, 4), ...moved.slice(5)];
      assert.deepEqual([await lines(window), await lines(ofWindow())], [now, now]);
    });

    it('log in to the registry as before, and are no login where they are something else', async () => {
      assert.deepEqual(registryLogins(await ofWindow().all('ada')), [
        { registry: 'ghcr.io', user: 'me', token: 'token$1' },
      ]);
      for (const garbage of ['', 'some-key', '-u me -p some-token ghcr.io\nHost *', '{"apiKey":"k"}']) {
        ring = new FakeSecrets();
        ring.values.set('gpuRental.registryLogin.ada', garbage);
        assert.deepEqual(await ofWindow().all('ada'), [], garbage);
        assert.equal(ring.values.get('gpuRental.registryLogin.ada'), garbage);
      }
    });

    it('stay where they are if they are not understood, or while the key ring refuses', async () => {
      ring.values.set('gpuRental.jobSecrets.ada', '[');
      assert.deepEqual(
        await lines(ofWindow()),
        moved.filter((line) => !line.includes('job')),
      );
      assert.equal(ring.values.get('gpuRental.jobSecrets.ada'), '[');
      ring.values.set('gpuRental.templateSecret.ada.late', 'value');
      ring.forgets = true;
      await assert.rejects(ofWindow().all('ada'), SecretNotKeptError);
      assert.equal(ring.values.get('gpuRental.templateSecret.ada.late'), 'value');
    });
  });

  describe('for a job of a folder', () => {
    let folder = '';
    useFolder((made) => void (folder = realpathSync(made)));

    it('are those of its real path, so a link to another folder is another one', async () => {
      for (const name of ['one', 'two']) {
        mkdirSync(path.join(folder, name));
      }
      const link = path.join(folder, 'link');
      symlinkSync(path.join(folder, 'one'), link);
      const spec = { name: 'train LR=1', nameInFile: 'train' };
      const useOf = async () => (await secretPlaceOf({ workspace: link, spec })).useOf('HF_TOKEN');
      const all: readonly KeptSecret[] = [
        { name: 'x', value: 'v', uses: [jobUse(path.join(folder, 'one'), 'train', 'HF_TOKEN')] },
      ];
      assert.equal(secretFor(all, await useOf()), all[0]);
      rmSync(link);
      symlinkSync(path.join(folder, 'two'), link);
      assert.equal(secretFor(all, await useOf()), undefined);
    });
  });
});
