import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jobId, jobOrder, processesOf, shellMachine, useJobs } from '../../../support/jobScene';

describe('What a job leaves behind on its machine', () => {
  const scene = useJobs();

  it('is ended with what it starts while it is looked for', async () => {
    const bin = join(scene().remote, 'bin');
    mkdirSync(bin);
    // The list of what is left is half a second old when it is read.
    const late = `sed "$@"; case "$*" in 's/[^0-9]//g') sleep 0.5 ;; esac`;
    writeFileSync(join(bin, 'sed'), `#!/bin/sh\nPATH=/usr/bin:/bin\n${late}\n`, { mode: 0o755 });
    const path = `${bin}:${process.env['PATH'] ?? ''}`;
    const job = scene().with({ ssh: shellMachine(scene().remote, { PATH: path }) });
    const starter = 'trap "" TERM; while :; do sleep 1000 & sleep 0.1; done';
    const order = jobOrder(`setsid sh -c '${starter}' &\necho done`, { graceSeconds: 1 });
    await job.begin(order);
    await job.sync(order, undefined);
    await job.start(order);
    const { end, log } = await scene().ended(jobId);
    assert.deepEqual([end?.code, log.piece.toString()], [0, 'done\n']);
    assert.deepEqual(processesOf(jobId), []);
  });
});
