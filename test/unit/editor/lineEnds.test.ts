import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { warnAboutLineEnds } from '../../../src/editor/lineEnds';
import { textsOn, useScreen } from '../../support/onScreen';
import { until } from '../../support/until';
import { useFolder } from '../../support/useFolder';

describe('The line ends of scripts', () => {
  const screen = useScreen();
  let folder = '';
  useFolder((made) => (folder = made));
  const put = (files: Readonly<Record<string, string>>) => {
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(path.join(folder, name), content, 'latin1');
    }
    return warnAboutLineEnds(folder, Object.keys(files));
  };

  it('are named where they are those of Windows, and converted where the user wants that', async () => {
    const all = { 'a.sh': 'echo a\r\necho \xff\r\n', run: '#!/bin/sh -e\r\necho b\r\r\n' };
    await put(all);
    const [message] = screen.messages.shown;
    assert.deepEqual(textsOn(screen), [
      'warning The lines of a.sh and 1 more end as on Windows (CRLF), so it fails on instances. [Convert to LF]',
    ]);
    message?.press('Convert to LF');
    const read = (name: string) => readFileSync(path.join(folder, name), 'latin1');
    await until('the files', () => !read('run').includes('-e\r\n'));
    assert.deepEqual([read('a.sh'), read('run')], ['echo a\necho \xff\n', '#!/bin/sh -e\necho b\r\n']);
    await warnAboutLineEnds(folder, Object.keys(all));
    assert.equal(screen.messages.shown.length, 0);
  });

  it('are of no interest in other files, in what is no file, and after the first line', async () => {
    mkdirSync(path.join(folder, 'Makefile'));
    symlinkSync('nowhere', path.join(folder, 'link.sh'));
    await warnAboutLineEnds(folder, ['gone.sh', 'Makefile', 'link.sh']);
    await put({
      'a.py': '#!/usr/bin/python\r\n',
      LICENSE: 'text\r\n',
      'b.sh': 'echo a\nprintf "\r\n"',
      'c.sh': '',
    });
    await put({ 'd.sh': `${'x'.repeat(300)}\r\n` });
    assert.deepEqual(textsOn(screen), []);
  });
});
