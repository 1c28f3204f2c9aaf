import assert from 'node:assert/strict';
import { CheckNotes } from '../../../../src/features/readiness/machineCheck';
import { anInstance } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { only } from '../../../support/only';

describe('the note of the last check', () => {
  it('is missing from an instance that does not run, whose next start may end otherwise', () => {
    const noteOf = (actualStatus: string) => {
      const check = { kind: 'notChecked', reason: 'noKey' };
      const ignored = () => ({ dispose: () => undefined });
      const notes = new CheckNotes(
        only({
          clock: new FakeClock(),
          fleet: { find: () => anInstance({ actualStatus }) },
          machineProofs: { find: () => ({ at: 0, check }), onDidChange: ignored },
          startWatches: { find: () => undefined, onDidChange: ignored },
          rentals: { find: () => undefined },
          instanceGroups: { addInstanceNotes: ignored },
        }),
      );
      return notes.note(1);
    };
    assert.ok(noteOf('running'));
    assert.deepEqual(['exited', 'loading', 'offline'].map(noteOf), [undefined, undefined, undefined]);
  });
});
