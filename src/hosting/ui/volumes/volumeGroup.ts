import * as vscode from 'vscode';
import type { VolumeTarget } from '../../../commandSpecs';
import { countOfList, listProblems, problemRow, withAge } from '../../../editor/listRows';
import { t } from '../../../editor/localize';
import { dayText } from '../../../editor/timeText';
import { tooltip } from '../../../editor/tooltip';
import type { GroupRow, TreeGroup } from '../../../editor/treeGroups';
import { instanceName } from '../../../model/instances/instanceLabel';
import { formatMoney, sumMoney } from '../../../model/money';
import { placeText } from '../../../model/offers/places';
import { volumeName, volumePerDay, type Volume } from '../../../model/volume';
import type { Services } from '../../../services';
import { watchAccounts } from '../../../shared/followAccount';
import type { RefreshOptions } from '../../../shared/reading';
import { DisposableStore, type Disposable } from '../../../util/disposable';
import { Emitter } from '../../../util/emitter';

/** How long before its end a volume is marked, so that there is time to copy it (ms). */
const endingSoonMs = 7 * 24 * 3_600_000;

type Deps = Pick<Services, 'accounts' | 'clock' | 'fleet' | 'volumes' | 'trees' | 'log'>;

/**
 * The group of volumes. They cost money like instances, so they are read with the first list of instances, and again
 * when an instance appears or is gone.
 */
export class VolumeGroup implements TreeGroup, Disposable {
  readonly id = 'volumes';
  readonly label = t('Volumes');
  readonly icon = 'database';
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<undefined>());
  readonly onDidChange = this.changed.event;
  private readonly nodes = new Map<number, VolumeTarget>();
  private readonly errorNode = { kind: 'volumeError' };
  private readonly skippedNode = { kind: 'volumesSkipped' };
  private hasFailed = false;
  private shown = '';
  private instanceIds: string | undefined;

  constructor(private readonly deps: Deps) {
    const { accounts, fleet, trees, volumes } = deps;
    const check = () => {
      this.check();
    };
    this.store.add(trees['gpuRental.instances'].view.onDidChangeVisibility(check));
    this.store.add(watchAccounts(accounts, check));
    this.store.add(fleet.onDidChange(check));
    this.store.add(
      volumes.onDidChange((state) => {
        const { kind } = state;
        this.hasFailed = kind === 'failed' || (kind === 'loading' && this.hasFailed);
        // Skip the redraw if the rows stay the same.
        const shown = JSON.stringify(
          kind === 'ready' ? [state.value, state.skipped, state.error !== undefined] : kind,
        );
        if (shown !== this.shown) {
          this.shown = shown;
          this.changed.fire(undefined);
        }
      }),
    );
    check();
  }

  /** Never rejects; a failure becomes a row. */
  async refresh(how?: RefreshOptions): Promise<void> {
    if (this.deps.accounts.active) {
      await this.deps.volumes.refresh(how).catch((error: unknown) => {
        this.deps.log.info(`The volumes could not be read: ${String(error)}`);
      });
    }
  }

  description(): string {
    const { state } = this.deps.volumes;
    const volumes = state.kind === 'ready' ? state.value : [];
    const costs = volumes.map(volumePerDay).filter((cost) => cost !== undefined);
    if (volumes.length === 0) {
      return '';
    }
    const isPartial =
      costs.length < volumes.length || (state.kind === 'ready' && state.skipped !== undefined);
    const sum = formatMoney(sumMoney(costs));
    const figures = t('{0} · {1}/day', countOfList(volumes.length, state), isPartial ? `≥ ${sum}` : sum);
    return withAge(figures, state, this.deps.clock.now());
  }

  rows(): readonly GroupRow[] {
    const { state } = this.deps.volumes;
    const volumes = state.kind === 'ready' ? state.value : [];
    return [
      // Keep the group and its expansion during a retry.
      ...(state.kind === 'loading' && this.hasFailed ? [{ node: this.errorNode, item: loadingItem }] : []),
      ...listProblems(state).map((problem) => ({
        node: problem.kind === 'loadError' ? this.errorNode : this.skippedNode,
        item: () =>
          problemRow(problem, {
            name: 'volume',
            state,
            now: this.deps.clock.now(),
            retry: 'gpuRental.refreshVolumes',
            consequence: t('They exist and cost money.'),
          }),
      })),
      ...volumes.map((volume) => ({ node: this.node(volume), item: () => this.volumeItem(volume) })),
    ];
  }

  dispose(): void {
    this.store.dispose();
  }

  private check(): void {
    const { accounts, trees } = this.deps;
    const { state } = this.deps.fleet;
    const isIdle = this.deps.volumes.state.kind === 'idle';
    const ids = state.kind === 'ready' ? idsOf(state.value.instances) : undefined;
    const hasChanged = ids !== undefined && this.instanceIds !== undefined && ids !== this.instanceIds;
    this.instanceIds = ids ?? this.instanceIds;
    const isWanted = isIdle ? ids !== undefined || trees['gpuRental.instances'].view.visible : hasChanged;
    if (accounts.active && isWanted) {
      void this.refresh({ isUnasked: true });
    }
  }

  /** Reuses the node of a volume, so that refreshes do not move the selection. */
  private node({ id }: Volume): VolumeTarget {
    const node = this.nodes.get(id) ?? { volumeId: id };
    this.nodes.set(id, node);
    return node;
  }

  private volumeItem(volume: Volume): vscode.TreeItem {
    const item = new vscode.TreeItem(volumeName(volume));
    const parts = [sizeText(volume), costText(volume), attachedText(this.deps, volume), untilText(volume)];
    item.id = `volume-${volume.id}`;
    item.description = parts.filter((part) => part !== '').join(' · ');
    const isEnding =
      volume.endsAt !== undefined && volume.endsAt * 1000 - this.deps.clock.now() < endingSoonMs;
    item.iconPath = isEnding
      ? new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'))
      : new vscode.ThemeIcon('database');
    item.contextValue = ';volume;';
    item.tooltip = tooltip([
      t('Volume #{0}', volume.id),
      ...parts,
      volume.machineId === undefined ? '' : t('On machine {0}', volume.machineId),
      placeText(volume.location ?? ''),
      isEnding
        ? t('The host takes the machine back soon, and its data is lost. Clone or copy it before.')
        : '',
    ]);
    return item;
  }
}

