import type { BrowserContext, Page } from 'playwright-core';

export type StoreTrouble = 'throws' | 'hangs' | 'losesWrites' | 'garbage';

/** Stands between the editor and its secret store in every window of a profile; needs the patch "secretStore". */
export async function troubleStores(profile: BrowserContext): Promise<void> {
  // Runs in the page; the trouble is in its storage, so that it is there from the start of the next window.
  await profile.addInitScript(`
    globalThis.secretStoreFor = (store) => {
      const trouble = () => localStorage.getItem('secretTrouble');
      const later = (work) => new Promise((resolve) => {
        const timer = setInterval(() => {
          if (trouble() !== 'hangs') {
            clearInterval(timer);
            resolve(work());
          }
        }, 50);
      });
      const held = async (key) => String(await store.get(key));
      globalThis.secretStoreCalls = 0;
      const use = (name) => async (key, ...rest) => {
        globalThis.secretStoreCalls += 1;
        const work = () => store[name](key, ...rest);
        switch (trouble()) {
          case 'throws':
            throw new Error('Cannot decrypt ' + (await held(key)));
          case 'hangs':
            return later(work);
          case 'losesWrites':
            return name === 'get' ? work() : undefined;
          case 'garbage':
            return name === 'get' ? '{"version":1,"apiKey":' + (await held(key)) : work();
          default:
            return work();
        }
      };
      return new Proxy(store, {
        get: (target, name) => {
          const value = target[name];
          if (['get', 'set', 'delete'].includes(name)) return use(name);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    };
  `);
}

export async function setTrouble(page: Page, trouble: StoreTrouble | ''): Promise<void> {
  await page.evaluate(`localStorage.setItem('secretTrouble', '${trouble}')`);
}

/** How often the store was used since the window was loaded. */
export function storeCalls(page: Page): Promise<number> {
  return page.evaluate<number>('globalThis.secretStoreCalls');
}
