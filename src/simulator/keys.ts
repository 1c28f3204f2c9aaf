import { createHash, randomBytes } from 'node:crypto';
import type { KeyPermissions, KeyRecord, WorldState } from './state';

export interface NewKey {
  readonly accountId: number;
  readonly name: string;
  readonly permissions?: KeyPermissions;
  readonly ipWhitelist?: readonly string[];
  readonly onlyInstance?: number;
}

/** The API keys of all accounts, found by the hash of their value. */
export class KeyStore {
  private readonly byHash = new Map<string, KeyRecord>();

  constructor(
    private readonly state: WorldState,
    private readonly nextId: () => number,
    private readonly nowSeconds: () => number,
  ) {
    state.keys.forEach((key) => this.byHash.set(key.hash, key));
  }

  /** `value` is returned once and not kept; a random one when left out. */
  create(wanted: NewKey, value = randomBytes(32).toString('hex')): { record: KeyRecord; value: string } {
    const record: KeyRecord = {
      id: this.nextId(),
      accountId: wanted.accountId,
      name: wanted.name,
      hash: hashOf(value),
      createdAt: this.nowSeconds(),
      ...(wanted.permissions ? { permissions: wanted.permissions } : {}),
      ...(wanted.ipWhitelist ? { ipWhitelist: [...wanted.ipWhitelist] } : {}),
      ...(wanted.onlyInstance === undefined ? {} : { onlyInstance: wanted.onlyInstance }),
    };
    this.state.keys.push(record);
    this.byHash.set(record.hash, record);
    return { record, value };
  }

  find(value: string): KeyRecord | undefined {
    return this.byHash.get(hashOf(value));
  }

  byId(id: number): KeyRecord | undefined {
    return this.state.keys.find((key) => key.id === id);
  }

  /** The keys an account sees; those of its instances are not among them. */
  list(accountId: number): readonly KeyRecord[] {
    return this.state.keys.filter((key) => key.accountId === accountId && key.onlyInstance === undefined);
  }

  removeOfInstance(instanceId: number): void {
    const own = this.state.keys.find((key) => key.onlyInstance === instanceId);
    if (own) {
      this.remove(own.id);
    }
  }

  remove(id: number): void {
    const key = this.byId(id);
    if (key) {
      this.byHash.delete(key.hash);
      this.state.keys = this.state.keys.filter((other) => other !== key);
    }
  }
}

function hashOf(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}
