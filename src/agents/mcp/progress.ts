import type { ServerContext } from '@modelcontextprotocol/server';
import type { Clock } from '../../util/clock';
import { MutableDisposable, type Disposable } from '../../util/disposable';
import { fieldsOf } from './fields';

/** How often a client is told that a call goes on (ms). */
const reportMs = 5000;

/** Tells a client that asked for it that its call goes on, so that it does not give the call up. */
export async function whileReporting<T>(
  clock: Clock,
  { mcpReq }: Pick<ServerContext, 'mcpReq'>,
  called: Promise<T>,
): Promise<T> {
  const { progressToken } = fieldsOf(mcpReq._meta);
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') {
    return called;
  }
  const since = clock.elapsed();
  const timer = new MutableDisposable<Disposable>();
  const next = () => {
    timer.value = clock.schedule(() => {
      const progress = Math.round((clock.elapsed() - since) / 1000);
      mcpReq
        .notify({ method: 'notifications/progress', params: { progressToken, progress } })
        .catch(() => undefined);
      next();
    }, reportMs);
  };
  next();
  try {
    return await called;
  } finally {
    timer.dispose();
  }
}
