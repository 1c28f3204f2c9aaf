import * as vscode from 'vscode';
import type { PortTarget } from '../../commandSpecs';
import { runCommand } from '../../editor/commands';
import { t } from '../../editor/localize';
import { labelOf } from '../../editor/titles';
import type { GroupRow, InstanceRows, OnPage } from '../../editor/treeGroups';
import type { Services } from '../../services';
import { portOf, type Forward } from '../../ssh/forward';
import { publicPortsOf, type PublicPort } from '../../ssh/publicPorts';
import { Emitter } from '../../util/emitter';
import type { Forwards } from './forwards';

/** Public and forwarded ports as rows below their instance. */
export class PortRows implements InstanceRows {
  private readonly changed = new Emitter<undefined>();
  readonly onDidChange = this.changed.event;
  private readonly nodes = new Map<string, PortTarget>();

  constructor(
    private readonly deps: Pick<Services, 'accounts' | 'fleet' | 'ssh'>,
    private readonly forwards: Forwards,
  ) {
    forwards.onDidChange(() => {
      this.changed.fire(undefined);
    });
  }

  rows(instanceId: number): readonly GroupRow[] {
    const { accounts, fleet, ssh } = this.deps;
    const instance = fleet.find(instanceId);
    const forwards = accounts.active ? this.forwards.of(ssh.aliasOf(accounts.active, instanceId)) : [];
    const ports = instance?.actualStatus === 'running' ? publicPortsOf(instance) : [];
    return [
      ...ports.map((port) => {
        const node = this.node({
          instanceId,
          port: port.containerPort,
          via: 'public',
          protocol: port.protocol,
        });
        return {
          node,
          item: () => publicItem(instanceId, port),
          onPage: onPage(node, port.url !== undefined),
        };
      }),
      ...forwards.map((forward) => {
        const node = this.node({
          instanceId,
          port: forward.remotePort,
          via: 'forward',
          ...(forward.remoteHost === undefined ? {} : { host: forward.remoteHost }),
        });
        return { node, item: () => forwardItem(instanceId, forward), onPage: onPage(node, true) };
      }),
    ];
  }

  /** Returns the same object for the same port, so that refreshes do not move the selection. */
  private node(target: PortTarget): PortTarget {
    const key = `${target.instanceId} ${target.via} ${target.port} ${target.protocol ?? ''} ${target.host ?? ''}`;
    const known = this.nodes.get(key) ?? target;
    this.nodes.set(key, known);
    return known;
  }
}

/** A browser opens what it can; the address of another port is copied. */
function onPage(node: PortTarget, canOpen: boolean): OnPage {
  return {
    kind: 'service',
    open: canOpen
      ? { name: labelOf('gpuRental.port.open'), run: () => runCommand('gpuRental.port.open', node) }
      : { name: labelOf('gpuRental.port.copy'), run: () => runCommand('gpuRental.port.copy', node) },
  };
}

function publicItem(instanceId: number, port: PublicPort): vscode.TreeItem {
  const item = new vscode.TreeItem(t('Port {0}', `${port.containerPort}/${port.protocol}`));
  item.id = `port-${instanceId}-${port.containerPort}-${port.protocol}`;
  item.description = t('{0}, public', `${port.host}:${port.hostPort}`);
  item.tooltip = t(
    'Anyone on the internet can reach this port at {0}. The program that listens there must protect itself.',
    `${port.host}:${port.hostPort}`,
  );
  item.iconPath = new vscode.ThemeIcon('globe');
  item.contextValue = port.url === undefined ? ';port;' : ';port;canOpen;';
  return item;
}

function forwardItem(instanceId: number, forward: Forward): vscode.TreeItem {
  const port = portOf(forward);
  const item = new vscode.TreeItem(t('Port {0}', port));
  item.id = `forward-${instanceId}-${port}`;
  item.description = t('{0}, this computer only', `localhost:${forward.localPort}`);
  item.tooltip = t('Forwarded over SSH. It ends with this window, and when you sign out.');
  item.iconPath = new vscode.ThemeIcon('plug');
  item.contextValue = ';port;canOpen;forwarded;';
  return item;
}
