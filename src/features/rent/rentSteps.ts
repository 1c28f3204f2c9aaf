import * as vscode from 'vscode';
import type { Client } from '../../api/client';
import { localize, t } from '../../editor/localize';
import { askText, pickFromList, type StepAnswer, type Row, type StepTitle } from '../../editor/quickPick';
import { formatMoney } from '../../model/money';
import { quoteOffer, readStay } from '../../model/quote';
import { spanOfEnd, type AgreedEnd } from '../../model/rentals/agreedEnd';
import { stoppedText } from '../../model/rentals/costFacts';
import type { Runtype } from '../../model/rentals/rent';
import type { RentFlow } from '../../model/rentals/rentFlow';
import {
  bidProblem,
  diskProblem,
  effectiveRuntype,
  imageProblem,
  offeredRuntypes,
  plannedDiskGb,
  portShortage,
  readBid,
  readDiskGb,
  runtypeMeaning,
  runtypeName,
  suggestBids,
  templateRuntype,
  type RentChoices,
} from '../../model/rentals/rentPlan';
import type { LastRental } from '../../store/rentals/lastRental';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import type { RentSecrets } from './loginOption';
import { templateOf, templateRow, type TemplateChoices, type TemplatePick } from './templateRows';

/** The answer to a step: choices to set, or to reset to their defaults. */
export interface StepResult {
  readonly set?: Partial<RentChoices>;
  readonly unset?: readonly Exclude<keyof RentChoices, 'source'>[];
}

export interface StepDeps {
  readonly templates: () => Promise<TemplateChoices>;
  readonly client: Client;
  /** Images that were used before, latest first. */
  readonly recentImages: readonly string[];
  readonly volumes: Client['volumes'] | undefined;
  readonly secrets: RentSecrets;
}

/** Popular base images. */
const usualImages = [
  'pytorch/pytorch:latest',
  'nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04',
  'tensorflow/tensorflow:latest-gpu',
  'ubuntu:24.04',
];

export const firstImage = usualImages[0] ?? 'pytorch/pytorch:latest';

function titled(flow: RentFlow, title: string): StepTitle {
  return {
    title,
    step: flow.position,
    totalSteps: flow.steps.length,
    canGoBack: true,
    canSkip: true,
  };
}

function done<T>(answer: StepAnswer<T>, result: (value: T) => StepResult): StepAnswer<StepResult> {
  return answer.kind === 'picked' ? { kind: 'picked', value: result(answer.value) } : answer;
}

type SourcePick = { readonly image: string } | { readonly template: TemplatePick };

export async function sourceStep(flow: RentFlow, deps: StepDeps): Promise<StepAnswer<StepResult>> {
  const current = flow.choices.source;
  const own = current.kind === 'image' ? [current.image] : [];
  const images = [...new Set([...own, ...deps.recentImages, ...usualImages])].map(
    (image): Row<SourcePick> => ({
      id: `image:${image}`,
      label: plainLabel(image),
      description: t('image'),
      value: { image },
    }),
  );
  const templates = (await deps.templates()).rows.map(({ value, ...row }): Row<SourcePick> => ({
    ...row,
    ...(value === undefined ? {} : { value: { template: value } }),
  }));
  const activeId = current.kind === 'image' ? `image:${current.image}` : `template:${current.template.id}`;
  const listed: readonly Row<SourcePick>[] = [...images, ...templates];
  // An Enter keeps the present choice, so it always has a row.
  const all =
    current.kind === 'image' || listed.some(({ id }) => id === activeId)
      ? listed
      : [{ ...templateRow(current.template), value: { template: current.template } }, ...listed];
  const steps = titled(flow, t('Rent: {0}', t('Template')));
  const answer = await pickFromList<SourcePick>({
    ...steps,
    placeholder: t('What should run on the machine? Choose, or type an image path.'),
    rows: (typed) => {
      const image = typed.trim();
      const known = all.some((one) => one.label === image);
      return image === '' || known || imageProblem(image) !== undefined
        ? all
        : [
            ...all,
            {
              id: 'typed',
              label: t('Use the Image {0}', plainLabel(image)),
              alwaysShow: true,
              value: { image },
            },
          ];
    },
    activeId,
  });
  if (answer.kind !== 'picked') {
    return answer;
  }
  const { value } = answer;
  if ('image' in value) {
    return { kind: 'picked', value: { set: { source: { kind: 'image', image: value.image } } } };
  }
  const chosen = await templateOf(value.template, deps.client, steps);
  return chosen.kind === 'back'
    ? sourceStep(flow, deps)
    : done(chosen, (template) => ({ set: { source: { kind: 'template', template } } }));
}

