import type { PreflightResult } from '../../ssh/preflight';
import { plainText } from '../../ssh/plainText';
import type { ProbeOutcome } from '../../ssh/probe';
import { explainFailure, explainVerification } from '../../ssh/problemText';
import type { PreparedHost, SshAccount, SshService } from '../../ssh/service';
import type { Client } from '../../api/client';
import type { Instance } from '../../model/instance';
import { UserError } from '../../util/errors';
import { text, type Text } from '../../util/text';
import { finding, type Finding } from './finding';

interface Ports {
  readonly ssh: Pick<SshService, 'connect' | 'exec'>;
  readonly account: (SshAccount & { readonly client: Client }) | undefined;
  readonly instances: readonly Instance[];
  readonly instanceId: number | undefined;
}

/** One instance: its addresses, its login, the config as ssh reads it, its GPU and its disk. */
export async function machineFindings(ports: Ports, signal: AbortSignal): Promise<readonly Finding[]> {
  const { account, ssh, instanceId } = ports;
  const instance = ports.instances.find(({ id }) => id === instanceId);
  if (!account || !instance) {
    return [];
  }
  try {
    const { items } = await account.client.instances.keys(instance.id, { signal });
    const keys = items.length > 0 ? items : (await account.client.sshKeys.list({ signal })).items;
    const registeredKeys = keys.map((key) => key.publicKey);
    const request = { account, instanceId: instance.id, instance, registeredKeys };
    const { host, preflight } = await ssh.connect(request, signal);
    return [
      ...addressFindings(host),
      verificationFinding(host),
      loginFinding(host, preflight),
      ...(preflight.ok ? [await gpuFinding(ssh, host.alias, signal)] : []),
    ];
  } catch (error) {
    if (!(error instanceof UserError)) {
      throw error;
    }
    return [finding('login', text('Login'), 'problem', error.text)];
  }
}

/** What was met at an address where no SSH server answered. */
const silence: Record<Exclude<ProbeOutcome, 'ssh'>, Text> = {
  otherService: text('Something that is not SSH answers here.'),
  refused: text('The connection was refused.'),
  timedOut: text('Nothing answered in time.'),
  unreachable: text('The address cannot be reached.'),
  closed: text('The connection was closed without a greeting.'),
};

function addressFindings(host: PreparedHost): readonly Finding[] {
  return host.probes.map(({ endpoint, outcome }) => {
    const title =
      endpoint.kind === 'direct'
        ? text('Direct address, port {0}', endpoint.port)
        : text('Proxy address, port {0}', endpoint.port);
    return outcome === 'ssh'
      ? finding(`${endpoint.kind} address`, title, 'ok', text('An SSH server answers.'))
      : finding(
          `${endpoint.kind} address`,
          title,
          'note',
          text('{0} Another address or a jump host may still work.', silence[outcome]),
        );
  });
}

function verificationFinding({ verification }: PreparedHost): Finding {
  const title = text('SSH config as ssh reads it');
  const explained = explainVerification(verification);
  return explained
    ? finding('sshG', title, 'problem', explained.text)
    : finding('sshG', title, 'ok', text('ssh reads what was written.'));
}

function loginFinding(host: PreparedHost, preflight: PreflightResult): Finding {
  const title = text('Login');
  if (!preflight.ok) {
    return finding('login', title, 'problem', explainFailure(preflight, host.identity).text);
  }
  const free = preflight.freeMb;
  return preflight.noisy
    ? finding(
        'login',
        title,
        'note',
        text(
          'The login works. The machine prints text at every login, which some tools mind; the command touch ~/.no_auto_tmux often ends that.',
        ),
      )
    : finding(
        'login',
        title,
        'ok',
        free === undefined
          ? text('The login works.')
          : text('The login works; {0} MB of the disk are free.', free),
      );
}

async function gpuFinding(ssh: Ports['ssh'], alias: string, signal: AbortSignal): Promise<Finding> {
  const title = text('GPU');
  const { code, stdout, stderr } = await ssh.exec(alias, 'nvidia-smi -L', { signal, timeoutMs: 20_000 });
  const [first = ''] = stdout.split(/\r?\n/);
  return code === 0 && first !== ''
    ? finding('gpu', title, 'ok', plainText(first))
    : finding(
        'gpu',
        title,
        'problem',
        text(
          'nvidia-smi does not answer: {0}. Reboot the instance, or replace it.',
          plainText(stderr) || '–',
        ),
      );
}
