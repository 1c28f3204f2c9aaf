import { chooseTransport, createTransport } from '../../api/chooseTransport';
import { codeHostKeys, codeHostName, codeHosts } from '../../api/codeHostKeys';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { withCancellableProgress } from '../../editor/progress';
import { askLine, pickFromList } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import type { Services } from '../../services';
import { parsePublicKey } from '../../ssh/publicKey';
import { plainLabel } from '../../util/plainLabel';
import { fromFile, paste } from './keyPicker';
import { publicKeyProblem } from './keyText';

type Source = 'paste' | 'file' | keyof typeof codeHosts;

/** The public key of another user, and whom it is for, as one plain line. */
export interface ColleagueKey {
  /** Type, key and name, without anything else of the text that was given. */
  readonly line: string;
  readonly name: string;
}

/** Asks for the public key of another user. Returns `undefined` if there is none or the user cancels. */
export async function askColleagueKey(
  deps: Pick<Services, 'clock' | 'network'>,
): Promise<ColleagueKey | undefined> {
  const title = titleOf('gpuRental.instance.shareAccess');
  const hosts = Object.keys(codeHosts) as (keyof typeof codeHosts)[];
  const source = await pickFromList<Source>({
    title,
    placeholder: t('Whose key should the instance accept? A public key is no secret'),
    rows: [
      { id: 'paste', icon: 'clippy', label: t('Paste a Public Key…'), value: 'paste' },
      { id: 'file', icon: 'folder-opened', label: t('From a File…'), value: 'file' },
      ...hosts.map((host) => ({
        id: host,
        icon: 'globe',
        label: t('From {0}…', host),
        detail: t('The keys that {0} publishes for an account name', host),
        value: host,
      })),
    ],
  });
  if (source.kind !== 'picked') {
    return undefined;
  }
  if (source.value === 'paste' || source.value === 'file') {
    const line = await (source.value === 'paste' ? paste(title) : fromFile(title));
    return line === undefined ? undefined : named(title, line);
  }
  return ofCodeHost(deps, title, source.value);
}

async function named(title: string, line: string): Promise<ColleagueKey | undefined> {
  const name = await askLine({
    title,
    prompt: t('Whom is the key for? The name is shown with the instance.'),
    value: plainLabel(parsePublicKey(line)?.comment ?? '').slice(0, longestName),
    problem: (value) =>
      plainLabel(value) === '' || value.length > longestName
        ? t('Enter a name, or a shorter one.')
        : undefined,
  });
  return name === undefined ? undefined : cleaned(line, plainLabel(name));
}

const longestName = 60;

function cleaned(line: string, name: string): ColleagueKey | undefined {
  const key = parsePublicKey(line);
  // Services and servers read lines: only what was checked is sent.
  return key && { line: `${key.type} ${key.base64} ${name.replace(/[^\w.@-]+/g, '_')}`, name };
}

async function ofCodeHost(
  { clock, network }: Pick<Services, 'clock' | 'network'>,
  title: string,
  host: keyof typeof codeHosts,
): Promise<ColleagueKey | undefined> {
  const typed = await askLine({
    title,
    prompt: t('The account name. It is sent to {0}.', host),
    ignoreFocusOut: true,
    problem: (value) =>
      codeHostName.test(value.trim()) ? undefined : t('Enter an account name, without an address.'),
  });
  const name = typed?.trim();
  if (name === undefined) {
    return undefined;
  }
  const origin = codeHosts[host];
  const transport = createTransport(
    chooseTransport({
      baseUrl: new URL(origin),
      settings: network(),
      env: process.env,
      inExtensionHost: true,
    }),
  );
  try {
    const lines = await withCancellableProgress(t('Reading keys from {0}…', host), (signal) =>
      codeHostKeys(origin, name, { transport, clock }, signal),
    );
    const line = await chooseLine(title, host, name, lines);
    return line === undefined ? undefined : cleaned(line, name);
  } finally {
    void transport.close();
  }
}

async function chooseLine(
  title: string,
  host: string,
  name: string,
  lines: readonly string[],
): Promise<string | undefined> {
  const usable = lines.filter((line) => publicKeyProblem(line) === undefined);
  if (usable.length === 0) {
    message('warning', t('{0} publishes no SSH key of {1} that can be used.', host, name));
    return undefined;
  }
  const answer = await pickFromList<string>({
    title,
    placeholder: t('Which key of {0}?', name),
    rows: usable.map((line) => {
      const { type = '', fingerprint = '' } = parsePublicKey(line) ?? {};
      return { id: fingerprint, icon: 'key', label: type, description: fingerprint, value: line };
    }),
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}
