import { ServiceError } from './route';

/**
 * Reads fields of a request as tolerantly as the service: numbers and flags may be text, and an
 * explicit null is a missing field (docs/service/README.md#conventions). An unreadable value is a 400.
 */
export class BodyReader {
  private constructor(
    readonly fields: Readonly<Record<string, unknown>>,
    private readonly code: string,
  ) {}

  /** `code` is the error code of this operation for an unreadable value. */
  static of(body: unknown, code = 'invalid_args'): BodyReader {
    if (body === undefined || body === null) {
      return new BodyReader({}, code);
    }
    if (!isObject(body)) {
      throw new ServiceError(400, code, 'The body must be a JSON object.');
    }
    return new BodyReader(body, code);
  }

  has(name: string): boolean {
    return this.given(name) !== undefined;
  }

  text(name: string): string | undefined {
    const value = this.given(name);
    if (value === undefined || typeof value === 'string') {
      return value;
    }
    return typeof value === 'number' ? String(value) : this.refuse(name, 'text');
  }

  number(name: string): number | undefined {
    const value = this.given(name);
    return value === undefined || value === ''
      ? undefined
      : (toNumber(value) ?? this.refuse(name, 'a number'));
  }

  integer(name: string): number | undefined {
    const value = this.number(name);
    return value === undefined || Number.isInteger(value) ? value : this.refuse(name, 'a whole number');
  }

  flag(name: string): boolean | undefined {
    const value = this.given(name);
    return value === undefined ? undefined : (toFlag(value) ?? this.refuse(name, 'true or false'));
  }

  object(name: string): Readonly<Record<string, unknown>> | undefined {
    const value = this.given(name);
    return value === undefined || isObject(value) ? value : this.refuse(name, 'an object');
  }

  /** Whole numbers, each of them perhaps as text. */
  ids(name: string): readonly number[] | undefined {
    const value = this.given(name);
    if (value === undefined) {
      return undefined;
    }
    const ids = Array.isArray(value) ? value.map(toNumber) : [undefined];
    return ids.map((id) => (Number.isInteger(id) ? Number(id) : this.refuse(name, 'a list of ids')));
  }

  private given(name: string): unknown {
    return this.fields[name] ?? undefined;
  }

  private refuse(name: string, wanted: string): never {
    throw new ServiceError(400, this.code, `Invalid value for ${name}: it must be ${wanted}.`);
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function toNumber(value: unknown): number | undefined {
  const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof parsed === 'number' && Number.isFinite(parsed) ? parsed : undefined;
}

export function toFlag(value: unknown): boolean | undefined {
  if (value === true || value === 1 || value === '1' || value === 'true' || value === 'True') {
    return true;
  }
  if (value === false || value === 0 || value === '0' || value === 'false' || value === 'False') {
    return false;
  }
  return undefined;
}

/** The `{id}` of a path as a number; anything else names nothing that exists. */
export function pathId(text: string | undefined, code: string, message: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value <= 0) {
    throw new ServiceError(404, code, message);
  }
  return value;
}