export async function diskStep(flow: RentFlow): Promise<StepAnswer<StepResult>> {
  const gb = plannedDiskGb(flow.choices);
  const costOf = (size: number): string | undefined => {
    const { rentalType, diskGb } = flow.query;
    const { stopped } = quoteOffer(flow.offer, { rentalType, diskGb: size, searchedDiskGb: diskGb });
    return stopped === undefined ? undefined : localize(stoppedText(stopped));
  };
  const answer = await askText({
    ...titled(flow, t('Rent: {0}', t('Disk'))),
    prompt: t(
      "GB of disk. Storage costs money even while the instance is stopped. The size can't be changed later.",
    ),
    placeholder: t('GB'),
    value: String(gb),
    problem: (typed) => {
      const problem = diskProblem(typed, flow.offer);
      if (problem) {
        return problem;
      }
      const cost = costOf(readDiskGb(typed));
      return cost === undefined
        ? undefined
        : { message: t('Stopped: {0}', cost), severity: vscode.InputBoxValidationSeverity.Info };
    },
  });
  return done(answer, (typed) => {
    const chosen = readDiskGb(typed);
    return chosen === gb && flow.choices.diskGb === undefined ? {} : { set: { diskGb: chosen } };
  });
}

/** Asks for the usage that the estimate assumes. Opened from the confirmation, to which it returns. */
export async function askStay(rents: LastRental, flow: RentFlow): Promise<void> {
  const { hours, downGb, upGb } = rents.stay;
  const answer = await askText({
    ...titled(flow, t('Rent: {0}', t('Estimate'))),
    canSkip: false,
    prompt: t('Hours, GB downloaded and GB uploaded, such as 8 h, 50 GB, 2 GB.'),
    value: t('{0} h, {1} GB, {2} GB', hours, downGb, upGb),
    problem: (typed) => (readStay(typed) ? undefined : t('Type hours, GB down and GB up, such as 8, 50, 2.')),
  });
  const stay = answer.kind === 'picked' ? readStay(answer.value) : undefined;
  if (stay) {
    await rents.keepStay(stay);
  }
}

const idleChoices = [15, 30, 60, 120, 480];
const dayChoices = [1, 3, 7, 30];

