import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type * as vscode from 'vscode';
import { LastFolders, recipeFolder } from '../../../../src/features/connect/folders';
import { workspaceFilePath } from '../../../../src/model/workspace/workspaceFile';
import { openScreen } from '../../../support/onScreen';

function memory(initial?: unknown) {
  let stored = initial;
  const state: Pick<vscode.Memento, 'get' | 'update'> = {
    get: () => stored,
    update: (_key: string, value: unknown) => {
      stored = value;
      return Promise.resolve();
    },
  };
  return new LastFolders(state);
}
const instance = { id: 7, image: 'pytorch/pytorch' };

describe('The folders opened before', () => {
  it('are offered for the instance, the last first, and for others with the same image', async () => {
    const folders = memory();
    await folders.remember('gpu-7', instance, '/root');
    await folders.remember('gpu-7', instance, '/workspace');
    await folders.remember('gpu-7', instance, '/root');
    assert.equal(folders.last('gpu-7'), '/root');
    assert.deepEqual(folders.recent('gpu-7', instance), ['/root', '/workspace']);
    assert.equal(folders.last('gpu-8'), undefined);
    assert.deepEqual(folders.recent('gpu-8', { ...instance, id: 8 }), ['/root', '/workspace']);
    assert.deepEqual(folders.recent('gpu-9', { id: 9, image: 'other' }), []);
  });

  it('are forgotten with the instance, what it taught about its kind stays', async () => {
    const folders = memory();
    await folders.remember('gpu-7', instance, '/root');
    await folders.forget(['gpu-7']);
    assert.equal(folders.last('gpu-7'), undefined);
    assert.deepEqual(folders.recent('gpu-8', instance), ['/root']);
  });

  it('are forgotten with the SSH entries of a signed-out account', async () => {
    const folders = memory();
    await folders.remember('gpu-7', instance, '/root');
    await folders.remember('gpu-8', instance, '/other');
    await folders.keepOnly(['gpu-8']);
    assert.equal(folders.last('gpu-7'), undefined);
    assert.equal(folders.last('gpu-8'), '/other');
    assert.deepEqual(folders.recent('gpu-9', instance), ['/other', '/root']);
  });

  it('are five at most, and of no more than a hundred instances', async () => {
    const folders = memory();
    for (let number = 1; number <= 120; number += 1) {
      await folders.remember(`gpu-${number}`, undefined, '/root');
      await folders.remember('gpu-7', undefined, `/${number}`);
    }
    assert.deepEqual(folders.recent('gpu-7', undefined).length, 5);
    assert.equal(folders.last('gpu-1'), undefined);
    assert.equal(folders.last('gpu-120'), '/root');
  });

  it('are nothing where what is stored is broken or hostile', () => {
    for (const broken of [null, 7, 'x', { 'gpu-7': '/root' }, { 'gpu-7': ['relative', '/a\nb', 3] }]) {
      assert.equal(memory(broken).last('gpu-7'), undefined);
    }
  });
});

describe('The folder that a workspace names', () => {
  it('is that of the machine that the instance was rented as, also beside one that is wrong', async () => {
    const workspace = mkdtempSync(join(tmpdir(), 'gpu-named-'));
    try {
      const file = join(workspace, workspaceFilePath);
      mkdirSync(dirname(file), { recursive: true });
      const machines = {
        wrong: { image: 'a/b', diskGb: 'large' },
        train: { image: 'pytorch/pytorch', folder: '/train' },
      };
      writeFileSync(file, JSON.stringify({ maxPricePerHour: 1, image: 'a/b', machines }));
      openScreen({ folders: [workspace] });
      assert.equal(await recipeFolder(instance), '/train');
      assert.equal(await recipeFolder({ ...instance, image: 'other' }), undefined);
    } finally {
      rmSync(workspace, { recursive: true });
    }
  });
});
