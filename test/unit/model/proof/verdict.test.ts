import assert from 'node:assert/strict';
import { knownGpuModels } from '../../../../src/model/offers/gpuModels';
import { machineProofShape, type MachineProof } from '../../../../src/model/proof/machineProof';
import {
  isSameGpuModel,
  speaksForReplacing,
  verdictOn,
  type Difference,
  type ExpectedMachine,
} from '../../../../src/model/proof/verdict';
import { noteText, verdictText } from '../../../../src/model/proof/verdictText';
import { formatText } from '../../../../src/util/text';

const rented: ExpectedMachine = { gpuCount: 4, gpuName: 'RTX 4090', gpuRamMb: 24_564, diskGb: 40 };
const gpu = { name: 'NVIDIA GeForce RTX 4090', memoryMb: 24_564 };
const good: MachineProof = {
  at: 0,
  kind: 'nvidia',
  gpus: [gpu, gpu, gpu, gpu],
  driver: '570.124.04',
  cuda: '12.8',
  mig: false,
  faults: [],
  disk: { freeGb: 38, sizeGb: 42, mbPerSecond: 1834 },
};
const kinds = (proof: MachineProof, expected = rented) =>
  verdictOn(proof, expected).differences.map(({ kind }) => kind);
const line = (proof: MachineProof, expected = rented) =>
  formatText(verdictText(proof, verdictOn(proof, expected), expected));

