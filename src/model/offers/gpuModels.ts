/**
 * GPU models as the market spells them, newest first. The list only helps with typing and choosing. Other models are
 * found by the names in the answers and by free text.
 */
export const knownGpuModels: readonly string[] = [
  'RTX 5090',
  'RTX 5080',
  'RTX 5070 Ti',
  'RTX 5070',
  'RTX 5060 Ti',
  'RTX 5060',
  'RTX PRO 6000 WS',
  'RTX PRO 6000 S',
  'RTX PRO 5000',
  'RTX PRO 4500',
  'RTX PRO 4000',
  'B200',
  'B300',
  'GH200 SXM',
  'H200',
  'H200 NVL',
  'H100 SXM',
  'H100 NVL',
  'H100 PCIE',
  'A100 SXM4',
  'A100 PCIE',
  'A100X',
  'A800 PCIE',
  'L40S',
  'L40',
  'L4',
  'A40',
  'A30',
  'A16',
  'A10',
  'A10G',
  'A2',
  'RTX 4090',
  'RTX 4090D',
  'RTX 4080S',
  'RTX 4080',
  'RTX 4070S Ti',
  'RTX 4070 Ti',
  'RTX 4070S',
  'RTX 4070',
  'RTX 4060 Ti',
  'RTX 4060',
  'RTX 6000Ada',
  'RTX 5880Ada',
  'RTX 5000Ada',
  'RTX 4500Ada',
  'RTX 4000Ada',
  'RTX 2000Ada',
  'RTX A6000',
  'RTX A5500',
  'RTX A5000',
  'RTX A4500',
  'RTX A4000',
  'RTX A2000',
  'RTX 3090 Ti',
  'RTX 3090',
  'RTX 3080 Ti',
  'RTX 3080',
  'RTX 3070 Ti',
  'RTX 3070',
  'RTX 3060 Ti',
  'RTX 3060',
  'RTX 3060 laptop',
  'RTX 3050',
  'Tesla V100',
  'Tesla T4',
  'Tesla P100',
  'Tesla P40',
  'Tesla P4',
  'Tesla M40',
  'Tesla K80',
  'Q RTX 8000',
  'Q RTX 6000',
  'Q RTX 5000',
  'Q RTX 4000',
  'Quadro P6000',
  'Quadro P5000',
  'Quadro P4000',
  'Titan RTX',
  'Titan V',
  'Titan Xp',
  'RTX 2080 Ti',
  'RTX 2080S',
  'RTX 2080',
  'RTX 2070S',
  'RTX 2070',
  'RTX 2060S',
  'RTX 2060',
  'GTX 1660 Ti',
  'GTX 1660 S',
  'GTX 1660',
  'GTX 1650',
  'GTX 1080 Ti',
  'GTX 1080',
  'GTX 1070 Ti',
  'GTX 1070',
  'GTX 1060',
  'InstinctMI300X',
  'InstinctMI250X',
  'InstinctMI210',
  'InstinctMI100',
  'RX 7900 XTX',
  'PRO W7900',
];

/** Names of makers and series that users often omit. */
const leadWords = [
  'nvidia',
  'geforce',
  'rtxpro',
  'qrtx',
  'rtx',
  'gtx',
  'tesla',
  'quadro',
  'titan',
  'instinct',
  'amd',
  'radeon',
  'rx',
  'q',
];
/** Variants of one model. A user who types the model means all of them. */
const buildWords = ['sxm', 'pcie', 'nvl', 'ws', 's'];
/** Only these models have variants: an RTX 4080S is another model than an RTX 4080. */
const hasBuilds = /^(?:[abhv]\d{3}|gh200|(?:rtx)?pro\d{4})/;

/** Normalizes a name: `RTX_4090`, `rtx 4090` and `RTX4090` become the same text. */
function normalizeGpuName(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]/g, '')
      .replace('super', 's')
      // Clouds and drivers number the socket, the market does not always.
      .replace(/sxm\d/, 'sxm')
      // The market writes 4070S Ti for a 4070 Ti Super.
      .replace(/tis$/, 'sti')
  );
}

/** Returns the name itself, and the name without its possible first words, of which there may be several. */
function leadForms(normal: string): readonly string[] {
  const shorter = leadWords
    .filter((word) => normal.startsWith(word) && normal.length > word.length + 1)
    .map((word) => normal.slice(word.length));
  return [normal, ...shorter.flatMap(leadForms)];
}

function buildForms(normal: string): readonly string[] {
  const build = hasBuilds.test(normal) ? buildWords.find((word) => normal.endsWith(word)) : undefined;
  return build === undefined ? [normal] : [normal, normal.slice(0, -build.length)];
}

interface Spelled {
  readonly name: string;
  /** The whole name, with and without its build. */
  readonly direct: readonly string[];
  /** Also without its first words. */
  readonly all: readonly string[];
}

/** Each keystroke compares every part of the line with every model. */
// eslint-disable-next-line house/module-state -- A cache of what depends on its key alone.
const spelled = new WeakMap<readonly string[], readonly Spelled[]>();

function spellings(models: readonly string[]): readonly Spelled[] {
  const known = spelled.get(models);
  const found =
    known ??
    [...new Set(models)].map((name) => {
      const normal = normalizeGpuName(name);
      return { name, direct: buildForms(normal), all: leadForms(normal).flatMap(buildForms) };
    });
  spelled.set(models, found);
  return found;
}

/**
 * Returns the models that a typed name means: `4090` is the RTX 4090 and not the 4090D, `h100` is all three variants.
 * Empty if no model matches.
 */
export function findGpuModels(typed: string, models: readonly string[] = knownGpuModels): readonly string[] {
  const wanted = normalizeGpuName(typed);
  if (wanted.length < 2) {
    return [];
  }
  const all = spellings(models);
  const namesOf = (fits: (one: Spelled) => boolean) => all.filter(fits).map(({ name }) => name);
  // "H200" is both a model and the first part of another name, so it means both.
  const direct = namesOf((one) => one.direct.includes(wanted));
  if (direct.length > 0) {
    return direct;
  }
  const named = (forms: readonly string[]) => {
    const wantedForms = forms.flatMap(leadForms).filter((form) => form.length > 1);
    return namesOf((one) => one.all.some((form) => wantedForms.includes(form)));
  };
  const found = named([wanted]);
  // `v100 sxm2` where the market names no build, and `4090s` for several.
  return found.length > 0 ? found : named([wanted.replace(/(?:sxm|pcie)$/, ''), wanted.replace(/s$/, '')]);
}
