import { troubleSentence, failureSentence } from '../../editor/failureText';
import { localize, t } from '../../editor/localize';
import { pricePerDay, pricePerHour } from '../../editor/priceText';
import type { InstanceNote } from '../../editor/treeGroups';
import type { BudgetNow } from '../../model/budget/budget';
import { partText } from '../../model/budget/budgetText';
import type { Deposit } from '../../model/instances/deposit';
import type { GaugeReading } from '../../model/instances/gauges';
import type { GpuReading } from '../../model/instances/gpuReading';
import type { Instance } from '../../model/instances/instance';
import { ageMs, costSoFar } from '../../model/instances/instanceCost';
import { instanceName } from '../../model/instances/instanceLabel';
import {
  actionsFor,
  billingOf,
  hasShell,
  isRateAtMost,
  isStarting,
  rateOf,
  stateLabel,
  stateOf,
  type InstanceActions,
  type InstanceFacts,
  type InstanceStateKind,
} from '../../model/instances/instanceState';
import { formatMoney } from '../../model/money';
import { placeText } from '../../model/offers/places';
import type { MachineProof } from '../../model/proof/machineProof';
import { perDay, perHour } from '../../model/quote';
import { checkTexts } from '../../model/rentals/machineCheckText';
import { runtypeMeaning } from '../../model/rentals/rentPlan';
import { isUnderWay, troubleOf, type StartWatch } from '../../model/rentals/startWatch';
import { durationText } from '../../util/duration';
import { plainLabel } from '../../util/plainLabel';
import type { ReportView } from '../../webview/report/protocol';
import { actionButtons } from './actions';
import { depositSections } from './depositSection';
import type { ReadOnRequest } from './readOnRequest';
import {
  configurationSection,
  factsSection,
  gpuSections,
  logOutput,
  machineSection,
  rowsSection,
  useSection,
  type PageRow,
} from './sections';

type Notice = ReportView['notices'][number];
type Tile = ReportView['tiles'][number];
type Section = ReportView['sections'][number];

/** What is known of an instance besides its record. */
export interface PageFacts {
  readonly facts: InstanceFacts;
  readonly now: number;
  /** Its start, while it is followed. */
  readonly watch?: StartWatch | undefined;
  /** The notes of features in its row and tooltip. */
  readonly notes: readonly InstanceNote[];
  /** How long the credit lasts at what everything costs now. */
  readonly creditLasts?: string | undefined;
  readonly budget?: BudgetNow | undefined;
  /** True if windows, terminals, ports or work of this computer use it. */
  readonly isUsed: boolean;
  /** True if a schedule ends it. */
  readonly hasEnd: boolean;
  readonly history: readonly GaugeReading[];
  /** What its GPUs proved to be when it was checked. */
  readonly proof?: MachineProof | undefined;
  /** How its host key was checked. */
  readonly hostKey?: string | undefined;
  /** What its GPUs did in the last hour, as far as the user had that read. */
  readonly gpus: readonly GpuReading[];
  readonly isReadingGpus: boolean;
  /** The end of the log that is kept of it. */
  readonly log?: string | undefined;
  readonly services: readonly PageRow[];
  /** Keys as last read, and those that were shared from here. */
  readonly access: readonly PageRow[];
  /** Absent where nothing is set up, and the machine was not asked whether it is. */
  readonly setUp?: readonly PageRow[] | undefined;
  readonly work: readonly PageRow[];
  /** What was paid in advance for it, once the user asked. */
  readonly deposit?: Pick<ReadOnRequest<Deposit>, 'value' | 'text' | 'canRead'> | undefined;
}

