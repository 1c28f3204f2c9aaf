import assert from 'node:assert/strict';
import { KeyNotRemovedError } from '../../../../src/store/accounts/accountErrors';
import {
  SecretNotKeptError,
  SecretUnreadableError,
  storedSecrets,
  TemplateSecrets,
} from '../../../../src/store/templates/templateSecrets';
import { TemplateStorage } from '../../../../src/store/templates/templateStorage';
import { silentLog } from '../../../../src/util/log';
import { FakeSecrets } from '../../../support/fakeWindows';
import { noSecrets, QuickFile } from '../../../support/slowFile';

const [one, other, draft] = ['template:1', 'template:2', 'draft:d'] as const;
const keyOf = (name: string) => `gpuRental.templateSecret.a.${name}`;

describe('The secrets of templates', () => {
  let ring: FakeSecrets;
  let memory: TemplateStorage;
  let secrets: TemplateSecrets;
  let heard: string[];
  /** How often something was written to the disk. */
  let writes = 0;
  beforeEach(() => {
    ring = new FakeSecrets();
    const lock = <T>(action: () => Promise<T>) => {
      writes += 1;
      return action();
    };
    memory = new TemplateStorage('unused', silentLog, lock, noSecrets, new QuickFile());
    heard = [];
    secrets = new TemplateSecrets(ring, memory, (value) => heard.push(value));
  });

  const names = async (owner: Parameters<TemplateSecrets['names']>[1]) => [
    ...(await secrets.names('a', owner)),
  ];
  /** What the key ring holds, by the end of its name. */
  const held = () => [...ring.values.keys()].map((key) => key.replace(keyOf(''), ''));

  it('belong to the documents that they were stored for, and to those that these were copied to', async () => {
    await secrets.keep('a', one, 'x', 'value x');
    await secrets.keep('a', one, 'y', 'value y');
    await secrets.share('a', one, other, ['x', 'x', 'z']);
    await secrets.share('a', draft, other, ['y']);
    assert.deepEqual([await names(one), await names(other), await names(draft)], [['x', 'y'], ['x'], []]);
    assert.deepEqual(await Promise.all(['x', 'y', 'z'].map((name) => secrets.isForeign('a', other, name))), [
      false,
      true,
      false,
    ]);
    assert.deepEqual(heard, ['value x', 'value y']);
  });

  it('are looked up for their own documents alone, and registered with the log', async () => {
    await secrets.keep('a', one, 'x', 'value x');
    await secrets.keep('a', other, 'y', 'value y');
    await secrets.keep('a', one, 'z', 'value z');
    ring.values.delete(keyOf('z'));
    heard.length = 0;
    const find = await secrets.lookUp('a', one, ['x', 'y', 'z']);
    assert.deepEqual(['x', 'y', 'z'].map(find), ['value x', undefined, undefined]);
    assert.deepEqual(heard, ['value x']);
  });

  it('are kept once for a name, and get another name where that is taken', async () => {
    assert.equal(await secrets.freeName('a', 'x'), 'x');
    for (const value of ['first', 'second']) {
      await secrets.keep('a', one, 'x', value);
    }
    assert.equal(await secrets.freeName('a', 'x'), 'x-2');
    await secrets.keep('a', one, 'x-2', 'third');
    assert.equal(await secrets.freeName('a', 'x'), 'x-3');
    const { secretNames, secretOwners } = await memory.account('a');
    assert.deepEqual([secretNames, secretOwners], [['x', 'x-2'], { x: [one], 'x-2': [one] }]);
  });

  it('are bound to the places of a saved document, which is written once', async () => {
    await secrets.keep('a', one, 'x', 'value x');
    await secrets.keep('a', other, 'y', 'value y');
    const places = new Map([
      ['env.A', 'x'],
      ['env.B', 'y'],
    ] as const);
    await secrets.bind('a', 1, places);
    assert.deepEqual((await memory.account('a')).slots, { '1': { 'env.A': 'x' } });
    assert.deepEqual([...(await secrets.held('a', 1))], [['env.A', { name: 'x', value: 'value x' }]]);
    assert.deepEqual([...(await secrets.held('a', 2))], []);
    writes = 0;
    await secrets.bind('a', 1, places);
    assert.equal(writes, 0);
    await secrets.bind('a', 1, new Map());
    assert.deepEqual([writes, (await memory.account('a')).slots], [1, { '1': {} }]);
  });

  it('are gone with all that is known of them where no document refers to them', async () => {
    await secrets.keep('a', one, 'x', 'value x');
    await secrets.keep('a', one, 'y', 'value y');
    await secrets.discard('a', 'x');
    const { secretNames, secretOwners } = await memory.account('a');
    assert.deepEqual([secretNames, secretOwners, held()], [['y'], { y: [one] }, ['y']]);
  });

  it('are removed with the last document that has them, with the places where they were', async () => {
    await secrets.keep('a', one, 'x', 'value x');
    await secrets.keep('a', one, 'y', 'value y');
    await secrets.share('a', one, other, ['y']);
    await secrets.bind('a', 1, new Map([['env.A', 'x']] as const));
    await secrets.bind('a', 2, new Map([['env.B', 'y']] as const));
    await secrets.release('a', one);
    const { secretNames, secretOwners, slots } = await memory.account('a');
    assert.deepEqual([secretNames, secretOwners, held()], [['y'], { y: [other] }, ['y']]);
    assert.deepEqual(slots, { '2': { 'env.B': 'y' } });
    ring.delete = () => Promise.reject(new Error('locked'));
    await secrets.release('a', other);
    assert.deepEqual((await memory.account('a')).secretNames, []);
  });

  it('stay if it is unknown which documents have them', async () => {
    await secrets.keep('a', one, 'x', 'value x');
    await memory.change('a', (account) => ({ ...account, lostNames: ['x'] }));
    await secrets.release('a', one);
    assert.deepEqual([(await memory.account('a')).secretNames, held()], [['x'], ['x']]);
  });

  it('are found again by their values and by the name of a password, once', async () => {
    for (const name of ['x', 'registry-1', 'y']) {
      await secrets.keep('a', other, name, `value ${name}`);
    }
    await memory.change('a', (account) => ({
      ...account,
      secretOwners: {},
      lostNames: ['x', 'registry-1', 'y'],
    }));
    ring.values.delete(keyOf('y'));
    const template = { id: 1, raw: { env: '-e A="value x" -e B="value y"' } };
    const found = await secrets.reclaim('a', template, await memory.account('a'));
    assert.deepEqual(found.slots, { '1': { 'env.A': 'x', docker_login_pass: 'registry-1' } });
    assert.deepEqual(found.secretOwners, { x: [one], 'registry-1': [one] });
    assert.equal(await secrets.reclaim('a', template, found), found);
    const none = { ...found, lostNames: [], slots: {} };
    assert.equal(await secrets.reclaim('a', template, none), none);
  });

  it('are refused where the key ring does not hold them, and none of its words are passed on', async () => {
    ring.forgets = true;
    await assert.rejects(secrets.keep('a', one, 'x', 'value x'), SecretNotKeptError);
    assert.deepEqual((await memory.account('a')).secretNames, []);
    ring.store = () => Promise.reject(new Error('value x'));
    await assert.rejects(secrets.keepDraft('d', 'text'), (error: unknown) => {
      assert.ok(error instanceof SecretNotKeptError);
      return error.cause === undefined;
    });
    ring.isLocked = true;
    await assert.rejects(secrets.draft('d'), SecretUnreadableError);
    ring.keys = () => Promise.reject(new Error('locked'));
    await assert.rejects(storedSecrets(ring), SecretUnreadableError);
  });

  it('are left to the next sign-out where the key ring does not give them up', async () => {
    await secrets.keep('a', one, 'x', 'value x');
    const remove = ring.delete.bind(ring);
    ring.delete = () => Promise.reject(new Error('locked'));
    await assert.rejects(secrets.forgetAccount('a'), KeyNotRemovedError);
    const list = ring.keys.bind(ring);
    ring.keys = () => Promise.reject(new Error('locked'));
    await assert.rejects(secrets.forgetAccount('a'), KeyNotRemovedError);
    assert.deepEqual((await memory.account('a')).secretNames, ['x']);
    ring.delete = remove;
    ring.keys = list;
    await secrets.forgetAccount('a');
    assert.deepEqual([(await memory.account('a')).secretNames, held()], [[], []]);
  });

  it('of drafts and of requests are kept and dropped by themselves', async () => {
    await secrets.keepDraft('d', 'text');
    await secrets.keepRequest('a', 'd', 'body');
    assert.deepEqual([await secrets.draft('d'), await secrets.request('a', 'd')], ['text', 'body']);
    await secrets.dropDrafts(['d']);
    await secrets.dropRequest('a', 'd');
    assert.deepEqual([await secrets.draft('d'), await secrets.request('a', 'd')], [undefined, undefined]);
    ring.delete = () => Promise.reject(new Error('locked'));
    await secrets.dropRequest('a', 'd');
  });

  it('are known by what the key ring holds, by account, where nothing else is', async () => {
    for (const key of [
      'templateSecret.a.x.y',
      'templateSecret.a.z',
      'templateSecret.b.x',
      'templateDraft.d',
    ]) {
      await ring.store(`gpuRental.${key}`, 'value');
    }
    await ring.store('gpuRental.session.a', 'value');
    const stored = await storedSecrets(ring);
    assert.deepEqual(
      [...stored.names],
      [
        ['a', ['x.y', 'z']],
        ['b', ['x']],
      ],
    );
    assert.deepEqual(stored.draftTokens, ['d']);
  });
});
