import { isImageLogin } from '../../api/imageLogin';
import type { SecretPort } from './patientSecrets';

export type KeptLogin =
  /** The flags of `imageLogin`, and the registry that they belong to. */
  | { readonly kind: 'present'; readonly flags: string; readonly registry: string }
  | { readonly kind: 'absent' }
  /** The secret store refused or holds something else. Its message may quote the value, so it is not kept. */
  | { readonly kind: 'unreadable' };

/** Name of the entry in the secret store. */
export function registryLoginKey(accountKey: string): string {
  return `gpuRental.registryLogin.${accountKey}`;
}

/** The login to a private registry that an account used last; stored in the secret store only. */
export class RegistryLogins {
  private readonly key: string;

  constructor(
    private readonly secrets: SecretPort,
    accountKey: string,
  ) {
    this.key = registryLoginKey(accountKey);
  }

  async read(): Promise<KeptLogin> {
    try {
      const flags: unknown = await this.secrets.get(this.key);
      if (flags === undefined || flags === null) {
        return { kind: 'absent' };
      }
      if (typeof flags === 'string' && isImageLogin(flags)) {
        return { kind: 'present', flags, registry: flags.slice(flags.lastIndexOf(' ') + 1) };
      }
    } catch {
      // The kind below reports both a refusal and a broken value.
    }
    return { kind: 'unreadable' };
  }

  /** Stores the flags; returns false if the secret store does not hold them afterwards. */
  async keep(flags: string): Promise<boolean> {
    try {
      await this.secrets.store(this.key, flags);
    } catch {
      return false;
    }
    const kept = await this.read();
    return kept.kind === 'present' && kept.flags === flags;
  }

  /** Removes the login; returns false if it may still be stored. */
  async forget(): Promise<boolean> {
    try {
      await this.secrets.delete(this.key);
    } catch {
      return false;
    }
    return (await this.read()).kind === 'absent';
  }
}
