import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isObject } from './body';
import type { WorldState } from './state';
import { isWorldState } from './stateShape';

/** The file is not ours, or was written with another key. */
export class StateFileError extends Error {
  override readonly name = 'StateFileError';
}

/**
 * Keeps the state in one file that is replaced in one step. It holds environment
 * variables and keys of instances, so unless `plain` it is sealed (AES-256-GCM) with
 * a key made from the API key: a file in a user's settings folder reveals nothing.
 */
export class StateFile {
  private readonly salt: Buffer;
  private readonly secret: Buffer | undefined;

  constructor(
    private readonly file: string,
    apiKey: string,
    plain: boolean,
  ) {
    const sealed = this.readJson();
    const salt = isObject(sealed) && typeof sealed['salt'] === 'string' ? sealed['salt'] : undefined;
    this.salt = salt === undefined ? randomBytes(16) : Buffer.from(salt, 'base64');
    this.secret = plain ? undefined : scryptSync(apiKey, this.salt, 32);
  }

  /** The remembered state, `undefined` when there is none yet. */
  read(): WorldState | undefined {
    const content = this.readJson();
    if (content === undefined) {
      return undefined;
    }
    const state = isObject(content) && 'sealed' in content ? this.open(content) : content;
    if (!isWorldState(state)) {
      throw new StateFileError(`${this.file} holds no state of this simulator. Choose another file.`);
    }
    return state;
  }

  write(state: WorldState): void {
    const text = JSON.stringify(state);
    const content = this.secret ? this.seal(text, this.secret) : text;
    mkdirSync(path.dirname(this.file), { recursive: true, mode: 0o700 });
    const temporary = `${this.file}.${process.pid}.tmp`;
    try {
      writeFileSync(temporary, content, { mode: 0o600 });
      renameSync(temporary, this.file);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  }

  private readJson(): unknown {
    if (!existsSync(this.file)) {
      return undefined;
    }
    try {
      return JSON.parse(readFileSync(this.file, 'utf8')) as unknown;
    } catch (error) {
      throw new StateFileError(`${this.file} cannot be read as a state of this simulator.`, { cause: error });
    }
  }

  private seal(text: string, secret: Buffer): string {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', secret, iv);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return JSON.stringify({
      version: 1,
      salt: this.salt.toString('base64'),
      iv: iv.toString('base64'),
      tag: cipher.getAuthTag().toString('base64'),
      sealed: sealed.toString('base64'),
    });
  }

  private open(content: Readonly<Record<string, unknown>>): unknown {
    const part = (name: string) => Buffer.from(String(content[name]), 'base64');
    if (!this.secret) {
      throw new StateFileError(`${this.file} is sealed. Start without --plain-state.`);
    }
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.secret, part('iv'));
      decipher.setAuthTag(part('tag'));
      const text = Buffer.concat([decipher.update(part('sealed')), decipher.final()]).toString('utf8');
      return JSON.parse(text) as unknown;
    } catch (error) {
      throw new StateFileError(
        `${this.file} was written with another API key. Use that key or another file.`,
        { cause: error },
      );
    }
  }
}
