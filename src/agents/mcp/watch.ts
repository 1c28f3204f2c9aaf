import { wait, type Clock } from '../../util/clock';
import type { EditorLink } from './editorLink';
import { fieldsOf } from './fields';

/** How long until a refused or lost question is asked again (ms). */
const againMs = 30_000;

/**
 * Calls back after each change of what the resources list, from now on until the signal. The editor answers once it is
 * different from `since`, or after a while without a change.
 */
export async function watchResources(
  link: Pick<EditorLink, 'ask'>,
  clock: Clock,
  signal: AbortSignal,
  onChange: () => void,
): Promise<void> {
  let since: unknown;
  while (!signal.aborted) {
    const answer = await link.ask({ watch: 'resources', since }, { signal, mayRepeat: true });
    const mark = 'what' in answer ? fieldsOf(answer.what)['mark'] : undefined;
    if (typeof mark !== 'string') {
      await wait(clock, againMs, signal).catch(() => undefined);
      continue;
    }
    if (since !== undefined && mark !== since) {
      onChange();
    }
    since = mark;
  }
}
