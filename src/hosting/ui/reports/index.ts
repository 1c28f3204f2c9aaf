import { DisposableStore, type Disposable } from '../../../util/disposable';
import { Reports, type ReportId, type ReportsDeps } from './reports';

/** Registers the commands that open the reports. */
export function register(deps: ReportsDeps): Disposable {
  const store = new DisposableStore();
  const reports = store.add(new Reports(deps));
  const open = (id: ReportId) => () => {
    reports.open(id);
  };
  store.add(deps.commands.register('gpuRental.earnings.show', open('earnings')));
  store.add(deps.commands.register('gpuRental.market.show', open('market')));
  store.add(deps.commands.register('gpuRental.spending.show', open('spending')));
  return store;
}
