import { text, type Text } from '../../util/text';
import { withoutMarker } from '../instances/instanceLabel';
import type { RentConfig } from './rent';
import type { RentChoices } from './rentPlan';

/** The choices for a rental like an earlier one, and what is lost of it. */
export interface RentAgain {
  readonly choices: Partial<RentChoices>;
  /** Names of variables and of parts that may hold secrets, which are deleted with the instance. */
  readonly lost: readonly (string | Text)[];
}

const plainParts = [
  'diskGb',
  'runtype',
  'targetState',
  'useJupyterLab',
  'jupyterDir',
  'pythonUtf8',
  'langUtf8',
  'cancelUnavailable',
  'vm',
] as const;
const secretParts = ['onstart', 'args', 'imageLogin'] as const;

const partNames: Readonly<Record<(typeof secretParts)[number], Text>> = {
  onstart: text('the on-start script'),
  args: text('the arguments'),
  imageLogin: text('the registry login'),
};

/** Returns the choices of a rental. A bid and a volume belong to one machine, so they must be chosen again. */
export function choicesOf(config: RentConfig, hasSecrets: boolean): RentAgain {
  const label = withoutMarker(config.label ?? '');
  const named = label === '' ? {} : { label };
  if (hasSecrets) {
    const env = config.env === undefined ? {} : { env: config.env };
    return { choices: { ...picked(config, [...plainParts, ...secretParts]), ...named, ...env }, lost: [] };
  }
  const names = Object.keys(config.env ?? {});
  // A port has no value, so its name restores it.
  const ports = names.filter((name) => name.startsWith('-'));
  const env = ports.length === 0 ? {} : { env: Object.fromEntries(ports.map((name) => [name, '1'])) };
  return {
    choices: { ...picked(config, plainParts), ...named, ...env },
    lost: [
      ...names.filter((name) => !name.startsWith('-')),
      ...secretParts.filter((part) => config[part] !== undefined).map((part) => partNames[part]),
    ],
  };
}

function picked(config: RentConfig, parts: readonly string[]): Partial<RentChoices> {
  return Object.fromEntries(Object.entries(config).filter(([key]) => parts.includes(key)));
}
