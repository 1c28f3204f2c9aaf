import { defined } from '../../util/defined';
import { scriptLines } from '../../util/scriptLines';
import { text, type Text } from '../../util/text';
import { typedNumber } from '../../util/typedNumber';
import { parsePort } from '../documents/envFlags';
import { readableEnv } from '../documents/envObject';
import { formatMoney, fromDollars, times, type Micros } from '../money';
import type { Offer, RentalType } from '../offers/offer';
import { usualDiskGb } from '../offers/savedSearches';
import { highestBid, lowestBid } from '../quote';
import type { Template } from '../templates/template';
import { endOfTemplate } from '../templates/templateEnd';
import type { AgreedEnd } from './agreedEnd';
import { runtypes, type RentConfig, type Runtype } from './rent';

export type RentSource =
  | { readonly kind: 'image'; readonly image: string }
  | { readonly kind: 'template'; readonly template: Template };

/** The user's choices so far; a missing member keeps its default or the template's value. */
export interface RentChoices extends Omit<RentConfig, 'templateHash' | 'image'> {
  readonly source: RentSource;
  /** The price of the volume to create; its data and cost outlive the instance. */
  readonly volumePerGbMonth?: Micros;
  /** When the machine ends by itself. */
  readonly end?: AgreedEnd;
  /** The number of copies to rent, each on a separate machine. */
  readonly count?: number;
}

/** See docs/service/limits.md#sizes. */
const defaultTemplateDiskGb = 8;
/**
 * The service refuses a smaller disk, and the size is fixed after creation (docs/service/limits.md#sizes).
 */
export const leastDiskGb = 8;
export const mostCopies = 8;
/** The default mount path of a volume. */
export const usualMountPath = '/data';

/** Returns the disk size in GB that will be sent. */
export function plannedDiskGb(choices: RentChoices): number {
  if (choices.diskGb !== undefined) {
    return choices.diskGb;
  }
  return choices.source.kind === 'template'
    ? Math.max(leastDiskGb, choices.source.template.recommendedDiskGb ?? defaultTemplateDiskGb)
    : usualDiskGb;
}

/**
 * Returns the run type that a template leads to, or that the record of an instance states, `args` where it states none
 * (docs/service/templates.md#record).
 */
export function templateRuntype(
  template: Pick<Template, 'runtype' | 'jupDirect' | 'sshDirect' | 'useSsh'>,
): Runtype {
  const words = (template.runtype ?? '').split(/\s+/);
  const direct = (flag: boolean | undefined, word: string) =>
    flag === true || words.includes(word) || words.includes(`${word}t`);
  if (words.some((word) => word.startsWith('jupyter'))) {
    return direct(template.jupDirect, 'jupyter_direc') ? 'jupyter_direct' : 'jupyter_proxy';
  }
  if (words.some((word) => word.startsWith('ssh')) || (words.join('') === '' && template.useSsh === true)) {
    return direct(template.sshDirect, 'ssh_direc') ? 'ssh_direct' : 'ssh_proxy';
  }
  return 'args';
}

/** Returns the run type of the instance, from the choices or the template. */
export function effectiveRuntype(choices: Pick<RentChoices, 'source' | 'runtype'>): Runtype {
  return (
    choices.runtype ??
    (choices.source.kind === 'template' ? templateRuntype(choices.source.template) : 'ssh_direct')
  );
}

/** Returns the end that the template of a rental asks for. */
export function wishOfTemplate({ source }: Pick<RentChoices, 'source'>): Partial<AgreedEnd> {
  return source.kind === 'template' ? endOfTemplate(source.template.env) : {};
}

/** Returns whether a run type allows no login. */
export function lacksShell(runtype: Runtype): boolean {
  return runtype === 'args';
}

/**
 * Returns the script of the template if a shell on the machine can't read it as it is; the one of the request wins
 * (docs/service/renting.md#template-merge).
 */
function mendedScript({ source }: RentChoices): string | undefined {
  const script = source.kind === 'template' ? (source.template.onstart ?? '') : '';
  const mended = scriptLines(script);
  return mended === script ? undefined : mended;
}

