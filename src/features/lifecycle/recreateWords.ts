import type { Question } from '../../editor/confirm';
import { t } from '../../editor/localize';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { plainLabel } from '../../util/plainLabel';
import type { BeforeDestroy } from './beforeDestroy';
import { workLines } from './destroyWords';
import { runningPrice } from './lifecycleWords';

export function recycleQuestion(instance: Instance, found: BeforeDestroy): Required<Question> {
  return {
    message: t('Recycle “{0}”?', instanceName(instance)),
    detail: detail(
      instance,
      found,
      t(
        'All data in its container is lost for good. The container is created again from {0}.',
        plainLabel(instance.image ?? t('the same image')),
      ),
    ),
    button: t('Recycle'),
    keep: t('Keep Data'),
  };
}

export function changeImageQuestion(
  instance: Instance,
  image: string,
  found: BeforeDestroy,
): Required<Question> {
  return {
    message: t('Change “{0}” to {1}?', instanceName(instance), plainLabel(image)),
    detail: detail(
      instance,
      found,
      t('All data in its container is lost for good. The container is created again from the new image.'),
    ),
    button: t('Change Image'),
    keep: t('Keep Data'),
  };
}

function detail(instance: Instance, found: BeforeDestroy, loss: string): string {
  const work = workLines(instance, found.looks.get(instance), [instance]);
  return [
    `${loss} ${t('Data on volumes is kept. The machine stays the same and still costs {0}.', runningPrice([instance]))}`,
    ...(work.length === 0 ? [] : ['', ...work]),
  ].join('\n');
}
