import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { hostFiles } from '../../../../src/several/model/hostFiles';
import { hostileText } from '../../../support/hostileText';

describe('the files for other tools', () => {
  const content = (name: string, hosts = 3, options = '') =>
    hostFiles(
      Array.from({ length: hosts }, (_, at) => ({ alias: `gpu-${1000 + at}`, gpuCount: at, gpuName: name })),
      options,
    );

  it('hold aliases and numbers, for any name of a GPU', () => {
    const withoutInventory = (name: string) => JSON.stringify({ ...content(name), 'inventory.yml': '' });
    fc.assert(
      fc.property(hostileText, (name) => {
        const { 'inventory.yml': inventory = '' } = content(name);
        assert.match(inventory, /^[\x20-\x7e\n]*$/);
        assert.equal(inventory.split('\n').length, 7);
        assert.doesNotMatch(inventory, /\{\{|%\}/);
        assert.equal(withoutInventory(name), withoutInventory('A'));
      }),
    );
  });

  it('give a machine one task for each of its GPUs, and at least one', () => {
    assert.match(content('A')['sshloginfile'] ?? '', /^1\/gpu-1000\n1\/gpu-1001\n2\/gpu-1002$/m);
  });

  it('are read by Ansible, ClusterShell and GNU parallel, two hundred machines and none included', () => {
    const config = `/tmp/José's 100%/{{ 1 }} "config"`;
    const options = `-F '/tmp/José'\\''s 100%/{{ 1 }} "config"'`;
    for (const count of [0, 1, 200]) {
      const folder = mkdtempSync(path.join(tmpdir(), 'host files é-'));
      for (const [name, text] of Object.entries(content('RTX {{ 1 }} "4090"', count, options))) {
        mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
        writeFileSync(path.join(folder, name), text);
      }
      // In place of ssh: its arguments, one in a line.
      mkdirSync(path.join(folder, 'bin'));
      writeFileSync(path.join(folder, 'bin', 'ssh'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
      const run = (program: string, ...args: string[]) =>
        execFileSync(program, args, {
          cwd: folder,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
          env: {
            ...process.env,
            CLUSTERSHELL_CFGDIR: folder,
            PATH: `${path.join(folder, 'bin')}:${process.env['PATH']}`,
          },
        });
      const inventory = JSON.parse(run('ansible-inventory', '-i', 'inventory.yml', '--list')) as {
        _meta: { hostvars: Record<string, Record<string, unknown>> };
      };
      const variables = Object.values(inventory._meta.hostvars);
      assert.equal(variables.length, count);
      const nodes = run('nodeset', '-e', '@gpus').trim().split(/\s+/).filter(Boolean);
      assert.equal(nodes.length, count);
      if (count === 1) {
        assert.deepEqual(variables[0]?.['ansible_ssh_common_args'], { __ansible_unsafe: options });
        const isGiven = (lines: string) => assert.ok(lines.includes(config), lines);
        isGiven(run('clush', '-w', 'gpu-1000', 'true'));
        isGiven(run('parallel', '--nonall', '--sshloginfile', 'sshloginfile', 'true'));
      }
      rmSync(folder, { recursive: true });
    }
  });
});
