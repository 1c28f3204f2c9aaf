import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { signIn } from '../support/journey';
import { freePort } from '../support/sshMachine';
import type { UiSession } from '../support/uiSession';
import { Workbench } from '../support/workbench';
import { calibration } from './figure';
import { Inspector } from './inspector';

/** A window that is signed in, with the debugger's view of its extension host. */
export interface HostWindow {
  readonly workbench: Workbench;
  readonly host: Inspector;
  /** The longest task of the extension host since the last call, in ms. */
  readonly longestTask: () => Promise<number>;
  /** What the fixed piece of work takes in the extension host now, in ms. */
  readonly calibrate: () => Promise<number>;
}

export async function openHostWindow(session: UiSession, name: string): Promise<HostWindow> {
  const port = await freePort();
  const workbench = await Workbench.open(await session.otherProfile(), session.host, name, {
    payload: [['inspect-extensions', String(port)]],
  });
  await signIn(session, workbench);
  await workbench.clearNotifications();
  const host = await Inspector.connect(port);
  await host.evaluate(monitor);
  return {
    workbench,
    host,
    longestTask: async () => Number(await host.evaluate('globalThis.gpuRentalBench.longestSince()')),
    calibrate: async () => Number(await host.evaluate(`String((${calibration.toString()})())`)),
  };
}

/** When the next answer to such a request was handed over to the network, in ms since 1970. */
export function answerTime(path: RegExp): { at(): number | undefined; end(): void } {
  let at: number | undefined;
  const note = (message: unknown) => {
    const { request } = message as { request: { url?: string } };
    if (path.test(request.url ?? '')) {
      at ??= Date.now();
    }
  };
  subscribe('http.server.response.finish', note);
  return {
    at: () => at,
    end: () => {
      unsubscribe('http.server.response.finish', note);
    },
  };
}

/** When a text is first on the screen in one of these elements, in ms since 1970, by the page's own look at each frame. */
export function watchFor({ page }: Workbench, elements: string, text: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const wanted = ${JSON.stringify(text)};
    const shows = () => [...document.querySelectorAll(${JSON.stringify(elements)})]
      .some((element) => element.textContent.replaceAll('\\u00a0', ' ').includes(wanted));
    const look = () => (shows() ? resolve(Date.now()) : requestAnimationFrame(look));
    look();
  })`);
}

/**
 * Notes how long the extension host does not come back to its timers, as far as it was busy itself: time in which
 * other programs had the processor is not its own.
 */
const monitor = `(() => {
  let last = performance.now();
  let cpu = process.cpuUsage();
  let longest = 0;
  setInterval(() => {
    const now = performance.now();
    const used = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    longest = Math.max(longest, Math.min(now - last, (used.user + used.system) / 1000));
    last = now;
  }, 1);
  globalThis.gpuRentalBench = {
    longestSince: () => {
      const found = longest;
      longest = 0;
      return String(found);
    },
  };
  return 'on';
})()`;
