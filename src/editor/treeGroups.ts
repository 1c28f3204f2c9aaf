import type * as vscode from 'vscode';
import { toDisposable, type Disposable } from '../util/disposable';
import { Emitter, type Event } from '../util/emitter';

/** One row; `node` is what its commands are called with, the same object for the same thing. */
export interface GroupRow {
  readonly node: object;
  item(): vscode.TreeItem;
  /** What stands below it; asked for when it is opened. */
  children?(): readonly GroupRow[];
}

/** Rows that a feature shows under a heading in the instances view. */
export interface TreeGroup {
  readonly id: string;
  readonly label: string;
  readonly icon: string;
  /** Beside the heading; the number of rows unless given. */
  description?(): string;
  /** Empty: the heading is not shown. */
  rows(): readonly GroupRow[];
  readonly onDidChange: Event<unknown>;
}

/** Rows that a feature shows below an instance, for example its ports. */
export interface InstanceRows {
  rows(instanceId: number): readonly GroupRow[];
  readonly onDidChange: Event<unknown>;
}

/** What a feature has to say in the row of an instance. */
export interface InstanceNote {
  /** Stands before the state; empty for what stands in the tooltip alone. */
  readonly row: string;
  /** Whose the instance is: it stands before all else, where a narrow view shows it. */
  readonly isWhose?: true;
  /** It stands behind the state, where a narrow view cuts it off. */
  readonly isFigure?: true;
  /** The instance runs and is not usable so far, which its icon says. */
  readonly isPending?: true;
  /** Something is wrong with it, which its icon says. */
  readonly isWarning?: boolean;
  /** Lines of the tooltip. */
  readonly lines: readonly (readonly [name: string, value: string])[];
}

export interface InstanceNotes {
  note(instanceId: number): InstanceNote | undefined;
  readonly onDidChange: Event<unknown>;
}

/** What other features add to the instances view. */
export class TreeGroups {
  private readonly ownGroups: TreeGroup[] = [];
  private readonly ownRows: InstanceRows[] = [];
  private readonly ownNotes: InstanceNotes[] = [];
  private readonly changed = new Emitter<undefined>();
  readonly onDidChange = this.changed.event;

  get groups(): readonly TreeGroup[] {
    return this.ownGroups;
  }

  addGroup(group: TreeGroup): Disposable {
    return this.add(this.ownGroups, group);
  }

  addInstanceRows(rows: InstanceRows): Disposable {
    return this.add(this.ownRows, rows);
  }

  rowsOf(instanceId: number): readonly GroupRow[] {
    return this.ownRows.flatMap((source) => source.rows(instanceId));
  }

  addInstanceNotes(notes: InstanceNotes): Disposable {
    return this.add(this.ownNotes, notes);
  }

  notesOf(instanceId: number): readonly InstanceNote[] {
    return this.ownNotes.flatMap((source) => source.note(instanceId) ?? []);
  }

  private add<T extends { readonly onDidChange: Event<unknown> }>(list: T[], item: T): Disposable {
    list.push(item);
    const subscription = item.onDidChange(() => {
      this.changed.fire(undefined);
    });
    this.changed.fire(undefined);
    return toDisposable(() => {
      subscription.dispose();
      list.splice(list.indexOf(item), 1);
    });
  }
}
