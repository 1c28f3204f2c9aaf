import type { ListProblem } from '../../editor/listRows';
import type { GroupRow, TreeGroup } from '../../editor/treeGroups';

/** A row of the instances tree: plain data, also the argument of its commands. */
export type InstanceNode =
  | { readonly kind: 'instance'; readonly instanceId: number }
  /** The list was not read yet, which differs from an empty list. */
  | { readonly kind: 'loading' }
  | ListProblem
  | { readonly kind: 'partial'; readonly missing: number }
  | { readonly kind: 'group'; readonly groupId: string };

export const loading: InstanceNode = { kind: 'loading' };

/** Keeps one object for each row, so that a refresh keeps selection and focus. */
export class InstanceNodes {
  private readonly instances = new Map<number, InstanceNode>();
  private readonly groups = new Map<string, InstanceNode>();
  private readonly partials = new Map<number, InstanceNode>();
  /** Rows of other features by their node. */
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

  /** Returns the nodes of another feature's rows, and remembers their parent. */
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

  /** Returns true for nodes of this feature. */
  isOwn(node: object): node is InstanceNode {
    return !this.rows.has(node);
  }

  /** Drops instances that are no longer listed. */
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
