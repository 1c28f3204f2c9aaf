import { findGpuModels } from './gpuModels';
import { numberNames, own } from './typedNames';
import { inSigns } from './typedPhrases';

const operators = '<=|>=|=<|=>|<|>|≤|≥';
const looseOperator = new RegExp(`\\s*(${operators})\\s*`, 'g');
const looseUnit =
  /(^|[\s<>=≤≥])(\d{1,3}(?:\.\d+)?|\d{4,5}(?=\s+(?:mbit|mbps|gb\s+(?:disk|storage|ssd|ram))\b))\s+(gb|tb|gib|mbit|gbit|mbps|gbps|days?|weeks?|months?|[dw]|%)(?=\s|$)/g;

type LooseUnit = [before: string, number: string, unit: string, at: number, whole: string];

/** True for the days of `cores >=32 days >=7`, which are no unit of the cores. */
function isNextName(unit: string, before: string, after: string): boolean {
  // A name that follows its number, as in `2gpus`, has none of its own to come.
  const [, name = ''] = /(?<![a-z_\d])([a-z_]+) ?[<>=≤≥:]* ?$/.exec(before) ?? [];
  const areNames = [unit, name].every((word) => word.length > 1 && own(numberNames, word) !== undefined);
  return areNames && /^\s*[<>=≤≥:]/.test(after);
}

/**
 * Converts to lower case, joins operators and units with their number, and splits `2x4090`, `4090x2` and `4090<0.8`. What
 * is typed without a space belongs together: `24gb ram<64` has two numbers, and `24gb ram <0.8` has a price.
 */
export function tokenize(line: string, models: readonly string[]): readonly string[] {
  return inSigns(line)
    .replace(looseOperator, (found: string, operator: string, at: number, whole: string) =>
      found.startsWith(operator) &&
      own(numberNames, /(?<![a-z_])[a-z_]*$/.exec(whole.slice(0, at))?.[0] ?? '')
        ? operator
        : ` ${operator}`,
    )
    .replace(looseUnit, (found: string, ...[before, number, unit, at, whole]: LooseUnit) =>
      isNextName(unit, whole.slice(0, at + before.length), whole.slice(at + found.length))
        ? found
        : `${before}${number}${unit}`,
    )
    .split(/[\s;|]+|,(?!\d)|(?<=\d{4}[a-z]{0,3})[,/](?=\d)/)
    .flatMap((token) => splitCount(token, models))
    .flatMap((token) => splitMemory(token, models))
    .filter((token) => token !== '');
}

/** Splits `2x4090`, `4090x2` and `a100:8`. */
function splitCount(token: string, models: readonly string[]): readonly string[] {
  const [, before, after = ''] = /^(\d{1,2})[x×*](.+)$/.exec(token) ?? [];
  if (before !== undefined && (/^[a-z]*\d{2,}/.test(after) || findGpuModels(after, models).length > 0)) {
    return [`x${before}`, after];
  }
  const [, name = '', sign, count = ''] = /^(.+)([x×*:])(\d{1,2})$/.exec(token) ?? [];
  const isModel = splitMemory(name, models).length > 1 || findGpuModels(name, models).length > 0;
  return isModel || (sign !== ':' && /^[a-z]*\d{2,}[a-z]*$/.test(name)) ? [name, `x${count}`] : [token];
}

/** Splits `a100-80gb` and `A100-SXM4-80GB`, as drivers and clouds name a card with its memory. */
function splitMemory(token: string, models: readonly string[]): readonly string[] {
  const [, name = '', memory = ''] = /^(.+)[-_](\d{1,3}g(?:i?b)?)$/.exec(token) ?? [];
  return findGpuModels(name, models).length > 0 ? [name, memory] : [token];
}
