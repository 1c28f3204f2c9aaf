import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { plainLabel } from '../util/plainLabel';
import { openPlace, realFile, type Place } from '../util/realPlace';
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
 * converted. Links, and what they lead to out of the folder, are left alone.
 */
export async function warnAboutLineEnds(folder: string, names: readonly string[]): Promise<void> {
  const found: string[] = [];
  const place = (name: string): Place => ({ path: join(folder, name), root: { opened: folder } });
  for (const name of names.filter(mayBeScript).slice(0, mostRead)) {
    if (await hasWindowsLines(place(name)).catch(() => false)) {
      found.push(name);
    }
  }
  const [first, ...more] = found.map(plainLabel);
  if (first !== undefined) {
    const list = more.length > 0 ? t('{0} and {1} more', first, more.length) : first;
    message('warning', t('The lines of {0} end as on Windows (CRLF), so it fails on instances.', list), {
      label: t('Convert to LF'),
      run: () => Promise.all(found.map((name) => convert(place(name)))),
    });
  }
}

async function hasWindowsLines(place: Place): Promise<boolean> {
  const head = await reading(place, async (file) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.toString('latin1', 0, bytesRead);
  });
  return (
    /^[^\n]*\r\n/.test(head) &&
    (head.startsWith('#!') || shellScript.test(place.path)) &&
    // What is packed behind a script may have the same bytes.
    !(await contentOf(place)).includes('\0')
  );
}

function contentOf(place: Place): Promise<string> {
  return reading(place, (file) => file.readFile('latin1'));
}

async function reading<T>(place: Place, read: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await openPlace(place, 'read');
  try {
    return await read(file);
  } finally {
    await file.close();
  }
}

async function convert(place: Place): Promise<void> {
  const text = await contentOf(place);
  const file = vscode.Uri.file(await realFile(place));
  await writeFileAt(file, Buffer.from(text.replaceAll('\r\n', '\n'), 'latin1'));
}
