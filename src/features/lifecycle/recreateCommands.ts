import type { InstanceTarget } from '../../commandArguments';
import { runCommand } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { pickFromList, type Row } from '../../editor/quickPick';
import { withImage, type ImageChange } from '../../model/instances/imageChange';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { imageProblem } from '../../model/rentals/rentPlan';
import { accountFor } from '../../store/accounts/sameAccount';
import { lookBeforeDestroy } from './beforeDestroy';
import type { LifecycleDeps } from './deps';
import { askBeforeLoss, change } from './powerCommands';
import { changeImageQuestion, recycleQuestion } from './recreateWords';
import { chooseOneInstance } from './targets';
import { plainLabel } from '../../util/plainLabel';

/** Creates the container again from its current image. */
export async function recycle(deps: LifecycleDeps, target: InstanceTarget | undefined): Promise<void> {
  const account = accountFor(deps.accounts);
  const instance = await chooseOneInstance(deps, target, 'canReboot', {
    title: t('Recycle which instance?'),
    none: t('Only a running instance can be recycled.'),
  });
  if (!instance) {
    return;
  }
  const question = async () =>
    recycleQuestion(instance, await lookBeforeDestroy(deps, account(), [instance]));
  if (await askBeforeLoss(deps, account, [instance], question)) {
    await change(deps, account(), 'recycle', t('Recycling…'), [instance]);
  }
}

interface Chosen {
  readonly change: ImageChange;
  readonly name: string;
}

/** Creates the container again from another image or template; machine and price stay the same. */
export async function changeImage(deps: LifecycleDeps, target: InstanceTarget | undefined): Promise<void> {
  const account = accountFor(deps.accounts);
  const instance = await chooseOneInstance(deps, target, 'canReboot', {
    title: t('Change the image of which instance?'),
    none: t('You can only change the image of a running instance.'),
  });
  const chosen = instance && (await chooseImage(instance));
  if (!chosen) {
    return;
  }
  const question = async () =>
    changeImageQuestion(instance, chosen.name, await lookBeforeDestroy(deps, account(), [instance]));
  if (await askBeforeLoss(deps, account, [instance], question)) {
    const rental = deps.rentals.find(instance.id);
    const [row] = await change(
      deps,
      account(),
      'recycle',
      t('Changing the image…'),
      [instance],
      chosen.change,
    );
    if (rental && row?.kind === 'done' && row.value === 'done') {
      // A replacement, or another one like it, is rented with what the container has now.
      await deps.rentals.update(rental.marker, ({ config }) => ({
        config: withImage(config, chosen.change),
      }));
    }
  }
}

type ImagePick = Extract<ImageChange, { readonly kind: 'image' }> | { readonly kind: 'pickTemplate' };

async function chooseImage(instance: Instance): Promise<Chosen | undefined> {
  const title = t('Change the Image of {0}', instanceName(instance));
  const answer = await pickFromList<ImagePick>({
    title,
    placeholder: t('Choose a template, or type an image path.'),
    rows: (typed) => imageRows(typed.trim(), instance),
  });
  if (answer.kind !== 'picked') {
    return undefined;
  }
  if (answer.value.kind === 'image') {
    return { change: answer.value, name: answer.value.image };
  }
  const template = await runCommand('gpuRental.pickTemplate');
  return template && { change: { kind: 'template', hash: template.hashId }, name: template.name };
}

function imageRows(image: string, instance: Instance): readonly Row<ImagePick>[] {
  const problem = image === '' ? undefined : imageProblem(image);
  return [
    // The typed image comes first, so that Enter uses it.
    ...(image === '' || problem
      ? []
      : [
          {
            id: 'typed',
            icon: 'package',
            label: t('Use the Image {0}', plainLabel(image)),
            value: { kind: 'image' as const, image },
            alwaysShow: true,
          },
        ]),
    ...(problem ? [{ id: 'problem', label: localize(problem), alwaysShow: true }] : []),
    {
      id: 'template',
      icon: 'layout',
      label: t('Choose a Template…'),
      value: { kind: 'pickTemplate' },
      alwaysShow: true,
    },
    ...(instance.image === undefined
      ? []
      : [{ id: 'current', label: t('Now: {0}', plainLabel(instance.image)), alwaysShow: true }]),
  ];
}
