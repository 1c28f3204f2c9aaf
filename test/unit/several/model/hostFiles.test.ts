import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { hostFiles } from '../../../../src/several/model/hostFiles';
import { isMember, setNameProblem } from '../../../../src/several/model/hostSet';
import { hostileText } from '../../../support/hostileText';

describe('the files for other tools', () => {
  const content = (name: string, hosts = 3) => {
    const files = hostFiles(
      'sweep',
      Array.from({ length: hosts }, (_, at) => ({ alias: `gpu-${1000 + at}`, gpuCount: at, gpuName: name })),
    );
    return Object.fromEntries(files.map((file) => [file.path, file.content]));
  };

  const withoutInventory = (name: string) => {
    return Object.fromEntries(Object.entries(content(name)).filter(([file]) => file !== 'inventory.yml'));
  };

  it('hold aliases and numbers, for any name of a GPU', () => {
    fc.assert(
      fc.property(hostileText, (name) => {
        const { 'inventory.yml': inventory = '', ...others } = content(name);
        assert.match(inventory, /^[\x20-\x7e\n]*$/);
        assert.equal(inventory.split('\n').length, 7);
        assert.doesNotMatch(inventory, /\{\{|%\}/);
        assert.equal(JSON.stringify(others), JSON.stringify(withoutInventory('A')));
      }),
    );
  });

  it('give a machine one task for each of its GPUs, and at least one', () => {
    assert.match(content('A')['sshloginfile'] ?? '', /^1\/gpu-1000\n1\/gpu-1001\n2\/gpu-1002$/m);
  });

  it('are read by Ansible and ClusterShell, two hundred machines and none included', () => {
    for (const count of [0, 200]) {
      const folder = mkdtempSync(path.join(tmpdir(), 'host files é-'));
      for (const [name, text] of Object.entries(content('RTX {{ 1 }} "4090"', count))) {
        mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
        writeFileSync(path.join(folder, name), text);
      }
      const run = (program: string, ...args: string[]) =>
        execFileSync(program, args, {
          cwd: folder,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
          env: { ...process.env, CLUSTERSHELL_CFGDIR: folder },
        });
      const inventory = JSON.parse(run('ansible-inventory', '-i', 'inventory.yml', '--list')) as {
        _meta: { hostvars: Record<string, unknown> };
      };
      assert.equal(Object.keys(inventory._meta.hostvars).length, count);
      const nodes = run('nodeset', '-e', '@sweep').trim().split(/\s+/).filter(Boolean);
      assert.equal(nodes.length, count);
      rmSync(folder, { recursive: true });
    }
  });

  it('have a group by label, by choice, or of all', () => {
    const instance = { id: 7, label: 'sweep-1' };
    const fits = (pattern: string) => isMember({ kind: 'label', pattern }, instance);
    assert.deepEqual(['sweep-*', '*1', 'sweep-1', 'sweep', 's.*', '*'].map(fits), [
      true,
      true,
      true,
      false,
      false,
      true,
    ]);
    assert.equal(isMember({ kind: 'chosen', ids: [8] }, instance), false);
    assert.equal(isMember({ kind: 'chosen', ids: [7] }, instance), true);
    assert.equal(isMember({ kind: 'running' }, instance), true);
  });

  it('have a name that has no other meaning for any tool', () => {
    for (const name of ['gpus', 'a_1', '_x']) {
      assert.equal(setNameProblem(name), undefined);
    }
    for (const name of ['', '1a', 'a-b', 'a b', 'all', 'ungrouped', '../x', 'a'.repeat(41), 'é']) {
      assert.ok(setNameProblem(name), name);
    }
  });
});
