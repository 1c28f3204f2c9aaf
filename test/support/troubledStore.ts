import type { BrowserContext, Page } from 'playwright-core';

/** Stands between the editor and its secret store in every window of a profile; needs the patch "secretStore". */
export async function troubleStores(profile: BrowserContext): Promise<void> {
  // Runs in the page; the trouble is in its storage, so that it is there from the start of the next window.
  await profile.addInitScript(`
    globalThis.secretStoreFor = (store) => {
      const trouble = () => localStorage.getItem('secretTrouble');
      const held = async (key) => String(await store.get(key));
      globalThis.secretStoreCalls = 0;
      const use = (name) => async (key, ...rest) => {
        globalThis.secretStoreCalls += 1;
        if (trouble() === 'throws') throw new Error('Cannot decrypt ' + (await held(key)));
        return store[name](key, ...rest);
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

export async function setTrouble(page: Page, trouble: 'throws' | ''): Promise<void> {
  await page.evaluate(`localStorage.setItem('secretTrouble', '${trouble}')`);
}

/** How often the store was used since the window was loaded. */
export function storeCalls(page: Page): Promise<number> {
  return page.evaluate<number>('globalThis.secretStoreCalls');
}
