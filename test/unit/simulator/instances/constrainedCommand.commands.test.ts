import assert from 'node:assert/strict';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConstrainedCommand, InvalidCommand } from '../../../../src/simulator/instances/constrainedCommand';
import { resultPointer } from '../../../../src/wire/instance';
import { rentRunning } from '../../../support/rentRunning';
import { useSimulators } from '../../../support/startSimulator';
import { useFolder } from '../../../support/useFolder';

describe('A constrained command', () => {
  let base = '';
  let folder: string;
  const run = (command: string) => ConstrainedCommand.parse(command).run(folder, '/shown');

  useFolder((made) => void (base = made));
  beforeEach(() => {
    folder = path.join(base, 'home');
    mkdirSync(path.join(folder, 'workspace', 'deep'), { recursive: true });
    writeFileSync(path.join(folder, 'workspace', 'a.txt'), 'x'.repeat(5000));
    writeFileSync(path.join(folder, 'workspace', 'b.txt'), '');
    writeFileSync(path.join(folder, '.hidden'), '');
    writeFileSync(path.join(base, 'outside.txt'), 'secret');
    symlinkSync(base, path.join(folder, 'way-out'));
  });

  it('lists', () => {
    assert.equal(run('ls'), 'way-out\nworkspace\n');
    assert.equal(run('ls -a /'), '.hidden\nway-out\nworkspace\n');
    assert.equal(run('ls ~/workspace'), 'a.txt\nb.txt\ndeep\n');
    assert.match(run('ls -l workspace'), /^-rw\S+ 1 root root\s+5000 \d{4}-\d\d-\d\d \d\d:\d\d a\.txt\n/);
    assert.match(run('ls -l'), /^l\S+ .* way-out\nd\S+ .* workspace\n$/);
    assert.equal(run('ls workspace/a.txt'), '/shown/workspace/a.txt\n');
    assert.equal(run('ls nowhere'), "ls: cannot access 'nowhere': No such file or directory\n");
  });

  it('measures', () => {
    assert.equal(run('du workspace'), '4\t/shown/workspace/deep\n20\t/shown/workspace\n');
    assert.equal(run('du -s -h workspace'), '20K\t/shown/workspace\n');
    assert.equal(run('du -d0 -b workspace/a.txt'), '8192\t/shown/workspace/a.txt\n');
    assert.equal(run('du --max-depth=0 workspace'), '20\t/shown/workspace\n');
    assert.match(run('du -a workspace'), /8\t\/shown\/workspace\/a\.txt\n/);
    writeFileSync(path.join(folder, 'big'), Buffer.alloc(3 * 1024 * 1024));
    assert.equal(run('du -h big'), '3.0M\t/shown/big\n');
  });

  it('removes', () => {
    assert.equal(run('rm workspace/deep'), "rm: cannot remove '/shown/workspace/deep': Is a directory\n");
    assert.equal(run('rm -rv workspace/deep'), "removed '/shown/workspace/deep'\n");
    assert.equal(run('rm /workspace/*.txt'), '');
    assert.equal(run('ls workspace'), '');
    assert.equal(run('rm -f nothing'), '');
    assert.match(run('rm nothing'), /No such file/);
    assert.equal(run('rm -rf /'), "rm: refusing to remove '/'\n");
    assert.ok(existsSync(folder));
  });

  it('can’t leave its folder, neither by dots nor by links', () => {
    for (const place of [
      '../outside.txt',
      '/../../outside.txt',
      'way-out/outside.txt',
      'way-out/home/workspace/../../outside.txt',
    ]) {
      assert.match(run(`ls ${place}`), /No such file/, place);
      run(`rm -rf ${place}`);
      assert.ok(existsSync(path.join(base, 'outside.txt')), place);
    }
    run('rm -rf way-out');
    assert.ok(existsSync(path.join(base, 'outside.txt')));
  });

  it('is one of the three, without anything for a shell, and at most 512 characters', () => {
    for (const command of [
      '',
      'cat x',
      'ls; cat x',
      'ls | sh',
      'ls $(id)',
      'ls > x',
      'ls `id`',
      'ls && id',
      'rm',
      'ls -!',
      `ls ${'x'.repeat(510)}`,
      'ls\nid',
    ]) {
      assert.throws(() => ConstrainedCommand.parse(command), InvalidCommand, command);
    }
    assert.doesNotThrow(() => ConstrainedCommand.parse(`ls ${'x'.repeat(509)}`));
  });
});

