import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { parseServices, servicesScript, startService } from '../../../src/ssh/machineServices';
import startProgram from '../../../src/ssh/startService.sh';

/** As images of the service print it, as far as it is about services. */
const manifest = {
  schema_version: 1,
  generated_at: '2026-11-29T10:00:00Z',
  instance: { container_id: '7', workspace: '/workspace', open_ports: [] },
  services: [
    {
      name: 'Instance Portal',
      hostname: 'localhost',
      internal_port: 11_111,
      external_port: 1111,
      open_path: '/',
      mapped_port: '40123',
      internal_url: 'http://localhost:11111',
      direct_url: 'https://203.0.113.9:40123/',
      supervisor_process: 'instance_portal',
      state: 'RUNNING',
    },
    {
      name: 'Jupyter Terminal',
      hostname: 'localhost',
      internal_port: 18_080,
      open_path: '/terminals/1',
      state: 'vast-managed',
    },
    { name: 'Syncthing', hostname: 'localhost', internal_port: 18_384, open_path: '/', state: 'STOPPED' },
  ],
};
const listens = [
  'listens 0100007F 1F90',
  'listens 00000000 0016',
  'listens 00000000000000000000000001000000 1F90',
  'listens 00000000000000000000000000000000 1EB4',
  'listens 020011AC 0050',
  'listens 0100007F 0000',
];
const answer = (...lines: readonly string[]) =>
  ['Welcome!', 'gpu-rental services', ...lines, 'services end', ''].join('\n');
const said = (value: unknown) =>
  parseServices(
    answer(`capabilities ${typeof value === 'string' ? value : JSON.stringify(value)}`, ...listens),
  );
const one = (fields: object) =>
  said({ schema_version: 1, services: [{ name: 'x', internal_port: 80, ...fields }] })?.[0];
const ports = [
  { port: 7860, path: '/' },
  { port: 8080, path: '/' },
];

describe('the services of a machine', () => {
  it('are read and started by scripts that shellcheck has no objection to', () => {
    for (const input of [servicesScript, startProgram]) {
      const { status, stdout } = spawnSync('shellcheck', ['--shell=sh', '-'], { input });
      assert.equal(status, 0, String(stdout));
    }
  });

  it('are read by busybox as well', () => {
    const { stdout } = spawnSync('busybox', ['sh', '-c', servicesScript], { input: '', encoding: 'utf8' });
    assert.ok(parseServices(stdout), stdout);
  });

  it('are those that its image names, with their states', () => {
    assert.deepEqual(said(manifest), [
      { name: 'Instance Portal', port: 11_111, path: '/', state: 'running' },
      { name: 'Jupyter Terminal', port: 18_080, path: '/terminals/1' },
      { name: 'Syncthing', port: 18_384, path: '/', state: 'stopped' },
    ]);
  });

  it('are names and ports alone in a form that we do not know', () => {
    assert.deepEqual(
      said({ ...manifest, schema_version: 2 })?.map(({ name, ...rest }) => [name, rest]),
      [
        ['Instance Portal', { port: 11_111, path: '/' }],
        ['Jupyter Terminal', { port: 18_080, path: '/' }],
        ['Syncthing', { port: 18_384, path: '/' }],
      ],
    );
  });

  it('are started by the name of their program, while they are stopped', () => {
    const fields = { state: 'STOPPED', supervisor_process: 'sync-thing_1.x' };
    assert.equal(one(fields)?.program, 'sync-thing_1.x');
    assert.equal(one({ ...fields, state: 'RUNNING' })?.program, undefined);
    assert.equal(
      said({ schema_version: 2, services: [{ name: 'x', internal_port: 80, ...fields }] })?.[0]?.program,
      undefined,
    );
  });

  for (const supervisor_process of [
    'all',
    '-c',
    'a b',
    'a:*',
    'a;b',
    "a'",
    'a\nb',
    '$(a)',
    '',
    'x'.repeat(61),
  ]) {
    it(`are not started with the program ${JSON.stringify(supervisor_process).slice(0, 40)}`, async () => {
      const found = one({ state: 'STOPPED', supervisor_process });
      assert.deepEqual([found?.state, found?.program], ['stopped', undefined]);
      await assert.rejects(startService({ exec: () => assert.fail('ran') }, 'gpu-7', supervisor_process));
    });
  }

  for (const [what, value] of Object.entries({
    'no JSON': '{"schema_version": 1, "services": [',
    'JSON of another form': [1, 2],
    'services of another form': { schema_version: 1, services: { a: 1 } },
    'too many services': { schema_version: 1, services: Array.from({ length: 501 }, () => ({})) },
    'nested JSON without an end': '['.repeat(100_000),
    'no service that is right': { schema_version: 1, services: [{ name: 'x' }, null, 7, 'y'] },
  })) {
    it(`are the ports on which programs listen, with ${what}`, () => {
      assert.deepEqual(said(value), ports);
    });
  }

  it('are the ports of other images, without SSH and what the loopback address does not reach', () => {
    assert.deepEqual(parseServices(answer(...listens)), ports);
    assert.deepEqual(parseServices(answer()), []);
  });

  it('are unknown after half an answer', () => {
    assert.equal(parseServices('gpu-rental services\nlistens 0100007F 1F90\n'), undefined);
    assert.equal(parseServices('services end\n'), undefined);
    assert.equal(parseServices(''), undefined);
  });

  for (const open_path of [
    'http://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example',
    'javascript:alert(1)',
    '',
    'relative',
    '/a b',
    '/a\u202eb',
    '/<script>',
    '/"x',
    `/${'x'.repeat(400)}`,
    7,
    null,
    ['/'],
  ]) {
    it(`are left out with the path ${JSON.stringify(open_path).slice(0, 40)}`, () => {
      const found = said({
        schema_version: 1,
        services: [
          { name: 'bad', internal_port: 81, open_path },
          { name: 'good', internal_port: 82, open_path: '/lab?reset#top' },
        ],
      });
      assert.deepEqual(
        found?.filter(({ name }) => name !== 'bad' || open_path !== null),
        [{ name: 'good', port: 82, path: '/lab?reset#top' }],
      );
    });
  }

  it('are left out with a port or a host that is none', () => {
    for (const internal_port of [0, -1, 65_536, 1.5, '80', null, Number.MAX_VALUE]) {
      assert.deepEqual(one({ internal_port }), ports[0], String(internal_port));
    }
    assert.deepEqual(one({ hostname: '169.254.169.254' }), ports[0]);
  });

  it('have names of plain words', () => {
    assert.equal(one({ name: '$(zap) [x](command:y)\u202e\u0007\nz' })?.name, '$ (zap) [x] - (command:y) z');
    assert.equal(one({ name: 'n'.repeat(500) })?.name?.length, 60);
    assert.deepEqual(one({ name: '\u200b \n' }), ports[0]);
    assert.equal(one({ state: 'RUNNING; rm' })?.state, undefined);
  });

  it('are few, and each is there once', () => {
    const services = Array.from({ length: 400 }, (_, at) => ({
      name: `s${at}`,
      internal_port: 1 + (at % 100),
    }));
    const found = said({ schema_version: 1, services });
    assert.equal(found?.length, 40);
    assert.equal(new Set(found.map(({ port }) => port)).size, 40);
  });
});