/** Returns the same text for the same instances in any order. */
function idsOf(instances: readonly { readonly id: number }[]): string {
  return instances
    .map(({ id }) => id)
    .sort((a, b) => a - b)
    .join();
}

/** Returns when the host's listing ends, and with it all volumes there; empty if the service does not state it. */
export function untilText({ endsAt }: Pick<Volume, 'endsAt'>): string {
  const day = dayText((endsAt ?? Number.NaN) * 1000);
  return day === undefined ? '' : t('until {0}', day);
}

export function sizeText({ sizeGb }: Volume): string {
  return sizeGb === undefined ? '' : t('{0} GB', Math.round(sizeGb * 10) / 10);
}

export function costText(volume: Volume): string {
  const cost = volumePerDay(volume);
  return cost === undefined ? t('price not stated') : t('{0}/day', formatMoney(cost));
}

/** Returns the names of the instances that use the volume; empty if the record does not state them. */
export function attachedText({ fleet }: Pick<Services, 'fleet'>, volume: Volume): string {
  if (volume.instanceIds === undefined) {
    return '';
  }
  const names = attachedNames({ fleet }, volume);
  return names === '' ? t('unused') : t('used by {0}', names);
}

/**
 * Returns the names of the instances that use the volume. Leaves out those that are gone: the service takes up to half a
 * minute to free a volume (docs/service/volumes.md#delete).
 */
export function attachedNames({ fleet }: Pick<Services, 'fleet'>, { instanceIds }: Volume): string {
  const present = (instanceIds ?? []).filter((id) => !fleet.hasEnded(id));
  const names = present.map((id) => {
    const instance = fleet.find(id);
    return instance ? instanceName(instance) : `#${id}`;
  });
  return names.join(', ');
}

function loadingItem(): vscode.TreeItem {
  const item = new vscode.TreeItem(t('Loading…'));
  item.id = 'volume-load-error';
  item.iconPath = new vscode.ThemeIcon('loading~spin');
  return item;
}
