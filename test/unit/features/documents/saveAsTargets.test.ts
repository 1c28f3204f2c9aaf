import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { SaveAsTargets } from '../../../../src/features/documents/saveAsTargets';
import { FakeUri } from '../../../support/fakeEditor/values';
import { only } from '../../../support/only';

describe('A file under a new name', () => {
  const address = (text: string): vscode.Uri => FakeUri.parse(text);

  it('begins a template only as JSON and directly among the templates', () => {
    const creation = { newToken: () => 'token' };
    const deps = { templateStores: { creation }, clock: { now: () => 5 } };
    const targets = new SaveAsTargets(only(deps));
    const begins = (text: string) => targets.begin(address(text), () => undefined);
    assert.deepEqual(
      [
        'gpurental://templates/new.json',
        'gpurental://templates/NEW.JSON',
        'gpurental://templates/new.txt',
        'gpurental://templates/folder/new.json',
        'gpurental://elsewhere/new.json',
      ].map(begins),
      [true, true, false, false, false],
    );
    assert.deepEqual(targets.get(address('gpurental://templates/new.json')), { token: 'token', mtime: 5 });
    assert.equal(targets.get(address('gpurental://templates/new.txt')), undefined);
  });
});
