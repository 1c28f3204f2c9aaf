import { refuse } from './context';
import { factors, longestLabel, type Factor } from './state';

/**
 * Bodies of tfa/*. Clients may send explicit nulls and numbers as text; both are
 * accepted. A body that is no object is `bad_request`.
 */
export class SecondFactorBody {
  private readonly fields: Readonly<Record<string, unknown>>;

  constructor(body: unknown) {
    if (body !== undefined && body !== null && (typeof body !== 'object' || Array.isArray(body))) {
      throw refuse('bad_request');
    }
    // Checked above: an object that is no array reads as a record of unknown values.
    this.fields = (body ?? {}) as Readonly<Record<string, unknown>>;
  }

  text(name: string): string | undefined {
    const value = this.fields[name];
    if (value === undefined || value === null || value === '') {
      return undefined;
    }
    if (typeof value !== 'string' && typeof value !== 'number') {
      throw refuse('bad_request', `${name} must be text.`);
    }
    return String(value).trim();
  }

  integer(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) {
      return undefined;
    }
    if (!/^\d{1,15}$/.test(text)) {
      throw refuse('bad_request', `${name} must be a whole number.`);
    }
    return Number(text);
  }

  flag(name: string): boolean | undefined {
    const value = this.fields[name];
    if (value === undefined || value === null) {
      return undefined;
    }
    if (value === true || value === 'true' || value === 1) {
      return true;
    }
    if (value === false || value === 'false' || value === 0) {
      return false;
    }
    throw refuse('bad_request', `${name} must be true or false.`);
  }

  factor(): Factor | undefined {
    const name = this.text('tfa_method');
    if (name === undefined) {
      return undefined;
    }
    const factor = factors.find((known) => known === name);
    if (!factor) {
      throw refuse('invalid_tfa_method');
    }
    return factor;
  }

  /** Six digits; a number has lost its leading zeros and gets them back. */
  code(): string | undefined {
    const text = this.text('code');
    return typeof this.fields['code'] === 'number' ? text?.padStart(6, '0') : text;
  }

  /** E.164: a plus, a country code that does not begin with 0, at most 15 digits. */
  phone(): string | undefined {
    const phone = this.text('phone_number');
    if (phone !== undefined && !/^\+[1-9]\d{6,14}$/.test(phone)) {
      throw refuse('bad_request', 'phone_number must be in E.164 form, for example +14155550100.');
    }
    return phone;
  }

  label(): string | undefined {
    const label = this.text('label');
    if (label !== undefined && label.length > longestLabel) {
      throw refuse('bad_request', `label must be at most ${longestLabel} characters.`);
    }
    return label;
  }
}
