import { mkdir } from 'node:fs/promises';
import type { JobRowTarget } from '../../commandSpecs';
import { chooseSecret } from '../../editor/chooseSecret';
import { runCommand, signedIn } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileReadingInstances } from '../../editor/progress';
import { pickFromList, type Row } from '../../editor/quickPick';
import { secretPlaceOf } from '../../jobs/store/secretUses';
import { secretFor } from '../../model/accounts/keptSecret';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { formatMoney, type Micros } from '../../model/money';
import { perHour, runningRateOf } from '../../model/quote';
import { AcceptGuard } from '../../model/rentals/acceptGuard';
import { accountPath } from '../../store/accounts/accountFiles';
import type { Account } from '../../store/accounts/accounts';
import { accountStill } from '../../store/accounts/sameAccount';
import { connectableInstances } from '../../store/instances/listed';
import { durationText } from '../../util/duration';
import { plainLabel } from '../../util/plainLabel';
import { text, type Text } from '../../util/text';
import { servedNameOf, type ModelFacts } from '../model/knownModels';
import { fits, gpusOf } from '../model/memory';
import { chooseModel, fromTable, readModel, type ChosenModel } from './chooseModel';
import { chooseWay, openModelPage, type ServeWish } from './chooseWay';
import type { ModelDeps } from './deps';
import {
  modelFactsOn,
  tokenVariable,
  keptEnds,
  modelFolder,
  modelJob,
  recipeOf,
  tailoredModel,
  type ServeSettings,
} from './modelOrder';

/** Asks which model, and where; nothing is rented before its price is confirmed. */
export async function serveModel(deps: ModelDeps): Promise<void> {
  const account = await signedIn(deps.accounts);
  const chosen = account && (await chooseModel(deps, account.isDemo));
  if (!account || !chosen) {
    return;
  }
  const place = await choosePlace(deps, chosen.facts);
  if (place === 'rent') {
    await rentFor(deps, account, chosen);
  } else if (place) {
    await serveOn(deps, account, chosen, place);
  }
}

/** Serves a model again, on an offer that fits now; after a failure, as the user chooses. */
export async function serveAgain(deps: ModelDeps, target: JobRowTarget | undefined): Promise<void> {
  const account = await signedIn(deps.accounts);
  const served = target && deps.servedModels.find(target.jobId);
  if (account && !served) {
    message('info', t('This needs a model that is served.'));
  }
  if (!account || !served) {
    return;
  }
  const { failure } = served.serving;
  const way = failure ? await chooseWay(served, failure) : {};
  if (way === 'modelPage') {
    await openModelPage(served);
  } else if (way === 'otherModel') {
    await serveModel(deps);
  } else if (way) {
    const chosen = account.isDemo ? fromTable(served.repository) : undefined;
    await rentFor(deps, account, chosen ?? (await readModel(deps, served.repository)), way);
  }
}

function settingsOf({ settings }: Pick<ModelDeps, 'settings'>): ServeSettings {
  return {
    idleMinutes: settings.get('gpuRental.models.idleMinutes'),
    hours: settings.get('gpuRental.models.maxHours'),
    volume: settings.get('gpuRental.models.volume'),
  };
}

