import { choose } from '../../../editor/confirm';
import { localize, t } from '../../../editor/localize';
import { pricePerDay, pricePerHour } from '../../../editor/priceText';
import type { Instance } from '../../../model/instances/instance';
import { stoppedCostPerDay } from '../../../model/instances/instanceCost';
import { instanceName } from '../../../model/instances/instanceLabel';
import { formatMoney, times } from '../../../model/money';
import { perHour, runningRateOf } from '../../../model/quote';
import { bytesText } from '../../../util/bytes';
import type { Text } from '../../../util/text';
import { shownName } from '../../machine/rawPath';
import { parkedCost, savedBytes, transferText } from '../../model/parkedCost';
import type { FolderLook } from '../../model/parkedSet';
import { some, type ParkedSet } from '../../model/parking';
import type { CloudFolder } from '../../model/secondCopy';

export interface AskedPark {
  readonly instance: Instance;
  /** Raw. */
  readonly root: string;
  readonly look: FolderLook;
  /** Work on the instance that would be lost. */
  readonly atRisk: readonly Text[];
  readonly isWindowOpen: boolean;
  /** The names of unsaved editors in windows on the instance. */
  readonly unsaved: readonly string[];
  /** The speed of the line from the instance (Mbit/s), if known. */
  readonly upMbit: number | undefined;
  /** The room on the disk of this computer, if known. */
  readonly freeBytes: number | undefined;
  /** The name of the older set that is deleted afterwards. */
  readonly replaces: string | undefined;
  /** Where the service puts a second copy. */
  readonly cloud: CloudFolder | undefined;
}

/** The names below the folder that are left out, or the wish to choose a second copy, or to do without. */
export type ParkAnswer =
  { readonly leftOut: readonly string[]; readonly isByService?: boolean } | 'otherCopy';

/** Asks before a folder is parked or moved. */
export async function askPark(plan: ParkedSet['plan'], asked: AskedPark): Promise<ParkAnswer | undefined> {
  const { instance, look } = asked;
  const name = instanceName(instance);
  // What can't be read is named in the question.
  const always = look.unreadable;
  const caches = look.caches.map((cache) => cache.name);
  return choose<ParkAnswer>(
    {
      message:
        plan === 'park'
          ? t('Park {0} and destroy {1}?', shownName(asked.root), name)
          : t('Move {0} off {1}?', shownName(asked.root), name),
      detail: [...warnings(asked), ...facts(plan, asked)].join('\n'),
      keep: t('Keep Instance'),
    },
    {
      label: plan === 'park' ? t('Park and Destroy') : t('Choose Offer…'),
      run: () => ({ leftOut: [...always, ...caches] }),
    },
    caches.length > 0 && {
      label: plan === 'park' ? t('Park with Caches') : t('Choose Offer with Caches…'),
      run: () => ({ leftOut: always }),
    },
    mayCarry(plan, look) && {
      label: t('Copy by the Service…'),
      run: () => ({ leftOut: [...always, ...caches], isByService: true }),
    },
    plan === 'park' && {
      label: asked.cloud ? t('No Second Copy') : t('Also to a Cloud Connection…'),
      run: () => 'otherCopy',
    },
  );
}

function bytesWithoutCaches(look: FolderLook): number {
  return savedBytes(
    look,
    look.caches.map(({ name }) => name),
  );
}

function warnings({
  look,
  atRisk,
  isWindowOpen,
  unsaved,
  freeBytes = Infinity,
}: AskedPark): readonly string[] {
  const named = (names: readonly string[]) => some(names.map(shownName));
  const lines = [
    ...atRisk.map((line) => localize(line)),
    ...(unsaved.length > 0
      ? [t('Not saved in a window on it, so lost: {0}', some(unsaved))]
      : isWindowOpen
        ? [t('A window is open on it, which ends with it.')]
        : []),
    ...(freeBytes < bytesWithoutCaches(look)
      ? [t('This computer has only {0} free.', bytesText(freeBytes))]
      : []),
    ...(look.gitAtWork.length > 0 ? [t('Git is at work: {0}', named(look.gitAtWork))] : []),
    ...(look.isSharedVolume
      ? [
          t(
            'The folder is on another disk, or has one in it. If it is a volume, it is kept and still costs money.',
          ),
        ]
      : []),
    ...(look.unreadable.length > 0 ? [t('Can’t be read, so not saved: {0}', named(look.unreadable))] : []),
    ...(look.special.length > 0 ? [t('Sockets and devices are not saved: {0}', named(look.special))] : []),
  ];
  return lines.length === 0 ? [] : [...lines.map((line) => `⚠ ${line}`), ''];
}

