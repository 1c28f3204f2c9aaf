import assert from 'node:assert/strict';
import { faultKey, laterFaults } from '../../../../src/model/proof/laterFaults';
import type { MachineProof } from '../../../../src/model/proof/machineProof';

const gpu = { name: 'NVIDIA GeForce RTX 4090', memoryMb: 24_564 };
const start: MachineProof = {
  at: 0,
  kind: 'nvidia',
  gpus: [gpu, gpu],
  mig: false,
  faults: [],
  disk: { freeGb: 38, sizeGb: 42 },
};
const found = (later: Partial<MachineProof>, before: MachineProof | undefined = start, gpuCount = 2) =>
  laterFaults(before, { ...start, ...later }, { gpuCount, diskGb: 40 }).map(faultKey);

describe('What a machine that runs has lost since its start', () => {
  const cases: Readonly<Record<string, readonly [Partial<MachineProof>, string[]]>> = {
    nothing: [{}, []],
    'a card': [{ gpus: [gpu] }, ['gpuCount 1']],
    'all cards': [{ kind: 'none', gpus: [] }, ['noGpu']],
    'memory without errors': [{ faults: [{ kind: 'ecc', gpu: 1, number: 3 }] }, ['ecc 1']],
    'a card that the kernel names': [{ faults: [{ kind: 'xid', number: 79 }] }, ['xid  79']],
    'its speed': [{ faults: [{ kind: 'slowed', gpu: 0 }] }, ['slowed 0']],
    'its room': [{ disk: { freeGb: 0.1, sizeGb: 42 } }, ['diskFull']],
    'no answer of the tool, which says nothing': [{ gpus: [], faults: [{ kind: 'smiHung' }] }, []],
    'a disk that the user filled by half, which is no fault': [{ disk: { freeGb: 9, sizeGb: 900 } }, []],
  };
  for (const [name, [later, keys]] of Object.entries(cases)) {
    it(`is found: ${name}`, () => assert.deepEqual(found(later), keys));
  }

  it('is not what it lacked when it started, however often that is counted', () => {
    const before = { ...start, gpus: [gpu], faults: [{ kind: 'ecc' as const, gpu: 0, number: 1 }] };
    assert.deepEqual(found({ gpus: [gpu], faults: [{ kind: 'ecc', gpu: 0, number: 9 }] }, before), []);
    assert.deepEqual(found({ gpus: [], kind: 'none' }, before), ['noGpu']);
  });

  it('is compared with what was rented if there was no check, and with the check if no number was rented', () => {
    const one = { ...start, gpus: [gpu] };
    assert.deepEqual(laterFaults(undefined, one, { gpuCount: 2 }).map(faultKey), ['gpuCount 1']);
    assert.deepEqual(laterFaults(start, one, {}).map(faultKey), ['gpuCount 1']);
  });
});
