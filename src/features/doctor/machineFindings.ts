import { printedLog, registeredKeysOf, type KeyAccount, type RegisteredKeys } from '../../instanceKeys';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import type { HostEntry } from '../../ssh/hostConfig';
import { hostKeyTrust } from '../../ssh/hostKey';
import { isLoggedIn } from '../../ssh/hostLogin';
import { matchKeys, type LocalKey } from '../../ssh/localKeys';
import { plainText } from '../../ssh/plainText';
import type { PreflightProblem, PreflightResult } from '../../ssh/preflight';
import type { PreparedHost, SshAccount } from '../../ssh/prepareHost';
import type { ProbeOutcome, ProbeResult } from '../../ssh/probe';
import { explainFailure, explainVerification } from '../../ssh/problemText';
import type { SshService } from '../../ssh/service';
import { UserError } from '../../util/errors';
import { text, type Text } from '../../util/text';
import {
  attempt,
  finding,
  fixes,
  noAccountText,
  skipAll,
  type DoctorFinding,
  type DoctorFix,
} from './finding';
import { uncomparedText } from './keyFindings';

interface Ports {
  readonly ssh: Pick<SshService, 'connect' | 'entry' | 'exec' | 'localKeys' | 'reach' | 'unreadKeys'>;
  readonly account: (SshAccount & KeyAccount) | undefined;
  readonly unreadable?: unknown;
  readonly instances: readonly Instance[];
  readonly instanceId: number | undefined;
  /** Why the user could choose no instance, if there is another reason than that none is running. */
  readonly noChoice?: Text | undefined;
}

const titles = {
  keyOnInstance: text('Key on the instance'),
  'direct address': text('Direct address'),
  'proxy address': text('Proxy address'),
  sshd: text('SSH server of the instance'),
  sshG: text('SSH config as ssh reads it'),
  hostKey: text('Host key of the instance'),
  login: text('Login'),
  disk: text('Disk of the instance'),
  gpu: text('GPU'),
} as const;

/** Returns the findings about one instance: addresses, login, the config as ssh reads it, GPU and disk. */
export async function machineFindings(ports: Ports, signal: AbortSignal): Promise<readonly DoctorFinding[]> {
  const { account, ssh, instanceId } = ports;
  const instance = ports.instances.find(({ id }) => id === instanceId);
  if (!account) {
    return skipAll(titles, noAccountText(ports.unreadable));
  }
  if (!instance) {
    return skipAll(titles, ports.noChoice ?? text('No running instance was chosen.'));
  }
  const { keyOnInstance, ...others } = titles;
  const registered = await attempt(() => registeredKeysOf(ssh, account, instance.id, { signal }));
  const request = {
    account,
    instanceId: instance.id,
    instance,
    registeredKeys: registered.value?.lines,
    log: printedLog(account.client, instance.id, { signal }),
  };
  const probes = await attempt(() => ssh.reach(instance, signal));
  const outcome = await attempt(() => ssh.connect(request, { signal }));
  const found = [
    registered.value
      ? keyFinding(instance, registered.value, {
          preflight: outcome.value?.preflight,
          local: await ssh.localKeys(signal),
          uncompared: await ssh.unreadKeys(signal),
        })
      : finding('keyOnInstance', keyOnInstance, 'skipped', sentenceOf(registered.error)),
  ];
  if (!outcome.value) {
    const { login, ...rest } = others;
    const why = sentenceOf(outcome.error);
    return [...found, finding('login', login, 'problem', why), ...skipAll(rest, why)];
  }
  const { host, preflight } = outcome.value;
  return [
    ...found,
    ...addressFindings(probes.value ?? []),
    sshdFinding(instance, host, preflight),
    verificationFinding(host),
    hostKeyFinding(host, preflight, await ssh.entry(host.alias)),
    loginFinding(instance, host, preflight),
    diskFinding(instance, preflight),
    preflight.ok || preflight.problem === 'diskFull'
      ? await gpuFinding(ssh, instance, host.alias, signal)
      : finding('gpu', titles.gpu, 'skipped', text('Skipped because no login is possible.')),
  ];
}