/** The service can leave nothing out, and no token may be sent to another host. */
function mayCarry(plan: ParkedSet['plan'], { secrets }: FolderLook): boolean {
  return plan === 'move' && secrets.length === 0;
}

function serviceFact({ instance, look }: AskedPark): string {
  const { traffic } = parkedCost(instance, look.bytes);
  return t(
    'A copy by the service is faster, but sends caches as well: {0}, for {1}. Nothing of it stays here, and where it fails, all is sent through this computer.',
    bytesText(look.bytes),
    traffic === undefined ? t('a price that the service does not state') : formatMoney(traffic),
  );
}

/** The service copies a folder whole: it can leave nothing out. */
function secondCopyFact({ instance: { inetUpPerGb }, look }: AskedPark, cloud: CloudFolder): string {
  const size = bytesText(look.bytes);
  return [
    inetUpPerGb === undefined
      ? t(
          'Then the service copies all of it to {0} on {1}, with caches and tokens: {2}.',
          cloud.folder,
          cloud.name,
          size,
        )
      : t(
          'Then the service copies all of it to {0} on {1}, with caches and tokens: {2}, for about {3} of traffic.',
          cloud.folder,
          cloud.name,
          size,
          formatMoney(times(inetUpPerGb, look.bytes / 1e9)),
        ),
    t(
      'That copy is not compared, the instance costs money until it ends, and the host sees the credentials of the connection.',
    ),
  ].join(' ');
}

function facts(plan: ParkedSet['plan'], asked: AskedPark): readonly string[] {
  const { instance, look, upMbit, replaces, cloud } = asked;
  const bytes = bytesWithoutCaches(look);
  const { traffic, paysAfterDays } = parkedCost(instance, bytes);
  const timeText = transferText(bytes, upMbit);
  const rate = runningRateOf(instance);
  return [
    t('Saved to this computer, with Git history: {0}.', bytesText(bytes)),
    ...(look.caches.length === 0
      ? []
      : [
          t(
            'Left out, because it can be made again: {0}.',
            look.caches
              .slice(0, 6)
              .map((one) => `${shownName(one.name)} (${bytesText(one.bytes)})`)
              .join(', ') + (look.caches.length > 6 ? ' …' : ''),
          ),
        ]),
    ...(look.secrets.length === 0
      ? []
      : [t('Left out, because no copy may hold it: {0}.', some(look.secrets.map(shownName)))]),
    t(
      'Not saved: running processes, terminals, kernels, system packages, and everything outside of this folder.',
    ),
    ...(traffic === undefined
      ? [t('The service does not state what the traffic costs.')]
      : [
          timeText === undefined
            ? t('Traffic there and back costs about {0}.', formatMoney(traffic))
            : t(
                'Traffic there and back costs about {0}, and it takes at least {1}.',
                formatMoney(traffic),
                localize(timeText),
              ),
        ]),
    ...(mayCarry(plan, look) ? [serviceFact(asked)] : []),
    ...(cloud ? [secondCopyFact(asked, cloud)] : []),
    ...(replaces === undefined ? [] : [t('The older copy “{0}” is deleted afterwards.', replaces)]),
    plan === 'rescue'
      ? t(
          'Its start is canceled, and its host sends the files without hashes: names, sizes and times are compared, contents are not. {0} stays stopped for {1} until you destroy it.',
          instanceName(instance),
          pricePerDay(stoppedCostPerDay(instance)),
        )
      : plan === 'park'
        ? [
            t(
              'All else on {0} is lost: it is destroyed once everything is here and proved.',
              instanceName(instance),
            ),
            ...(paysAfterDays === undefined
              ? []
              : [
                  paysAfterDays === 1
                    ? t(
                        'Kept stopped it costs {0}, so this pays after 1 day.',
                        pricePerDay(stoppedCostPerDay(instance)),
                      )
                    : t(
                        'Kept stopped it costs {0}, so this pays after {1} days.',
                        pricePerDay(stoppedCostPerDay(instance)),
                        paysAfterDays,
                      ),
                ]),
          ].join(' ')
        : t(
            '{0} costs {1} until everything is proved to be on the next instance, and is destroyed then.',
            instanceName(instance),
            pricePerHour(rate && perHour(rate)),
          ),
  ];
}
