import type { ListProblem } from '../../editor/listRows';
import type { GroupRow, TreeGroup } from '../../editor/treeGroups';

/** What the instances tree holds: plain data, also the argument of its commands. */
export type InstanceNode =
  | { readonly kind: 'instance'; readonly instanceId: number }
  /** Not read yet, which is not the same as none. */
  | { readonly kind: 'loading' }
  | ListProblem
  | { readonly kind: 'partial'; readonly missing: number }
  | { readonly kind: 'group'; readonly groupId: string };

export const loading: InstanceNode = { kind: 'loading' };

/** Keeps one object for each thing shown, so that refreshes do not move selection or focus. */
export class InstanceNodes {
  private readonly instances = new Map<number, InstanceNode>();
  private readonly groups = new Map<string, InstanceNode>();
  private readonly partials = new Map<number, InstanceNode>();
  /** Rows of other features, by their own node. */
  private readonly rows = new WeakMap<object, { readonly row: GroupRow; readonly parent: object }>();

  instance(instanceId: number): InstanceNode {
    return remembered(this.instances, instanceId, () => ({ kind: 'instance', instanceId }));
  }

  partial(missing: number): InstanceNode {
    return remembered(this.partials, missing, () => ({ kind: 'partial', missing }));
  }

  group({ id }: TreeGroup): InstanceNode {
    return remembered(this.groups, id, () => ({ kind: 'group', groupId: id }));
  }

  /** The nodes of another feature's rows. */
  foreign(rows: readonly GroupRow[], parent: object): object[] {
    return rows.map((row) => {
      this.rows.set(row.node, { row, parent });
      return row.node;
    });
  }

  rowOf(node: object): GroupRow | undefined {
    return this.rows.get(node)?.row;
  }

  parentOf(node: object): object | undefined {
    return this.rows.get(node)?.parent;
  }

  /** True for nodes of ours. */
  isOwn(node: object): node is InstanceNode {
    return !this.rows.has(node);
  }

  /** Forgets what is no longer listed. */
  keepOnly(instanceIds: ReadonlySet<number>): void {
    for (const id of this.instances.keys()) {
      if (!instanceIds.has(id)) {
        this.instances.delete(id);
      }
    }
  }
}

function remembered<Key>(map: Map<Key, InstanceNode>, key: Key, make: () => InstanceNode): InstanceNode {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}
