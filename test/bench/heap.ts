import { signIn } from '../support/journey';
import { pretendInstances, rentOne } from '../support/manyInstances';
import { freePort } from '../support/sshMachine';
import { UiSession } from '../support/uiSession';
import { pause, until } from '../support/until';
import { Workbench } from '../support/workbench';
import type { Figure } from './figure';
import { Inspector } from './inspector';

/**
 * Heap of the extension host after a forced collection, in one window: before one of our views is opened, which loads
 * the product, and once instances are shown. Hosts differ by more than what is measured.
 */
export async function measureHeap(): Promise<Figure[]> {
  const session = await UiSession.start('bench-heap', { driver: true, patches: ['toasts', 'sharedSecrets'] });
  try {
    await rentOne(session.simulator);
    // The first host after the start of a server is larger than all later ones.
    await heapWith(session, 1);
    const one = await heapWith(session, 1);
    const many = await heapWith(session, 1000);
    const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
    return [
      { name: 'heap of the extension host before first use', value: megabytes(one.before) },
      { name: 'heap added with 1 instance shown', value: megabytes(one.added) },
      { name: 'heap added with 1,000 instances shown', value: megabytes(many.added), aim: '< 14 MB' },
    ];
  } finally {
    await session.close();
  }
}

/** Bytes before first use, and how many more there are once so many instances are shown. */
async function heapWith(session: UiSession, count: number): Promise<{ before: number; added: number }> {
  await pretendInstances(session.simulator, count, 'running');
  const profile = await session.otherProfile();
  const port = await freePort();
  const workbench = await Workbench.open(profile, session.host, 'bench-heap', {
    payload: [['inspect-extensions', String(port)]],
  });
  // Other extensions of the editor start in these seconds, with or without ours.
  await pause(8000);
  const before = await heapAfterCollection(port);
  await workbench.openContainer('GPU Rental');
  await signIn(session, workbench);
  const row = workbench.view('Instances').rows.first();
  await row.waitFor();
  // What an earlier window read is still fresh enough to be shown.
  await workbench.view('Instances').titleAction('Refresh');
  await until('all rows', async () => Number(await row.getAttribute('aria-setsize')) >= count);
  await pause(8000);
  const after = await heapAfterCollection(port);
  await profile.close();
  return { before, added: after - before };
}

async function heapAfterCollection(port: number): Promise<number> {
  const inspector = await Inspector.connect(port);
  await inspector.call('HeapProfiler.enable');
  await inspector.call('HeapProfiler.collectGarbage');
  await inspector.call('HeapProfiler.collectGarbage');
  const bytes = await inspector.evaluate('String(process.memoryUsage().heapUsed)');
  inspector.close();
  return Number(bytes);
}
