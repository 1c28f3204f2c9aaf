import * as vscode from 'vscode';
import type { ServiceTarget } from '../../commandSpecs';
import { runCommand } from '../../editor/commands';
import { t } from '../../editor/localize';
import { labelOf } from '../../editor/titles';
import type { GroupRow, InstanceRows } from '../../editor/treeGroups';
import { serviceKey, type FoundService } from '../../model/instances/foundServices';
import type { Services } from '../../services';
import { publicPortsOf } from '../../ssh/publicPorts';

/** The services that a machine said it has, or the ports on which programs listen there, as rows below their instance. */
export class ServiceRows implements InstanceRows {
  readonly onDidChange;
  private readonly nodes = new Map<string, ServiceTarget>();

  constructor(private readonly deps: Pick<Services, 'accounts' | 'fleet' | 'machineServices' | 'ssh'>) {
    this.onDidChange = deps.machineServices.onDidChange;
  }

  rows(instanceId: number): readonly GroupRow[] {
    const { accounts, fleet, machineServices, ssh } = this.deps;
    const account = accounts.active;
    const instance = fleet.find(instanceId);
    if (!account || instance?.actualStatus !== 'running') {
      return [];
    }
    const isPublic = new Set(publicPortsOf(instance).map(({ containerPort }) => containerPort));
    const found = machineServices.of(ssh.aliasOf(account, instanceId), instanceId) ?? [];
    // A port that the internet reaches has a row already.
    return found
      .filter(({ name, port }) => name !== undefined || !isPublic.has(port))
      .map((service) => {
        const node = this.node(instanceId, service);
        const command = service.program === undefined ? 'gpuRental.service.open' : 'gpuRental.service.start';
        return {
          node,
          item: () => item(instanceId, service),
          onPage: {
            kind: 'service',
            namesClick: service.program !== undefined,
            open: {
              name: labelOf(command),
              run: () => runCommand(command, node),
            },
          },
        };
      });
  }

  /** Returns the same object for the same service, so that refreshes do not move the selection. */
  private node(instanceId: number, service: FoundService): ServiceTarget {
    const key = `${instanceId} ${serviceKey(service)}`;
    const known = this.nodes.get(key) ?? { instanceId, serviceKey: serviceKey(service) };
    this.nodes.set(key, known);
    return known;
  }
}

function item(instanceId: number, { name, port, path, state, program }: FoundService): vscode.TreeItem {
  const number = `${port}/tcp`;
  const row = new vscode.TreeItem(name ?? t('Port {0}', number));
  row.id = `service-${instanceId}-${port}${path}`;
  const words = state === 'running' ? t('running') : state === 'stopped' ? t('stopped') : undefined;
  row.description = [...(name === undefined ? [] : [number]), ...(words === undefined ? [] : [words])].join(
    ', ',
  );
  row.tooltip =
    program === undefined
      ? t('Found on the instance. Opens over SSH, on this computer only, until this window closes.')
      : t('Stopped on the instance, whose supervisor can start it');
  row.iconPath = new vscode.ThemeIcon(state === 'stopped' ? 'circle-slash' : 'server-process');
  row.contextValue = program === undefined ? ';service;' : ';stoppedService;';
  return row;
}
