import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Identity {
  readonly key: string;
  readonly cert: string;
}

export interface TestAuthority {
  readonly ca: string;
  /** A certificate for one host name or address. */
  issue(name: string): Identity;
}

/** A certificate authority that lives as long as the call needs; made by openssl, kept nowhere. */
export function withAuthority<T>(use: (authority: TestAuthority) => T): T {
  const dir = mkdtempSync(join(tmpdir(), 'gpu-rental-ca-'));
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  try {
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-days',
      '2',
      '-subj',
      '/CN=Test Authority',
    );
    return use({
      ca: readFileSync(join(dir, 'ca.pem'), 'utf8'),
      issue: (name) => {
        const isAddress = /^[\d.:]+$/.test(name);
        writeFileSync(join(dir, 'ext'), `subjectAltName=${isAddress ? 'IP' : 'DNS'}:${name}\n`);
        openssl('req', ...newKey, '-keyout', 'leaf.key', '-out', 'leaf.csr', '-subj', '/CN=Test');
        openssl(
          'x509',
          '-req',
          '-in',
          'leaf.csr',
          '-CA',
          'ca.pem',
          '-CAkey',
          'ca.key',
          '-CAcreateserial',
          '-out',
          'leaf.pem',
          '-days',
          '2',
          '-extfile',
          'ext',
        );
        return {
          key: readFileSync(join(dir, 'leaf.key'), 'utf8'),
          cert: readFileSync(join(dir, 'leaf.pem'), 'utf8'),
        };
      },
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
