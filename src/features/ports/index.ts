import * as vscode from 'vscode';
import { ApiError, UnauthorizedError } from '../../api/errors';
import type { InstanceTarget, PortTarget, ServiceTarget } from '../../commandSpecs';
import { chooseInstance } from '../../editor/chooseInstance';
import { runCommand, titledAction } from '../../editor/commands';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileAsking, whileReadingInstances, withCancellableProgress } from '../../editor/progress';
import { pickFromList, type Row } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import { serviceKey } from '../../model/instances/foundServices';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import type { Services } from '../../services';
import { freeLocalPort, ownHost, parseForwardedPort, portOf, type WantedForward } from '../../ssh/forward';
import { readServices, startService } from '../../ssh/machineServices';
import { isJupyterPort, publicPortsOf, withJupyterToken } from '../../ssh/publicPorts';
import { onAccountEnd } from '../../store/accounts/accountEnds';
import { accountFor } from '../../store/accounts/sameAccount';
import { connectableInstances } from '../../store/instances/listed';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import { Forwards } from './forwards';
import { PortRows } from './portRows';
import { ServiceRows } from './serviceRows';

type Deps = Pick<
  Services,
  | 'accounts'
  | 'accountCleanup'
  | 'fleet'
  | 'ssh'
  | 'clock'
  | 'commands'
  | 'instanceGroups'
  | 'log'
  | 'machineServices'
  | 'presence'
  | 'redactor'
>;

/** Public ports as rows under their instance, and ports that are forwarded over SSH. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const forwards = store.add(new Forwards());
  const { commands } = deps;
  store.add(deps.instanceGroups.addInstanceRows(new PortRows(deps, forwards)));
  store.add(deps.instanceGroups.addInstanceRows(new ServiceRows(deps)));
  store.add(
    forwards.onDidChange(() => {
      deps.presence.set('forward', forwards.aliases);
    }),
  );
  store.add(
    onAccountEnd(deps, (accountKey) => {
      forwards.closeAccount(accountKey);
    }),
  );
  store.add(
    commands.register('gpuRental.instance.forwardPort', (target) => forwardPort(deps, forwards, target)),
  );
  store.add(
    commands.register('gpuRental.port.open', async (target) => {
      const link = addressOf(deps, forwards, target, true);
      await openInBrowser(withJupyterToken(link, await tokenFor(deps, target)));
    }),
  );
  store.add(
    commands.register('gpuRental.port.copy', async (target) => {
      await vscode.env.clipboard.writeText(addressOf(deps, forwards, target, false));
      vscode.window.setStatusBarMessage(t('Copied'), 4_000);
    }),
  );
  store.add(
    commands.register('gpuRental.port.forward', async ({ port, again, ...machine }) => {
      const wanted = { remotePort: port, localPort: await freeLocalPort(0) };
      return (await openForwarded(deps, forwards, machine, wanted, again))
        ? forwards.find(aliasNow(deps, machine.instanceId) ?? '', port)
        : undefined;
    }),
  );
  store.add(commands.register('gpuRental.service.open', (target) => openService(deps, forwards, target)));
  store.add(commands.register('gpuRental.service.start', (target) => startServiceOf(deps, target)));
  store.add(commands.register('gpuRental.instance.readServices', (target) => readServicesOf(deps, target)));
  store.add(
    commands.register('gpuRental.port.stopForwarding', (target) => {
      const alias = target && aliasNow(deps, target.instanceId);
      if (target && alias !== undefined) {
        forwards.close(alias, target.port, target.host);
      }
    }),
  );
  return store;
}

const usualPorts: readonly (readonly [number, string])[] = [
  [8888, 'Jupyter'],
  [6006, 'TensorBoard'],
  [7860, 'Gradio'],
  [8080, 'HTTP'],
  [8000, 'HTTP'],
];

async function forwardPort(
  deps: Deps,
  forwards: Forwards,
  target: InstanceTarget | undefined,
): Promise<void> {
  const asked = accountFor(deps.accounts);
  const instanceId = await chooseInstance(
    target,
    () => connectableInstances(deps, whileReadingInstances),
    'gpuRental.instance.forwardPort',
  );
  const wanted = instanceId === undefined ? undefined : await askPort();
  if (instanceId === undefined || wanted === undefined) {
    return;
  }
  const account = asked();
  const machine = { instanceId, accountKey: account.key };
  if (await openForwarded(deps, forwards, machine, wanted)) {
    offerForwarded(deps, forwards, targetOf(instanceId, wanted));
  }
}

function targetOf(instanceId: number, { remotePort, remoteHost }: WantedForward): PortTarget {
  return {
    instanceId,
    port: remotePort,
    via: 'forward',
    ...(remoteHost === undefined ? {} : { host: remoteHost }),
  };
}

/** Forwards a port until its connection ends, and offers to do so again then. Returns whether it is forwarded. */
async function openForwarded(
  deps: Deps,
  forwards: Forwards,
  machine: { readonly instanceId: number; readonly accountKey: string },
  wanted: WantedForward,
  restart?: () => unknown,
): Promise<boolean> {
  const { instanceId, accountKey } = machine;
  const { remotePort, remoteHost } = wanted;
  if (forwards.find(aliasNow(deps, instanceId) ?? '', remotePort, remoteHost)) {
    return true;
  }
  const alias = await runCommand('gpuRental.prepareSsh', machine);
  if (alias === undefined) {
    return false;
  }
  const name = nameOf(deps, instanceId);
  const port = portOf(wanted);
  const forward = await withCancellableProgress(t('Forwarding port {0} of {1}', port, name), (signal) =>
    deps.ssh.forward(alias, wanted, signal),
  );
  if (deps.accounts.active?.key !== accountKey) {
    // Signed out on the way.
    forward.close();
    return false;
  }
  const again = async () => {
    const { localPort } = forward;
    if (await openForwarded(deps, forwards, machine, { ...wanted, localPort })) {
      offerForwarded(deps, forwards, targetOf(instanceId, wanted));
    }
  };
  forwards.add({ alias, accountKey }, forward, () => {
    message(
      'warning',
      t('Port {0} of {1} is no longer forwarded, because its SSH connection ended.', port, name),
      { label: t('Forward Again'), run: restart ?? again },
    );
  });
  return true;
}

