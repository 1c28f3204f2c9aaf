import assert from 'node:assert/strict';
import { applyChanges } from '../../../../src/model/documents/jsonPlaces';
import { formatText } from '../../../../src/util/text';
import { fixed, look } from '../../../support/findings';
import { findInFile } from '../../../support/workspaceFile';

describe('the checks of a workspace file', () => {
  const sound = { image: 'a:1', maxPricePerHour: 1 };
  const check = (file: unknown) => look(findInFile, JSON.stringify(file, null, 2));

  /** Applies the last fix, which is that of an inner place. */
  const fixedIn = (source: string) => {
    const action = findInFile(source).at(-1)?.fixes[0]?.action;
    return applyChanges(source, action?.kind === 'edit' ? action.changes : []);
  };

  it('find nothing in a sound file', () => {
    assert.deepEqual(check(sound), []);
    assert.deepEqual(check({ template: { id: 3 }, maxPricePerHour: 1, ports: ['80:80'] }), []);
  });

  it('mark unknown keys, a missing limit, and anything but one thing to rent', () => {
    assert.deepEqual(check({ ...sound, gpu: 1 }), [['unknownField', '"gpu"', 'Remove gpu']]);
    assert.deepEqual(check({ image: 'a:1' }), [['priceLimitMissing', '{', 'Add "maxPricePerHour"']]);
    assert.deepEqual(check({ maxPricePerHour: 1 }), [['nothingToRent', '{', 'Add "image"']]);
    const jobs = { train: { run: 'a', outputs: ['out/**'], limits: { hours: 1, costDollars: 1 } } };
    const severities = (file: unknown) =>
      findInFile(JSON.stringify(file)).map(({ code, severity }) => `${code} ${severity}`);
    assert.deepEqual(severities({ jobs }), ['nothingToRent information']);
    assert.deepEqual(severities({ jobs, image: 'a:1' }), ['priceLimitMissing error']);
    assert.deepEqual(check({ ...sound, template: 3 }), [
      ['templateAndImage', '"a:1"', 'Remove image / Remove template'],
    ]);
  });

  it('mark keys inside of a bid or a volume that have no effect, and a volume that is named twice', () => {
    const volume = { name: 'data', mount: '/data', size: 5 };
    assert.deepEqual(check({ ...sound, interruptible: { maxBid: 1, bid: 2 } }), [
      ['unknownField', '"bid"', 'Remove bid'],
    ]);
    for (const file of [
      { ...sound, volumes: [volume] },
      { ...sound, machines: { a: { volumes: [volume] } } },
    ]) {
      assert.deepEqual(check(file), [['unknownField', '"size"', 'Remove size']]);
    }
    const { size: _, ...fine } = volume;
    assert.deepEqual(check({ ...sound, volumes: [fine, { ...fine, mount: '/b' }] }), [
      ['volumeTwice', '"data"', ''],
    ]);
    assert.deepEqual(check({ ...sound, volumes: 'data', interruptible: true }), []);
  });

  it('mark data that can’t be fetched as it is written, with what to write', () => {
    const at = (from: string, more = {}) => ({ ...sound, data: [{ from, to: 'data/x', ...more }] });
    const message = (file: unknown) =>
      findInFile(JSON.stringify(file)).map((one) => formatText(one.message))[0] ?? '';
    const sha = 'a'.repeat(64);
    for (const from of [
      'hf://org/name@main',
      'hf://datasets/org/name',
      `https://example.org/x?sig=a%2Fb#sha256=${sha}`,
      'connection:bucket/runs/1',
    ]) {
      assert.deepEqual(check(at(from)), [], from);
    }
    assert.match(message(at('s3://bucket/x')), /presigned https address/);
    assert.match(message(at('https://example.org/x')), /#sha256=/);
    for (const from of [
      `http://example.org/x#sha256=${sha}`,
      `https://user:pass@example.org/x#sha256=${sha}`,
      'hf://org/name@a b',
      'hf://../..@main',
      'file:///etc/passwd',
      'connection:bucket',
      "hf://org/name@main'; rm",
    ]) {
      assert.equal(findInFile(JSON.stringify(at(from))).length, 1, from);
    }
    assert.deepEqual(check(at('hf://o/n', { volume: 'data' })), [['dataUnfetched', '"data"', '']]);
    const volumes = [{ name: 'data', mount: '/data' }];
    assert.deepEqual(check({ ...at('hf://o/n', { volume: 'data' }), volumes }), []);
    const machines = { a: { data: [{ from: 'hf://o/n', to: 'x', volume: 'data', rev: 1 }] } };
    assert.deepEqual(check({ ...sound, volumes, machines }), [['unknownField', '"rev"', 'Remove rev']]);
  });

  it('mark what a rental can’t accept of the environment', () => {
    assert.deepEqual(check({ ...sound, env: '-e A=1 --shm-size 1g' }), [['envNotSent', '--shm-size 1g', '']]);
    assert.deepEqual(check({ ...sound, env: { 'MY VAR': '1', A: '1' } }), [['envNotSent', '"MY VAR"', '']]);
    assert.deepEqual(check({ ...sound, env: { '-p 80:80': '2' } }), [['envNotSent', '"-p 80:80"', '']]);
    assert.deepEqual(check({ ...sound, env: { T: '${secret:T}' } }), [['envNotSent', '"T"', '']]);
    assert.deepEqual(check({ ...sound, env: '-e T=${secret:T}' }), [['envNotSent', '-e T=${secret:T}', '']]);
  });

  it('mark ports that can’t be read and secrets that everyone would get', () => {
    assert.deepEqual(check({ ...sound, ports: ['80:80', '8080'] }), [['portUnreadable', '"8080"', '']]);
    assert.deepEqual(check({ ...sound, env: { API_KEY: 'abcd1234' } }), [
      ['secretInClear', '"abcd1234"', 'Make It an Account Secret'],
    ]);
  });

  it('mark the same in machines with names, which may lack what the file has', () => {
    const machines = { train: { maxPricePerHour: 2 }, 'CPU 2': { image: 'b:2' } };
    assert.deepEqual(check({ ...sound, machines }), []);
    assert.deepEqual(check({ machines: { train: sound } }), []);
    assert.deepEqual(check({ ...sound, machines: { 'a/b': {} } }), [['machineName', '"a/b"', '']]);
    for (const name of ['new', 'Ask', 'default', '__proto__']) {
      assert.deepEqual(look(findInFile, `{"image":"a:1","maxPricePerHour":1,"machines":{"${name}":{}}}`), [
        ['machineName', `"${name}"`, ''],
      ]);
    }
    assert.deepEqual(check({ machines: { train: { maxPricePerHour: 1, gpu: 2 } } }), [
      ['nothingToRent', '{', 'Add "image"'],
      ['unknownField', '"gpu"', 'Remove gpu'],
    ]);
    assert.deepEqual(check({ image: 'a:1', machines: { train: {} } }), [
      ['priceLimitMissing', '{', 'Add "maxPricePerHour"'],
      ['priceLimitMissing', '{', 'Add "maxPricePerHour"'],
    ]);
    const both = { ...sound, machines: { train: { image: 'b:2', template: 3 } } };
    assert.deepEqual(check(both), [['templateAndImage', '"b:2"', 'Remove image / Remove template']]);
    const inner = (fields: object) => ({ ...sound, machines: { train: fields } });
    assert.deepEqual(check(inner({ ports: ['8080'] })), [['portUnreadable', '"8080"', '']]);
    const fixed = findInFile(JSON.stringify(inner({ env: { API_KEY: 'abcd1234' } })));
    assert.deepEqual(
      fixed.map(({ code, fixes }) => [code, fixes[0]?.action]),
      [
        [
          'secretInClear',
          { kind: 'makeAccountSecret', name: 'API_KEY', path: ['machines', 'train', 'env', 'API_KEY'] },
        ],
      ],
    );
    const added = fixedIn(JSON.stringify({ image: 'a:1', machines: { train: {} } }, null, 2));
    assert.deepEqual(JSON.parse(added), { image: 'a:1', machines: { train: { maxPricePerHour: 0.5 } } });
  });

  it('mark secrets in its scripts and jobs', () => {
    const token = 'hf_abcdefgh1234';
    assert.deepEqual(check({ ...sound, onStart: `export HF_TOKEN=${token}` }), [
      ['secretInScript', token, 'Move It to "env"'],
    ]);
    const job = { outputs: [], limits: { hours: 1, costDollars: 1 } };
    const move = 'Move It to "secrets" and Enter It with the Next Run';
    const inJob = (fields: object) => ({ ...sound, jobs: { train: { run: 'a', ...job, ...fields } } });
    assert.deepEqual(check(inJob({ env: { HF_TOKEN: token, A: '1' } })), [
      ['secretInClear', `"${token}"`, move],
    ]);
    for (const script of [`login ${token}`, ['echo a', `login ${token}`]]) {
      assert.deepEqual(check(inJob({ run: script })), [['secretInScript', token, '']]);
      assert.deepEqual(check(inJob({ setup: script })), [['secretInScript', token, '']]);
    }
    const after = (fields: object) => fixed(findInFile, JSON.stringify(inJob(fields), null, 2), move);
    const env = { HF_TOKEN: token };
    assert.deepEqual(after({ env: { A: '1', ...env } }), inJob({ env: { A: '1' }, secrets: ['HF_TOKEN'] }));
    assert.deepEqual(after({ secrets: ['B'], env }), inJob({ secrets: ['B', 'HF_TOKEN'], env: {} }));
  });
});
