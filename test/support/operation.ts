import type { Client } from '../../src/api/client';
import type { CommandId } from '../../src/commandSpecs';
import type { ViewId } from '../../src/contributions';

/** `users.current`, `offers.search` …, taken from the type, so that none can be forgotten. */
export type ClientMethod = {
  [Group in keyof Client]: `${Group}.${Extract<keyof Client[Group], string>}`;
}[keyof Client];

export interface Operation {
  /** Methods and paths as the client's routes spell them. */
  readonly routes: readonly string[];
  /** The heading that describes it. */
  readonly source: `docs/service/${string}.md#${string}`;
  /** Whether the interface description has it (docs/service/README.md#sources). */
  readonly isDocumented: boolean;
  /** Below `src/simulator`. */
  readonly simulator: string;
  /** Commands and views that lead to it; empty means none yet. */
  readonly usedBy: readonly (CommandId | ViewId)[];
}

type Parts = [
  routes: readonly string[],
  source: Operation['source'],
  simulator: string,
  usedBy?: Operation['usedBy'],
];

/** An operation that the interface description has. */
export function documented(...parts: Parts): Operation {
  return { ...undocumented(...parts), isDocumented: true };
}

/** An operation that only our own observation of the service describes. */
export function undocumented(...[routes, source, simulator, usedBy = []]: Parts): Operation {
  return { routes, source, isDocumented: false, simulator, usedBy };
}
