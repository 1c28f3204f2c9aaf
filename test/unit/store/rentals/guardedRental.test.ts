import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { longestOnstart, packOnstart, unpackOnstart } from '../../../../src/api/onstart';
import { guardedRental } from '../../../../src/jobs/guardedRental';
import { guardMark, withoutGuard } from '../../../../src/model/rentals/birthGuard';
import type { RentConfig } from '../../../../src/model/rentals/rent';

describe('The guard in the request for a machine', () => {
  const address = 'https://console.example';
  const sent = (config: RentConfig, url = address, end: { jobSeconds?: number } = { jobSeconds: 11_000 }) =>
    guardedRental(config, url, end).onstart;
  const job = (onstart?: string): RentConfig => (onstart === undefined ? {} : { onstart });

  it('is before the user’s script', () => {
    const script = sent(job('touch ~/mine\nexit 1\n')) ?? '';
    assert.ok(script.endsWith(`${guardMark}\ntouch ~/mine\nexit 1\n`));
    assert.match(script, /birth\.sh" https:\/\/console\.example 11000 900 /);
  });

  it('is alone if the user has none, within the limit', () => {
    const script = sent(job()) ?? '';
    assert.ok(script.endsWith(`${guardMark}\n`));
    assert.ok(script.length < longestOnstart - 300, `${script.length} characters leave no room`);
  });

  it('leaves the shared tmux of the service on where the user wants that', () => {
    assert.ok(sent({ ...job(), keepsSharedTmux: true })?.startsWith('{ h='));
  });

  it('is after the line that names a shell', () => {
    for (const first of ['#!/bin/bash', '#!/usr/bin/env bash', '#! /bin/sh -e']) {
      assert.match(
        sent(job(`${first}\necho mine\n`)) ?? '',
        /^#![^\n]+\n\( : [^\n]+\n\{ h=[^\n]+\necho mine\n$/,
      );
    }
  });

  it('gives each terminal of the machine its own screen, where there is room for that as well', () => {
    assert.match(sent(job()) ?? '', /^\( : >>"\$\{HOME:-\/root\}\/\.no_auto_tmux" \)[^\n]+\n\{ h=/);
    const sizes = Array.from({ length: 40 }, (_, at) => `# ${noise.slice(0, at * 64)}\n`);
    const kinds = sizes.map((own) => {
      const script = unpackOnstart(sent(job(own)) ?? '');
      assert.equal(withoutGuard(script), own);
      return [script.includes('no_auto_tmux'), script.includes(guardMark)].join();
    });
    assert.deepEqual([...new Set(kinds)], ['true,true', 'false,true', 'false,false']);
  });

  /** What no program can pack. */
  const noise = Array.from({ length: 40 }, (_, at) =>
    createHash('sha256').update(`${at}`).digest('hex'),
  ).join('');

  for (const [what, config, url] of [
    ['a script for another interpreter', job('#!/usr/bin/env python3\nprint(1)\n'), address],
    ['a script that leaves no room', job(`# ${noise}\n`), address],
    ['an address that a shell could take for more', job('echo mine\n'), 'https://a.example/;reboot'],
  ] as const) {
    it(`is left out for ${what}`, () => {
      assert.equal(sent(config, url), config.onstart);
    });
  }

  it('is left out for a machine without a job', () => {
    assert.equal(sent(job('echo mine\n'), address, {}), 'echo mine\n');
  });

  it('is packed with a longer script, of which the user sees only their own', () => {
    const own = Array.from({ length: 45 }, (_, at) => `echo step ${at}\n`).join('');
    const script = sent(job(own)) ?? '';
    assert.ok(script.length <= longestOnstart && script.startsWith('f=$(mktemp)'));
    assert.equal(withoutGuard(unpackOnstart(script)), own);
  });

  it('is read back from any script without harm', () => {
    const bomb = packOnstart('0'.repeat(2_500_000));
    for (const script of [
      '',
      'echo one',
      'f=$(mktemp) && echo AAAA | base64 -d | gzip -dc >"$f" && ',
      bomb,
    ]) {
      assert.equal(unpackOnstart(script), script);
    }
  });
});
