import { RefusedError } from '../../api/errors';
import { commandAction, titledAction } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { type Action, ask, message } from '../../editor/message';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { billingOf, stateOf } from '../../model/instances/instanceState';
import type { PowerRequest, PowerVerdict } from '../../store/instances/power';
import { isCancelled } from '../../util/errors';
import { reasonInRow, type RowResult } from './bulk';
import type { LifecycleDeps } from './deps';
import { runningPrice, stoppedPrice } from './lifecycleText';

type Row = RowResult<PowerVerdict>;

type TryAgain = `gpuRental.instance.${PowerRequest | 'changeImage'}`;

/** Reports requests that failed or are unconfirmed: a single one with its next steps, several with a sentence each. */
export function reportNotSucceeded(
  deps: LifecycleDeps,
  kind: PowerRequest,
  results: readonly Row[],
  again: TryAgain,
): void {
  const failed = results.filter((row) =>
    row.kind === 'failed' ? !isCancelled(row.error) : row.value !== 'done' && row.value !== 'queued',
  );
  const [only] = failed;
  if (!only) {
    return;
  }
  for (const row of failed) {
    if (row.kind === 'failed') {
      deps.log.error(`Instance ${row.instance.id}`, row.error);
    }
  }
  if (results.length > 1) {
    void reportSeveral(deps, kind, failed);
  } else if (isNotKnown(only)) {
    reportNotKnown(deps, kind, only.instance);
  } else if (only.kind === 'failed' && !isFinal(only.error)) {
    deps.report.error(only.error);
  } else {
    reportNotDone(deps, kind, only, again);
  }
}

function isNotKnown(row: Row): boolean {
  return row.kind === 'done' && row.value === 'notKnown';
}

/** Returns whether the service refused for a reason that the user can't resolve here, except by trying again. */
function isFinal(error: unknown): error is RefusedError {
  return error instanceof RefusedError && (error.nextStep === 'none' || error.nextStep === 'retry');
}

/** Reports that nothing changed; for a start, offers another machine. */
function reportNotDone(deps: LifecycleDeps, kind: PowerRequest, row: Row, again: TryAgain): void {
  const target = { instanceId: row.instance.id };
  message(
    'error',
    sentence(deps, kind, row),
    commandAction(t('Retry'), again, target),
    kind === 'start' && titledAction('gpuRental.instance.rentAnother', target),
  );
}

function reportNotKnown(deps: LifecycleDeps, kind: PowerRequest, instance: Instance): void {
  message('warning', notKnown(deps, kind, instance), refreshAction());
}

function refreshAction(): Action {
  return titledAction('gpuRental.refresh');
}

async function reportSeveral(deps: LifecycleDeps, kind: PowerRequest, failed: readonly Row[]): Promise<void> {
  const isOpen = failed.some(isNotKnown);
  const title = isOpen
    ? t('Could not confirm this for all instances. Some may still cost money.')
    : t('Some instances are unchanged and still cost money.');
  const detail = failed.map((row) => sentence(deps, kind, row)).join('\n\n');
  await ask('error', { message: title, detail }, isOpen && refreshAction());
}

function sentence(deps: LifecycleDeps, kind: PowerRequest, row: Row): string {
  const { instance } = row;
  if (isNotKnown(row)) {
    return notKnown(deps, kind, instance);
  }
  if (row.kind === 'done') {
    const why =
      row.value === 'ignored'
        ? t('The service accepted the request, and still intends what it did before.')
        : t('The service did not answer, and nothing has changed.');
    return notDone(deps, kind, instance, why);
  }
  return isFinal(row.error)
    ? notDone(deps, kind, instance, localize(row.error.text))
    : `${instanceName(instance)}: ${reasonInRow(row.error)}`;
}

function notDone(deps: LifecycleDeps, kind: PowerRequest, instance: Instance, reason: string): string {
  const name = instanceName(instance);
  const price = kind === 'start' ? stoppedPrice([instance]) : priceNow(deps, instance);
  return t('{0} is unchanged and still costs {1}. {2}', name, price, reason);
}

function notKnown(deps: LifecycleDeps, kind: PowerRequest, instance: Instance): string {
  const name = instanceName(instance);
  if (kind === 'recycle') {
    return t(
      'The service did not answer, so {0} may have been created again without its data. It costs the same either way.',
      name,
    );
  }
  const price = kind === 'start' ? runningPrice([instance]) : priceNow(deps, instance);
  return t(
    'The service did not answer, so {0} may be running. If it is, it costs {1}. Refresh to check.',
    name,
    price,
  );
}

/** A queued start or a failed machine is charged only for its disk. */
function priceNow({ fleet, clock }: LifecycleDeps, instance: Instance): string {
  const kind = stateOf(instance, fleet.facts(instance.id), clock.now());
  return billingOf(instance, kind) === 'disk' ? stoppedPrice([instance]) : runningPrice([instance]);
}