/** Returns the content of an instance's page. All text from outside becomes one plain line. */
export function instanceView(
  instance: Instance,
  page: PageFacts,
): Pick<ReportView, 'subtitle' | 'notices' | 'buttons' | 'tiles' | 'sections' | 'output' | 'spoken'> {
  const kind = stateOf(instance, page.facts, page.now);
  const [main, ...others] = sentences(instance, kind, page);
  const allowed = actionsFor(instance, page.facts, page.now);
  const isRunning = kind === 'running';
  // A reading of an earlier start says nothing about this one.
  const readings = (isRunning ? page.gpus : []).filter(({ at }) => at >= (page.facts.runningAt ?? 0));
  const gpus = gpuSections(readings, page.now, readGpus(allowed, page.isReadingGpus));
  return {
    subtitle: subtitleOf(instance),
    notices: [main, ...others],
    buttons: actionButtons('head', allowed),
    tiles: tiles(instance, kind, page),
    sections: [
      statusSection(instance, kind, page, actionButtons('status', allowed)),
      ...useSection(page.history, page.now),
      ...gpus,
      machineSection(instance, {
        isRunning,
        proof: isRunning ? page.proof : undefined,
        isEachShown: gpus.length > 0,
        hostKey: page.hostKey,
        buttons: [
          ...(gpus.length > 0 ? [] : readGpus(allowed, page.isReadingGpus)),
          ...actionButtons('machine', allowed),
        ],
      }),
      ...rowsSection(
        'work',
        t('Work'),
        t('Jobs, kernels and terminals on this instance'),
        page.work,
        page.work.some(({ id }) => id.startsWith('kept-terminal-')) ? actionButtons('work', allowed) : [],
      ),
      ...rowsSection(
        'services',
        t('Ports and Services'),
        t('Services of the instance, and ports that are open on the internet or forwarded'),
        page.services,
        actionButtons('services', allowed),
      ),
      ...rowsSection(
        'access',
        t('Access'),
        t('SSH keys that the instance accepts'),
        page.access,
        actionButtons('access', allowed),
      ),
      ...(page.setUp
        ? rowsSection('setUp', t('Set-Up'), t('Steps that set this instance up'), page.setUp, [
            ...actionButtons('setUp', allowed),
            ...(page.setUp.some(({ id }) => id.endsWith('-environment'))
              ? actionButtons('setUpSecrets', allowed)
              : []),
          ])
        : []),
      ...depositSections(instance, page.deposit),
      configurationSection(instance, page.now, [
        ...actionButtons('bid', allowed),
        ...actionButtons('configuration', allowed),
      ]),
    ].filter(({ table, buttons }) => table.rows.length > 0 || (buttons ?? []).length > 0),
    output: logOutput(page.log ?? '', actionButtons('log', allowed)),
    // Without the time, which would be announced again with each minute.
    spoken: `${instanceName(instance)}: ${localize(stateLabel(instance, kind))}`,
  };
}

/** Returns the sentence that matters, then what features warn of. */
function sentences(
  instance: Instance,
  kind: InstanceStateKind,
  page: PageFacts,
): readonly [Notice, ...Notice[]] {
  const warnings = page.notes.filter((note) => note.isWarning === true);
  return [
    stateNotice(instance, kind, page),
    ...warnings.map((note): Notice => ({
      severity: 'warning',
      text: note
        .lines()
        .map((line) => line.join(': '))
        .join('. '),
      buttons: [],
    })),
  ];
}

function stateNotice(instance: Instance, kind: InstanceStateKind, page: PageFacts): Notice {
  const { facts, now, watch } = page;
  const bid = kind === 'outbid' ? actionButtons('bid', actionsFor(instance, facts, now)) : [];
  const name = instanceName(instance);
  const price = priceNow(instance, kind);
  const trouble = troubleOf(instance, facts, now);
  if (trouble) {
    return {
      severity: 'warning',
      text: troubleSentence(name, trouble, price),
      buttons: [...bid, ...replacing(instance, page)],
    };
  }
  const reason = failureOf(kind, watch);
  if (reason !== undefined) {
    const text = failureSentence(name, reason, watch?.message ?? instance.statusMessage);
    return { severity: 'error', text, buttons: replacing(instance, page) };
  }
  const info = (text: string): Notice => ({ severity: 'info', text, buttons: [] });
  if (watch?.check && isUnderWay(watch)) {
    return info(t('{0} is running. {1}', name, checkTexts(watch.check, now).map(localize).join(' · ')));
  }
  switch (kind) {
    case 'provisioning':
    case 'loading':
    case 'starting':
      return info(t('{0} is starting and costs {1}.', name, price));
    case 'queued':
      return info(t('{0} waits for a free GPU. Storage costs {1}.', name, price));
    case 'running':
      return info(t('{0} is running and costs {1}.', name, price));
    case 'stopping':
      return info(t('{0} is being stopped.', name));
    case 'stopped':
      return info(t('{0} is stopped. Storage still costs {1}.', name, price));
    case 'frozen':
      return {
        ...info(t('{0} is frozen. Its GPU is kept, and it costs {1}.', name, price)),
        severity: 'warning',
      };
    case 'destroying':
      return info(t('{0} is being destroyed.', name));
    case 'exited':
    case 'outbid':
    case 'unknown':
    case 'offline':
    case 'gaveUp':
    case 'other':
      return { ...info(`${name}: ${localize(stateLabel(instance, kind))}`), buttons: bid };
  }
}

