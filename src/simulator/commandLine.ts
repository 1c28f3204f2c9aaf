import type { SimulatorOptions } from './options';

/** The command line can't be used; the text states why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const usage = `Usage: npm run simulator -- [options]

  --port N             port on the loopback address; 0 picks a free one (8787)
  --api-key KEY        full key of the first account; also from SIMULATOR_API_KEY, or made up and printed
  --seed N             which market (1)
  --speed N            boots pass N times as fast; money and dates do not (1)
  --state FILE         keep the state, sealed with the API key
  --plain-state        keep it readable
  --instances DIR      folders of the instances (beside the state, or temporary)
  --credit N           dollars of the first account (25)
  --no-limits          no least times between two calls
  --minimal-records    records carry only the documented fields and the id
  --deprecated-list    the v0 list of instances answers deprecated_endpoint
  --no-ssh             instances without an SSH server
  --idle-exit SECONDS  end when nobody has been there for so long
`;

interface Values {
  numbers: Map<string, number>;
  texts: Map<string, string>;
  flags: Set<string>;
}

const numberFlags = ['--port', '--seed', '--speed', '--credit', '--idle-exit'];
const textFlags = ['--api-key', '--state', '--instances'];
const bareFlags = [
  '--no-limits',
  '--no-ssh',
  '--plain-state',
  '--minimal-records',
  '--deprecated-list',
  '--help',
];

/** The options of a command line, or `help`. @throws UsageError for anything that is not understood. */
export function parseCommandLine(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
): SimulatorOptions | 'help' {
  const { numbers, texts, flags } = readValues(args);
  if (flags.has('--help')) {
    return 'help';
  }
  const apiKey = texts.get('--api-key') ?? environment['SIMULATOR_API_KEY'];
  return {
    port: numbers.get('--port') ?? 8787,
    sshServer: !flags.has('--no-ssh'),
    limits: !flags.has('--no-limits'),
    plainState: flags.has('--plain-state'),
    minimalRecords: flags.has('--minimal-records'),
    deprecatedList: flags.has('--deprecated-list'),
    ...optional('apiKey', apiKey),
    ...optional('seed', numbers.get('--seed')),
    ...optional('speed', numbers.get('--speed')),
    ...optional('credit', numbers.get('--credit')),
    ...optional('idleExitSeconds', numbers.get('--idle-exit')),
    ...optional('stateFile', texts.get('--state')),
    ...optional('instancesDir', texts.get('--instances')),
  };
}

function readValues(args: readonly string[]): Values {
  const values: Values = { numbers: new Map(), texts: new Map(), flags: new Set() };
  const rest = args.flatMap((arg) => {
    const equals = arg.indexOf('=');
    return arg.startsWith('--') && equals > 0 ? [arg.slice(0, equals), arg.slice(equals + 1)] : [arg];
  });
  while (rest.length > 0) {
    const name = rest.shift() ?? '';
    if (bareFlags.includes(name)) {
      values.flags.add(name);
      continue;
    }
    if (!numberFlags.includes(name) && !textFlags.includes(name)) {
      throw new UsageError(`Unknown option ${name}.`);
    }
    const value = rest.shift();
    if (value === undefined || value === '') {
      throw new UsageError(`${name} needs a value.`);
    }
    if (textFlags.includes(name)) {
      values.texts.set(name, value);
    } else {
      values.numbers.set(name, readNumber(name, value));
    }
  }
  return values;
}

function readNumber(name: string, value: string): number {
  const parsed = Number(value);
  const isFine = Number.isFinite(parsed) && parsed >= 0 && (name !== '--port' || parsed <= 65_535);
  if (!isFine || (name === '--speed' && parsed === 0)) {
    throw new UsageError(`${name} cannot be ${value}.`);
  }
  return parsed;
}

function optional<K extends string, V>(name: K, value: V | undefined): Partial<Record<K, V>> {
  // The record has exactly this name or none.
  return value === undefined ? {} : ({ [name]: value } as Partial<Record<K, V>>);
}