describe('Execute and logs', () => {
  const simulators = useSimulators();

  it('answer with an address that is read without a key, some seconds later', async () => {
    const simulator = await simulators.start({ fakeClock: true });
    const id = await rentRunning(simulator);
    const { status, json } = await simulator.call('PUT', `/api/v0/instances/command/${id}/`, {
      command: 'ls -l /',
    });
    assert.equal(status, 200);
    const pointer = resultPointer.parse(json);
    assert.equal(pointer.success, true);
    assert.ok(pointer.writeable_path?.endsWith('/'));
    const fetchResult = () => fetch(pointer.result_url ?? '');
    const early = await fetchResult();
    assert.deepEqual([early.status, (await early.text()).includes('NoSuchKey')], [404, true]);
    simulator.advance(3);
    const late = await fetchResult();
    assert.equal(late.status, 200);
    assert.match(await late.text(), / workspace\n$/);
    assert.equal(simulator.received('GET', /results/).at(-1)?.hasAuthorization, false);
    simulator.advance(7200);
    await simulator.call('PUT', `/api/v0/instances/command/${id}/`, { command: 'ls' });
    assert.equal((await fetchResult()).status, 404);
  });

  it('refuse what is invalid, each with its code', async () => {
    const simulator = await simulators.start({ fakeClock: true });
    const id = await rentRunning(simulator);
    const execute = async (instance: number, body: unknown) => {
      const { status, json } = await simulator.call('PUT', `/api/v0/instances/command/${instance}/`, body);
      return [status, json.error] as const;
    };
    assert.deepEqual(await execute(id, { command: 'cat /etc/passwd' }), [400, 'invalid_args']);
    assert.deepEqual(await execute(id, {}), [400, 'invalid_args']);
    assert.deepEqual(await execute(1, { command: 'ls' }), [400, 'invalid_container_id']);
    await simulator.call('PUT', `/api/v0/instances/${id}/`, { state: 'stopped' });
    simulator.advance(5);
    assert.deepEqual(
      await execute(id, { command: 'ls' }),
      [200, undefined],
      'the disk of a stopped one is there',
    );
    await simulator.call('PUT', `/__sim/instances/${id}/`, { actual_status: 'offline' });
    simulator.advance(5);
    assert.deepEqual(await execute(id, { command: 'ls' }), [400, 'invalid_container']);
    const logs = await simulator.call('PUT', '/api/v0/instances/request_logs/1/', {});
    assert.deepEqual([logs.status, logs.json.error], [404, 'invalid_id']);
  });

  it('show image, arguments and scripts as recorded, and no value of a variable', async () => {
    const simulator = await simulators.start({ fakeClock: true });
    const id = await rentRunning(simulator, {
      onstart: 'echo one\necho two',
      env: { HF_TOKEN: 'hidden-value' },
      image_login: '-u robot -p hidden-password registry.example.com',
    });
    const logs = async (body: unknown) => {
      const { json } = await simulator.call('PUT', `/api/v0/instances/request_logs/${id}/`, body);
      simulator.advance(3);
      return (await fetch(String(json.result_url))).text();
    };
    const text = await logs({});
    assert.match(text, /image: pytorch\/pytorch:latest/);
    assert.match(text, /\[onstart\] echo one\n\[onstart\] echo two\n/);
    assert.match(text, /environment: HF_TOKEN\n/);
    assert.doesNotMatch(text, /hidden/);
    assert.equal(await logs({ tail: '1' }), '[simulator] ready\n');
    assert.equal(await logs({ tail: 0 }), '');
    assert.equal(await logs({ filter: 'echo two' }), '[onstart] echo two\n');
    assert.match(await logs({ daemon_logs: 'true' }), /Pulling from pytorch/);
    const args = await rentRunning(simulator, { runtype: 'args', args_str: '--serve 8000' });
    const { json } = await simulator.call('PUT', `/api/v0/instances/request_logs/${args}/`, {});
    simulator.advance(3);
    assert.match(await (await fetch(String(json.result_url))).text(), /arguments: --serve 8000/);
  });
});
