import { showInstances } from './instanceTarget';
import { t } from './localize';
import { message } from './message';

/** Read back: the service does not list them any more. */
export function tellDestroyed(names: readonly string[]): void {
  const [only] = names;
  if (only !== undefined) {
    message(
      'info',
      names.length === 1
        ? t('{0} is destroyed: the service does not list it any more.', only)
        : t('{0} instances are destroyed: the service does not list them any more.', names.length),
    );
  }
}

/** Sent, and the service still lists it or did not answer. */
export function tellNotConfirmed(name: string): void {
  message(
    'warning',
    t('The service has not confirmed that {0} is destroyed. A message appears if it remains.', name),
    showInstances(),
  );
}
