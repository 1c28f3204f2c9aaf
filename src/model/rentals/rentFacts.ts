import { text, type Text } from '../../util/text';
import { formatMoney } from '../money';
import { soldGpuGb } from '../offers/gpuMemory';
import type { Offer, RentalType } from '../offers/offer';
import { placeText } from '../offers/places';
import type { Template } from '../templates/template';
import { imageWithTag } from '../templates/templateMerge';
import type { VolumeChoice } from './rent';
import {
  effectiveRuntype,
  mergedEnv,
  neededPorts,
  plannedDiskGb,
  runtypeName,
  sourceName,
  type RentChoices,
} from './rentPlan';

export type RentStep = 'source' | 'disk' | 'label' | 'runtype' | 'bid' | 'options' | 'confirm';

export interface Fact {
  readonly id: string;
  readonly label: Text;
  readonly value: Text | string;
  /** The step that can change it. */
  readonly step?: RentStep | 'stay' | 'end';
}

/** Returns a name such as "2× RTX 4090 24 GB". */
export function machineName(offer: Offer): string {
  const memory = offer.gpuRamMb === undefined ? '' : ` ${soldGpuGb(offer.gpuRamMb)} GB`;
  return `${offer.gpuCount ?? 1}× ${offer.gpuName ?? '?'}${memory}`;
}

interface Rented {
  readonly offer: Offer;
  readonly choices: RentChoices;
  readonly rentalType: RentalType;
}

/**
 * Returns what is rented after the service merged it: what comes from the template and what from the request
 * (docs/service/renting.md#template-merge).
 */
export function rentFacts({ offer, choices, rentalType }: Rented): readonly Fact[] {
  const copies = choices.count ?? 1;
  const label = choices.label?.trim();
  const { source } = choices;
  const template = templateOf(choices);
  const disk = `${plannedDiskGb(choices)} GB`;
  const runtype = runtypeName(effectiveRuntype(choices));
  return [
    {
      id: 'machine',
      label: text('Machine'),
      value:
        offer.location === undefined
          ? machineName(offer)
          : `${machineName(offer)}, ${placeText(offer.location)}`,
    },
    ...(copies > 1 ? [fact('count', text('How many'), copiesText(copies), 'options')] : []),
    fact('source', template ? text('Template') : text('Image'), sourceName(source), 'source'),
    ...(template
      ? [fact('image', text('Image'), fromTemplate(imageWithTag(template.image, template.tag)), 'source')]
      : []),
    fact(
      'disk',
      text('Disk'),
      template?.recommendedDiskGb !== undefined && choices.diskGb === undefined ? fromTemplate(disk) : disk,
      'disk',
    ),
    fact('label', text('Label'), label === undefined || label === '' ? text('none') : label, 'label'),
    fact(
      'runtype',
      text('Run type'),
      template && choices.runtype === undefined ? fromTemplate(runtype) : runtype,
      'runtype',
    ),
    ...(rentalType === 'interruptible' && choices.bidPerHour !== undefined
      ? [fact('bid', text('Your bid'), text('{0}/h', formatMoney(choices.bidPerHour)), 'bid')]
      : []),
    ...(choices.vm === true ? [fact('vm', text('Kind'), text('Virtual machine'), 'options')] : []),
    ...(choices.targetState === 'stopped'
      ? [fact('target', text('Start'), text('later, rented as stopped'), 'options')]
      : []),
    ...envFacts(choices),
    ...(neededPorts(choices) === 0
      ? []
      : [fact('ports', text('Open ports'), portsText(offer, choices), 'options')]),
    ...onstartFacts(choices),
    ...volumeFacts(choices),
    ...otherOptions(choices),
  ];
}

function templateOf({ source }: RentChoices): Template | undefined {
  return source.kind === 'template' ? source.template : undefined;
}

function fromTemplate(value: Text | string): Text {
  return text('{0} (from the template)', value);
}

/**
 * Lists variables: the template's are kept, and the same name in the request wins (docs/service/renting.md#template-merge).
 * Values may be secrets.
 */
