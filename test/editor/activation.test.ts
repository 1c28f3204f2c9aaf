import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commandIds } from '../../src/commandSpecs';
import { settingDefaults, viewIds } from '../../src/contributions';
import type { GpuRental } from '../../src/extensionInterface';

describe('the installed extension', () => {
  const extension = vscode.extensions.getExtension('gpu-rental.gpu-rental');

  it('is the packaged one, in production mode', async () => {
    assert.ok(extension, 'not installed');
    await extension.activate();
    assert.equal(extension.isActive, true);
    assert.doesNotMatch(extension.extensionPath, /testHost/);
  });

  it('gives other extensions its interface, and the accounts menu no account before a sign-in', async () => {
    const found = extension?.exports as GpuRental;
    assert.equal(found.apiVersion, 1);
    assert.deepEqual(await found.account(), { isSignedIn: false });
    assert.equal(await vscode.authentication.getSession('gpuRental', [], { silent: true }), undefined);
  });

  it('has registered every command that it contributes', async () => {
    const registered = await vscode.commands.getCommands(true);
    assert.deepEqual(
      commandIds.filter((id) => !registered.includes(id)),
      [],
    );
  });

  it('has each of its views, in the place where the editor puts them', async () => {
    const contributed = Object.values(
      (extension?.packageJSON as { contributes: { views: Record<string, readonly { id: string }[]> } })
        .contributes.views,
    ).flatMap((views) => views.map(({ id }) => id));
    assert.deepEqual(contributed.sort(), [...viewIds].sort());
    // The editor has these commands for views that it knows, and only for them.
    const registered = await vscode.commands.getCommands(true);
    assert.deepEqual(
      viewIds.filter((id) => !registered.includes(`${id}.focus`)),
      [],
    );
    for (const id of viewIds) {
      await vscode.commands.executeCommand(`${id}.focus`);
    }
  });

  it('has the documented defaults of its settings', () => {
    for (const [id, value] of Object.entries(settingDefaults)) {
      assert.deepEqual(vscode.workspace.getConfiguration().inspect(id)?.defaultValue, value, id);
    }
  });
});
