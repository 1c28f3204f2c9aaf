import type { Client } from '../../api/client';
import { sayingIfLost } from '../../api/errors';
import type { InstanceTarget } from '../../commandSpecs';
import { chooseInstance } from '../../editor/chooseInstance';
import { confirm } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileReadingInstances, whileSending, withCancellableProgress } from '../../editor/progress';
import { askLine, pickFromList, plainLabel, type Row } from '../../editor/quickPick';
import {
  sizeCommand,
  sizeFrom,
  sourceProblem,
  targetProblem,
  type CloudConnection,
} from '../../model/instances/dataCopy';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { actionsFor, stateLabel, stateOf } from '../../model/instances/instanceState';
import type { Services } from '../../services';
import { clientFor } from '../../store/accounts/sameAccount';
import { listedInstances } from '../../store/instances/listed';
import { orCancelled } from '../../util/cancellation';
import { isCancelled } from '../../util/errors';
import { text } from '../../util/text';
import { cloudQuestion, connectionName, copyQuestion } from './copyDataWords';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'clock' | 'log'>;

type Target =
  | { readonly kind: 'instance'; readonly instance: Instance }
  | { readonly kind: 'clouds' }
  | { readonly kind: 'cloud'; readonly connection: CloudConnection };

/** Copies from an instance to another or to a connection; the service does it, and no data comes through here. */
export async function copyData(deps: Deps, target: InstanceTarget | undefined): Promise<void> {
  const client = clientFor(deps.accounts);
  const listed = (await listedInstances(deps.fleet, whileReadingInstances)).filter((one) =>
    isAble(deps, one),
  );
  const id = await chooseInstance(target, listed, {
    title: t('Copy data of which instance?'),
    none: t('Data can be copied from a running or stopped instance, and there is none.'),
  });
  const from = listed.find((instance) => instance.id === id);
  if (!from) {
    if (id !== undefined) {
      message('info', t('Data can be copied from a running or stopped instance only.'));
    }
    return;
  }
  const to = await chooseTarget(deps, client(), from, listed);
  const path = to && (await askSource(from));
  if (!to || to.kind === 'clouds' || path === undefined) {
    return;
  }
  await (to.kind === 'instance'
    ? copyTo(deps, client, { from, path }, to.instance)
    : copyToCloud(deps, client, { from, path }, to.connection));
}

/** Where the service can read and write files (docs/service/commands.md#copy). */
function isAble({ fleet, clock }: Deps, instance: Instance): boolean {
  return actionsFor(instance, fleet.facts(instance.id), clock.now()).canRunCommand;
}

async function chooseTarget(
  { fleet, clock }: Deps,
  client: Client,
  from: Instance,
  listed: readonly Instance[],
): Promise<Target | undefined> {
  const title = t('Copy Data of {0}', instanceName(from));
  const others = listed.filter(({ id }) => id !== from.id);
  const rows: Row<Target>[] = others.map((instance) => ({
    id: String(instance.id),
    icon: 'vm',
    label: plainLabel(instanceName(instance)),
    description: localize(stateLabel(instance, stateOf(instance, fleet.facts(instance.id), clock.now()))),
    value: { kind: 'instance', instance },
  }));
  const answer = await pickFromList<Target>({
    title,
    placeholder: t('Where should it be copied?'),
    rows: [
      ...rows,
      { id: 'clouds', icon: 'cloud', label: t('A Cloud Connection…'), value: { kind: 'clouds' } },
    ],
  });
  if (answer.kind !== 'picked' || answer.value.kind !== 'clouds') {
    return answer.kind === 'picked' ? answer.value : undefined;
  }
  const { items } = await withCancellableProgress(t('Reading your cloud connections…'), (signal) =>
    orCancelled(client.copies.connections({ signal }), signal),
  );
  if (items.length === 0) {
    message('info', t('The account has no cloud connection. Add one in the web console, then try again.'));
    return undefined;
  }
  const cloud = await pickFromList<Target>({
    title,
    placeholder: t('Which cloud connection?'),
    rows: items.map((connection) => ({
      id: String(connection.id),
      icon: 'cloud',
      label: connectionName(connection),
      description: connection.kind === undefined ? '' : plainLabel(connection.kind),
      value: { kind: 'cloud', connection },
    })),
  });
  return cloud.kind === 'picked' ? cloud.value : undefined;
}