function envFacts(choices: RentChoices): readonly Fact[] {
  const env = mergedEnv(choices);
  const names = (from: 'template' | 'here') =>
    env
      .filter((one) => one.from === from)
      .map(({ name }) => name)
      .join(', ');
  const [template, here] = [names('template'), names('here')];
  if (env.length === 0) {
    return [];
  }
  const value =
    template === ''
      ? here
      : here === ''
        ? fromTemplate(template)
        : text('{0}; {1}', fromTemplate(template), here);
  return [fact('env', text('Environment'), value, 'options')];
}

/** Returns the length of a text that is not shown. */
export function charactersText(count: number): Text {
  return count === 1 ? text('1 character') : text('{0} characters', count);
}

function onstartFacts(choices: RentChoices): readonly Fact[] {
  const given = templateOf(choices)?.onstart ?? '';
  const own = choices.onstart;
  if (own === undefined && given === '') {
    return [];
  }
  const length = charactersText((own ?? given).length);
  const value =
    own === undefined
      ? fromTemplate(length)
      : given === ''
        ? length
        : text('{0}, in place of the template’s', length);
  return [fact('onstart', text('On-start script'), value, 'options')];
}

/** Lists the volumes of the request; a template's volume has no effect (docs/service/renting.md#template-merge). */
function volumeFacts(choices: RentChoices): readonly Fact[] {
  const { volume } = choices;
  const isNamed = Object.keys(templateOf(choices)?.volumeInfo ?? {}).length > 0;
  if (volume === undefined && !isNamed) {
    return [];
  }
  const value = volume ? volumeText(volume) : text('none: the service ignores the volume of a template');
  return [fact('volume', text('Volume'), value, 'options')];
}

/** Returns options that few rentals set; of a login only its presence is shown. */
function otherOptions(choices: RentChoices): readonly Fact[] {
  const { args, imageLogin, jupyterDir, langUtf8, pythonUtf8, useJupyterLab } = choices;
  const template = templateOf(choices);
  const runtype = effectiveRuntype(choices);
  const isJupyter = runtype.startsWith('jupyter');
  const utf8 = [...(pythonUtf8 === true ? ['Python'] : []), ...(langUtf8 === true ? ['LANG'] : [])];
  /** Prefers our value over the template's. */
  const one = (id: string, label: Text, own: string | undefined, given: string | null | undefined) => {
    const value = own ?? (given ? fromTemplate(given) : undefined);
    return value === undefined ? [] : [fact(id, label, value, 'options')];
  };
  const lab = (uses: boolean | undefined) => (uses === true ? 'JupyterLab' : undefined);
  return [
    ...(runtype === 'args' ? one('args', text('Arguments'), args, template?.argsStr) : []),
    ...(useJupyterLab === false
      ? []
      : one(
          'lab',
          text('Notebook'),
          lab(useJupyterLab),
          isJupyter ? lab(template?.useJupyterLab) : undefined,
        )),
    ...one('jupyterDir', text('Jupyter starts in'), jupyterDir, isJupyter ? template?.jupyterDir : undefined),
    // The template's login is used (docs/service/renting.md#template-merge).
    ...(imageLogin !== undefined
      ? [fact('login', text('Registry login'), text('set'), 'options')]
      : template?.dockerLoginRepo
        ? [fact('login', text('Registry login'), fromTemplate(text('set')), 'options')]
        : []),
    ...(utf8.length === 0 ? [] : [fact('utf8', text('UTF-8'), utf8.join(', '), 'options')]),
  ];
}

function fact(id: string, label: Text, value: Text | string, step: RentStep): Fact {
  return { id, label, value, step };
}

function volumeText({ kind, mountPath, sizeGb, name, volumeId }: VolumeChoice): Text {
  if (kind === 'link') {
    return name === undefined
      ? text('V.{0} at {1}', volumeId, mountPath)
      : text('{0} (V.{1}) at {2}', name, volumeId, mountPath);
  }
  return name === undefined
    ? text('a new one of {0} GB at {1}', sizeGb ?? '?', mountPath)
    : text('{0}, a new one of {1} GB at {2}', name, sizeGb ?? '?', mountPath);
}

function portsText(offer: Offer, choices: RentChoices): Text {
  return offer.directPorts === undefined
    ? text('{0} needed', neededPorts(choices))
    : text('{0} needed, {1} available', neededPorts(choices), offer.directPorts);
}

/** Copies keep to the price of one while it runs; other charges of their hosts are unknown. */
function copiesText(copies: number): Text {
  return text('{0}; other hosts may charge more for storage and traffic', copies);
}
