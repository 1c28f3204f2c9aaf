import { DisposableStore, type Disposable } from '../../util/disposable';
import type { ReportId, Reports, ReportsDeps } from './reports';

/** The commands of the reports; what draws them is loaded with the first one that is opened. */
export function register(deps: ReportsDeps): Disposable {
  const store = new DisposableStore();
  let reports: Promise<Reports> | undefined;
  const open = (id: ReportId) => async () => {
    reports ??= import('./reports').then((module) => store.add(new module.Reports(deps)));
    (await reports).open(id);
  };
  store.add(deps.commands.register('gpuRental.earnings.show', open('earnings')));
  store.add(deps.commands.register('gpuRental.market.show', open('market')));
  store.add(deps.commands.register('gpuRental.spending.show', open('spending')));
  return store;
}