describe('The verdict on a machine', () => {
  it('is one line', () => {
    assert.deepEqual(verdictOn(good, rented), { ok: true, differences: [], notes: [] });
    assert.equal(line(good), '4× RTX 4090, driver 570, 24 GB each · disk 1.8 GB/s · GPU and disk OK');
    assert.equal(
      line({ ...good, gpus: [gpu], disk: { mbPerSecond: 412.4 } }, { inetDownMbit: 940.2 }),
      '1× RTX 4090, driver 570, 24 GB · disk 412 MB/s · download 940 Mbit/s (reported by the host) · GPU and disk OK',
    );
  });

  const cases: readonly (readonly [string, Partial<MachineProof>, Difference['kind'][], string])[] = [
    ['a GPU that is missing', { gpus: [gpu, gpu, gpu] }, ['gpuCount'], '3 of 4 GPUs answer'],
    [
      'another model',
      { gpus: [gpu, gpu, gpu, { name: 'NVIDIA GeForce RTX 3090', memoryMb: 24_576 }] },
      ['gpuModel'],
      'RTX 3090 instead of RTX 4090',
    ],
    [
      'less memory',
      { gpus: [gpu, gpu, gpu, { ...gpu, memoryMb: 12_282 }] },
      ['gpuMemory'],
      '12 GB of GPU memory instead of 24 GB',
    ],
    ['no GPU', { kind: 'none', gpus: [] }, ['noGpu'], 'no GPU found, but 4 rented'],
    [
      'a tool that fails',
      { gpus: [], faults: [{ kind: 'smiFailed', detail: 'No devices were found' }] },
      ['fault'],
      'nvidia-smi fails: No devices were found',
    ],
    [
      'a tool that hangs',
      { gpus: [], faults: [{ kind: 'smiHung' }] },
      ['fault'],
      'nvidia-smi does not answer',
    ],
    [
      'errors of an AMD GPU',
      { kind: 'amd', faults: [{ kind: 'ras', gpu: 2, number: 7 }] },
      ['fault'],
      'GPU 2: uncorrected hardware errors (7)',
    ],
    [
      'memory errors',
      { faults: [{ kind: 'ecc', gpu: 2, number: 7 }] },
      ['fault'],
      'GPU 2: uncorrected memory errors (7)',
    ],
    [
      'errors in the log',
      { faults: [{ kind: 'xid', number: 79 }] },
      ['fault'],
      'GPU error Xid 79 in the last 24 hours',
    ],
    ['a smaller disk', { disk: { sizeGb: 20, freeGb: 20 } }, ['diskSize'], 'disk of 20 GB instead of 40 GB'],
    [
      'a disk of the host that others have filled',
      { disk: { sizeGb: 900, freeGb: 7.9 } },
      ['diskShared'],
      '7 GB free on the disk of the host instead of 40 GB',
    ],
    ['a full disk', { disk: { sizeGb: 42, freeGb: 0.41 } }, ['diskFull'], 'the disk is full (410 MB free)'],
    [
      'a partitioned GPU without a partition',
      { mig: true, migDevices: [] },
      ['migEmpty'],
      'the GPU is partitioned (MIG) and no partition is assigned',
    ],
    [
      'a partition smaller than what was rented',
      { mig: true, migDevices: ['3g.20gb', '1g.10gb'] },
      ['gpuMemory'],
      '10 GB of GPU memory instead of 24 GB',
    ],
  ];
  for (const [what, change, expected, words] of cases) {
    it(`names ${what}`, () => {
      const proof = { ...good, ...change };
      assert.deepEqual(kinds(proof), expected);
      assert.ok(line(proof).endsWith(` · ${words}`), line(proof));
      assert.ok(!line(proof).includes('OK'));
    });
  }

  it('does not treat an unknown value as a difference', () => {
    const silent: MachineProof = {
      at: 0,
      kind: 'nvidia',
      gpus: [{}, {}, {}, {}],
      mig: false,
      faults: [],
      disk: {},
    };
    assert.deepEqual(kinds(silent), []);
    assert.equal(line(silent), '4× GPU · GPU and disk OK');
    assert.deepEqual(kinds(good, {}), []);
    assert.deepEqual(kinds({ ...good, mig: true }), []);
    assert.deepEqual(kinds({ ...good, mig: true, migDevices: ['odd'] }), []);
    assert.deepEqual(kinds({ ...silent, gpus: [], kind: 'none' }, {}), []);
  });

  it('allows a few per cent', () => {
    const ecc = { ...gpu, memoryMb: 23_028 };
    assert.deepEqual(kinds({ ...good, gpus: [ecc, ecc, ecc, ecc] }), []);
    assert.deepEqual(kinds({ ...good, gpus: [gpu, gpu, gpu, gpu, gpu] }), []);
    assert.deepEqual(kinds({ ...good, disk: { sizeGb: 36, freeGb: 30 } }), []);
    // Of the user's own disk the user may have filled all but a little, of the host's half.
    assert.deepEqual(kinds({ ...good, disk: { sizeGb: 42, freeGb: 0.6 } }), []);
    assert.deepEqual(kinds({ ...good, disk: { sizeGb: 900, freeGb: 21 } }), []);
    assert.deepEqual(kinds({ ...good, gpus: [gpu, gpu, gpu, { ...gpu, memoryMb: 22_700 }] }), ['gpuMemory']);
  });

  it('counts what the tool could not count as one difference', () => {
    const failed: MachineProof = { ...good, gpus: [], faults: [{ kind: 'smiFailed' }] };
    assert.deepEqual(kinds(failed), ['fault']);
  });

  it('has a note for each special case', () => {
    const notes = (change: Partial<MachineProof>) => verdictOn({ ...good, ...change }, rented).notes;
    assert.deepEqual(notes({ mig: true, migDevices: ['7g.80gb'] }), ['mig']);
    assert.deepEqual(notes({ gpus: [gpu, gpu, gpu, { name: gpu.name }] }), ['memoryNotReported']);
    const withoutTool = { gpus: [{}, {}, {}, {}], faults: [{ kind: 'smiMissing' as const }] };
    assert.deepEqual(notes(withoutTool), ['smiMissing']);
    assert.deepEqual(kinds({ ...good, ...withoutTool }), []);
    assert.equal(line({ ...good, ...withoutTool, disk: {} }), '4× GPU, driver 570 · no nvidia-smi');
    assert.deepEqual(notes({ kind: 'amd' }), ['amd']);
    for (const note of ['mig', 'memoryNotReported', 'smiMissing', 'amd'] as const) {
      assert.match(formatText(noteText(note)), /^[A-Z].*\.$/);
    }
  });

  it('speaks for another machine, unless the user may have filled the disk', () => {
    const speaks = (proof: MachineProof, isNew: boolean) =>
      speaksForReplacing(verdictOn(proof, rented), isNew);
    for (const disk of [{ freeGb: 0 }, { sizeGb: 900, freeGb: 7 }]) {
      const full: MachineProof = { ...good, disk };
      assert.deepEqual([speaks(full, false), speaks(full, true)], [false, true]);
      assert.equal(speaks({ ...full, gpus: [gpu] }, false), true);
    }
    assert.deepEqual([speaks(good, false), speaks(good, true)], [false, false]);
  });

  it('is kept as JSON', () => {
    const kept: unknown = JSON.parse(
      JSON.stringify({ ...good, faults: [{ kind: 'ecc', gpu: 1, number: 2 }] }),
    );
    assert.deepEqual(machineProofShape.parse(kept), {
      ...good,
      faults: [{ kind: 'ecc', gpu: 1, number: 2 }],
    });
  });
});

