import assert from 'node:assert/strict';
import { diagnosticsText } from '../../../../src/features/diagnostics';

describe('diagnostics', () => {
  it('are a table that no value can break', () => {
    const text = diagnosticsText({
      rows: { Editor: 'a|b\nc' },
      changedSettings: ['gpuRental.ready.onFailure'],
      sshExtensions: [],
    });
    assert.deepEqual(text.split('\n').slice(2), [
      '| what | value |',
      '| --- | --- |',
      '| Editor | a b c |',
      '| Changed settings | gpuRental.ready.onFailure |',
      '| SSH extensions | none |',
      '',
    ]);
  });
});
