import type { Client } from '../../src/api/client';

const never = new Promise<never>(() => undefined);

/** The client of one process: once that has crashed, it sends nothing and hears nothing. */
export function mortal(client: Client, isAlive: () => boolean): Client {
  const wrap = (target: object): object =>
    new Proxy(target, {
      get: (own, name) => {
        const member: unknown = Reflect.get(own, name);
        if (typeof member === 'object' && member !== null) {
          return wrap(member);
        }
        if (typeof member !== 'function') {
          return member;
        }
        return async (...args: unknown[]) => {
          if (!isAlive()) {
            return never;
          }
          try {
            const result: unknown = await Reflect.apply(member, own, args);
            return isAlive() ? result : await never;
          } catch (error) {
            if (!isAlive()) {
              return never;
            }
            throw error;
          }
        };
      },
    });
  // A proxy has the members of what it stands for.
  return wrap(client) as Client;
}
