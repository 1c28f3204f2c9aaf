import type { NetworkSettings } from '../../api/chooseTransport';
import { NotReachableError, TimedOutError } from '../../api/errors';
import { proxyFor, type ProxyEnvironment } from '../../api/proxySettings';
import { TransportFailure, type FailureKind } from '../../api/transport';
import { isLoopback } from '../../util/loopback';
import { text } from '../../util/text';
import { finding, fixes, type DoctorFinding } from './finding';

export interface NetworkPorts {
  readonly network: NetworkSettings;
  /** Environment variables of this process. */
  readonly env: ProxyEnvironment;
}

export const networkTitles = {
  reachable: text('Service reachable'),
  proxy: text('Proxy'),
  certificates: text('Certificates'),
  clock: text('Clock of this computer'),
} as const;

/** Returns the findings about the connection to the service; `error` is the failure of a call, if it failed. */
export function networkFindings(
  serviceUrl: string,
  { network, env }: NetworkPorts,
  error: unknown,
): readonly DoctorFinding[] {
  const url = new URL(serviceUrl);
  return [
    reachability(error),
    proxyFinding(url, network, env, error),
    certificates(url, network, env, error),
  ];
}

function isUnreached(error: unknown): error is NotReachableError | TimedOutError {
  return error instanceof NotReachableError || error instanceof TimedOutError;
}

function failureKind(error: unknown): FailureKind | undefined {
  const cause = error instanceof NotReachableError ? error.cause : undefined;
  return cause instanceof TransportFailure ? cause.kind : undefined;
}

function reachability(error: unknown): DoctorFinding {
  return isUnreached(error)
    ? finding(
        'reachable',
        networkTitles.reachable,
        'problem',
        error.text,
        // Not the address, which each account keeps.
        fixes.openSetting('gpuRental.network.transport'),
      )
    : finding('reachable', networkTitles.reachable, 'ok', text('No problem found.'));
}

function proxyFinding(
  url: URL,
  network: NetworkSettings,
  env: ProxyEnvironment,
  error: unknown,
): DoctorFinding {
  const found = (verdict: DoctorFinding['verdict'], detail: DoctorFinding['detail']) =>
    finding(
      'proxy',
      networkTitles.proxy,
      verdict,
      detail,
      verdict === 'ok' || verdict === 'skipped' ? undefined : fixes.openSetting('http.proxy'),
    );
  if (isLoopback(url.hostname)) {
    return found('skipped', text('No proxy is used.'));
  }
  const kind = failureKind(error);
  if (isUnreached(error) && (kind === 'proxy' || kind === 'unsupported')) {
    return found('problem', error.text);
  }
  const proxy = proxyFor(url, network, env);
  if (proxy === undefined) {
    return found('ok', text('No proxy is used.'));
  }
  if (!URL.canParse(proxy)) {
    return found('problem', text('The setting http.proxy, or the variable HTTPS_PROXY, is not an address.'));
  }
  if (network.proxySupport === 'off') {
    return found('note', text('A proxy is set, but the setting http.proxySupport turns it off.'));
  }
  // Only the host is shown, because the address may contain a login.
  return found('ok', text('Requests go through {0}.', new URL(proxy).host));
}

function certificates(
  url: URL,
  network: NetworkSettings,
  env: ProxyEnvironment,
  error: unknown,
): DoctorFinding {
  const found = (
    verdict: DoctorFinding['verdict'],
    detail: DoctorFinding['detail'],
    fix?: DoctorFinding['fix'],
  ) => finding('certificates', networkTitles.certificates, verdict, detail, fix);
  const open = fixes.openSetting('http.systemCertificates');
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    return found(
      'problem',
      text(
        'The variable NODE_TLS_REJECT_UNAUTHORIZED turns off certificate checks, so others on the network could read your API key. Remove it and restart the editor.',
      ),
    );
  }
  if (url.protocol === 'http:') {
    return found('skipped', text('The service is on this computer and uses no certificate.'));
  }
  const kind = failureKind(error);
  if (isUnreached(error) && (kind === 'certificate' || kind === 'someCertificate')) {
    return found('problem', error.text, open);
  }
  if (!network.systemCertificates) {
    return found(
      'note',
      text(
        'The setting http.systemCertificates is off, so a certificate of your company is not trusted here.',
      ),
      open,
    );
  }
  return isUnreached(error)
    ? found('skipped', text('Could not reach the service.'))
    : found('ok', text('No problem found.'));
}

/** Authenticator codes are valid for 30 s; certificates and signatures tolerate larger differences. */
const noteMs = 30_000;
const problemMs = 300_000;

/** Compares `date`, the header of an answer received at `nowMs`, with the clock of this computer. */
export function clockFinding(date: string | undefined, nowMs: number): DoctorFinding {
  const title = networkTitles.clock;
  const serverMs = date === undefined ? Number.NaN : Date.parse(date);
  if (Number.isNaN(serverMs)) {
    return finding('clock', title, 'skipped', text('Could not check this.'));
  }
  const awayMs = Math.abs(nowMs - serverMs);
  if (awayMs < noteMs) {
    return finding('clock', title, 'ok', text('No problem found.'));
  }
  const seconds = Math.round(awayMs / 1000);
  return finding(
    'clock',
    title,
    awayMs < problemMs ? 'note' : 'problem',
    text(
      'The clock differs from that of the service by {0} s, so codes and certificates may be refused and costs shown wrong. Let the system set the clock.',
      seconds,
    ),
  );
}
