import assert from 'node:assert/strict';
import { engines, missingText } from '../../../../src/several/model/engines';
import { formatText } from '../../../../src/util/text';

describe('a tool that is missing on this computer', () => {
  const withProgram = engines.filter(({ program }) => program !== undefined);

  const adviceOn = (platform: NodeJS.Platform) =>
    withProgram.map((engine) => formatText(missingText(engine, platform)));

  it('is installed by what this kind of computer has', () => {
    for (const advice of adviceOn('linux')) {
      assert.match(advice, /is not installed here\. Install it, for example with: sudo apt-get install \S+$/);
    }
    for (const advice of adviceOn('darwin')) {
      assert.match(
        advice,
        /is not installed here\. Install it, for example with: (?:brew|pipx) install \S+$/,
      );
    }
    for (const advice of adviceOn('win32')) {
      assert.match(advice, /is not installed here\.$/);
    }
  });
});
