import type { Instance } from '../../model/instances/instance';
import { displayLabel } from '../../model/instances/instanceLabel';
import { text, type Text } from '../../util/text';

/** Which instances of the account belong to a set. */
export type HostSetMembers =
  | { readonly kind: 'running' }
  /** Every instance whose label matches; `*` means any characters. */
  | { readonly kind: 'label'; readonly pattern: string }
  | { readonly kind: 'chosen'; readonly ids: readonly number[] };

/** Instances that are handed to other tools by files in a folder. */
export interface HostSet {
  readonly id: string;
  /** Name of the group in the files. */
  readonly name: string;
  readonly folder: string;
  readonly members: HostSetMembers;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Returns whether an instance belongs to the set, in any state. */
export function isMember(members: HostSetMembers, instance: Instance): boolean {
  switch (members.kind) {
    case 'running':
      return true;
    case 'label':
      return fits(displayLabel(instance) ?? '', members.pattern);
    case 'chosen':
      return members.ids.includes(instance.id);
  }
}

function fits(label: string, pattern: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) {
    return label === first;
  }
  // Each part at its first place: a pattern with many stars would take minutes for one label otherwise.
  let at = label.startsWith(first) ? first.length : -1;
  for (const part of parts) {
    const found = at < 0 ? -1 : label.indexOf(part, at);
    at = found < 0 ? -1 : found + part.length;
  }
  return at >= 0 && label.length - at >= last.length && label.endsWith(last);
}

/** A group name that Ansible and ClusterShell accept without quoting. */
const nameShape = /^[A-Za-z_][A-Za-z0-9_]{0,39}$/;
/** Ansible keeps these for itself. */
const takenNames = ['all', 'ungrouped', 'localhost'];

export function setNameProblem(name: string): Text | undefined {
  if (!nameShape.test(name)) {
    return text('A group name has 1 to 40 letters, digits and underscores, and does not begin with a digit.');
  }
  return takenNames.includes(name)
    ? text('Ansible uses the name {0} itself. Choose another.', name)
    : undefined;
}
