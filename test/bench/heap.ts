import { WebSocket } from 'undici';
import { newProfile } from '../support/browser';
import { signIn } from '../support/journey';
import { pretendInstances, rentOne } from '../support/manyInstances';
import { freePort } from '../support/sshMachine';
import { UiSession } from '../support/uiSession';
import { pause, until } from '../support/until';
import { Workbench } from '../support/workbench';
import type { Figure } from './figure';

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
  const targets = await until('the inspector', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/json`).catch(() => undefined);
    return answer && ((await answer.json()) as { webSocketDebuggerUrl: string }[]);
  });
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '');
  await new Promise((resolve) => {
    socket.addEventListener('open', resolve);
  });
  let lastId = 0;
  const call = (method: string, params: object = {}): Promise<{ result?: { value?: string } }> => {
    const id = ++lastId;
    const answered = new Promise<{ result?: { value?: string } }>((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        const message = JSON.parse(String(data)) as { id?: number; result: { result?: { value?: string } } };
        if (message.id === id) resolve(message.result);
      });
    });
    socket.send(JSON.stringify({ id, method, params }));
    return answered;
  };
  await call('HeapProfiler.enable');
  await call('HeapProfiler.collectGarbage');
  await call('HeapProfiler.collectGarbage');
  const { result } = await call('Runtime.evaluate', {
    expression: 'String(process.memoryUsage().heapUsed)',
    returnByValue: true,
  });
  socket.close();
  return Number(result?.value);
}