/** Returns the request to the service: with a template, only changed fields and the disk. */
export function planRent(choices: RentChoices, rentalType: RentalType): RentConfig {
  const { source } = choices;
  const runtype = choices.runtype ?? (source.kind === 'image' ? 'ssh_direct' : undefined);
  const label = choices.label?.trim();
  return defined<RentConfig>({
    ...(source.kind === 'template'
      ? { templateHash: source.template.hashId, templateId: source.template.id }
      : { image: source.image }),
    diskGb: plannedDiskGb(choices),
    label: label === '' ? undefined : label,
    runtype,
    targetState: choices.targetState === 'stopped' ? 'stopped' : undefined,
    bidPerHour: rentalType === 'interruptible' ? choices.bidPerHour : undefined,
    env: Object.keys(choices.env ?? {}).length === 0 ? undefined : choices.env,
    onstart: choices.onstart ?? mendedScript(choices),
    args: effectiveRuntype(choices) === 'args' ? choices.args : undefined,
    useJupyterLab: choices.useJupyterLab,
    jupyterDir: choices.jupyterDir,
    pythonUtf8: choices.pythonUtf8,
    langUtf8: choices.langUtf8,
    imageLogin: choices.imageLogin,
    cancelUnavailable: choices.cancelUnavailable,
    vm: choices.vm === true ? true : undefined,
    volume: choices.volume,
  });
}

export interface MergedVariable {
  readonly name: string;
  readonly value: string;
  /** `here` also if it overrides a variable of the template. */
  readonly from: 'template' | 'here';
}

/** Returns the environment as the service will merge it, without the parts of a template's that can't be read. */
export function mergedEnv(choices: RentChoices): readonly MergedVariable[] {
  const own = choices.env ?? {};
  const base = choices.source.kind === 'template' ? readableEnv(choices.source.template.env ?? '') : {};
  const kept = Object.entries(base).filter(([name]) => !Object.hasOwn(own, name));
  return [
    ...kept.map(([name, value]): MergedVariable => ({ name, value, from: 'template' })),
    ...Object.entries(own).map(([name, value]): MergedVariable => ({ name, value, from: 'here' })),
  ];
}

/** Number of ports that a run type opens on the machine (docs/service/renting.md#run-types). */
const ownPorts: Readonly<Record<Runtype, number>> = {
  ssh_direct: 1,
  ssh_proxy: 0,
  ssh: 0,
  jupyter_direct: 2,
  jupyter_proxy: 0,
  jupyter: 0,
  args: 0,
};

/** Returns how many direct ports the machine needs: those of the run type, and one per mapping. */
export function neededPorts(choices: RentChoices): number {
  const mapped = mergedEnv(choices).filter(({ name }) => parsePort(name.replace(/^-p\s+/, '')) !== undefined);
  return ownPorts[effectiveRuntype(choices)] + mapped.length;
}

/** Returns the shortage of ports; `undefined` if there are enough or the machine does not state them. */
export function portShortage(
  offer: Offer,
  choices: RentChoices,
): { readonly needed: number; readonly has: number } | undefined {
  const needed = neededPorts(choices);
  return offer.directPorts !== undefined && offer.directPorts < needed
    ? { needed, has: offer.directPorts }
    : undefined;
}

export function runtypeName(runtype: Runtype): Text {
  const names: Readonly<Record<Runtype, Text>> = {
    ssh_direct: text('SSH, direct'),
    ssh_proxy: text('SSH, through the service'),
    ssh: text('SSH, through the service'),
    jupyter_direct: text('Jupyter and SSH, direct'),
    jupyter_proxy: text('Jupyter and SSH, through the service'),
    jupyter: text('Jupyter and SSH, through the service'),
    args: text('The image as it is, without SSH'),
  };
  return names[runtype];
}

export function runtypeMeaning(runtype: Runtype): Text {
  const meanings: Readonly<Record<Runtype, Text>> = {
    ssh_direct: text('Fastest. Needs one open port.'),
    ssh_proxy: text('Works on every machine; slower, because all traffic goes through the service.'),
    ssh: text('Works on every machine; slower, because all traffic goes through the service.'),
    jupyter_direct: text('Jupyter in the browser and SSH. Needs two open ports.'),
    jupyter_proxy: text('Jupyter in the browser and SSH on every machine; slower.'),
    jupyter: text('Jupyter in the browser and SSH on every machine; slower.'),
    args: text("Runs the image's own command. You can't log in or use Connect."),
  };
  return meanings[runtype];
}

/** The run types to choose from, without the two that are aliases of another. */
export const offeredRuntypes: readonly Runtype[] = runtypes.filter(
  (runtype) => runtype !== 'ssh' && runtype !== 'jupyter',
);

/** Describes what is rented in a few words. */
export function sourceName(source: RentSource): string {
  return source.kind === 'image' ? source.image : source.template.name;
}

