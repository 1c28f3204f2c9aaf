import assert from 'node:assert/strict';
import { RowIndex } from '../../../src/util/rowIndex';

describe('An index of rows', () => {
  it('finds the first row of a key, in the list that it is given', () => {
    const index = new RowIndex<{ readonly id: number; readonly name: string }, number>(({ id }) => id);
    const rows = [
      { id: 1, name: 'one' },
      { id: 2, name: 'two' },
      { id: 1, name: 'another' },
    ];
    assert.equal(index.find(rows, 1)?.name, 'one');
    assert.equal(index.find([...rows].reverse(), 1)?.name, 'another');
    assert.equal(index.find(rows, 3), undefined);
  });
});
