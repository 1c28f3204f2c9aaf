import { randomBytes } from 'node:crypto';
import { NotSentError } from '../../api/errors';
import { packOnstart, unpackOnstart } from '../../api/onstart';
import { ownTerminalLine, withGuard } from '../../model/rentals/birthGuard';
import { hostKeyLine } from '../../model/rentals/hostKeyLine';
import type { RentConfig } from '../../model/rentals/rent';
import type { RentRequest } from '../../model/rentals/rentDraft';

/** A request as it is sent. */
interface Sent {
  readonly config: RentConfig;
  /** The token between which its machine prints its host keys; absent if the line has no room. */
  readonly startToken?: string;
}

/**
 * Adds, before the script of the user or the template, the line that keeps the service's shared tmux away and the one by
 * which the machine prints its host keys. The script of a request takes the place of the template's
 * (docs/service/renting.md#template-merge), so one that is not known stays alone.
 */
export function withHostKeyLine(
  config: RentConfig,
  { templateScript }: Pick<RentRequest, 'templateScript'>,
): Sent {
  const script = config.onstart ?? (config.templateHash === undefined ? '' : templateScript);
  if (script === undefined || config.runtype === 'args' || config.vm === true) {
    return { config };
  }
  const startToken = randomBytes(12).toString('hex');
  const keys = hostKeyLine(startToken);
  const own = unpackOnstart(script);
  const terminals = config.keepsSharedTmux === true || own.includes(ownTerminalLine) ? '' : ownTerminalLine;
  const all = packed(own, terminals + keys) ?? packed(own, keys);
  if (all !== undefined) {
    return { config: { ...config, onstart: all }, startToken };
  }
  const some = terminals === '' ? undefined : packed(own, terminals);
  return { config: some === undefined ? config : { ...config, onstart: some } };
}

/** Returns the script with our lines before it, if there is room for both. */
function packed(own: string, lines: string): string | undefined {
  try {
    const all = withGuard(own, lines);
    return all === undefined ? undefined : packOnstart(all);
  } catch (error) {
    if (error instanceof NotSentError) {
      return undefined;
    }
    throw error;
  }
}
