import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { plainLabel } from '../util/plainLabel';
import { t } from './localize';
import { message } from './message';
import { writeFileAt } from './saveFile';

const shellScript = /\.(?:sh|bash|zsh)$/;
const headBytes = 256;
/** Of many files, these can be scripts, and so many of them are read. */
const mayBeScript = (name: string) => shellScript.test(name) || /(?:^|\/)[^./]+$/.test(name);
const mostRead = 200;

/**
 * Names the scripts among these files whose lines end as on Windows: for a shell and for the kernel the
 * carriage return is a part of the line, so they fail on an instance. Files are sent as they are, unless the user has them
 * converted.
 */
export async function warnAboutLineEnds(folder: string, names: readonly string[]): Promise<void> {
  const found: string[] = [];
  for (const name of names.filter(mayBeScript).slice(0, mostRead)) {
    const path = join(folder, name);
    if (await hasWindowsLines(path)) {
      found.push(path);
    }
  }
  const [first, ...more] = found.map((path) => plainLabel(path.slice(folder.length + 1)));
  if (first !== undefined) {
    const list = more.length > 0 ? t('{0} and {1} more', first, more.length) : first;
    message('warning', t('The lines of {0} end as on Windows (CRLF), so it fails on instances.', list), {
      label: t('Convert to LF'),
      run: () => Promise.all(found.map(convert)),
    });
  }
}

async function hasWindowsLines(path: string): Promise<boolean> {
  const head = await headOf(path).catch(() => '');
  return /^[^\n]*\r\n/.test(head) && (head.startsWith('#!') || shellScript.test(path));
}

async function headOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function convert(path: string): Promise<void> {
  const text = (await readFile(path)).toString('latin1');
  await writeFileAt(vscode.Uri.file(path), Buffer.from(text.replaceAll('\r\n', '\n'), 'latin1'));
}