describe('The model of a GPU', () => {
  const same = [
    ['RTX 4090', 'NVIDIA GeForce RTX 4090'],
    ['RTX_4090', 'NVIDIA GeForce RTX 4090'],
    ['RTX 4090D', 'NVIDIA GeForce RTX 4090 D'],
    ['RTX 4080S', 'NVIDIA GeForce RTX 4080 SUPER'],
    ['RTX 4070S Ti', 'NVIDIA GeForce RTX 4070 Ti SUPER'],
    ['RTX 3060 laptop', 'NVIDIA GeForce RTX 3060 Laptop GPU'],
    ['RTX 6000Ada', 'NVIDIA RTX 6000 Ada Generation'],
    ['RTX 4000Ada', 'NVIDIA RTX 4000 SFF Ada Generation'],
    ['RTX PRO 6000 WS', 'NVIDIA RTX PRO 6000 Blackwell Workstation Edition'],
    ['RTX PRO 6000 WS', 'NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition'],
    ['RTX PRO 6000 S', 'NVIDIA RTX PRO 6000 Blackwell Server Edition'],
    ['RTX A6000', 'NVIDIA RTX A6000'],
    ['A100 SXM4', 'NVIDIA A100-SXM4-80GB'],
    ['A100 PCIE', 'NVIDIA A100 80GB PCIe'],
    ['A100 PCIE', 'NVIDIA A100-PCIE-40GB'],
    ['H100 SXM', 'NVIDIA H100 80GB HBM3'],
    ['H100 NVL', 'NVIDIA H100 NVL'],
    ['H200', 'NVIDIA H200'],
    ['GH200 SXM', 'NVIDIA GH200 480GB'],
    ['L40S', 'NVIDIA L40S'],
    ['Tesla V100', 'Tesla V100-SXM2-16GB'],
    ['Tesla T4', 'Tesla T4'],
    ['Tesla P100', 'Tesla P100-PCIE-16GB'],
    ['Q RTX 8000', 'Quadro RTX 8000'],
    ['GTX 1660 S', 'NVIDIA GeForce GTX 1660 SUPER'],
    ['Titan Xp', 'NVIDIA TITAN Xp'],
    ['Titan RTX', 'NVIDIA TITAN RTX'],
    ['InstinctMI300X', 'AMD Instinct MI300X'],
    ['RX 7900 XTX', 'AMD Radeon RX 7900 XTX'],
    ['', 'NVIDIA H200'],
    ['GPU', 'NVIDIA H200'],
  ] as const;
  for (const [market, driver] of same) {
    it(`"${market}" is "${driver}"`, () => {
      assert.equal(isSameGpuModel(driver, market), true);
    });
  }

  const others = [
    ['RTX 4090', 'NVIDIA GeForce RTX 3090'],
    ['RTX 4090', 'NVIDIA GeForce RTX 4090 D'],
    ['RTX 3060 Ti', 'NVIDIA GeForce RTX 3060'],
    ['RTX 4080S', 'NVIDIA GeForce RTX 4080'],
    ['L40S', 'NVIDIA L40'],
    ['RTX 6000Ada', 'Quadro RTX 6000'],
    ['H100 SXM', 'NVIDIA A100-SXM4-80GB'],
    ['RTX 3060', 'NVIDIA GeForce RTX 3060 Laptop GPU'],
  ] as const;
  for (const [market, driver] of others) {
    it(`"${market}" is not "${driver}"`, () => {
      assert.equal(isSameGpuModel(driver, market), false);
    });
  }

  it('distinguishes all models of the market that are no builds of one', () => {
    const build = / (?:SXM\d?|PCIE|NVL|WS|S)$/;
    const models = [...new Set(knownGpuModels.map((name) => name.replace(build, '')))].filter(
      // The same card under two names for all that the driver says.
      (name) => !name.startsWith('Quadro') && !name.startsWith('GTX 1660'),
    );
    const confused = models.flatMap((one) =>
      models.filter((other) => other > one && isSameGpuModel(one, other)).map((other) => `${one} = ${other}`),
    );
    assert.deepEqual(confused, []);
  });
});
