import { confirmOverBudget } from '../../editor/confirmOverBudget';
import { t } from '../../editor/localize';
import { withCancellableProgress } from '../../editor/progress';
import { replaceInstance, type ReplaceOptions, type ReplaceStage } from '../../store/rentals/replacement';
import { accountFor } from '../../store/accounts/sameAccount';
import { roomBeside } from '../../store/instances/burn';
import { isCancelled } from '../../util/errors';
import type { ReadinessDeps } from './deps';
import { tellOfReplacement, tellTemplateChanged } from './replaceWords';

/** Replaces a failed machine with the next best offer and reports the result. */
export async function replaceAndTell(
  deps: ReadinessDeps,
  instanceId: number,
  name: string,
  {
    markedSince,
    ...accepted
  }: Pick<
    ReplaceOptions,
    'dataLossAccepted' | 'onlyIfThere' | 'acceptedTemplateHash' | 'acceptsOverrun' | 'unfit' | 'markedSince'
  >,
): Promise<void> {
  const asked = accountFor(deps.accounts);
  const result = await withCancellableProgress(t('Replacing {0}', name), (signal, say) =>
    replaceInstance(deps, instanceId, {
      signal,
      agreedAt: deps.clock.now(),
      markedSince,
      ...accepted,
      ...roomBeside(deps, deps.settings.get('gpuRental.rent.limitPerHour'), instanceId),
      onStage: (stage) => {
        say(stageWords(stage));
      },
    }),
  );
  if (result.kind === 'destroyedOnly' && result.error !== undefined && !isCancelled(result.error)) {
    deps.log.error(`Nothing was rented in place of ${instanceId}`, result.error);
  }
  if (result.kind === 'templateChanged') {
    await tellTemplateChanged(result.template, instanceId, name, (acceptedTemplateHash) =>
      replaceAndTell(deps, instanceId, name, { ...accepted, acceptedTemplateHash }),
    );
  } else if (result.kind === 'overBudget') {
    const question = { message: t('Replace {0} outside your budget?', name), button: t('Replace Anyway') };
    asked();
    if (await confirmOverBudget(deps.budget, question)) {
      asked();
      await replaceAndTell(deps, instanceId, name, { ...accepted, acceptsOverrun: true });
    }
  } else {
    tellOfReplacement(result, instanceId, name);
  }
}

function stageWords(stage: ReplaceStage): string {
  const words: Record<ReplaceStage, string> = {
    searching: t('looking for the next best offer…'),
    savingLog: t('saving its log…'),
    destroying: t('destroying it and verifying…'),
    renting: t('renting the next one…'),
  };
  return words[stage];
}