/**
 * Forwards a service of the machine and opens it, on a local port that no page can guess. The address is ours; of what the
 * machine said, only the port and the checked path are part of it.
 */
async function openService(deps: Deps, forwards: Forwards, target: ServiceTarget | undefined): Promise<void> {
  const account = accountFor(deps.accounts)();
  const { alias, service } = foundOf(deps, target);
  if (!target || !service) {
    throw new UserError(text('This port is no longer open. Refresh and try again.'));
  }
  const machine = { instanceId: target.instanceId, accountKey: account.key };
  const wanted = { remotePort: service.port, localPort: await freeLocalPort(0) };
  if (await openForwarded(deps, forwards, machine, wanted)) {
    const forward = forwards.find(alias, service.port);
    await (forward && openInBrowser(`http://127.0.0.1:${forward.localPort}${service.path}`));
  }
}

/** Returns the service of a row, as the machine named it. */
function foundOf(deps: Deps, target: ServiceTarget | undefined) {
  const { instanceId = 0, serviceKey: key } = target ?? {};
  const alias = aliasNow(deps, instanceId) ?? '';
  const services = deps.machineServices.of(alias, instanceId) ?? [];
  return { alias, services, service: services.find((one) => serviceKey(one) === key) };
}

/** Starts a stopped service, which runs once the supervisor of the machine says so. */
async function startServiceOf(deps: Deps, target: ServiceTarget | undefined): Promise<void> {
  const account = accountFor(deps.accounts);
  const { program, name = '' } = foundOf(deps, target).service ?? {};
  if (!target || program === undefined) {
    throw new UserError(text('This service is no longer stopped. Find Services reads its state again.'));
  }
  const { instanceId } = target;
  const alias = await runCommand('gpuRental.prepareSsh', { instanceId, accountKey: account().key });
  if (alias === undefined) {
    return;
  }
  const now = await withCancellableProgress(t('Starting {0}…', name), (signal) =>
    startService(deps.ssh, alias, program, signal),
  );
  account();
  if (!now) {
    throw new UserError(text('Its machine does not answer.'), { nextStep: 'retry' });
  }
  if (now.state !== 'RUNNING') {
    throw new UserError(text('Could not start {0}: {1}', name, now.said === '' ? now.state : now.said));
  }
  const { services } = foundOf(deps, target);
  deps.machineServices.note(
    alias,
    services.map(({ program: of, ...one }) =>
      of === program
        ? { ...one, state: 'running' }
        : { ...one, ...(of === undefined ? {} : { program: of }) },
    ),
  );
}

async function readServicesOf(deps: Deps, target: InstanceTarget | undefined): Promise<void> {
  const account = accountFor(deps.accounts);
  const { instanceId } = target ?? {};
  if (instanceId === undefined) {
    return;
  }
  const alias = await runCommand('gpuRental.prepareSsh', { instanceId, accountKey: account().key });
  if (alias !== undefined) {
    const services = await withCancellableProgress(t('Waiting for the service…'), (signal) =>
      readServices(deps.ssh, alias, signal),
    );
    account();
    if (!services) {
      throw new UserError(text('Its machine does not answer.'), { nextStep: 'retry' });
    }
    deps.machineServices.note(alias, services);
  }
}

