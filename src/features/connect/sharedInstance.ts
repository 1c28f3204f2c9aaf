import * as vscode from 'vscode';
import { confirm } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { withCancellableProgress } from '../../editor/progress';
import { labelOf } from '../../editor/titles';
import type { SharedPlace } from '../../model/links';
import type { Services } from '../../services';
import { explainFailure, explainVerification } from '../../ssh/problemText';
import { readFolders } from '../../ssh/remoteFolders';
import { checkHost, checkPort } from '../../ssh/validate';
import type { LastFolders } from './folders';
import { pickFolder } from './folders';
import type { PlatformEntries } from './platformEntries';
import { installedResolvers } from './resolverChoice';

type Deps = Pick<Services, 'settings' | 'ssh' | 'sshConsent'> & {
  readonly folders: LastFolders;
  readonly platforms: PlatformEntries;
};

/** Instances of other users belong to no account of this computer, so their entries have an owner of their own. */
const owner = { key: 'shared', serviceUrl: 'shared:', isDemo: false } as const;

/**
 * Opens a window on an instance of another user, after a question that names the address: links can come from anywhere.
 * The host key of the link is pinned before the first contact.
 */
export async function openShared(deps: Deps, place: SharedPlace): Promise<void> {
  const { ssh } = deps;
  const host = checkHost(place.host);
  const port = checkPort(place.port);
  const name = t('{0}, port {1}', host, port);
  const question = {
    message: t('Connect to the shared instance at {0}?', name),
    detail: [
      t(
        'A link asks to connect. Continue only if you expect it: a remote window runs programs from the machine, which belongs to a stranger.',
      ),
      place.hostKey
        ? t('The link holds the host key of the instance, so another machine at this address is refused.')
        : t('The link holds no host key, so the machine that answers first is trusted.'),
    ].join('\n\n'),
    button: labelOf('gpuRental.instance.connect'),
  };
  if (!(await confirm(question))) {
    return;
  }
  await deps.sshConsent.ask();
  const key = (await ssh.localKeys()).find((one) => one.publicKey.fingerprint === place.fingerprint);
  if (!key && (await ssh.unreadKeys()).length === 0) {
    message(
      'warning',
      t(
        'This computer does not have the SSH key that was given access: {0}. Ask for access with a key of this computer.',
        place.fingerprint,
      ),
    );
    return;
  }
  const alias = ssh.aliasOf(owner, place.id);
  if (place.hostKey) {
    await ssh.pinHostKey(alias, place.hostKey);
  }
  const ports = [{ containerPort: 22, hostPort: port, protocol: 'tcp' as const }];
  const request = {
    account: owner,
    instanceId: place.id,
    instance: { id: place.id, publicIp: host, ports },
    registeredKeys: key && [key.line],
  };
  const outcome = await withCancellableProgress(t('Connecting to {0}', name), (signal) =>
    ssh.connect(request, { signal }),
  );
  const { host: prepared, preflight } = outcome;
  const obstacle =
    explainVerification(prepared.verification) ??
    (preflight.ok ? undefined : explainFailure(preflight, prepared.identity));
  if (obstacle) {
    message('error', localize(obstacle.text), { label: t('Retry'), run: () => openShared(deps, place) });
    return;
  }
  await openWindow(deps, prepared.alias, name);
}

async function openWindow(
  { folders, platforms, settings, ssh }: Deps,
  alias: string,
  name: string,
): Promise<void> {
  const [resolver] = installedResolvers();
  if (!resolver) {
    message('info', t('The login works. In a terminal: {0}', ssh.commandLine(alias)), {
      label: t('Copy Command'),
      run: () => vscode.env.clipboard.writeText(ssh.commandLine(alias)),
    });
    return;
  }
  const folder = await pickFolder(
    await readFolders(ssh, alias),
    folders.recent(alias, undefined),
    t('Open {0}', name),
  );
  if (folder === undefined) {
    return;
  }
  await platforms.add(resolver, alias);
  await folders.remember(alias, undefined, folder);
  const uri = vscode.Uri.from({ scheme: 'vscode-remote', authority: `ssh-remote+${alias}`, path: folder });
  const isNew = settings.get('gpuRental.connect.openIn') === 'newWindow';
  await vscode.commands.executeCommand('vscode.openFolder', uri, {
    forceNewWindow: isNew,
    forceReuseWindow: !isNew,
  });
}
