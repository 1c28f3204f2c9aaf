import * as z from 'zod';
import type { Micros } from '../../model/money';
import { ownQuery, readQuery } from '../../model/offers/savedSearches';
import type { SearchWatch, WatchMatch } from '../../model/offers/searchWatch';
import type { Log } from '../../util/log';
import type { Text } from '../../util/text';
import { ownId, RowFolder } from '../disk/rowFolder';

/** The recent results of a watch. */
export interface WatchState {
  /** When the last answer arrived. */
  readonly checkedAt?: number | undefined;
  /** The limit of that check. */
  readonly maxPerHour?: number | undefined;
  readonly matches: readonly WatchMatch[];
  /** Why the last check failed; the matches are from the check before. */
  readonly error?: { readonly at: number; readonly text: Text } | undefined;
}

export interface WatchOnDisk {
  readonly watch: SearchWatch;
  readonly state: WatchState;
}

const watchFile = z.object({
  version: z.literal(1),
  name: z.string(),
  query: z.unknown(),
  baseFilters: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  maxPerHour: z.number().int().positive(),
  createdAt: z.number(),
});

const textArg: z.ZodType<Text['args'][number]> = z.lazy(() =>
  z.union([z.string(), z.number(), z.object({ template: z.string(), args: z.array(textArg) })]),
);
const stateFile = z.object({
  version: z.literal(1),
  checkedAt: z.number().optional(),
  maxPerHour: z.number().optional(),
  matches: z.array(
    z.object({ key: z.string(), offerId: z.number(), firstSeenAt: z.number(), lastSeenAt: z.number() }),
  ),
  error: z
    .object({ at: z.number(), text: z.object({ template: z.string(), args: z.array(textArg) }) })
    .optional(),
});

/** The watches of one account, oldest first, each with another file for its results. */
export class WatchFiles extends RowFolder<WatchOnDisk> {
  constructor(folder: string, log: Pick<Log, 'warn'>) {
    super(folder, ownId, log);
  }

  async read(id: string): Promise<WatchOnDisk | undefined> {
    const watch = await this.watch(id);
    return watch && { watch, state: await this.state(id) };
  }

  async put({ id, name, query, maxPerHour, createdAt }: SearchWatch): Promise<void> {
    const { extraFilters: baseFilters } = query;
    await this.watchFile(id).write({
      version: 1,
      name,
      query: ownQuery(query),
      baseFilters,
      maxPerHour,
      createdAt,
    });
  }

  async putState(id: string, state: WatchState): Promise<void> {
    const { checkedAt, maxPerHour, matches, error } = state;
    await this.stateFile(id).write({
      version: 1,
      checkedAt,
      maxPerHour,
      matches: [...matches],
      error: error && { at: error.at, text: { ...error.text, args: [...error.text.args] } },
    });
  }

  async remove(id: string): Promise<void> {
    await this.watchFile(id).remove();
    await this.stateFile(id).remove();
  }

  protected order({ watch: one }: WatchOnDisk, { watch: other }: WatchOnDisk): number {
    return one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1);
  }

  private async watch(id: string): Promise<SearchWatch | undefined> {
    const content = await this.watchFile(id).value();
    const query = content && readQuery(content.query);
    if (!content || query === undefined) {
      return undefined;
    }
    const { name, baseFilters, maxPerHour, createdAt } = content;
    return {
      id,
      name,
      query: baseFilters === undefined ? query : { ...query, extraFilters: baseFilters },
      maxPerHour: maxPerHour as Micros, // JSON was checked to hold whole micros
      createdAt,
    };
  }

  private async state(id: string): Promise<WatchState> {
    const content = await this.stateFile(id).value();
    if (!content) {
      return { matches: [] };
    }
    const { checkedAt, maxPerHour, matches, error } = content;
    return { matches, checkedAt, maxPerHour, error };
  }

  private watchFile(id: string) {
    return this.file(id, watchFile);
  }

  private stateFile(id: string) {
    return this.file(`${id}.state`, stateFile);
  }
}