/** Returns the text of a `UserError`; throws any other error, which is a fault in our code. */
function sentenceOf(error: unknown): Text {
  if (error instanceof UserError) {
    return error.text;
  }
  throw error;
}

/** The facts that show whether an instance has a key of this computer. */
interface KeyFacts {
  /** The login, if one was tried. */
  readonly preflight: PreflightResult | undefined;
  readonly local: readonly LocalKey[];
  /** Key files whose public part can't be read. */
  readonly uncompared: readonly string[];
}

function keyFinding(
  instance: Instance,
  { lines, onInstance, unread }: RegisteredKeys,
  { preflight, local, uncompared }: KeyFacts,
): DoctorFinding {
  const found = (verdict: DoctorFinding['verdict'], detail: Text, fix?: DoctorFix) =>
    finding('keyOnInstance', titles.keyOnInstance, verdict, detail, fix);
  // Keys of the account are on it only if they were registered before it was rented, which a login shows.
  const isRefused = preflight?.ok === false && preflight.problem === 'authentication';
  if (preflight?.ok === true || matchKeys(local, isRefused ? onInstance : lines).length > 0) {
    return found('ok', text('No problem found.'));
  }
  if (uncompared.length > 0) {
    return found('note', uncomparedText(uncompared), fixes.attachKey(instance.id));
  }
  return unread > 0
    ? found(
        'note',
        text(
          'No key of this computer was found. Keys that could not be read: {0}. The log names the field.',
          unread,
        ),
        fixes.attachKey(instance.id),
      )
    : found(
        'problem',
        text("{0} has no SSH key of this computer, so you can't log in.", nameOf(instance)),
        fixes.attachKey(instance.id),
      );
}

/** The text for each way in which a probe of an address found no SSH server. */
const silence: Record<Exclude<ProbeOutcome, 'ssh'>, Text> = {
  otherService: text('The server at this address is not an SSH server.'),
  refused: text('The connection was refused.'),
  timedOut: text('There was no answer in time.'),
  unreachable: text('The address is unreachable.'),
  closed: text('The connection was closed without a greeting.'),
};

function addressFindings(probes: readonly ProbeResult[]): readonly DoctorFinding[] {
  return (['direct', 'proxy'] as const).flatMap((kind) => {
    const id = `${kind} address` as const;
    const own = probes.filter(({ endpoint }) => endpoint.kind === kind);
    const answering = own.find(({ outcome }) => outcome === 'ssh');
    if (answering) {
      const detail = text('An SSH server answers on port {0}.', answering.endpoint.port);
      return [finding(id, titles[id], 'ok', detail)];
    }
    const [tried] = own;
    return tried && tried.outcome !== 'ssh'
      ? [
          finding(
            id,
            titles[id],
            'note',
            text('{0} Another address or a jump host may still work.', silence[tried.outcome]),
          ),
        ]
      : [finding(id, titles[id], 'skipped', text('The instance has no such address.'))];
  });
}

/** Problems in which no SSH server answered, for any key. */
const noServer: readonly PreflightProblem[] = [
  'refused',
  'timedOut',
  'unreachable',
  'unresolved',
  'noGreeting',
];

function sshdFinding(instance: Instance, host: PreparedHost, preflight: PreflightResult): DoctorFinding {
  const title = titles.sshd;
  return !preflight.ok && noServer.includes(preflight.problem)
    ? finding(
        'sshd',
        title,
        'problem',
        explainFailure(preflight, host.identity).text,
        fixes.showLogs(instance.id),
      )
    : finding('sshd', title, 'ok', text('No problem found.'));
}

function verificationFinding({ verification, userConfig }: PreparedHost): DoctorFinding {
  const explained = explainVerification(verification);
  const place =
    verification.kind === 'overridden' ? verification.overrides.find((one) => one.place)?.place : undefined;
  return explained
    ? finding('sshG', titles.sshG, 'problem', explained.text, fixes.openFile(place?.file ?? userConfig))
    : finding('sshG', titles.sshG, 'ok', text('No problem found.'));
}