async function askSource(from: Instance): Promise<string | undefined> {
  const path = await askLine({
    title: t('Copy Data of {0}', instanceName(from)),
    prompt: t('The file or folder to copy'),
    value: '/workspace',
    ignoreFocusOut: true,
    problem: sourceProblem,
  });
  return path?.trim();
}

interface Source {
  readonly from: Instance;
  readonly path: string;
}

async function copyTo(deps: Deps, client: () => Client, source: Source, to: Instance): Promise<void> {
  const typed = await askLine({
    title: t('Copy to {0}', instanceName(to)),
    prompt: t('The folder to copy it into'),
    value: source.path,
    ignoreFocusOut: true,
    problem: targetProblem,
  });
  if (typed === undefined) {
    return;
  }
  const path = typed.trim();
  const bytes = await sizeOf(deps, client(), source);
  if (!(await confirm(copyQuestion({ ...source, bytes }, { to, path })))) {
    return;
  }
  const own = client();
  const names = [plainLabel(source.path), instanceName(source.from), instanceName(to)] as const;
  await whileSending(
    sayingIfLost(
      text(
        'The service did not answer, so the copy to {0} may have begun. Check its status first.',
        names[2],
      ),
      () => own.copies.begin({ instanceId: source.from.id, path: source.path }, { instanceId: to.id, path }),
    ),
  );
  message(
    'info',
    t('The service began to copy {0} from {1} to {2}. The status of {2} shows when it is done.', ...names),
    { label: t('Cancel Copy'), run: () => cancel(client(), to) },
  );
}

async function cancel(client: Client, to: Instance): Promise<void> {
  await whileSending(client.copies.cancel(to.id));
  message('info', t('The copy to {0} was cancelled. Files that arrived stay there.', instanceName(to)));
}

async function copyToCloud(
  deps: Deps,
  client: () => Client,
  source: Source,
  connection: CloudConnection,
): Promise<void> {
  const name = connectionName(connection);
  const typed = await askLine({
    title: t('Copy to {0}', name),
    prompt: t('The folder in the cloud, which begins with the bucket or drive'),
    value: `/${source.path.split('/').at(-1) ?? ''}`,
    ignoreFocusOut: true,
    problem: sourceProblem,
  });
  if (typed === undefined) {
    return;
  }
  const path = typed.trim();
  const bytes = await sizeOf(deps, client(), source);
  if (!(await confirm(cloudQuestion({ ...source, bytes }, { connection, path })))) {
    return;
  }
  const own = client();
  await whileSending(
    sayingIfLost(
      text(
        'The service did not answer, so the copy to {0} may have begun. Check the status of {1} first.',
        name,
        instanceName(source.from),
      ),
      () =>
        own.copies.toCloud(
          { instanceId: source.from.id, path: source.path },
          { connectionId: connection.id, path },
        ),
    ),
  );
  message(
    'info',
    t(
      'The service began to copy {0} to {1}. The status of {2} shows when it is done. You can cancel it in the web console.',
      plainLabel(source.path),
      name,
      instanceName(source.from),
    ),
  );
}

/** As the service sums it up; `undefined` where it does not, which is no reason not to ask. */
async function sizeOf({ log }: Deps, client: Client, { from, path }: Source): Promise<number | undefined> {
  const command = sizeCommand(path);
  if (command === undefined) {
    return undefined;
  }
  try {
    return await withCancellableProgress(t('Looking up the size of {0}…', plainLabel(path)), async (signal) =>
      sizeFrom(await orCancelled(client.instances.execute(from.id, command, { signal }), signal)),
    );
  } catch (error) {
    if (!isCancelled(error)) {
      log.info(`The size of what is to be copied could not be read: ${String(error)}`);
    }
    return undefined;
  }
}