/** Returns a running instance on which the model fits, if the user wants one; one that serves a model is busy. */
async function choosePlace(deps: ModelDeps, model: ModelFacts): Promise<Instance | 'rent' | undefined> {
  const able = await connectableInstances(deps, whileReadingInstances);
  const busy = new Set(deps.servedModels.all.flatMap((one) => (one.isOver ? [] : (one.instanceId ?? []))));
  const fitting = able.filter((one) => {
    const gpus = gpusOf(one);
    return gpus !== undefined && fits(model, gpus) && !busy.has(one.id);
  });
  if (fitting.length === 0) {
    return 'rent';
  }
  const answer = await pickFromList<Instance | 'rent'>({
    title: t('Serve {0}', servedNameOf(model)),
    placeholder: t('Where?'),
    rows: [
      {
        icon: 'rocket',
        label: t('Rent a GPU for It…'),
        description: t('on a separate machine; you confirm its price first'),
        value: 'rent',
      },
      ...fitting.map((instance) => ({
        icon: 'server',
        label: plainLabel(instanceName(instance)),
        description: `#${instance.id}`,
        value: instance,
      })),
    ],
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

function fromText(from: ChosenModel['from']): Text {
  return from === 'hub' ? text('the files at the hub') : text('the table of this version');
}

/** Opens the offers on which the model fits. The user confirms there whether to rent, and what. */
async function rentFor(
  deps: ModelDeps,
  account: Account,
  { facts, from }: ChosenModel,
  wish: ServeWish = {},
): Promise<void> {
  const settings = { ...settingsOf(deps), contextTokens: wish.contextTokens };
  const model = wish.needsToken ? { ...facts, isGated: true } : facts;
  const place = { folder: await folderFor(deps, account, model), now: deps.clock.now() };
  const unplaced = { ...place, gpuCount: undefined, perHour: undefined, isRented: true };
  const job = modelJob(model, settings, unplaced);
  const destination = t('an instance that is rented for it');
  if (!(await askToken(deps, account, job.order, destination, wish.needsToken))) {
    return;
  }
  // The user may be away when the machine is ready, so the question comes first.
  await deps.sshConsent.ask();
  accountStill(deps.accounts, account.key);
  await runCommand('gpuRental.rentForJob', {
    job,
    recipe: recipeOf(model, settings, wish.isLarger),
    tailored: tailoredModel(model, settings, place, fromText(from)),
  });
}

/** Serves a model on a running instance, which is kept. */
async function serveOn(
  deps: ModelDeps,
  account: Account,
  { facts: model, from }: ChosenModel,
  instance: Instance,
): Promise<void> {
  const settings = settingsOf(deps);
  const rate = runningRateOf(instance);
  const price = rate === undefined ? undefined : perHour(rate);
  const folder = await folderFor(deps, account, model);
  const { order, names } = modelJob(model, settings, {
    folder,
    now: deps.clock.now(),
    gpuCount: instance.gpuCount,
    perHour: price,
    isRented: false,
  });
  const name = instanceName(instance);
  if (
    !(await askToken(deps, account, order, name)) ||
    !(await confirmOn(deps, { model, settings, from, instance, price })) ||
    (await runCommand('gpuRental.prepareSsh', { instanceId: instance.id, accountKey: account.key })) ===
      undefined
  ) {
    return;
  }
  accountStill(deps.accounts, account.key);
  if (deps.servedModels.all.some((one) => one.instanceId === instance.id && !one.isOver)) {
    message('info', t('{0} serves a model already.', name));
    return;
  }
  const machine = { instanceId: instance.id, name, perHour: price };
  const { id } = await deps.jobs.order({ ...order, ends: keptEnds, machine }, names);
  await runCommand('gpuRental.job.showLog', { jobId: id });
}

/** A job needs a folder; that of a model stays empty. */
async function folderFor({ storageDir }: ModelDeps, { key }: Account, model: ModelFacts): Promise<string> {
  const folder = modelFolder(accountPath(storageDir, key, 'models'), model);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Asks for the token of a gated model, unless this model was given one that may be right. Returns false if the user canceled. */
async function askToken(
  deps: ModelDeps,
  account: Account,
  { spec, workspace, serves }: ReturnType<typeof modelJob>['order'],
  destination: string,
  isAnew = false,
): Promise<boolean> {
  if (!spec.secrets.includes(tokenVariable)) {
    return true;
  }
  const use = (await secretPlaceOf({ workspace, spec })).useOf(tokenVariable);
  if (!isAnew && secretFor(await deps.keptSecrets.all(account.key), use)) {
    return true;
  }
  const repository = serves?.repository ?? '';
  const chosen = await chooseSecret(deps, account.key, {
    wanted: tokenVariable,
    use,
    title: t('Token for {0}', repository),
    purpose: t(
      '{0} is gated: accept its license at the hub first. A token of your account there that may read is sent to {1}.',
      repository,
      destination,
    ),
  });
  return chosen !== undefined;
}

interface OnInstance {
  readonly model: ModelFacts;
  readonly settings: ServeSettings;
  readonly from: ChosenModel['from'];
  readonly instance: Instance;
  readonly price: Micros | undefined;
}

async function confirmOn({ clock }: ModelDeps, question: OnInstance): Promise<boolean> {
  const { model, settings, from, instance, price } = question;
  const guard = new AcceptGuard(clock);
  const costs = price === undefined ? undefined : t('it still costs {0}/h afterwards', formatMoney(price));
  try {
    const answer = await pickFromList<true>({
      title: t('Serve {0}: Confirm', servedNameOf(model)),
      placeholder: t('Press Enter to serve the model, or Escape to cancel.'),
      rows: [
        {
          id: 'serve',
          icon: 'play',
          label: t('Serve on {0}, and Keep It', plainLabel(instanceName(instance))),
          description: costs ?? t('it still costs money afterwards'),
          value: true,
          isGuarded: true,
        },
        ...modelFactsOn(model, settings, fromText(from), instance).map(({ id, label, value }): Row<true> => ({
          id: `fact:${id}`,
          label: localize(label),
          description: plainLabel(localize(value)),
        })),
        ...(model.isGated ? [{ id: 'fact:secrets', label: t('Secrets'), description: tokenVariable }] : []),
        {
          id: 'fact:limit',
          label: t('Ends at the latest'),
          description: t('after {0}', localize(durationText(settings.hours * 3_600_000))),
        },
      ],
      activeId: 'serve',
      ignoreFocusOut: true,
      guard,
    });
    return answer.kind === 'picked';
  } finally {
    guard.dispose();
  }
}
