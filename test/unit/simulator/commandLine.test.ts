import assert from 'node:assert/strict';
import { parseCommandLine, usage, UsageError } from '../../../src/simulator/commandLine';

describe('The command line of the simulator', () => {
  it('has sensible defaults', () => {
    assert.deepEqual(parseCommandLine([]), {
      port: 8787,
      sshServer: true,
      limits: true,
      plainState: false,
      minimalRecords: false,
      deprecatedList: false,
    });
  });

  it('accepts every option, with a space or an equals sign', () => {
    const text =
      '--port=0 --api-key K --seed 3 --speed 5 --state S --plain-state --instances=I --credit 7 --no-limits ' +
      '--minimal-records --deprecated-list --no-ssh --idle-exit 60';
    assert.deepEqual(parseCommandLine(text.split(' ')), {
      port: 0,
      apiKey: 'K',
      seed: 3,
      speed: 5,
      stateFile: 'S',
      plainState: true,
      instancesDir: 'I',
      credit: 7,
      limits: false,
      minimalRecords: true,
      deprecatedList: true,
      sshServer: false,
      idleExitSeconds: 60,
    });
  });

  it('reads the key from the environment, so that it does not show among the processes', () => {
    const options = parseCommandLine([], { SIMULATOR_API_KEY: 'E' });
    assert.equal(typeof options === 'object' ? options.apiKey : undefined, 'E');
    const both = parseCommandLine(['--api-key', 'K'], { SIMULATOR_API_KEY: 'E' });
    assert.equal(typeof both === 'object' ? both.apiKey : undefined, 'K');
  });

  it('can run without SSH, and helps', () => {
    const options = parseCommandLine(['--no-ssh']);
    assert.equal(typeof options === 'object' ? options.sshServer : undefined, false);
    assert.equal(parseCommandLine(['--help']), 'help');
    assert.match(usage, /--api-key KEY/);
  });

  for (const wrong of [
    '--port',
    '--port x',
    '--port 70000',
    '--speed 0',
    '--seed -1',
    '--ssh none',
    '--nonsense',
    'word',
    '--api-key=',
  ]) {
    it(`refuses ${wrong}`, () => {
      assert.throws(() => parseCommandLine(wrong.split(' ')), UsageError);
    });
  }
});
