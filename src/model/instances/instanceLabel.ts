import { plainLabel } from '../../util/plainLabel';
import type { Instance } from './instance';

const markerPattern = /(?:^|\s)\[gr-([0-9a-f]{8})\]\s*$/;
/** The limit when renting; the API description states none (docs/service/instances.md#label). */
export const maxLabelLength = 256;
const markerLength = ' [gr-xxxxxxxx]'.length;

/** Returns the marker that one of our rentals left in a label. */
export function markerIn(label: string | undefined): string | undefined {
  return label === undefined ? undefined : markerPattern.exec(label)?.[1];
}

/** Returns a label with the marker, by which the rental is found again. Shortens the user's part, never the marker. */
export function withMarker(label: string | undefined, marker: string): string {
  const own = cutToLength(withoutMarker(label ?? ''), maxLabelLength - markerLength);
  return own === '' ? `[gr-${marker}]` : `${own} [gr-${marker}]`;
}

export function withoutMarker(label: string): string {
  return label.replace(markerPattern, '').trimEnd();
}

/** Returns the user's label without our marker. */
export function displayLabel(instance: Instance): string | undefined {
  const label = plainLabel(withoutMarker(instance.label ?? ''));
  return label === '' ? undefined : label;
}

/** Returns a name for any instance: its label, or else its description, or else its number. */
export function instanceName(instance: Instance): string {
  const { label, end } = nameInRow(instance);
  return end === undefined ? label : `${label} ${end}`;
}

/**
 * Returns the name of an instance, with its number if another one has the same name or if the name ends like another
 * number.
 */
export function nameAmong(instance: Instance, others: readonly Instance[]): string {
  const name = instanceName(instance);
  const number = `#${instance.id}`;
  const isShared = others.some((other) => other.id !== instance.id && instanceName(other) === name);
  const isOther = /#\d+$/.test(name) && !name.endsWith(number);
  return (isShared || isOther) && !name.endsWith(` ${number}`) ? `${name} ${number}` : name;
}

/** Returns the name in two parts for a narrow row, where the number may follow state and price. */
export function nameInRow(instance: Instance): { readonly label: string; readonly end?: string } {
  const label = displayLabel(instance);
  const number = `#${instance.id}`;
  if (label !== undefined || instance.gpuName === undefined) {
    return { label: label ?? number };
  }
  return { label: `${instance.gpuCount ?? 1}× ${plainLabel(instance.gpuName)}`, end: number };
}

/** Returns the label for a rename. Keeps the marker, so that the rental can still be found. */
export function renamed(instance: Instance, label: string): string {
  const marker = markerIn(instance.label);
  return marker === undefined ? cutToLength(label, maxLabelLength) : withMarker(label, marker);
}

/** Cuts between characters, never inside one. */
function cutToLength(value: string, length: number): string {
  if (value.length <= length) {
    return value;
  }
  const isHalf = /[\ud800-\udbff]/.test(value.charAt(length - 1));
  return value.slice(0, isHalf ? length - 1 : length).trimEnd();
}