function nameOf({ fleet }: Pick<Deps, 'fleet'>, instanceId: number): string {
  const instance = fleet.find(instanceId);
  return instance ? plainLabel(instanceName(instance)) : `#${instanceId}`;
}

function offerForwarded(deps: Deps, forwards: Forwards, target: PortTarget): void {
  const local = addressOf(deps, forwards, target, false);
  message(
    'info',
    t(
      'Port {0} of {1} is at {2} on this computer.',
      shownPort(target),
      nameOf(deps, target.instanceId),
      local,
    ),
    titledAction('gpuRental.port.open', target),
    titledAction('gpuRental.port.copy', target),
  );
}

function shownPort({ port, host }: PortTarget): string {
  return portOf({ remotePort: port, ...(host === undefined ? {} : { remoteHost: host }) });
}

async function askPort(): Promise<WantedForward | undefined> {
  const usual = usualPorts.map(([remotePort, use]): Row<WantedForward> => ({
    id: String(remotePort),
    label: String(remotePort),
    description: use,
    value: { remotePort, remoteHost: ownHost },
  }));
  const answer = await pickFromList<WantedForward>({
    title: titleOf('gpuRental.instance.forwardPort'),
    placeholder: t(
      'Which port? Choose, or type a number or an address of the instance such as 172.17.0.2:8080.',
    ),
    rows: (typed) => {
      const line = typed.trim();
      if (line === '' || usual.some(({ label }) => label === line)) {
        return usual;
      }
      // Alone, so that Enter means what is typed: the cursor would stay at 8080 after an 80.
      const wanted = parseForwardedPort(line);
      return [
        wanted
          ? {
              id: 'typed',
              label: t('{0}: {1}', titleOf('gpuRental.instance.forwardPort'), portOf(wanted)),
              alwaysShow: true,
              value: wanted,
            }
          : {
              id: 'invalid',
              label: t(
                'Enter a number from 1 to 65535, or an address and a number, such as 172.17.0.2:8080.',
              ),
              alwaysShow: true,
            },
      ];
    },
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

/** Returns what an instance of the active account is called. */
function aliasNow({ accounts, ssh }: Pick<Deps, 'accounts' | 'ssh'>, instanceId: number): string | undefined {
  return accounts.active && ssh.aliasOf(accounts.active, instanceId);
}

/** Where a port is; with `asLink` as a link. */
function addressOf(deps: Deps, forwards: Forwards, target: PortTarget | undefined, asLink: boolean): string {
  const instance = target && deps.fleet.find(target.instanceId);
  if (target?.via === 'forward') {
    const alias = aliasNow(deps, target.instanceId);
    const forward = alias === undefined ? undefined : forwards.find(alias, target.port, target.host);
    if (forward) {
      const address = `localhost:${forward.localPort}`;
      return asLink ? forwardedLink(isJupyterAt(instance, target), address) : address;
    }
  } else if (target && instance) {
    const { protocol: wanted = 'tcp' } = target;
    const port = publicPortsOf(instance).find(
      ({ containerPort, protocol }) => containerPort === target.port && protocol === wanted,
    );
    if (port && !asLink) {
      return `${port.host}:${port.hostPort}`;
    }
    if (port?.url !== undefined) {
      return port.url;
    }
  }
  throw new UserError(text('This port is no longer open. Refresh and try again.'));
}

/** Jupyter uses TLS on the machine, too. */
function forwardedLink(isJupyter: boolean, address: string): string {
  return `${isJupyter ? 'https' : 'http'}://${address}/`;
}

/** Another address of the same number is another program, which must not get the token of Jupyter. */
function isJupyterAt(instance: Instance | undefined, { port, host = ownHost }: PortTarget): boolean {
  return instance !== undefined && host === ownHost && isJupyterPort(instance, port);
}

/**
 * Reads the token that the service's Jupyter asks for; the list of instances holds no secrets. Without an answer the page
 * still opens: the browser may be logged in from before.
 */
async function tokenFor(
  { accounts, fleet, redactor }: Deps,
  target: PortTarget | undefined,
): Promise<string | undefined> {
  const instance = target && fleet.find(target.instanceId);
  if (!instance || !isJupyterAt(instance, target)) {
    return undefined;
  }
  const { client } = accountFor(accounts)();
  const token = await whileAsking(client.instances.get(instance.id)).then(
    (one) => one?.jupyterToken,
    (error: unknown) => {
      if (!(error instanceof ApiError) || error instanceof UnauthorizedError) {
        throw error;
      }
      message('warning', t('Could not read the Jupyter token, so the page may ask for it. {0}', error.text));
      return undefined;
    },
  );
  if (token !== undefined) {
    redactor.addSecret(token);
  }
  return token;
}

async function openInBrowser(address: string): Promise<void> {
  await vscode.env.openExternal(vscode.Uri.parse(address, true));
}
