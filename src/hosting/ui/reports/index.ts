import { DisposableStore, type Disposable } from '../../../util/disposable';
import type { MarketScope } from './marketSource';
import { Reports, type ReportId, type ReportsDeps } from './reports';

/** Registers the commands that open the reports. */
export function register(deps: ReportsDeps): Disposable {
  const store = new DisposableStore();
  const reports = store.add(new Reports(deps));
  const open = (id: Exclude<ReportId, 'market'>) => () => {
    reports.open(id);
  };
  store.add(deps.commands.register('gpuRental.activity.show', open('activity')));
  store.add(deps.commands.register('gpuRental.earnings.show', open('earnings')));
  const show = (scope?: MarketScope) => {
    reports.showMarket(scope);
  };
  store.add(deps.commands.register('gpuRental.market.show', () => show()));
  store.add(deps.commands.register('gpuRental.showOnMarket', show));
  store.add(deps.commands.register('gpuRental.compareOffers', () => show('pins')));
  store.add(deps.commands.register('gpuRental.spending.show', open('spending')));
  return store;
}
