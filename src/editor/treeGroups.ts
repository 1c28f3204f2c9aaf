import type * as vscode from 'vscode';
import { toDisposable, type Disposable } from '../util/disposable';
import { Emitter, type Event } from '../util/emitter';

/** One row. Its commands receive `node`, which is the same object for the same thing. */
export interface GroupRow {
  readonly node: object;
  item(): vscode.TreeItem;
  /** Returns the rows below it, when the user opens it, without waiting for a machine. */
  children?(): readonly GroupRow[] | Promise<readonly GroupRow[]>;
  /** How the page of the instance shows it; rows without this are only in the view. */
  readonly onPage?: OnPage;
}

/** A row as the page of its instance shows it, under the heading of its kind. */
export interface OnPage {
  readonly kind: 'service' | 'work' | 'setUp' | 'access';
  /** What a click does, with its name for screen readers. */
  readonly open?: { readonly name: string; run(): unknown };
  /** The name of the click stands beside the state, for one that changes something. */
  readonly namesClick?: boolean;
  /** The rows that it shows in place of this one. */
  readonly parts?: readonly GroupRow[];
}

/** Rows that a feature shows under a heading in the instances view or the account view. */
export interface TreeGroup {
  readonly id: string;
  readonly label: string;
  readonly icon: string;
  /** It comes before the others, and its rows are shown at first. */
  readonly isOpen?: true;
  /** Text beside the heading; by default the number of rows in the instances view, none in the account view. */
  description?(): string;
  /** Returns the rows; the heading is hidden if there are none. */
  rows(): readonly GroupRow[];
  readonly onDidChange: Event<unknown>;
}

/** Rows that a feature shows below an instance, for example its ports. */
export interface InstanceRows {
  rows(instanceId: number): readonly GroupRow[];
  readonly onDidChange: Event<unknown>;
}

/** The text of a feature in the row of an instance. */
export interface InstanceNote {
  /** Text after price and state; empty if only the tooltip has text. */
  readonly row: string;
  /** The instance may stop without the user: the note is before others, as one with a problem. */
  readonly isUrgent?: boolean;
  /** The note names the owner of the instance and is before those that say what may happen later. */
  readonly isWhose?: true;
  /** The note is last, where a narrow view cuts it off. */
  readonly isFigure?: true;
  /** The instance runs but is not usable yet; the icon shows it. */
  readonly isPending?: true;
  /** The instance has a problem; the icon shows it. */
  readonly isWarning?: boolean;
  /** Returns the lines of the tooltip, when the pointer rests on the row: a list has thousands of rows, and one is read. */
  lines(): readonly NoteLine[];
}

export type NoteLine = readonly [name: string, value: string];

export interface InstanceNotes {
  note(instanceId: number): InstanceNote | undefined;
  readonly onDidChange: Event<unknown>;
}

/** The groups, rows and notes that other features add to the instances view. */
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

  hasRows(instanceId: number): boolean {
    return this.ownRows.some((source) => source.rows(instanceId).length > 0);
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
