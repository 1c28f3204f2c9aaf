import type { Client } from '../../api/client';
import { explainingIfLost } from '../../api/errors';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileSending, withCancellableProgress } from '../../editor/progress';
import { askLine, pickFromList } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import { sourceProblem, targetProblem, type CloudConnection } from '../../model/instances/dataCopy';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import type { Account } from '../../store/accounts/accounts';
import { orCancelled } from '../../util/cancellation';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import { cancelQuestion, cloudQuestion, connectionName, fromCloudQuestion } from './copyDataText';
import { askSource, measured, whileMeasuring } from './copySource';
import { holdForCopy, type CopyUseDeps } from './copyUse';

export async function copyToCloud(deps: CopyUseDeps, account: () => Account, from: Instance): Promise<void> {
  const connection = await chooseConnection(account().client, instanceName(from));
  const source = connection && (await askSource(from));
  if (!source) {
    return;
  }
  const name = connectionName(connection);
  const path = await askCloudPath(t('Copy to {0}', name), `/${source.path.split('/').at(-1) ?? ''}`);
  if (path === undefined) {
    return;
  }
  const [size] = await measured(deps, account().client, [source]);
  if (!(await confirm(cloudQuestion({ ...source, ...size }, { connection, path })))) {
    return;
  }
  const own = account();
  await sendingVia(from, name, () => {
    holdForCopy(deps, { account: own, machines: [from.id], sentBy: from.id });
    return own.client.copies.toCloud(
      { instanceId: from.id, path: source.path },
      { connectionId: connection.id, path },
    );
  });
  showBegan(from, plainLabel(source.path), name);
}

export async function copyFromCloud(deps: CopyUseDeps, account: () => Account, to: Instance): Promise<void> {
  const connection = await chooseConnection(account().client, instanceName(to));
  if (!connection) {
    return;
  }
  const source = await askCloudPath(t('Copy from {0}', connectionName(connection)), '');
  if (source === undefined) {
    return;
  }
  const typed = await askLine({
    title: t('Copy to {0}', instanceName(to)),
    prompt: t('Target folder'),
    value: '/workspace',
    ignoreFocusOut: true,
    problem: targetProblem,
  });
  if (typed === undefined) {
    return;
  }
  const path = typed.trim();
  const size = await whileMeasuring(deps, account().client, { connection, path: source });
  if (!(await confirm(fromCloudQuestion({ connection, path: source, ...size }, { to, path })))) {
    return;
  }
  const own = account();
  await sendingVia(to, instanceName(to), () => {
    holdForCopy(deps, { account: own, machines: [to.id], sentBy: to.id });
    return own.client.copies.fromCloud(
      { connectionId: connection.id, path: source },
      { instanceId: to.id, path },
    );
  });
  message(
    'info',
    t(
      'The service began to copy {0} to {1}. The status of {1} shows when it is done.',
      plainLabel(source),
      instanceName(to),
    ),
    { label: t('Cancel Copy'), run: () => cancelFromClouds(account, to) },
  );
}

/** Ends all copies from clouds to an instance, after a question that says so. */
export async function cancelFromClouds(account: () => Account, of: Instance): Promise<void> {
  if (!(await confirm(cancelQuestion(of)))) {
    return;
  }
  await whileSending(
    explainingIfLost(
      text(
        'The service did not answer, so the copies to {0} may continue. Check its status.',
        instanceName(of),
      ),
      () => account().client.copies.cancelFromClouds(of.id),
    ),
  );
  message('info', t('The copies to {0} were canceled. Files that arrived are kept.', instanceName(of)));
}

/** `of` is the name of the other end. */
export async function chooseConnection(client: Client, of: string): Promise<CloudConnection | undefined> {
  const { items } = await withCancellableProgress(t('Waiting for the service…'), (signal) =>
    orCancelled(client.copies.connections({ signal }), signal),
  );
  if (items.length === 0) {
    message('info', t('The account has no cloud connection. Add one in the web console, then try again.'));
    return undefined;
  }
  const answer = await pickFromList<CloudConnection>({
    title: t('{0}: {1}', titleOf('gpuRental.instance.copyData'), of),
    placeholder: t('Which one?'),
    rows: items.map((connection) => ({
      id: String(connection.id),
      icon: 'cloud',
      label: connectionName(connection),
      description: connection.kind === undefined ? '' : plainLabel(connection.kind),
      value: connection,
    })),
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

export async function askCloudPath(title: string, value: string): Promise<string | undefined> {
  const typed = await askLine({
    title,
    prompt: t('Folder in the cloud, starting with the bucket or drive'),
    value,
    ignoreFocusOut: true,
    problem: sourceProblem,
  });
  return typed?.trim();
}

/** Asks for a connection and a folder on it. */
export async function chooseCloudFolder(client: Client, of: string) {
  const connection = await chooseConnection(client, of);
  const name = connection && connectionName(connection);
  const folder = name === undefined ? undefined : await askCloudPath(t('Copy to {0}', name), '/');
  return connection && name !== undefined && folder !== undefined
    ? { connectionId: connection.id, name, folder }
    : undefined;
}

async function sendingVia(machine: Instance, toName: string, send: () => Promise<void>): Promise<void> {
  const lost = text(
    'The service did not answer, so the copy to {0} may have started. Check the status of {1} before you try again.',
    toName,
    instanceName(machine),
  );
  await whileSending(explainingIfLost(lost, send));
}

function showBegan(machine: Instance, path: string, toName: string): void {
  message(
    'info',
    t(
      'The service began to copy {0} to {1}. The status of {2} shows when it is done. You can cancel it in the web console.',
      path,
      toName,
      instanceName(machine),
    ),
  );
}
