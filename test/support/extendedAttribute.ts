import { execFileSync } from 'node:child_process';
import { basename, dirname } from 'node:path';

const name = 'user.gpu-rental-test';
const prefix = `SCHILY.xattr.${name}`;

/** Gives a file an extended attribute, by the archiver, since the tools made for it are rarely installed. */
export function setAttribute(file: string, value: string): void {
  if (process.platform === 'darwin') {
    execFileSync('xattr', ['-w', name, value, file]);
    return;
  }
  const pack = ['--format=posix', `--pax-option=${prefix}:=${value}`, '-cf', '-', basename(file)];
  const archive = execFileSync('tar', ['-C', dirname(file), ...pack]);
  const unpack = ['--xattrs', '--xattrs-include=*', '-xpf', '-'];
  execFileSync('tar', ['-C', dirname(file), ...unpack], { input: archive });
}

/** Its value, `undefined` where the file has none. */
export function attributeOf(file: string): string | undefined {
  if (process.platform === 'darwin') {
    const names = execFileSync('xattr', [file], { encoding: 'utf8' }).split('\n');
    return names.includes(name)
      ? execFileSync('xattr', ['-p', name, file], { encoding: 'utf8' }).trim()
      : undefined;
  }
  const pack = ['--format=posix', '--xattrs', '--xattrs-include=*', '-cf', '-', basename(file)];
  const archive = execFileSync('tar', ['-C', dirname(file), ...pack], { encoding: 'latin1' });
  return new RegExp(`${prefix}=(.*)\\n`).exec(archive)?.[1];
}
