import { newProfile } from '../support/browser';
import { signIn } from '../support/journey';
import { pretendInstances, rentOne } from '../support/manyInstances';
import { freePort } from '../support/sshMachine';
import { UiSession } from '../support/uiSession';
import { pause, until } from '../support/until';
import { Workbench } from '../support/workbench';
import type { Figure } from './figure';
import { Inspector } from './inspector';

/** Heap of the extension host after a forced collection: before our extension is used, and with instances shown. */
export async function measureHeap(): Promise<Figure[]> {
  const session = await UiSession.start('bench-heap', { driver: true, patches: ['toasts', 'sharedSecrets'] });
  try {
    // The first host after the start of a server is larger than all later ones.
    await inWindow(session, () => Promise.resolve());
    const idle = await inWindow(session, () => Promise.resolve());
    await rentOne(session.simulator);
    const withInstances = async (count: number) => {
      await pretendInstances(session.simulator, count, 'running');
      return inWindow(session, async (workbench) => {
        await signIn(session, workbench);
        const row = workbench.view('Instances').rows.first();
        await row.waitFor();
        // What an earlier window read is still fresh enough to be shown.
        await workbench.view('Instances').titleAction('Refresh');
        await until('all rows', async () => Number(await row.getAttribute('aria-setsize')) >= count);
      });
    };
    const one = await withInstances(1);
    const many = await withInstances(1000);
    const over = (bytes: number) => `${((bytes - idle) / 1e6).toFixed(1)} MB`;
    return [
      { name: 'heap of the extension host before first use', value: `${(idle / 1e6).toFixed(1)} MB` },
      { name: 'heap added with 1 instance shown', value: over(one) },
      { name: 'heap added with 1,000 instances shown', value: over(many), aim: '< 14 MB' },
    ];
  } finally {
    await session.close();
  }
}

async function inWindow(session: UiSession, use: (workbench: Workbench) => Promise<void>): Promise<number> {
  const profile = await newProfile(session.browser);
  const port = await freePort();
  const workbench = await Workbench.open(profile, session.host, 'bench-heap', {
    payload: [['inspect-extensions', String(port)]],
  });
  await workbench.openContainer('GPU Rental');
  await use(workbench);
  // Other extensions of the editor start in these seconds, with or without ours.
  await pause(8000);
  const bytes = await heapAfterCollection(port);
  await profile.close();
  return bytes;
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
