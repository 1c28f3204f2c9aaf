import assert from 'node:assert/strict';
import { keyProblem } from '../../../../src/model/accounts/editorPlace';

describe('where a key may be read', () => {
  const beside = { isWorkspaceExtension: false, isBrowserEditor: false, hasContainerKey: false };

  it('is beside the user, and on the server of a browser-hosted editor', () => {
    assert.equal(keyProblem(beside), undefined);
    assert.equal(keyProblem({ ...beside, isWorkspaceExtension: true, isBrowserEditor: true }), undefined);
  });

  it('is not the remote side of a desktop window, with the reason', () => {
    const problem = keyProblem({ ...beside, isWorkspaceExtension: true });
    assert.match(problem?.template ?? '', /remote side of this window/);
  });

  it('is never a rented machine, in any editor', () => {
    for (const isBrowserEditor of [false, true]) {
      const problem = keyProblem({ ...beside, isBrowserEditor, hasContainerKey: true });
      assert.match(problem?.template ?? '', /rented machine/);
    }
  });
});
