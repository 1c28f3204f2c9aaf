import assert from 'node:assert/strict';
import type { RentConfig } from '../../../../src/model/rentals/rent';
import { choicesOf } from '../../../../src/model/rentals/rentAgain';
import { withoutSecretParts } from '../../../../src/store/rentals/rentalJournal';
import { formatText } from '../../../../src/util/text';

const config: RentConfig = {
  image: 'ubuntu',
  diskGb: 30,
  label: 'trainer [gr-0a1b2c3d]',
  runtype: 'args',
  env: { TOKEN: 'secret', '-p 80:80': '1' },
  onstart: 'echo',
  args: '-v',
  imageLogin: '-u me -p token ghcr.io',
  pythonUtf8: true,
  volume: { kind: 'link', volumeId: 3, mountPath: '/data' },
};

describe('renting another like one', () => {
  it('copies all answers that belong to no single machine', () => {
    const { image, volume, ...kept } = config;
    assert.ok(image !== undefined && volume !== undefined);
    assert.deepEqual(choicesOf(config, true), { choices: { ...kept, label: 'trainer' }, lost: [] });
  });

  it('leaves out what is no longer known and names it, instead of sending it empty', () => {
    const { choices, lost } = choicesOf(withoutSecretParts(config), false);
    assert.deepEqual(choices, {
      diskGb: 30,
      label: 'trainer',
      runtype: 'args',
      env: { '-p 80:80': '1' },
      pythonUtf8: true,
    });
    assert.deepEqual(
      lost.map((one) => formatText(one)),
      ['TOKEN', 'the on-start script', 'the arguments', 'the registry login'],
    );
  });

  it('has nothing to name where nothing was secret', () => {
    assert.deepEqual(choicesOf({ image: 'ubuntu', diskGb: 8 }, false), { choices: { diskGb: 8 }, lost: [] });
  });
});