/**
 * Registry, path, then a tag, a digest or both. The tag with an @ is that of the service's own images, which chooses the
 * version that fits the driver (docs/service/renting.md#images).
 */
const imagePath =
  /^[A-Za-z0-9][\w.-]*(?::\d+)?(?:\/[\w.-]+)*(?::(?:[\w.-]+|@vastai-automatic-tag))?(?:@sha(?:256:[0-9a-f]{64}|512:[0-9a-f]{128}))?$/;

/** Returns why the service would refuse an image path (docs/service/limits.md#sizes). */
export function imageProblem(image: string): Text | undefined {
  const trimmed = image.trim();
  if (trimmed === '') {
    return text('Enter an image, such as pytorch/pytorch:latest.');
  }
  if (trimmed.length > 1024 || !imagePath.test(trimmed)) {
    return text(
      'This is not an image path. Use a form such as pytorch/pytorch:latest or ghcr.io/owner/name:tag.',
    );
  }
  return undefined;
}

/** Returns why a disk size in GB can't be used on this machine. */
export function diskProblem(typed: string, offer: Offer | undefined): Text | undefined {
  const gb = typedNumber(typed.trim().replace(/(?<!\s)\s*gb$/i, ''));
  if (!Number.isFinite(gb) || typed.trim() === '') {
    return text('Enter a number.');
  }
  if (gb < leastDiskGb) {
    return text('At least {0} GB.', leastDiskGb);
  }
  const most = offer?.diskSpaceGb;
  return most !== undefined && gb > most ? text('This machine has {0} GB.', Math.floor(most)) : undefined;
}

/** Returns the whole GB that are sent: a template may recommend a fraction. */
export function readDiskGb(typed: string): number {
  return typedNumber(typed.trim().replace(/(?<!\s)\s*gb$/i, ''));
}

/** A suggested bid with its advice. */
export interface BidSuggestion {
  readonly bid: Micros;
  readonly meaning: Text;
}

/** Suggested bids in percent above the minimum; the second is the default. */
const bidMargins = [0, 10, 25] as const;

/** Returns bids from the minimum up to the on-demand price; a higher bid would make no sense. */
export function suggestBids(offer: Offer): readonly BidSuggestion[] {
  const least = offer.minBidPerHour;
  if (least === undefined) {
    return [];
  }
  const meanings: Readonly<Record<(typeof bidMargins)[number], Text>> = {
    0: text('The minimum bid; any higher bid stops your instance'),
    10: text('A tenth more: withstands small changes'),
    25: text('A quarter more: rarely stopped'),
  };
  const top = offer.gpuPerHour;
  const steps = bidMargins.map((margin) => ({
    bid: times(least, 1 + margin / 100),
    meaning: meanings[margin],
  }));
  return [
    ...steps.filter(({ bid }) => bid === least || top === undefined || bid < top),
    ...(top === undefined || top <= least
      ? []
      : [{ bid: top, meaning: text('The price on demand: renting on demand would cost no more') }]),
  ];
}

/** Returns the bid to begin with, which a workspace file may limit. */
export function defaultBid(offer: Offer, limit?: Micros): Micros | undefined {
  const suggestions = suggestBids(offer);
  const bid = (suggestions[1] ?? suggestions[0])?.bid;
  return bid !== undefined && limit !== undefined && bid > limit ? limit : bid;
}

/** Returns why the service, the machine or the workspace file would refuse a typed bid in dollars per hour. */
export function bidProblem(typed: string, offer: Offer, limit?: Micros): Text | undefined {
  const dollars = typedNumber(typed.trim().replace(/^\$/, ''));
  if (typed.trim() === '' || !Number.isFinite(dollars) || dollars <= 0) {
    return text('Enter a price per hour in dollars, such as 0.25.');
  }
  const bid = fromDollars(dollars);
  const least = offer.minBidPerHour ?? lowestBid;
  if (bid < least) {
    return text('The minimum bid for this machine is {0}/h.', formatMoney(least));
  }
  if (limit !== undefined && bid > limit) {
    return text('The workspace file allows a bid of at most {0}/h.', formatMoney(limit));
  }
  const most = highestBid(offer.gpuCount);
  return bid > most ? text('The service accepts at most {0}/h.', formatMoney(most)) : undefined;
}

export function readBid(typed: string): Micros {
  return fromDollars(typedNumber(typed.trim().replace(/^\$/, '')));
}
