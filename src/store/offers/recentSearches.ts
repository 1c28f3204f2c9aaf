import type { MarketQuery } from '../../model/offers/marketQuery';
import { ownQuery, readQuery, readRecentSearches, withRecentSearch } from '../../model/offers/savedSearches';

/** `vscode.Memento`, as far as it is needed. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const lastKey = 'gpuRental.search.last';
const recentKey = 'gpuRental.search.recent';

/** The search that was left last, and those from which something was chosen. */
export class RecentSearches {
  constructor(private readonly memory: Memory) {}

  /** `undefined` until a search was changed. */
  get last(): MarketQuery | undefined {
    return readQuery(this.memory.get(lastKey));
  }

  get recent(): readonly MarketQuery[] {
    return readRecentSearches(this.memory.get(recentKey));
  }

  async keepLast(query: MarketQuery): Promise<void> {
    await this.memory.update(lastKey, ownQuery(query));
  }

  async keepRecent(query: MarketQuery): Promise<void> {
    await this.memory.update(recentKey, withRecentSearch(this.recent, query));
  }
}
