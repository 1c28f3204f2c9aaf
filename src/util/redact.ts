/** Replaces a secret; the number of characters is not told either. */
const mask = '•••';

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer)\s+[^\s"',;]+/gi, `$1 ${mask}`],
  // Login flags run to the end of their line.
  [/(\bimage_login\b\s*=\s*)[^\r\n]+/gi, `$1${mask}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, mask],
  [/otpauth:\/\/[^\s"']+/gi, `otpauth://${mask}`],
  [
    /(["']?\b(?:api_?key|instance_api_key|session_key|tfa_secret|secret|code|backup_codes?|docker_login_pass|image_login|jupyter_token|password|passphrase|sid|authorization|token|CONTAINER_API_KEY)\b["']?\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*'|\[[^\]]*\]|[^\s,;&}"']+)/gi,
    `$1${mask}`,
  ],
  [/\b[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}\b/g, mask],
];

/** Removes secrets from whatever is written or shown; the one place for every sink. */
export class Redactor {
  private readonly secrets = new Set<string>();

  /** From now on this value is removed wherever it occurs, also encoded. Short values are ignored. */
  addSecret(value: string | undefined): void {
    if (value === undefined || value.length < 6) {
      return;
    }
    this.secrets.add(value);
    this.secrets.add(encodeURIComponent(value));
    this.secrets.add(JSON.stringify(value).slice(1, -1));
    this.secrets.add(Buffer.from(value, 'utf8').toString('base64'));
  }

  redact(message: string): string {
    let result = message;
    for (const secret of this.secrets) {
      result = result.split(secret).join(mask);
    }
    for (const [pattern, replacement] of patterns) {
      result = result.replace(pattern, replacement);
    }
    return result;
  }
}
