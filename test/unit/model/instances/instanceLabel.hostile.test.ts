import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { instanceName } from '../../../../src/model/instances/instanceLabel';
import { stateLabel } from '../../../../src/model/instances/instanceState';
import { beginStartWatch, observe } from '../../../../src/model/rentals/startWatch';
import { volumeName } from '../../../../src/model/volume';
import { plainLabel } from '../../../../src/util/plainLabel';
import { formatText } from '../../../../src/util/text';
import { anInstance } from '../../../support/builders';
import { hostileText } from '../../../support/hostileText';

/** What the editor makes a link of in a notification; one to a command runs it. */
const link = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)/i;
const trap = '[Fix it](command:workbench.action.terminal.sendSequence?%7B%22text%22%3A%22id%22%7D) $(sync)';

/** Everything that a message says with words of the service, of a host or of a teammate. */
function wordsWith(value: string): readonly string[] {
  const instance = anInstance({ label: value, gpuName: value, statusMessage: value, actualStatus: value });
  const unnamed = anInstance({ label: '', gpuName: value });
  const { watch } = observe(beginStartWatch(instance.id, 'rent', 0), instance, {}, 1, {
    timeoutMs: 60_000,
    checksLogin: false,
  });
  return [
    instanceName(instance),
    instanceName(unnamed),
    formatText(stateLabel(instance, 'other')),
    watch.message ?? '',
    volumeName({ id: 3, label: value }),
    plainLabel(value),
  ];
}

describe('Words of strangers', () => {
  it('make no link and no icon', () => {
    for (const words of wordsWith(trap)) {
      assert.doesNotMatch(words, link);
      assert.doesNotMatch(words, /\$\(/);
      assert.match(words, /Fix it|#/);
    }
  });

  it('make none for any value, and stay on one line', () => {
    fc.assert(
      fc.property(hostileText, (value) => {
        for (const words of wordsWith(`[a](command:b) ${value}`)) {
          assert.doesNotMatch(words, link);
          assert.doesNotMatch(words, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        }
      }),
    );
  });
});
