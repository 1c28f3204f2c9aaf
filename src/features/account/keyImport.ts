import { access, readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { homeFolder } from '../../util/thisUser';

/** A key that another tool left on this computer; it is read only if the user picks it. */
export interface ImportableKey {
  /** The location, in the user's terms. */
  readonly place: string;
  /** The host of the service that issued the key. */
  readonly service: string;
  read(): Promise<string>;
}

export class EmptyKeyError extends UserError {
  constructor(place: string) {
    super(text('There is no API key in {0}. Paste the key instead.', place), { nextStep: 'signIn' });
  }
}

/** All of these locations belong to the public service. */
const service = 'console.vast.ai';

/** Looks for `VAST_API_KEY` and the public command line's key files, without reading them. */
export async function findImportableKeys(
  env: NodeJS.ProcessEnv = process.env,
  home: string = homeFolder(),
): Promise<readonly ImportableKey[]> {
  const found: ImportableKey[] = [];
  const fromEnv = env['VAST_API_KEY']?.trim();
  if (fromEnv) {
    found.push({ place: 'VAST_API_KEY', service, read: () => Promise.resolve(fromEnv) });
  }
  const wanted = env['XDG_CONFIG_HOME'] ?? '';
  // An empty or relative value does not count (XDG Base Directory Specification).
  const configHome = isAbsolute(wanted) ? wanted : join(home, '.config');
  for (const path of [join(configHome, 'vastai', 'vast_api_key'), join(home, '.vast_api_key')]) {
    const exists = await access(path).then(
      () => true,
      () => false,
    );
    if (exists) {
      const place = path.startsWith(home) ? `~${path.slice(home.length)}` : path;
      found.push({ place, service, read: () => readKeyFile(path, place) });
    }
  }
  return found;
}

async function readKeyFile(path: string, place: string): Promise<string> {
  const key = (await readFile(path, 'utf8')).trim();
  if (key === '') {
    throw new EmptyKeyError(place);
  }
  return key;
}
