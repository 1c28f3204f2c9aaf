import type { InstanceTarget } from '../../commandSpecs';
import { runCommand } from '../../editor/commands';
import type { Question } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { pickFromList, type Row } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import { withImage, type ImageChange } from '../../model/instances/imageChange';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { imageProblem } from '../../model/rentals/rentPlan';
import { accountFor } from '../../store/accounts/sameAccount';
import { plainLabel } from '../../util/plainLabel';
import { checkBeforeDestroy, type BeforeDestroy } from './beforeDestroy';
import type { LifecycleDeps } from './deps';
import { workLines } from './destroyText';
import { nameOfSome, runningPrice } from './lifecycleText';
import { askBeforeLoss, change } from './powerCommands';
import { chooseOneInstance } from './targets';

/** Creates the container again from its current image. */
export async function recycle(deps: LifecycleDeps, target: InstanceTarget | undefined): Promise<void> {
  const account = accountFor(deps.accounts);
  const instance = await chooseOneInstance(deps, target, 'canReboot', 'gpuRental.instance.recycle');
  if (!instance) {
    return;
  }
  const question = async () =>
    recycleQuestion(instance, await checkBeforeDestroy(deps, account(), [instance]));
  if (await askBeforeLoss(deps, account, [instance], question)) {
    await change(deps, account(), 'recycle', t('Recycling {0}…', nameOfSome([instance])), [instance]);
  }
}

interface Chosen {
  readonly change: ImageChange;
  readonly name: string;
}

/** Creates the container again from another image or template; machine and price stay the same. */
export async function changeImage(deps: LifecycleDeps, target: InstanceTarget | undefined): Promise<void> {
  const account = accountFor(deps.accounts);
  const instance = await chooseOneInstance(deps, target, 'canReboot', 'gpuRental.instance.changeImage');
  const chosen = instance && (await chooseImage(instance));
  if (!chosen) {
    return;
  }
  const question = async () =>
    changeImageQuestion(instance, chosen.name, await checkBeforeDestroy(deps, account(), [instance]));
  if (await askBeforeLoss(deps, account, [instance], question)) {
    const rental = deps.rentals.find(instance.id);
    const [row] = await change(
      deps,
      account(),
      'recycle',
      t('Changing the image of {0}…', nameOfSome([instance])),
      [instance],
      { image: chosen.change },
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
  const title = t('{0}: {1}', titleOf('gpuRental.instance.changeImage'), instanceName(instance));
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
      label: t('Choose a Template'),
      value: { kind: 'pickTemplate' },
      alwaysShow: true,
    },
    ...(instance.image === undefined
      ? []
      : [{ id: 'current', label: t('Now: {0}', plainLabel(instance.image)), alwaysShow: true }]),
  ];
}

function recycleQuestion(instance: Instance, found: BeforeDestroy): Required<Question> {
  return {
    message: t('Recycle “{0}”?', instanceName(instance)),
    detail: detail(
      instance,
      found,
      t('All data in its container is lost for good. The container is created again from the image.'),
    ),
    button: titleOf('gpuRental.instance.recycle'),
    keep: t('Keep Data'),
  };
}

function changeImageQuestion(instance: Instance, image: string, found: BeforeDestroy): Required<Question> {
  return {
    message: t('Change “{0}” to {1}?', instanceName(instance), plainLabel(image)),
    detail: detail(
      instance,
      found,
      t('All data in its container is lost for good. The container is created again from the image.'),
    ),
    button: titleOf('gpuRental.instance.changeImage'),
    keep: t('Keep Data'),
  };
}

function detail(instance: Instance, found: BeforeDestroy, loss: string): string {
  const work = workLines(instance, found.checks.get(instance), [instance]);
  return [
    `${loss} ${t('Data on volumes is kept. The machine stays the same and still costs {0}.', runningPrice([instance]))}`,
    ...(work.length === 0 ? [] : ['', ...work]),
  ].join('\n');
}
