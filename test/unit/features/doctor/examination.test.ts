import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { defaultNetworkSettings } from '../../../../src/api/chooseTransport';
import { NotReachableError, UnauthorizedError } from '../../../../src/api/errors';
import { TransportFailure } from '../../../../src/api/transport';
import { examine, reportText } from '../../../../src/features/doctor/examination';
import type { Instance } from '../../../../src/model/instances/instance';
import { KeyLostError, KeyUnreadableError } from '../../../../src/store/accounts/accountErrors';
import { CancelledError } from '../../../../src/util/errors';
import { formatText } from '../../../../src/util/text';
import { DoctorScene } from '../../../support/doctorScene';
import { sshAccount, sshInstance } from '../../../support/sshInstance';

describe("The doctor's examination", () => {
  let scene: DoctorScene;

  beforeEach(() => {
    scene = new DoctorScene();
  });
  afterEach(() => scene.dispose());

  it('finds nothing where all is well, on a machine too', async () => {
    const findings = await scene.check(await scene.rented());
    assert.deepEqual(
      findings.filter(({ verdict }) => verdict !== 'ok').map(({ id }) => id),
      [],
    );
    assert.ok(findings.length >= 26, String(findings.length));
  });

  it('shows every check, those too that do not apply, with the reason', async () => {
    const whole = Object.keys(await scene.verdicts({ account: undefined, resolvers: [] })).sort();
    assert.deepEqual(Object.keys(await scene.verdicts(await scene.rented())).sort(), whole);
    scene.fails.current = new UnauthorizedError();
    const refused = await scene.check();
    assert.deepEqual(refused.map(({ id }) => id).sort(), whole);
    for (const { id, verdict, detail } of refused) {
      assert.ok(formatText(detail).length > 3, `${id} ${verdict}`);
    }
  });

  it('does not look at proxies and certificates of a service on this computer', async () => {
    const ofService = { client: scene.client(), user: scene.user };
    const account = { ...sshAccount, serviceUrl: 'http://127.0.0.1:8787', ...ofService };
    const found = await scene.verdicts({ account });
    assert.deepEqual([found['proxy'], found['certificates'], found['clock']], ['skipped', 'skipped', 'ok']);
  });

  it('counts the key in the record of the account, which new instances accept', async () => {
    const [sshKey = ''] = scene.registered;
    const machine = await scene.rented();
    scene.user = { ...scene.user, sshKey };
    scene.registered = [];
    const found = await scene.verdicts(machine);
    assert.deepEqual([found['registered'], found['keyOnInstance'], found['login']], ['ok', 'ok', 'ok']);
  });

  it('opens no setting that the account in use does not follow', async () => {
    scene.fails.current = new NotReachableError({
      cause: new TransportFailure('notReachable', undefined),
    });
    const { fix } = (await scene.check()).find(({ id }) => id === 'reachable') ?? assert.fail();
    assert.deepEqual(fix?.kind === 'command' && fix.args, ['gpuRental.network.transport']);
  });

  it('names the proxy without its login', async () => {
    const network = { ...defaultNetworkSettings, proxy: 'http://ada:secret@proxy.example.com:3128' };
    const found = (await scene.check({ network })).find(({ id }) => id === 'proxy');
    assert.equal(formatText(found?.detail ?? ''), 'Requests go through proxy.example.com:3128.');
  });

  it('reports nothing more about an instance without an address', async () => {
    const bare: Instance = { id: 7, actualStatus: 'running' };
    const found = await scene.verdicts({ instances: [bare], instanceId: 7 });
    assert.deepEqual([found['login'], found['sshd'], found['gpu']], ['problem', 'skipped', 'skipped']);
  });

  it('tries the last known address if the service can’t be reached', async () => {
    const well = await scene.rented();
    await scene.check(well);
    scene.fails.instanceKeys = new NotReachableError();
    const found = await scene.verdicts(well);
    assert.deepEqual([found['keyOnInstance'], found['login']], ['skipped', 'ok']);
  });

  it('does not report an account as signed out if its key or record can’t be read, and leads to another try', async () => {
    const check = async (unreadable: unknown) => {
      const findings = await scene.check({ account: undefined, unreadable });
      const said = findings.map(({ detail }) => formatText(detail)).join('\n');
      assert.doesNotMatch(said, /not signed in/);
      const { verdict, detail, fix } = findings.find(({ id }) => id === 'signedIn') ?? assert.fail();
      return [verdict, formatText(detail), fix && formatText(fix.label)];
    };
    const [verdict, said = '', fix] = await check(new KeyUnreadableError(new Error('locked')));
    assert.deepEqual([verdict, fix], ['problem', 'Retry']);
    assert.match(said, /Could not read the secret store of the editor\. Unlock the key ring/);
    assert.equal((await check(new KeyLostError()))[2], 'Sign In');
    const refused = await check(new Error('EACCES: permission denied'));
    assert.deepEqual(refused, ['problem', "The account can't be read on this computer.", 'Retry']);
  });

  it('explains how the agent that ssh asks gets a key, for each agent', async () => {
    scene.emptyHome();
    scene.home.key('locked', 'secret');
    const said = async (config: string, code: number) => {
      scene.home.write(config);
      scene.run = (program, args, options) =>
        program === 'ssh-add'
          ? Promise.resolve({ code, stdout: '', stderr: '', timedOut: false })
          : scene.home.run(program, args, options);
      const found = (await scene.check()).find(({ id }) => id === 'unattended');
      return formatText(found?.detail ?? '');
    };
    const [noKeys, noAgent] = [1, 2];
    const other = 'IdentityAgent "/run/other agent.sock"\n';
    assert.match(await said('', noKeys), /no SSH agent holds one\. Run ssh-add in a terminal\.$/);
    assert.match(await said('', noAgent), /^Every key asks for a passphrase\. No SSH agent is running/);
    assert.match(
      await said(other, noKeys),
      /names holds none: \/run\/other agent\.sock\. .* set SSH_AUTH_SOCK to that path/,
    );
    assert.match(await said(other, noAgent), /names is not running: \/run\/other agent\.sock\./);
    assert.match(await said('IdentityAgent none\n', noKeys), /because of IdentityAgent/);
  });

  it('does not call a key unfit that it could not compare', async () => {
    const well = await scene.rented();
    const file = join(scene.home.sshDir, 'id_ed25519');
    rmSync(file);
    rmSync(`${file}.pub`);
    scene.home.key('old', 'secret', 'rsa');
    const old = join(scene.home.sshDir, 'old');
    execFileSync('ssh-keygen', ['-q', '-p', '-m', 'PEM', '-P', 'secret', '-N', 'secret', '-f', old]);
    assert.equal((await scene.verdicts(well))['keyOnInstance'], 'problem');
    rmSync(`${old}.pub`);
    const found = await scene.check(well);
    const notes = found.filter(({ detail }) => formatText(detail).includes('No readable key matches'));
    assert.deepEqual(
      notes.map(({ id, verdict }) => `${id} ${verdict}`),
      ['localKey note', 'unattended skipped', 'registered skipped', 'keyOnInstance note'],
    );
    assert.ok(notes.every(({ detail }) => formatText(detail).includes(old)));
  });

  it('treats a login that works as proof of the key on the instance', async () => {
    const well = await scene.rented();
    scene.onInstance = [scene.home.key('other')];
    for (const name of ['other', 'other.pub']) {
      rmSync(join(scene.home.sshDir, name));
    }
    // What ssh tries by itself, where no key of the list is here.
    scene.home.write(`Host *\n  IdentityFile ${join(scene.home.sshDir, 'id_ed25519')}\n`);
    const found = await scene.verdicts(well);
    assert.deepEqual([found['login'], found['keyOnInstance']], ['ok', 'ok']);
  });

  it('ends at once when it is cancelled, instead of calling that a fault', async () => {
    for (const call of ['current', 'instances', 'sshKeys', 'apiKeys'] as const) {
      scene.fails = { [call]: new CancelledError() };
      await assert.rejects(scene.check(), CancelledError);
    }
    scene.fails = {};
    const silent = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const address = silent.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const stop = new AbortController();
    silent.once('connection', () => stop.abort());
    try {
      await assert.rejects(
        examine(scene.ports({ instances: [sshInstance(port)], instanceId: 7 }), stop.signal),
        CancelledError,
      );
    } finally {
      silent.close();
    }
  });

  it('removes the rights of others on keys and SSH files, and no others', async () => {
    await scene.check(await scene.rented());
    const key = join(scene.home.sshDir, 'id_ed25519');
    const knownHosts = join(scene.home.ownDir, 'known_hosts');
    chmodSync(key, 0o444);
    chmodSync(knownHosts, 0o666);
    chmodSync(scene.home.ownDir, 0o777);
    chmodSync(scene.home.configFile, 0o640);
    assert.equal((await scene.verdicts())['modes'], 'problem');
    await scene.home.service().tighten();
    const modes = [key, knownHosts, scene.home.ownDir, scene.home.configFile].map((file) =>
      scene.home.mode(file),
    );
    assert.deepEqual(modes, ['400', '644', '755', '640']);
    assert.equal((await scene.verdicts())['modes'], 'ok');
  });

  it('leaves what links lead to as it is', async () => {
    await scene.check(await scene.rented());
    const { home } = scene;
    const elsewhere = home.write('key', join(home.root, 'elsewhere'), 0o640);
    const key = join(home.sshDir, 'id_ed25519');
    const knownHosts = join(home.ownDir, 'known_hosts');
    for (const file of [key, knownHosts]) {
      rmSync(file);
      symlinkSync(elsewhere, file);
    }
    await home.service().tighten();
    assert.equal(home.mode(elsewhere), '640');
  });

  it('can be shown as text without names and secrets', async () => {
    const findings = await scene.check();
    const text = reportText(
      [
        ...findings,
        {
          id: 'x',
          title: { template: 'X', args: [] },
          verdict: 'note',
          detail: '/var/home/ada b/.ssh of ada@example.com at 203.0.113.7 KEY',
        },
      ],
      (value) => formatText(value).replaceAll('KEY', '***'),
      { home: '/var/home/ada b', userName: 'ada' },
    );
    assert.match(text, /- \[ok\] API key: /);
    assert.doesNotMatch(text, /ada|KEY|203\./);
    assert.match(text, /: ~\/\.ssh of /);
  });
});
