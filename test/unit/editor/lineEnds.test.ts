import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { warnAboutLineEnds } from '../../../src/editor/lineEnds';
import { setWindowParts } from '../../../src/editor/windowParts';
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
    await put({ packed: '#!/bin/sh\r\ntail -n +3 "$0"\r\n\0\r\n' });
    assert.deepEqual(textsOn(screen), []);
  });

  it('are not read through pipes and links, nor changed through a link that was made since', async () => {
    const inner = path.join(folder, 'inner');
    mkdirSync(inner);
    const outer = path.join(folder, 'outer.sh');
    writeFileSync(outer, 'echo outer\r\n');
    symlinkSync('../outer.sh', path.join(inner, 'out.sh'));
    spawnSync('mkfifo', [path.join(inner, 'pipe')]);
    await warnAboutLineEnds(inner, ['out.sh', 'pipe', '../outer.sh']);
    assert.deepEqual(textsOn(screen), []);
    writeFileSync(path.join(inner, 'a.sh'), 'echo a\r\n');
    await warnAboutLineEnds(inner, ['a.sh']);
    const [message] = screen.messages.shown;
    rmSync(path.join(inner, 'a.sh'));
    symlinkSync('../outer.sh', path.join(inner, 'a.sh'));
    const reported: unknown[] = [];
    setWindowParts({ report: (error) => reported.push(error) });
    message?.press('Convert to LF');
    await until('the refusal', () => reported.length > 0);
    assert.match(String(reported), /leads/);
    assert.equal(readFileSync(outer, 'utf8'), 'echo outer\r\n');
  });
});