/** Asks for one of the two numbers of the end. Opened from the confirmation, to which it returns. */
export async function askEnd(flow: RentFlow): Promise<Partial<AgreedEnd> | undefined> {
  const { end } = flow.choices;
  const rows = (key: keyof AgreedEnd, choices: readonly number[]) =>
    [...new Set([...choices, end?.[key] ?? 0])]
      .filter((value) => value > 0)
      .sort((one, other) => one - other)
      .concat(0)
      .map((value): Row<Partial<AgreedEnd>> => ({
        id: `${key}:${value}`,
        ...(end?.[key] === value ? { icon: 'check' } : {}),
        label: value === 0 ? t('Never') : localize(spanOfEnd(key, value)),
        value: { [key]: value },
      }));
  const separator = (label: string): Row<Partial<AgreedEnd>> => ({
    label,
    kind: vscode.QuickPickItemKind.Separator,
  });
  const answer = await pickFromList<Partial<AgreedEnd>>({
    ...titled(flow, t('Rent: End')),
    canSkip: false,
    placeholder: t('When does the instance end by itself?'),
    rows: [
      separator(t('Stop when idle for')),
      ...rows('idleMinutes', idleChoices),
      separator(t('Destroy when stopped for')),
      ...rows('destroyAfterDays', dayChoices),
    ],
    activeId: `idleMinutes:${end?.idleMinutes ?? 0}`,
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

/** The service accepts 256 characters, including our marker (docs/service/limits.md#sizes). */
const longestLabel = 240;

export async function labelStep(flow: RentFlow): Promise<StepAnswer<StepResult>> {
  const answer = await askText({
    ...titled(flow, t('Rent: {0}', t('Label'))),
    prompt: t('A name to recognize it by. Optional.'),
    value: flow.choices.label ?? '',
    problem: (typed) =>
      typed.length > longestLabel ? t('At most {0} characters.', longestLabel) : undefined,
  });
  return done(answer, (label) => ({ set: { label: label.trim() } }));
}

type RuntypePick = Runtype | 'template';

export async function runtypeStep(flow: RentFlow): Promise<StepAnswer<StepResult>> {
  const { choices, offer } = flow;
  const { source } = choices;
  const rows: Row<RuntypePick>[] = offeredRuntypes.map((runtype) => {
    const shortage = portShortage(offer, { ...choices, runtype });
    return {
      id: runtype,
      label: localize(runtypeName(runtype)),
      description: runtype,
      detailIcon: shortage && 'warning',
      detail: shortage
        ? t('Open ports needed: {0}. This machine has {1}.', shortage.needed, shortage.has)
        : localize(runtypeMeaning(runtype)),
      value: runtype,
    };
  });
  if (source.kind === 'template') {
    const own = templateRuntype(source.template);
    rows.unshift({
      id: 'template',
      label: t('As the Template Says'),
      description: localize(runtypeName(own)),
      detail: localize(runtypeMeaning(own)),
      value: 'template',
    });
  }
  const answer = await pickFromList<RuntypePick>({
    ...titled(flow, t('Rent: {0}', t('Run type'))),
    placeholder: t('How do you want to reach the machine?'),
    rows,
    activeId: choices.runtype ?? (source.kind === 'template' ? 'template' : effectiveRuntype(choices)),
  });
  return done(answer, (picked) =>
    picked === 'template' ? { unset: ['runtype'] } : { set: { runtype: picked } },
  );
}

export async function bidStep(flow: RentFlow): Promise<StepAnswer<StepResult>> {
  const { offer, choices } = flow;
  const { bidPerHour: own } = choices;
  const limit = flow.draft.workspace?.maxBid;
  const suggested = suggestBids(offer).filter(({ bid }) => limit === undefined || bid <= limit);
  // An Enter keeps the present bid, so it always has a row.
  const isOther = own !== undefined && suggested.every(({ bid }) => bid !== own);
  const rows = [...(isOther ? [{ bid: own, meaning: text('Your bid so far') }] : []), ...suggested].map(
    ({ bid, meaning }): Row<string> => ({
      id: String(bid),
      label: t('{0}/h', formatMoney(bid)),
      detail: localize(meaning),
      value: String(bid / 1e6),
    }),
  );
  const answer = await pickFromList<string>({
    ...titled(flow, t('Rent: {0}', t('Your bid'))),
    placeholder: t('The price per hour that you bid for the GPU. Choose one, or type it.'),
    rows: (typed) => {
      if (typed.trim() === '') {
        return rows;
      }
      const problem = bidProblem(typed, offer, limit);
      return problem
        ? [{ id: 'problem', label: localize(problem), alwaysShow: true }]
        : [
            {
              id: 'typed',
              label: t('Bid {0}/h', formatMoney(readBid(typed))),
              alwaysShow: true,
              value: typed,
            },
          ];
    },
    activeId: own === undefined ? undefined : String(own),
  });
  return done(answer, (typed) => ({ set: { bidPerHour: readBid(typed) } }));
}
