import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { WorldState } from '../../../src/simulator/state';
import { StateFile, StateFileError } from '../../../src/simulator/stateFile';
import { rentRunning } from '../../support/rentRunning';
import { startTestSimulator } from '../../support/startSimulator';
import { useFolder } from '../../support/useFolder';

const state: WorldState = {
  version: 1,
  seed: 4,
  clockOffsetMs: 0,
  nextIds: { key: 7 },
  accounts: [],
  keys: [],
  instances: [],
  sshKeys: [],
  sections: { secrets: { HF_TOKEN: 'hidden-value' } },
};

/** Every place in the state, from the outside in. */
function places(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, child]) => [[...at, key], ...places(child, [...at, key])]);
}

function changed(value: unknown, [key = '', ...rest]: readonly string[], by: unknown): unknown {
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = rest.length === 0 ? by : changed(copy[key], rest, by);
  return copy;
}

describe('The state file', () => {
  let folder = '';
  let file: string;
  useFolder((made) => void (folder = made));
  beforeEach(() => {
    file = path.join(folder, 'deep', 'state.json');
  });

  it('gives back what was written, also to another run with the same key', () => {
    new StateFile(file, 'key', false).write(state);
    assert.deepEqual(new StateFile(file, 'key', false).read(), state);
    assert.deepEqual(readdirSync(path.dirname(file)), ['state.json']);
  });

  it('is sealed: neither the key nor a value can be read in it, and no other user may try', () => {
    new StateFile(file, 'the-api-key', false).write(state);
    const text = readFileSync(file, 'utf8');
    assert.doesNotMatch(text, /hidden-value|the-api-key|HF_TOKEN/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it('stays readable when that is wanted', () => {
    new StateFile(file, 'key', true).write(state);
    assert.match(readFileSync(file, 'utf8'), /hidden-value/);
    assert.deepEqual(new StateFile(file, 'key', true).read(), state);
  });

  it('reports when it was written with another key, is sealed, or is something else', () => {
    new StateFile(file, 'key', false).write(state);
    assert.throws(() => new StateFile(file, 'other', false).read(), /another API key/);
    assert.throws(() => new StateFile(file, 'key', true).read(), /sealed/);
    writeFileSync(file, '{"something":"else"}');
    assert.throws(() => new StateFile(file, 'key', false).read(), StateFileError);
    writeFileSync(file, '{"version":1');
    assert.throws(() => new StateFile(file, 'key', false), StateFileError);
  });

  it('accepts what the simulator itself has written, and nothing in which a part has another form', async () => {
    const simulator = await startTestSimulator({ stateFile: file, plainState: true, fakeClock: true });
    try {
      await rentRunning(simulator, { label: 'kept', env: { A: '1' }, onstart: 'true' });
    } finally {
      await simulator.close();
    }
    const written = JSON.parse(readFileSync(file, 'utf8')) as WorldState;
    assert.deepEqual(new StateFile(file, 'key', true).read(), written);
    assert.equal(written.instances.length, 1);
    const isRefused = (state: unknown) => {
      writeFileSync(file, JSON.stringify(state));
      try {
        new StateFile(file, 'key', true).read();
        return false;
      } catch (error) {
        assert.ok(error instanceof StateFileError, String(error));
        return true;
      }
    };
    // Sections are checked by their own files.
    const known = places(written).filter(([first, second]) => first !== 'sections' || second === undefined);
    assert.ok(known.length > 70, String(known.length));
    for (const place of known) {
      assert.ok(isRefused(changed(written, place, [['nor', 'this']])), place.join('.'));
    }
    for (const place of known.filter(({ length }) => length === 1)) {
      assert.ok(isRefused(changed(written, place, undefined)), place.join('.'));
    }
  });

  it('leaves the old file alone when it can’t write', () => {
    const store = new StateFile(file, 'key', true);
    store.write(state);
    const before = readFileSync(file, 'utf8');
    const endless: Record<string, unknown> = {};
    endless['self'] = endless;
    assert.throws(() => store.write({ ...state, sections: endless }));
    assert.equal(readFileSync(file, 'utf8'), before);
    assert.deepEqual(readdirSync(path.dirname(file)), ['state.json']);
  });
});