function hostKeyFinding(
  host: PreparedHost,
  preflight: PreflightResult,
  entry: HostEntry | undefined,
): DoctorFinding {
  if (preflight.ok || isLoggedIn(preflight)) {
    return finding('hostKey', titles.hostKey, 'ok', hostKeyTrust(entry) ?? text('No problem found.'));
  }
  if (preflight.problem === 'hostKeyNotPrinted') {
    const { text: words } = explainFailure(preflight, host.identity);
    return finding('hostKey', titles.hostKey, 'problem', words);
  }
  return preflight.problem === 'hostKeyChanged'
    ? finding(
        'hostKey',
        titles.hostKey,
        'problem',
        explainFailure(preflight, host.identity).text,
        fixes.forgetHostKey(host.alias),
      )
    : finding('hostKey', titles.hostKey, 'skipped', text('Skipped because no login is possible.'));
}

function loginFinding(instance: Instance, host: PreparedHost, preflight: PreflightResult): DoctorFinding {
  const title = titles.login;
  if (!preflight.ok && preflight.problem !== 'diskFull') {
    const explained = explainFailure(preflight, host.identity).text;
    return finding('login', title, 'problem', explained, loginFix(instance, host, preflight.problem));
  }
  return preflight.ok && preflight.noisy
    ? finding(
        'login',
        title,
        'note',
        text(
          'The login works. The machine prints text at each login, which breaks some tools; the command touch ~/.no_auto_tmux often stops that.',
        ),
        fixes.openTerminal(instance.id),
      )
    : finding('login', title, 'ok', text('No problem found.'));
}

function loginFix(instance: Instance, host: PreparedHost, problem: PreflightProblem): DoctorFix {
  switch (problem) {
    case 'authentication':
      return fixes.attachKey(instance.id);
    case 'unprotectedKey':
      return fixes.tighten;
    case 'hostKeyChanged':
      return fixes.forgetHostKey(host.alias);
    case 'config':
      return fixes.openFile(host.userConfig);
    case 'refused':
    case 'timedOut':
    case 'unreachable':
    case 'unresolved':
    case 'noGreeting':
    case 'hostKeyNotPrinted':
      return fixes.showLogs(instance.id);
    case 'notSigned':
    case 'unusableKey':
    case 'startupScript':
    case 'diskFull':
    case 'other':
      return fixes.openTerminal(instance.id);
  }
}

function diskFinding(instance: Instance, preflight: PreflightResult): DoctorFinding {
  const title = titles.disk;
  if (preflight.ok) {
    return preflight.freeMb === undefined
      ? finding('disk', title, 'skipped', text('The instance does not report its free space.'))
      : finding('disk', title, 'ok', text('{0} MB are free.', preflight.freeMb));
  }
  return preflight.problem === 'diskFull'
    ? finding('disk', title, 'problem', explainFailure(preflight).text, fixes.openTerminal(instance.id))
    : finding('disk', title, 'skipped', text('Skipped because no login is possible.'));
}

/** No tool is in the image that names the GPUs of NVIDIA. */
const noTool = 74;
const gpuScript = `command -v nvidia-smi >/dev/null 2>&1 || exit ${noTool}; exec nvidia-smi -L`;

async function gpuFinding(
  ssh: Ports['ssh'],
  instance: Instance,
  alias: string,
  signal: AbortSignal,
): Promise<DoctorFinding> {
  const { code, stdout, stderr } = await ssh.exec(alias, gpuScript, {
    signal,
    timeoutMs: 20_000,
    isLook: true,
  });
  const [first = ''] = stdout.split(/\r?\n/);
  if (code === noTool) {
    return finding(
      'gpu',
      titles.gpu,
      'note',
      text('The image has no nvidia-smi, as with AMD GPUs. Check Machine looks at them without it.'),
      fixes.checkMachine(instance.id),
    );
  }
  return code === 0 && first !== ''
    ? finding('gpu', titles.gpu, 'ok', plainText(first))
    : finding(
        'gpu',
        titles.gpu,
        'problem',
        text(
          'nvidia-smi does not answer: {0}. Reboot the instance, or replace it.',
          plainText(stderr) || '–',
        ),
        fixes.reboot(instance.id),
      );
}

function nameOf(instance: Instance): string {
  return plainText(instanceName(instance));
}
