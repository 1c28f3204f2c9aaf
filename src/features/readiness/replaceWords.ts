import { showInstances } from '../../editor/chooseInstance';
import { commandAction } from '../../editor/commands';
import { localize, reasonOf, t } from '../../editor/localize';
import { message, suggest } from '../../editor/message';
import { plainLabel } from '../../editor/quickPick';
import { stepAction } from '../../editor/report';
import { notConfirmedText } from '../../model/instances/destroyVerdict';
import { formatMoney } from '../../model/money';
import type { Template } from '../../model/templates/template';
import { templateName } from '../../model/templates/templateName';
import type { ReplaceResult } from '../../store/rentals/replacement';
import { assertNever, isCancelled } from '../../util/errors';

/** Reports that the template has changed since the machine was rented. */
export async function tellTemplateChanged(
  template: Template | undefined,
  instanceId: number,
  name: string,
  replace: (acceptedHash: string) => Promise<void>,
): Promise<void> {
  await suggest<unknown>(
    'warning',
    template
      ? t(
          'The template {0} was edited after {1} was rented, so nothing was replaced. The disk of {1} still costs money.',
          templateName(template),
          name,
        )
      : t(
          'The template of {0} was changed or deleted, so nothing was replaced. The disk of {0} still costs money.',
          name,
        ),
    template
      ? { label: t('Replace, with the Current Version'), run: () => replace(template.hashId) }
      : commandAction(t('Search Offers'), 'gpuRental.searchOffers'),
    commandAction(t('Destroy…'), 'gpuRental.instance.destroy', { instanceId }),
  );
}

/** Reports how a replacement ended. */
export function tellOfReplacement(
  result: Exclude<ReplaceResult, { kind: 'templateChanged' | 'overBudget' }>,
  instanceId: number,
  name: string,
): void {
  switch (result.kind) {
    case 'replaced':
      tellReplaced(result, name);
      return;
    case 'notNeeded':
      message(
        'info',
        result.isRunning
          ? t('{0} is now running, so it was not replaced.', name)
          : t('The state of {0} has changed, so it was not replaced.', name),
      );
      return;
    case 'noOffer':
      message(
        'warning',
        t(
          'No other offer matches the same search within the price limit. {0} was not replaced and still costs money.',
          name,
        ),
        commandAction(t('Search Offers'), 'gpuRental.searchOffers'),
        commandAction(t('Destroy…'), 'gpuRental.instance.destroy', { instanceId }),
      );
      return;
    case 'notDestroyed':
      message('warning', localize(notConfirmedText(name)), showInstances());
      message('warning', t('No replacement for {0} was rented, so you do not pay for two instances.', name));
      return;
    case 'destroyedOnly':
      message(
        'warning',
        destroyedOnlyWords(result.error, name),
        stepAction(result.error),
        commandAction(t('Search Offers'), 'gpuRental.searchOffers'),
      );
      return;
    case 'elsewhere':
      message('info', t('{0} is already being replaced.', name));
      return;
    case 'replacedBefore':
      message('info', t('{0} has already been replaced, so nothing was rented.', name));
      return;
    default:
      return assertNever(result);
  }
}

/** Says that nothing was rented instead, and why. */
function destroyedOnlyWords(error: unknown, name: string): string {
  const reason =
    error === undefined
      ? t('The offers that matched are no longer available.')
      : isCancelled(error)
        ? t('You stopped it before that.')
        : (reasonOf(error) ?? t('See the log for details.'));
  return t('{0} is destroyed, and nothing was rented in its place. {1}', name, reason);
}

function tellReplaced(result: Extract<ReplaceResult, { kind: 'replaced' }>, name: string): void {
  const { log: content = '', misfits } = result;
  message(
    misfits.length === 0 ? 'info' : 'warning',
    replacedWords(result, name),
    content !== '' &&
      commandAction(t('Show Its Last Log'), 'gpuRental.showText', { title: `${name}.log`, content }),
  );
}

function replacedWords(
  { rent, pricePerHour, misfits: [misfit] }: Extract<ReplaceResult, { kind: 'replaced' }>,
  name: string,
): string {
  const price = pricePerHour === undefined ? '?' : formatMoney(pricePerHour);
  if (rent.kind !== 'rented') {
    return t(
      '{0} is destroyed. The service did not answer, so another instance may have been rented. Checking your instances…',
      name,
    );
  }
  return misfit === undefined
    ? t('{0} is destroyed, and another machine is rented instead for {1}/h.', name, price)
    : t(
        '{0} is destroyed, and another machine is rented instead for {1}/h. {2}',
        name,
        price,
        plainLabel(localize(misfit)),
      );
}
