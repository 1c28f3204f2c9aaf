import type { Client } from '../../../api/client';
import { GoneError } from '../../../api/errors';
import type { VolumeTarget } from '../../../commandSpecs';
import { confirm } from '../../../editor/confirm';
import { localize, t } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { pricePerDay } from '../../../editor/priceText';
import { whileSending, withCancellableProgress } from '../../../editor/progress';
import { askText, pickFromList } from '../../../editor/quickPick';
import { dayText } from '../../../editor/timeText';
import { titleOf } from '../../../editor/titles';
import { overrunText } from '../../../model/budget/budgetText';
import { add, formatMoney, type Micros } from '../../../model/money';
import { placeText } from '../../../model/offers/places';
import { diskRate, perDay, perMonth } from '../../../model/quote';
import {
  volumeName,
  volumeNameProblem,
  volumePerDay,
  type Volume,
  type VolumeOffer,
  type VolumeSearch,
} from '../../../model/volume';
import type { Services } from '../../../services';
import type { Account } from '../../../store/accounts/accounts';
import { accountFor } from '../../../store/accounts/sameAccount';
import { readAfter } from '../../../store/readAfter';
import { orCancelled } from '../../../util/cancellation';
import { defined } from '../../../util/defined';
import { plainLabel } from '../../../util/plainLabel';
import { typedNumber } from '../../../util/typedNumber';
import { chooseVolumes, readAnew } from './chooseVolumes';
import { makeVolume, type MadeVolume } from './makeVolume';
import { costText, sizeText, untilText } from './volumeGroup';

type Deps = Pick<Services, 'accounts' | 'budget' | 'fleet' | 'volumes'>;

const mostOffers = 64;
const usualGb = 50;

/** What the question shows, in the order of its steps. */
interface Plan {
  readonly offer: VolumeOffer;
  readonly sizeGb: number;
  readonly name: string;
  /** The volume that is cloned. */
  readonly source?: Volume | undefined;
  /** The price per GB and month that the question before this one named, if it has risen. */
  readonly before?: Micros | undefined;
}

/** Creates a volume after a confirmation with its price, and reads it back by its name. */
export async function createVolume(deps: Deps): Promise<void> {
  const account = accountFor(deps.accounts);
  const title = titleOf('gpuRental.volume.create');
  const { all, offer } = await chooseOffer(deps, account().client, title, 1);
  const sizeGb = offer && (await askSize(title, offer, 1));
  if (!offer || sizeGb === undefined) {
    return;
  }
  const name = await askText({
    title,
    prompt: t('Name, by which workspace files find it'),
    value: freeName(all),
    ignoreFocusOut: true,
    problem: (typed) => volumeNameProblem(typed.trim(), all),
  });
  if (name.kind !== 'picked') {
    return;
  }
  await make(deps, account, all, { offer, sizeGb, name: name.value.trim() });
}

/** Copies a volume onto the volume offer of a machine; both cost money from then on. */
export async function cloneVolume(deps: Deps, target: VolumeTarget | undefined): Promise<void> {
  const account = accountFor(deps.accounts);
  const listed = await withCancellableProgress(t('Waiting for the service…'), (signal) =>
    orCancelled(readAnew(deps), signal),
  );
  const [source] = await chooseVolumes(deps, listed, target ? [target] : [], 'gpuRental.volume.clone');
  if (!source) {
    return;
  }
  const title = t('{0}: {1}', titleOf('gpuRental.volume.clone'), volumeName(source));
  const least = Math.ceil(source.sizeGb ?? 1);
  const { all, offer } = await chooseOffer(deps, account().client, title, least);
  const sizeGb = offer && (await askSize(title, offer, least));
  if (offer && sizeGb !== undefined) {
    await make(deps, account, all, { offer, sizeGb, name: volumeName(source), source });
  }
}

async function chooseOffer(
  deps: Deps,
  client: Client,
  title: string,
  leastSizeGb: number,
): Promise<{ readonly all: readonly Volume[]; readonly offer: VolumeOffer | undefined }> {
  const [all, { items }] = await withCancellableProgress(t('Waiting for the service…'), (signal) =>
    orCancelled(
      Promise.all([
        readAnew(deps),
        client.volumes.search({ leastSizeGb, isVerified: true, limit: mostOffers }, { signal }),
      ]),
      signal,
    ),
  );
  const rows = items.map((offer) => ({
    id: String(offer.id),
    icon: 'database',
    label: placeOf(offer),
    description: [
      offer.perGbMonth === undefined
        ? t('price not stated')
        : t('{0} per GB and month', formatMoney(offer.perGbMonth)),
      t('up to {0} GB', Math.floor(offer.sizeGb ?? 0)),
    ].join(' · '),
    detail: [
      offer.machineId === undefined ? '' : t('Machine {0}', offer.machineId),
      offer.reliability === undefined ? '' : t('{0} % reliable', (offer.reliability * 100).toFixed(1)),
      untilText(offer),
    ]
      .filter((part) => part !== '')
      .join(' · '),
    value: offer,
  }));
  const answer = await pickFromList<VolumeOffer>({
    title,
    placeholder: t('A volume stays on its machine. Which one?'),
    rows: rows.length > 0 ? rows : [{ label: t('The service lists no offer of this size.') }],
  });
  return { all, offer: answer.kind === 'picked' ? answer.value : undefined };
}

