import assert from 'node:assert/strict';
import { bundleText } from '../../../../src/features/diagnostics';

const person = { home: '/home/ada', userName: 'ada' };

describe('the support bundle', () => {
  it('is one document with the facts, the findings of the doctor and the log, which no line of the log can leave', () => {
    const text = bundleText(
      { rows: { Editor: 'x' }, changedSettings: [], sshExtensions: [] },
      '# GPU Rental: Doctor\n\n- [ok] Login: ada\n',
      ['one', '``` # not a heading'],
      person,
    );
    assert.match(text, /^## GPU Rental diagnostics/);
    assert.match(text, /\n## GPU Rental: Doctor\n\n- \[ok\] Login: <user>\n/);
    assert.match(text, /## Log of this window \(last 2 lines\)\n\n```text\none\n''' # not a heading\n```\n$/);
  });
});
