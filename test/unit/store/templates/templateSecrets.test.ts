import assert from 'node:assert/strict';
import { KeyNotRemovedError } from '../../../../src/store/accounts/accountErrors';
import {
  SecretNotKeptError,
  SecretUnreadableError,
  type KeptSecrets,
} from '../../../../src/store/accounts/keptSecrets';
import { storedSecrets, TemplateSecrets } from '../../../../src/store/templates/templateSecrets';
import { TemplateStorage } from '../../../../src/store/templates/templateStorage';
import { silentLog } from '../../../../src/util/log';
import { FakeSecrets } from '../../../support/fakeWindows';
import { keptSecrets } from '../../../support/keptSecrets';
import { noSecrets, QuickFile } from '../../../support/slowFile';

const [one, other, draft] = ['template:1', 'template:2', 'draft:d'] as const;

describe('The secrets of templates', () => {
  let ring: FakeSecrets;
  let memory: TemplateStorage;
  let kept: KeptSecrets;
  let secrets: TemplateSecrets;
  /** How often something was written to the disk. */
  let writes = 0;
  beforeEach(() => {
    ring = new FakeSecrets();
    const lock = <T>(action: () => Promise<T>) => {
      writes += 1;
      return action();
    };
    memory = new TemplateStorage('unused', silentLog, lock, noSecrets, new QuickFile());
    kept = keptSecrets(ring);
    secrets = new TemplateSecrets(ring, memory, kept);
  });

  const names = async (owner: Parameters<TemplateSecrets['names']>[1]) => [
    ...(await secrets.names('a', owner)),
  ];
  const held = async () => (await kept.all('a')).map(({ name }) => name);

  it('belong to the documents that they were stored for, and to those that these were copied to', async () => {
    await kept.add('a', 'x', 'value x', one);
    await kept.add('a', 'y', 'value y', one);
    await secrets.share('a', one, other, ['x', 'x', 'z']);
    await secrets.share('a', draft, other, ['y']);
    await secrets.share('a', one, other, []);
    assert.deepEqual([await names(one), await names(other), await names(draft)], [['x', 'y'], ['x'], []]);
  });

  it('are looked up for their own documents alone', async () => {
    await kept.add('a', 'x', 'value x', one);
    await kept.add('a', 'y', 'value y', other);
    const find = await secrets.lookUp('a', one, ['x', 'y', 'z']);
    assert.deepEqual(['x', 'y', 'z'].map(find), ['value x', undefined, undefined]);
    ring.isLocked = true;
    assert.equal((await secrets.lookUp('a', one, []))('x'), undefined);
  });

  it('are bound to the places of a saved document, which is written once', async () => {
    await kept.add('a', 'x', 'value x', one);
    await kept.add('a', 'y', 'value y', other);
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

  it('are removed with the last document that has them, with the places where they were', async () => {
    await kept.add('a', 'x', 'value x', one);
    await kept.add('a', 'y', 'value y', one);
    await secrets.share('a', one, other, ['y']);
    await secrets.bind('a', 1, new Map([['env.A', 'x']] as const));
    await secrets.bind('a', 2, new Map([['env.B', 'y']] as const));
    await secrets.release('a', one);
    assert.deepEqual([await held(), (await memory.account('a')).slots], [['y'], { '2': { 'env.B': 'y' } }]);
    ring.isLocked = true;
    await secrets.release('a', other);
    assert.deepEqual((await memory.account('a')).slots, {});
  });

  it('are found again by their values and by the name of a password, once', async () => {
    for (const name of ['x', 'registry-1']) {
      await kept.add('a', name, `value ${name}`, other);
    }
    await memory.change('a', (account) => ({ ...account, lostNames: ['x', 'registry-1', 'y'] }));
    const template = { id: 1, raw: { env: '-e A="value x" -e B="value y"' } };
    const found = await secrets.reclaim('a', template, await memory.account('a'));
    assert.deepEqual(found.slots, { '1': { 'env.A': 'x', docker_login_pass: 'registry-1' } });
    assert.deepEqual(await names(one), ['registry-1', 'x']);
    assert.equal(await secrets.reclaim('a', template, found), found);
    const none = { ...found, lostNames: [], slots: {} };
    assert.equal(await secrets.reclaim('a', template, none), none);
  });

  it('of earlier versions belong to the documents that these stored, or else to those where they are', async () => {
    await memory.change('a', (account) => ({
      ...account,
      secretOwners: { x: [one, draft] },
      slots: { '1': { 'env.A': 'x' }, '2': { 'env.B': 'y' }, '3': { 'env.C': 'x' } },
    }));
    const usesOf = await memory.earlierUses('a');
    assert.deepEqual(['x', 'y', 'constructor'].map(usesOf), [[one, draft, 'template:3'], [other], []]);
  });

  it('of drafts are refused where the key ring does not hold them', async () => {
    ring.forgets = true;
    await assert.rejects(secrets.keepDraft('d', 'text'), SecretNotKeptError);
    ring.isLocked = true;
    await assert.rejects(secrets.draft('d'), SecretUnreadableError);
  });

  it('are left to the next sign-out where the key ring does not give them up', async () => {
    await kept.add('a', 'x', 'value x', one);
    const remove = ring.delete.bind(ring);
    ring.delete = () => Promise.reject(new Error('locked'));
    await assert.rejects(secrets.forgetAccount('a'), KeyNotRemovedError);
    const list = ring.keys.bind(ring);
    ring.keys = () => Promise.reject(new Error('locked'));
    await assert.rejects(secrets.forgetAccount('a'), KeyNotRemovedError);
    assert.deepEqual(Object.keys(await memory.accounts()), ['a']);
    ring.delete = remove;
    ring.keys = list;
    await secrets.forgetAccount('a');
    assert.deepEqual([Object.keys(await memory.accounts()), [...ring.values.keys()]], [[], []]);
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

  it('are known by what the key ring holds, where nothing else is', async () => {
    await kept.add('a', 'x', 'value', one);
    await secrets.keepDraft('d', 'text');
    const stored = await storedSecrets(ring);
    assert.deepEqual([...stored.names], [['a', ['x']]]);
    assert.deepEqual(stored.draftTokens, ['d']);
  });
});
