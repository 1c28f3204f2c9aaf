import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { longestOnstart, unpackOnstart } from '../../../../src/api/onstart';
import { guardedRental } from '../../../../src/jobs/guardedRental';
import { guardMark, ownTerminalLine, withoutGuard } from '../../../../src/model/rentals/birthGuard';
import { hostKeyLineMark } from '../../../../src/model/rentals/hostKeyLine';
import type { RentConfig } from '../../../../src/model/rentals/rent';
import { withHostKeyLine } from '../../../../src/store/rentals/startLine';

const image: RentConfig = { image: 'ubuntu:24.04', diskGb: 10 };
/** What no program can pack. */
const noise = Array.from({ length: 100 }, (_, at) => createHash('sha256').update(`${at}`).digest('hex')).join(
  '',
);

describe('The line that prints the host keys of a rental', () => {
  const scriptOf = (config: RentConfig, templateScript?: string) => {
    const sent = withHostKeyLine(config, { templateScript });
    const script = sent.config.onstart;
    assert.equal(sent.startToken !== undefined, script?.includes(sent.startToken ?? '-') === true);
    return script;
  };

  it('has a token of its own for each rental', () => {
    const [one, other] = [withHostKeyLine(image, {}), withHostKeyLine(image, {})];
    assert.match(one.startToken ?? '', /^[0-9a-f]{24}$/);
    assert.notEqual(one.startToken, other.startToken);
    assert.ok(one.config.onstart?.endsWith(`${hostKeyLineMark}\n`));
    assert.ok((one.config.onstart?.length ?? 0) < 410, `${one.config.onstart?.length ?? 0} characters`);
  });

  it('is before the script of the user or the template, which stays as it was written', () => {
    const fromTemplate: RentConfig = { templateHash: 'abc', diskGb: 10 };
    const scripts = [
      scriptOf({ ...image, onstart: 'touch a\nexit 3\n' }),
      scriptOf(fromTemplate, 'touch a\nexit 3\n'),
      scriptOf({ ...fromTemplate, onstart: 'touch a\nexit 3\n' }, 'of the template'),
    ];
    for (const script of scripts) {
      assert.match(script ?? '', /^\( : [^\n]+\n\( \([^\n]+\ntouch a\nexit 3\n$/);
      assert.equal(withoutGuard(script ?? ''), 'touch a\nexit 3\n');
    }
    assert.match(scriptOf(fromTemplate, '') ?? '', /^[^\n]+\n[^\n]+\n$/);
  });

  for (const [what, config, templateScript] of [
    ['a template whose script is not known', { templateHash: 'abc' }, undefined],
    ['a run type without a shell', { ...image, runtype: 'args' }, undefined],
    ['a virtual machine', { ...image, vm: true }, undefined],
    ['a script for another interpreter', { ...image, onstart: '#!/usr/bin/python3\nprint(1)\n' }, undefined],
    ['a script that leaves no room', { ...image, onstart: `# ${noise}\n` }, undefined],
  ] as const) {
    it(`has no room beside ${what}`, () => {
      const sent = withHostKeyLine(config, { templateScript });
      assert.deepEqual(sent, { config });
    });
  }

  it('has a line beside it that keeps the shared tmux of the service away, unless the user wants that', () => {
    assert.ok(scriptOf(image)?.startsWith(ownTerminalLine));
    assert.match(scriptOf({ ...image, keepsSharedTmux: true }) ?? '', /^\( \(/);
    const twice = scriptOf({ ...image, onstart: `${ownTerminalLine}touch a\n` }) ?? '';
    assert.equal(twice.split(ownTerminalLine).length, 2);
  });

  it('is beside the guard of a job, and left out where only the guard has room', () => {
    const sizes = Array.from({ length: 60 }, (_, at) => `# ${noise.slice(0, at * 64)}\n`);
    const kinds = sizes.map((own) => {
      const guarded = guardedRental({ ...image, onstart: own }, 'https://console.example', {
        jobSeconds: 9000,
      });
      const sent = withHostKeyLine(guarded, {});
      assert.ok((sent.config.onstart ?? '').length <= longestOnstart);
      const script = unpackOnstart(sent.config.onstart ?? '');
      assert.equal(withoutGuard(script), own);
      return [script.includes(guardMark), sent.startToken !== undefined].join();
    });
    assert.deepEqual([...new Set(kinds)], ['true,true', 'true,false', 'false,true']);
  });
});
