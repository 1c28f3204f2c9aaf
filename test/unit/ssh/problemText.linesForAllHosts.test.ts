import assert from 'node:assert/strict';
import { explainVerification } from '../../../src/ssh/problemText';
import { formatText } from '../../../src/util/text';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { SshMachine } from '../../support/sshMachine';

describe('Lines of the user for all hosts', () => {
  let home: SshHome;
  let machine: SshMachine;
  let key: string;

  beforeEach(async () => {
    home = new SshHome();
    key = home.key();
    machine = await new SshMachine().start();
    machine.authorize(key);
  });
  afterEach(async () => {
    await machine.dispose();
    home.dispose();
  });

  const connect = (ssh = home.service()) =>
    ssh.connect({
      account: sshAccount,
      instanceId: 7,
      instance: sshInstance(machine.port),
      registeredKeys: [key],
    });

  /** Logs in as the user and the extensions for windows do, by the config alone. */
  async function byConfig(command: string): Promise<string> {
    const [program, ...args] = home.service().command('gpu-7', command);
    const { stdout, stderr } = await home.run(program, args);
    return stdout.trim() || stderr;
  }

  const standing: Readonly<Record<string, string>> = {
    'no login by key': 'PubkeyAuthentication no',
    'a login by password alone': 'PreferredAuthentications password,keyboard-interactive',
  };
  for (const [name, line] of Object.entries(standing)) {
    it(`keep no window and no terminal from logging in: ${name}`, async () => {
      home.write(`Host *\n  ${line}\n`);
      const { host, preflight } = await connect();
      assert.equal(preflight.ok, true, JSON.stringify(preflight));
      assert.deepEqual(host.verification, { kind: 'equal' });
      assert.equal(await byConfig('echo hello'), 'hello');
    });
  }

  it('are named where they run a command at each login, beside which no window opens', async () => {
    home.write('Host *\n  RemoteCommand echo other\n');
    const { host, preflight } = await connect();
    assert.equal(preflight.ok, true, JSON.stringify(preflight));
    const explained = explainVerification(host.verification);
    assert.match(formatText(explained?.text ?? ''), /^Line 5 of .* overrides .*"RemoteCommand echo other"/);
    assert.deepEqual(explained?.fixes, ['openConfig', 'connectAnyway', 'retry']);
  });

  it('run no command on this computer with what is run without a question', async () => {
    home.write('Host *\n  PermitLocalCommand yes\n  LocalCommand echo from-here\n');
    const { preflight } = await connect();
    assert.ok(preflight.ok && !preflight.noisy, JSON.stringify(preflight));
    const ssh = home.service();
    assert.equal((await ssh.exec('gpu-7', 'echo done')).stdout, 'done\n');
    assert.equal(await byConfig('echo hello'), 'from-here\nhello');
  });

  it('tie no host key to an address, and are named where a window would follow them', async () => {
    // Managed by another program, which put our line below the others.
    home.write(`Host *\n  CheckHostIP yes\nInclude ${home.ownDir}/*.conf\n`, home.configFile, 0o400);
    const options: string[] = [];
    const run: typeof home.run = (program, args, more) => {
      options.push(...args.filter((arg) => arg.startsWith('CheckHostIP')));
      return home.run(program, args, more);
    };
    const { host, preflight } = await connect(home.service({ run }));
    assert.equal(preflight.ok, true, JSON.stringify(preflight));
    assert.deepEqual(options, ['CheckHostIP=no']);
    const { verification } = host;
    assert.ok(verification.kind === 'overridden');
    assert.deepEqual(
      verification.overrides.map(({ option, place }) => [option, place?.text]),
      [['checkhostip', 'CheckHostIP yes']],
    );
  });

  it('ask for no password that would go to the machine, where it refuses the key', async () => {
    await connect();
    const [program, ...args] = home.service().command('gpu-7');
    const { stdout } = await home.run(program, ['-G', ...args]);
    assert.match(stdout, /^preferredauthentications publickey$/m);
  });
});
