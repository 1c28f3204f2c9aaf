import { defined } from '../../util/defined';
import { BodyReader, isObject } from '../body';
import { ServiceError } from '../route';
import { containerPort } from './envFlags';
import type { MergedRent, RentRequest } from './rentMerge';

export interface ParsedRent {
  readonly request: RentRequest;
  readonly templateHash: string | undefined;
  readonly targetState: 'running' | 'stopped';
  readonly price: number | undefined;
  readonly cancelUnavailable: boolean;
  readonly vm: boolean;
  readonly utf8: boolean;
  readonly volumeInfo: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The interface description decides where the public documentation has another limit
 * (docs/service/README.md#which-source-decides).
 */
const longestOnstart = 4048;
/** The limit at creation (docs/service/limits.md#sizes). */
const longestLabel = 256;
const longestImage = 1024;
const mostPorts = 64;
const longestEnv = 32_768;
const longestEnvEntry = 256;
/** In GB. */
const leastDisk = 8;
const lowestPrice = 0.001;
const highestPrice = 128;

const invalid = (message: string) => new ServiceError(400, 'invalid_args', message);

/** Reads the body of PUT asks and ignores fields of other clients (docs/service/renting.md#request). */
export function parseRentBody(body: unknown): ParsedRent {
  const reader = BodyReader.of(body);
  const targetState = reader.text('target_state') ?? 'running';
  if (targetState !== 'running' && targetState !== 'stopped') {
    throw invalid(`Invalid target_state ${targetState}.`);
  }
  const price = reader.number('price');
  if (price !== undefined && (price < lowestPrice || price > highestPrice)) {
    throw new ServiceError(
      400,
      'invalid_price',
      `The price must be between ${lowestPrice} and ${highestPrice}.`,
    );
  }
  return {
    request: readRequest(reader),
    templateHash: reader.text('template_hash_id'),
    targetState,
    price,
    cancelUnavailable: reader.flag('cancel_unavail') ?? false,
    vm: reader.flag('vm') ?? false,
    utf8: (reader.flag('python_utf8') ?? false) || (reader.flag('lang_utf8') ?? false),
    volumeInfo: reader.object('volume_info'),
  };
}

function readRequest(reader: BodyReader): RentRequest {
  const argsText = reader.text('args_str');
  const argsList: unknown = reader.fields['args'];
  return defined<RentRequest>({
    image: reader.text('image'),
    disk: reader.number('disk'),
    label: reader.text('label'),
    runtype: reader.text('runtype') || undefined,
    env: readEnv(reader),
    onstart: reader.text('onstart'),
    args: Array.isArray(argsList) ? argsList.map(String) : argsText ? [argsText] : undefined,
    useJupyterLab: reader.flag('use_jupyter_lab'),
    jupyterDir: reader.text('jupyter_dir'),
    imageLogin: reader.text('image_login'),
    extraFilters: readExtraFilters(reader),
  });
}

function readEnv(reader: BodyReader): Readonly<Record<string, string>> | undefined {
  const env = reader.object('env');
  return (
    env &&
    Object.fromEntries(
      Object.entries(env).map(([name, value]) => {
        if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
          throw invalid(`Invalid value for env ${name}: it must be text.`);
        }
        return [name, String(value)];
      }),
    )
  );
}

/** Filters are an object or the JSON text of one (docs/service/templates.md#record). */
function readExtraFilters(reader: BodyReader): Readonly<Record<string, unknown>> | undefined {
  const value = reader.fields['extra_filters'];
  if (typeof value !== 'string') {
    return reader.object('extra_filters');
  }
  try {
    const parsed: unknown = JSON.parse(value);
    if (isObject(parsed)) {
      return parsed;
    }
  } catch {
    // Refused below, like any other text that is no object.
  }
  throw invalid('Invalid value for extra_filters: it must be an object.');
}

/**
 * Checks the limits of the merged rental, template included.
 * @throws ServiceError 400.
 */
export function checkMerged(
  merged: MergedRent,
  request: RentRequest,
): asserts merged is MergedRent & {
  readonly image: string;
} {
  if (merged.image === undefined || merged.image.trim() === '') {
    throw invalid('Either image or template_hash_id is required.');
  }
  if (merged.image.length > longestImage || /\s/.test(merged.image)) {
    throw invalid('The image name is not valid.');
  }
  if ((request.label ?? '').length > longestLabel) {
    throw invalid(`The label may have ${longestLabel} characters.`);
  }
  if ((merged.onstart ?? '').length > longestOnstart) {
    throw invalid(`onstart may have ${longestOnstart} characters.`);
  }
  if (merged.diskGb < leastDisk) {
    throw invalid(`disk must be at least ${leastDisk} GB.`);
  }
  if (merged.access.ssh && (request.args ?? []).length > 0) {
    throw invalid('args_str goes with runtype args only.');
  }
  if (Object.keys(merged.env).filter((key) => containerPort(key) !== undefined).length > mostPorts) {
    throw invalid(`At most ${mostPorts} ports can be opened.`);
  }
  const long = Object.entries(merged.env).find(
    ([name, value]) => `${name}=${value}`.length > longestEnvEntry,
  );
  if (long) {
    throw invalid(`An entry of env may have ${longestEnvEntry} characters, and ${long[0]} has more.`);
  }
  if (JSON.stringify(merged.env).length > longestEnv) {
    throw invalid(`The environment may have ${longestEnv} characters.`);
  }
}
