import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { OrderedAccount } from './secondFactorAccount';
import { holdsSecret } from './secretScan';
import type { TestSimulator } from './startSimulator';

/** Recognizable values in every place where a person puts a secret. */
export const typed = {
  secretValue: 'planted_secret-value.4e71',
  keptValue: 'planted-kept-value-0c7d',
  environmentValue: 'planted-environment-value-93b0',
  registryToken: 'planted-registry-token-c1d8',
  passPhrase: 'planted pass "phrase" 55',
  phone: '+14155550177',
  wrongKey: 'planted-wrong-key-77aa',
  templatePassword: 'planted-template-pass-2b6f',
  templateValue: 'planted-template-value-e5c0',
};

/** Every secret of one session: those that were typed and those that the service told. */
export class PlantedSecrets {
  /** Of the service: sessions, challenges, TOTP secrets, backup codes, by value. */
  readonly planted = new Map<string, string>();
  private readonly codes = new Set<string>();

  /** For the option `onToken` of the simulator. */
  readonly note = ({ kind, value }: { readonly kind: string; readonly value: string }): void => {
    if (kind === 'code') {
      this.codes.add(value);
    } else {
      this.planted.set(value, kind);
    }
  };

  /** The values that must not be found, by where they were planted; one-time codes are not among them. */
  async values(simulator: TestSimulator, account: OrderedAccount): Promise<ReadonlyMap<string, string>> {
    const [instance] = simulator.world.instances;
    const values = new Map<string, string>(Object.entries(typed));
    values.set('key', account.key);
    values.set('totp secret of the account', account.totpSecret);
    values.set('image_login', `-u me -p ${typed.registryToken} ghcr.io`);
    account.backupCodes.forEach((code, index) => values.set(`backup code ${index}`, code));
    [...this.planted].forEach(([value, kind], index) => values.set(`${kind} ${index}`, value));
    if (instance) {
      values.set('instance_api_key', instance.apiKey);
      values.set('jupyter_token', instance.jupyterToken);
    }
    const { json } = await simulator.call('GET', '/api/v0/users/current/', undefined, account.key);
    values.set('sid', String(json.sid));
    values.set('full phone number', account.phone);
    return values;
  }

  /** Fails where one of `values` or a one-time code is in one of the texts, which are named by where they come from. */
  assertAbsent(texts: Readonly<Record<string, string>>, values: ReadonlyMap<string, string>): void {
    for (const [where, text] of Object.entries(texts)) {
      for (const [what, value] of values) {
        assert.equal(holdsSecret(text, [value]), false, `${what} is in the ${where}`);
      }
      for (const code of this.codes) {
        assert.doesNotMatch(text, new RegExp(`(?<!\\d)${code}(?!\\d)`), `a code is in the ${where}`);
      }
    }
  }

  /** Fails where a one-time code is in a file below the folder. */
  assertNoCodesBelow(folder: string): void {
    for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) {
        continue;
      }
      const text = readFileSync(path.join(file.parentPath, file.name), 'utf8');
      for (const code of this.codes) {
        assert.doesNotMatch(text, new RegExp(`(?<![\\d.])${code}(?!\\d)`), `a code is in ${file.name}`);
      }
    }
  }
}
