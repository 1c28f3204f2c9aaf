import type { WireFiltersShape } from '../offers/filters';

/** Returns whether a user owns a template; true if its record names no owner. */
export function isOwnTemplate(
  { creatorId }: Pick<Template, 'creatorId'>,
  userId: number | undefined,
): boolean {
  return creatorId === undefined || creatorId === userId;
}

/** A stored configuration (docs/service/templates.md#record). Text fields are kept byte for byte. */
export interface Template {
  readonly id: number;
  readonly hashId: string;
  readonly name: string;
  readonly image: string;
  readonly tag?: string;
  readonly desc?: string;
  readonly readme?: string;
  readonly env?: string;
  readonly onstart?: string;
  readonly runtype?: string;
  readonly argsStr?: string;
  readonly sshDirect?: boolean;
  readonly useSsh?: boolean;
  readonly jupDirect?: boolean;
  readonly jupyterDir?: string | null;
  readonly useJupyterLab?: boolean;
  readonly dockerLoginRepo?: string;
  readonly dockerLoginUser?: string;
  readonly href?: string;
  readonly repo?: string;
  readonly extraFilters?: WireFiltersShape;
  readonly recommendedDiskGb?: number;
  readonly private?: boolean;
  readonly volumeInfo?: unknown;
  readonly creatorId?: number;
  /** Unix seconds. */
  readonly createdAt?: number;
  readonly recentCreateAt?: number;
  readonly createdCount?: number;
  readonly recommended?: boolean;
  /** The record as sent by the service, from which the document is made. */
  readonly raw: Readonly<Record<string, unknown>>;
}
