import type { Services } from '../../services';

export type WatchDeps = Pick<
  Services,
  'accounts' | 'searchWatches' | 'globalState' | 'settings' | 'clock' | 'oneWindow' | 'report'
>;
