import { toDisposable, type Disposable } from './disposable';

/** Replaces a secret; it hides the number of characters, too. */
const mask = '•••';

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer)\s+[^\s"',;]+/gi, `$1 ${mask}`],
  // Login flags run to the end of their line.
  [/(\bimage_login\b\s*=\s*)[^\r\n]+/gi, `$1${mask}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, mask],
  [/otpauth:\/\/[^\s"']+/gi, `otpauth://${mask}`],
  [
    /(["']?\b(?:api_?key|instance_api_key|session_key|tfa_secret|secret|code|backup_codes?|docker_login_pass|image_login|jupyter_token|password|passphrase|sid|authorization|token|CONTAINER_API_KEY)\b["']?\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*'|\[[^\]]{0,1000}\]|[^\s,;&}"']+)/gi,
    `$1${mask}`,
  ],
  [/\b[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}\b/g, mask],
];

function formsOf(value: string): readonly string[] {
  return value.length < 6
    ? []
    : [
        value,
        encodeURIComponent(value),
        JSON.stringify(value).slice(1, -1),
        Buffer.from(value, 'utf8').toString('base64'),
      ];
}

/** Removes secrets from everything that is written or shown; the one place for every sink. */
export class Redactor {
  /** Each form of each secret, with the number of holders. */
  private readonly secrets = new Map<string, number>();
  /** The longest first, so that none is left in part where it holds another one. */
  private ordered: readonly string[] | undefined;

  /** From now on this value is removed wherever it occurs, also encoded. Short values are ignored. */
  addSecret(value: string | undefined): void {
    if (value !== undefined) {
      this.hold([value]);
    }
  }

  /** The same until the result is disposed of. */
  hold(values: readonly string[]): Disposable {
    const forms = values.flatMap(formsOf);
    const count = (by: number) => {
      for (const form of forms) {
        const holders = (this.secrets.get(form) ?? 0) + by;
        if (holders > 0) {
          this.secrets.set(form, holders);
        } else {
          this.secrets.delete(form);
        }
      }
      this.ordered = undefined;
    };
    count(1);
    let isHeld = true;
    return toDisposable(() => {
      if (isHeld) {
        isHeld = false;
        count(-1);
      }
    });
  }

  redact(message: string): string {
    let result = message;
    this.ordered ??= [...this.secrets.keys()].sort((a, b) => b.length - a.length);
    for (const secret of this.ordered) {
      result = result.split(secret).join(mask);
    }
    for (const [pattern, replacement] of patterns) {
      result = result.replace(pattern, replacement);
    }
    return result;
  }
}
