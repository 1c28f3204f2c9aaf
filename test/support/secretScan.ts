import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Files under `folder` that hold one of the secrets, as text in UTF-8 or UTF-16, as base64 or percent-encoded.
 * Paths are relative; `allowed` names those that may (the secret store).
 */
export function filesWithSecrets(
  folder: string,
  secrets: readonly string[],
  allowed: (file: string) => boolean = () => false,
): string[] {
  const needles = secrets.flatMap((secret) => [
    Buffer.from(secret, 'utf8'),
    Buffer.from(secret, 'utf16le'),
    Buffer.from(Buffer.from(secret, 'utf8').toString('base64').replace(/=+$/, '')),
    Buffer.from(encodeURIComponent(secret)),
  ]);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((file) => !allowed(file))
    .filter((file) => {
      const content = readFileSync(path.join(folder, file));
      return needles.some((needle) => content.includes(needle));
    })
    .sort();
}
