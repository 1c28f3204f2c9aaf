import * as z from 'zod';
import { proposedKeys, type ProposedKey } from '../../model/offers/firstSearch';
import type { MarketQuery } from '../../model/offers/marketQuery';
import { ownQuery, readQuery, readRecentSearches, withRecentSearch } from '../../model/offers/savedSearches';

/** The part of `vscode.Memento` that is needed. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const lastKey = 'gpuRental.search.last';
const recentKey = 'gpuRental.search.recent';

const stored = z.object({ proposed: z.array(z.enum(proposedKeys)).catch([]) }).catch({ proposed: [] });

/** The last search, and those from which an offer was chosen. */
export class RecentSearches {
  constructor(private readonly memory: Memory) {}

  /** The last search; `undefined` until a search was changed. */
  get last(): MarketQuery | undefined {
    return readQuery(this.memory.get(lastKey));
  }

  get recent(): readonly MarketQuery[] {
    return readRecentSearches(this.memory.get(recentKey));
  }

  /**
   * The filters of the last search that we proposed and the user did not choose; all of them until one was changed.
   */
  get proposed(): readonly ProposedKey[] {
    return this.last === undefined ? proposedKeys : stored.parse(this.memory.get(lastKey)).proposed;
  }

  async keepLast(query: MarketQuery, proposed: readonly ProposedKey[]): Promise<void> {
    await this.memory.update(lastKey, { ...ownQuery(query), proposed });
  }

  async keepRecent(query: MarketQuery): Promise<void> {
    await this.memory.update(recentKey, withRecentSearch(this.recent, query));
  }
}