/** Returns why a start failed: as followed, or by the state if no start is followed. */
function failureOf(kind: InstanceStateKind, watch: StartWatch | undefined): StartWatch['failed'] {
  return kind === 'exited' || kind === 'unknown' || kind === 'offline' || kind === 'gaveUp'
    ? kind
    : isStarting(kind)
      ? watch?.failed
      : undefined;
}

function replacing(instance: Instance, { facts, now }: PageFacts): Notice['buttons'] {
  return actionButtons('notice', actionsFor(instance, facts, now));
}

export const readGpusButton = 'readGpus';
export const stopGpusButton = 'stopGpus';

/** No login of ours can be shared, so the figures of each GPU cost one, which the user asks for. */
function readGpus({ canConnect }: InstanceActions, isReading: boolean): Notice['buttons'] {
  if (isReading) {
    return [{ id: stopGpusButton, label: t('Stop Reading') }];
  }
  return canConnect ? [{ id: readGpusButton, label: t('Read from Machine') }] : [];
}

/** Returns the price in the present state: per hour, or per day where only storage costs. */
function priceNow(instance: Instance, kind: InstanceStateKind): string {
  const rate = rateOf(instance, kind);
  if (billingOf(instance, kind) === 'running') {
    return pricePerHour(rate === undefined ? undefined : perHour(rate));
  }
  const price = pricePerDay(rate === undefined ? undefined : perDay(rate));
  return isRateAtMost(instance, kind) ? `≤ ${price}` : price;
}

function tiles(instance: Instance, kind: InstanceStateKind, page: PageFacts): Tile[] {
  const { now, facts, watch, budget, creditLasts } = page;
  const spent = costSoFar(instance, now);
  const since = isStarting(kind)
    ? watch?.since
    : kind === 'running'
      ? facts.runningAt
      : kind === 'stopped'
        ? facts.stoppedAt
        : undefined;
  const duration = (ms: number | undefined) => (ms === undefined ? undefined : localize(durationText(ms)));
  const all: readonly (readonly [label: string, value: string | undefined])[] = [
    [t('State'), localize(stateLabel(instance, kind))],
    [t('For'), duration(since === undefined ? undefined : now - since)],
    [t('Price now'), rateOf(instance, kind) === undefined ? undefined : priceNow(instance, kind)],
    [t('Cost so far'), spent === undefined ? undefined : `≤ ${formatMoney(spent, 2)}`],
    [t('Rented for'), duration(ageMs(instance, now))],
    [t('Credit lasts'), creditLasts],
    [t('Budget'), budget?.parts.map((part) => localize(partText(part))).join(', ')],
  ];
  return all.flatMap(([label, value]) => (value === undefined || value === '' ? [] : [{ label, value }]));
}

function statusSection(
  instance: Instance,
  kind: InstanceStateKind,
  page: PageFacts,
  buttons: Notice['buttons'],
): Section {
  const { notes, isUsed, work } = page;
  const hasEnd = page.hasEnd || work.some(({ ends }) => ends !== undefined);
  const isCharged = billingOf(instance, kind) === 'running' && kind !== 'destroying';
  const facts = [
    [t('Host says'), kind === 'running' || kind === 'stopped' ? undefined : instance.statusMessage],
    [t('Run type'), hasShell(instance) ? undefined : localize(runtypeMeaning('args'))],
    // Charts show the figures, and warnings are above.
    ...notes
      .filter(({ isFigure, isWarning }) => isFigure !== true && isWarning !== true)
      .flatMap((note) => note.lines()),
    ...work.map(({ name, ends }) => [t('When {0} ends', name), ends] as const),
    [t('In use'), isUsed ? t('by windows, terminals, ports or work of this computer') : undefined],
    [
      t('Schedule'),
      hasEnd || !isCharged ? undefined : t('none: you are charged until you stop or destroy it'),
    ],
  ] as const;
  return factsSection('status', t('Status'), facts, buttons);
}

export function subtitleOf(instance: Instance): string {
  return [`#${instance.id}`, gpuText(instance), placeText(instance.location ?? '')]
    .map((part) => plainLabel(part ?? ''))
    .filter((part) => part !== '')
    .join(' · ');
}

function gpuText({ gpuName, gpuCount }: Instance): string | undefined {
  return gpuName === undefined ? undefined : `${gpuCount ?? 1}× ${gpuName}`;
}
