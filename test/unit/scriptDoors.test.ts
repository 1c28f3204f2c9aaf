import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { packOnstart, unpackOnstart } from '../../src/api/onstart';
import { guardedRental } from '../../src/jobs/guardedRental';
import { readJob } from '../../src/jobs/model/jobSpec';
import { applyChanges } from '../../src/model/documents/jsonPlaces';
import { withoutGuard } from '../../src/model/rentals/birthGuard';
import { planRent } from '../../src/model/rentals/rentPlan';
import { findTemplateProblems } from '../../src/model/templates/templateDiagnostics';
import { interpreterFor, sendFile } from '../../src/ssh/runFile';
import { runTimed } from '../../src/ssh/timedCommand';
import { systemClock } from '../../src/util/clock';
import { scriptedClient } from '../support/fakeTransport';
import { useFolder } from '../support/useFolder';

/** What reaches the machine of a script, by each door. */
type Door = (script: string) => Promise<string> | string;

const ends = { hours: 1, costDollars: 1 };
const job = (fields: object) =>
  readJob(JSON.stringify({ jobs: { a: { run: 'true', limits: ends, outputs: [], ...fields } } }), 'a');
const caught = () => {
  let input: unknown;
  const ssh = {
    exec: (_alias: string, _script: string, options?: { readonly input?: unknown }) => {
      input = options?.input;
      const stdout = 'folder /tmp/gpu-rental-1\n';
      return Promise.resolve({ code: 0, stdout, stderr: '', timedOut: false, isCut: false });
    },
  };
  return { ssh, sent: () => String(input) };
};

const doors: Readonly<Record<string, Door>> = {
  'the on-start script of a rental': (script) => unpackOnstart(packOnstart(script)),
  'the on-start script of a template': (script) =>
    planRent(
      {
        source: {
          kind: 'template',
          template: { id: 7, hashId: 'abc', name: 'n', image: 'i', raw: {}, onstart: script },
        },
      },
      'on-demand',
    ).onstart ?? script,
  'the on-start script beside a guard': (script) => {
    const config = { image: 'i', diskGb: 8, onstart: script };
    const { onstart = '' } = guardedRental(config, 'https://service.test', { jobSeconds: 60 });
    return withoutGuard(unpackOnstart(onstart));
  },
  'the command of a job': (script) => job({ run: script }).run,
  'the lines of a job': (script) => job({ run: script.split('\n') }).run,
  'the set-up of a job': (script) => job({ setup: script }).setup ?? '',
  'a file that is run': async (script) => {
    const { ssh, sent } = caught();
    await sendFile(ssh, 'gpu-7', { name: 'a.sh', content: script });
    return sent();
  },
  'a command of an agent': async (script) => {
    const { ssh, sent } = caught();
    await runTimed({ ssh, clock: systemClock }, 'gpu-7', script, { timeoutMs: 1000 });
    return sent();
  },
};

const line = fc.constantFrom(
  'set -e',
  'if true; then',
  '  echo "ready"',
  'fi',
  '',
  "cat <<'EOF'",
  '{"a": "$(date)", \'b\': "\\n\\r"}',
  'EOF',
  'printf "a\\r\\n"',
  'echo äöü 日本 | tr a b \\',
  '# filler',
);
const script = fc
  .tuple(fc.constantFrom('echo begin', '#!/bin/bash', '#!/bin/sh -e'), fc.array(line, { maxLength: 12 }))
  .map(([first, lines]) => [first, 'true', ...lines]);

describe('A script that runs on a machine', () => {
  let folder = '';
  useFolder((made) => void (folder = made));

  for (const [name, door] of Object.entries(doors)) {
    it(`has line ends of the machine, and is otherwise as it was written: ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(
          script,
          fc.constantFrom('\r\n', '\r', '\n'),
          fc.constantFrom('', '\ufeff'),
          async (lines, end, mark) => {
            assert.equal(await door(mark + lines.join(end)), lines.join('\n'));
          },
        ),
        { numRuns: 60 },
      );
    });
  }

  it('has line ends of the machine as a command of the service', async () => {
    const { client, transport, finish } = scriptedClient((request) =>
      request.url.endsWith('.log')
        ? { text: 'done' }
        : { json: { success: true, result_url: 'https://files.example.com/out.log' } },
    );
    await finish(client.instances.execute(7, 'ls\r\n/root\r'));
    assert.deepEqual(transport.seen[0]?.body, { command: 'ls\n/root' });
  });

  it('is run by the program of its first line, with any end of that line', () => {
    for (const end of ['\r\n', '\r', '\n']) {
      assert.equal(
        interpreterFor('tool', `\ufeff#!/usr/bin/env python3${end}print(1)${end}`),
        '/usr/bin/env python3',
      );
    }
  });

  it('works in a shell where it is packed', () => {
    const long = [
      '#!/bin/bash',
      'set -e',
      'if true; then',
      '  echo ready',
      'fi',
      ...Array<string>(900).fill('# more'),
    ];
    const { stdout, stderr } = spawnSync('bash', ['-c', packOnstart(long.join('\r\n'))], {
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: folder },
    });
    assert.deepEqual([stdout, stderr], ['ready\n', '']);
  });

  it('is marked in a template document, with a fix that converts it', () => {
    for (const onstart of ['a\r\nb', 'a\rb', '\ufeffa\nb']) {
      const source = JSON.stringify({ name: 'n', image: 'i:1', onstart }, undefined, 2);
      const found = findTemplateProblems(source).filter(({ code }) => code === 'scriptLineEnds');
      const [action] = found.flatMap(({ fixes }) => fixes.map((fix) => fix.action));
      assert.ok(action?.kind === 'edit');
      const mended = applyChanges(source, action.changes);
      assert.deepEqual(JSON.parse(mended), { name: 'n', image: 'i:1', onstart: 'a\nb' });
      assert.ok(findTemplateProblems(mended).every(({ code }) => code !== 'scriptLineEnds'));
    }
  });
});