async function askSize(title: string, offer: VolumeOffer, least: number): Promise<number | undefined> {
  const most = Math.floor(offer.sizeGb ?? 0);
  const size = await askText({
    title,
    prompt: t("GB, from {0} to {1}. The size can't be changed later.", least, most),
    value: String(least > 1 ? least : Math.min(usualGb, most)),
    ignoreFocusOut: true,
    problem: (typed) => {
      const gb = typedNumber(typed);
      return Number.isInteger(gb) && gb >= least && gb <= most
        ? undefined
        : t('Enter a whole number from {0} to {1}.', least, most);
    },
  });
  return size.kind === 'picked' ? typedNumber(size.value) : undefined;
}

async function make(deps: Deps, account: () => Account, all: readonly Volume[], picked: Plan): Promise<void> {
  const plan = await confirmed(deps, account().client, picked);
  if (!plan) {
    return;
  }
  const { offer, sizeGb, name, source } = plan;
  const { volumes } = account().client;
  const made = await readAfter(
    whileSending(
      makeVolume(volumes, {
        name,
        before: new Set(all.map(({ id }) => id)),
        isIt: (volume) =>
          source
            ? volume.machineId === offer.machineId && (volume.sizeGb ?? sizeGb) >= sizeGb
            : volume.label === name,
        send: () =>
          source
            ? volumes.clone({ volumeId: source.id, offerId: offer.id, sizeGb })
            : volumes.create({ offerId: offer.id, sizeGb, name }),
      }),
    ),
    () => deps.volumes.refresh(),
  );
  show(plan, made);
}

/** Asks until the price in the question is that of the offer. Returns undefined if the user cancels. */
async function confirmed(deps: Deps, client: Client, picked: Plan): Promise<Plan | undefined> {
  for (let plan = picked; ;) {
    if (!(await confirm(await questionFor(deps, plan)))) {
      return undefined;
    }
    const { machineId, id, perGbMonth: before } = plan.offer;
    const search = defined<VolumeSearch>({ machineId, leastSizeGb: plan.sizeGb, limit: mostOffers });
    const { items } = await withCancellableProgress(t('Waiting for the service…'), (signal) =>
      orCancelled(client.volumes.search(search, { signal }), signal),
    );
    const offer = items.find((one) => one.id === id);
    if (!offer) {
      throw new GoneError();
    }
    const after = offer.perGbMonth;
    if (after === before || (after !== undefined && before !== undefined && after < before)) {
      return plan;
    }
    plan = { ...plan, offer, before };
  }
}

async function questionFor({ budget }: Pick<Deps, 'budget'>, plan: Plan) {
  const { offer, sizeGb, name, source, before } = plan;
  const rate = offer.perGbMonth === undefined ? undefined : diskRate(offer.perGbMonth, sizeGb);
  const price = pricePerDay(rate && perDay(rate));
  const overrun = overrunText(await budget.current());
  const size = t('{0} GB', sizeGb);
  const until = dayText((offer.endsAt ?? Number.NaN) * 1000);
  const place = offer.machineId === undefined ? '' : t('On machine {0}', offer.machineId);
  return {
    message: source ? t('Clone the volume {0}?', name) : t('Create the volume {0}?', name),
    detail: [
      ...(overrun === undefined ? [] : [localize(overrun)]),
      ...(before === undefined
        ? []
        : [
            t(
              'The price of the new volume has risen from {0} to {1}.',
              pricePerDay(perDay(diskRate(before, sizeGb))),
              price,
            ),
          ]),
      [size, place, placeOf(offer)].filter((part) => part !== '').join(' · '),
      rate === undefined
        ? t('It costs {0} from now on, used or not, until you delete it.', price)
        : t(
            'It costs {0} ({1}/month) from now on, used or not, until you delete it.',
            price,
            formatMoney(perMonth(rate)),
          ),
      ...(source ? [bothText(source, rate && perDay(rate))] : []),
      until === undefined
        ? t('The service does not state when the host takes the machine back. The volume ends then.')
        : t('The host lists the machine until {0}. The volume ends then, with its data.', until),
    ].join('\n'),
    button: source ? t('Clone') : t('Create'),
  };
}

function bothText(source: Volume, clonePerDay: ReturnType<typeof volumePerDay>): string {
  const before = volumePerDay(source);
  return before === undefined || clonePerDay === undefined
    ? t('{0} is kept and still costs money as well.', volumeName(source))
    : t(
        '{0} is kept and still costs {1}: together {2}.',
        volumeName(source),
        pricePerDay(before),
        pricePerDay(add(before, clonePerDay)),
      );
}

function show({ name, source }: Plan, { volume, answerWasLost }: MadeVolume): void {
  if (!volume) {
    message(
      'warning',
      t(
        'The service accepted the volume {0} but does not list it yet. It may cost money already. Refresh to check.',
        name,
      ),
    );
    return;
  }
  const figures = [sizeText(volume), costText(volume)].filter((part) => part !== '').join(', ');
  const made = source
    ? t('Cloned {0} to {1}: {2}', name, volumeName(volume), figures)
    : t('Created the volume {0}: {1}', volumeName(volume), figures);
  message('info', answerWasLost ? t('The service did not answer, but its list shows it. {0}', made) : made);
}

function placeOf({ location, machineId }: VolumeOffer): string {
  const place = plainLabel(placeText(location ?? ''));
  return place === '' ? t('Machine {0}', machineId ?? '?') : place;
}

/** Returns `data`, or with a number if the account has a volume of that name. */
function freeName(taken: readonly Volume[]): string {
  const names = ['data', ...Array.from({ length: taken.length }, (_, at) => `data_${at + 2}`)];
  return names.find((name) => volumeNameProblem(name, taken) === undefined) ?? '';
}
