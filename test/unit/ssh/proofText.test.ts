import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { machineProofShape, type MachineProof } from '../../../src/model/proof/machineProof';
import { verdictOn } from '../../../src/model/proof/verdict';
import { differenceText, verdictText } from '../../../src/model/proof/verdictText';
import { parseProof } from '../../../src/ssh/proofText';
import { formatText } from '../../../src/util/text';
import { seeded, sized, testSeed } from '../../support/seeded';

const whole = [
  'gpu-rental proof',
  'smi 0, NVIDIA GeForce RTX 4090, 24564, 570.124.04, [N/A], [N/A]',
  'smi 1, NVIDIA GeForce RTX 4090, 24564, 570.124.04, [N/A], [N/A]',
  'smi-code 0',
  'table | NVIDIA-SMI 570.124.04             Driver Version: 570.124.04     CUDA Version: 12.8     |',
  'parts GPU 0: NVIDIA GeForce RTX 4090',
  'parts-code 0',
  'look-code 0',
  'kernel up 200000',
  'kernel-code 0',
  'disk Filesystem     1024-blocks     Used Available Capacity Mounted on',
  'disk overlay           41943040  2097152  39845888       5% /',
  'disk 16777216 bytes (17 MB, 16 MiB) copied, 0.0293723 s, 571 MB/s',
  'disk 134217728 bytes (134 MB, 128 MiB) copied, 0.0745654 s, 1.8 GB/s',
  'disk-code 0',
  'end',
];

function read(lines: readonly string[]): MachineProof {
  const answer = parseProof(`${lines.join('\n')}\n`, 5);
  return answer?.kind === 'proof' ? answer.proof : assert.fail(JSON.stringify(answer));
}
const changed = (from: string, ...to: readonly string[]) =>
  read(whole.flatMap((line) => (line.startsWith(from) ? to : [line])));

describe('The report of a machine about itself', () => {
  it('becomes plain data', () => {
    const proof = read(whole);
    assert.deepEqual(proof.disk, {
      sizeGb: 42.949_672_96,
      freeGb: 40.802_189_312,
      mbPerSecond: 134.217_728 / 0.074_565_4,
    });
    assert.deepEqual(machineProofShape.parse(proof), proof);
    assert.equal(
      formatText(verdictText(proof, verdictOn(proof, { gpuCount: 2 }))),
      '2× RTX 4090, driver 570, 24 GB each · disk 1.8 GB/s · GPU and disk OK',
    );
  });

  it('begins after the greeting of the machine and may have ends of lines of Windows', () => {
    const noise = ['Welcome to vast.ai!', 'smi 7, Fake, 1, 1.1, 0, Disabled', 'end', 'busy'];
    assert.deepEqual(read([...noise, ...whole]), read(whole));
    assert.deepEqual(parseProof(whole.join('\r\n'), 5), { kind: 'proof', proof: read(whole) });
  });

  it('is nothing without the first line, and no proof without the last', () => {
    assert.equal(parseProof('', 5), undefined);
    assert.equal(parseProof(whole.slice(1).join('\n'), 5), undefined);
    for (let length = 1; length < whole.length; length += 1) {
      assert.deepEqual(parseProof(whole.slice(0, length).join('\n'), 5), { kind: 'cut' });
    }
  });

  it('ends with the last line, before any other text', () => {
    assert.deepEqual(parseProof([...whole, 'busy', ...whole.slice(1)].join('\n'), 5), {
      kind: 'proof',
      proof: read(whole),
    });
    assert.deepEqual(parseProof('gpu-rental proof\nend\nbusy\n', 5), { kind: 'cut' });
  });

  it('shows that another check runs, or that there is no room', () => {
    assert.deepEqual(parseProof('gpu-rental proof\nbusy\n', 5), { kind: 'busy' });
    assert.deepEqual(parseProof('gpu-rental proof\nno-room\n', 5), { kind: 'noRoom' });
  });

  it('is no proof if the tool had no room to state how it ended', () => {
    const without = whole.map((line) => line.replace('smi-code 0', 'smi-code none'));
    assert.deepEqual(parseProof(without.join('\n'), 5), { kind: 'cut' });
  });

  const tool = (code: number, ...rows: readonly string[]) =>
    read(['gpu-rental proof', ...rows.map((row) => `smi ${row}`), `smi-code ${code}`, 'end']);
  const [row = '', second = ''] = whole.flatMap((line) => /^smi (\d.*)$/.exec(line)?.[1] ?? []);

  it('shows what is wrong with the tool', () => {
    const failed = (...faults: readonly object[]) => faults.map((fault) => ({ kind: 'smiFailed', ...fault }));
    assert.deepEqual(tool(124).faults, [{ kind: 'smiHung' }]);
    assert.deepEqual(tool(124, row).faults, [{ kind: 'smiHung' }]);
    assert.deepEqual(tool(6, 'No devices were found').faults, failed({ detail: 'No devices were found' }));
    assert.deepEqual(tool(0).faults, failed({}));
    assert.deepEqual(tool(0, row, 'A warning').faults, []);
    assert.deepEqual(tool(9, row, 'A warning', '').faults, failed({ detail: 'A warning' }));
    assert.deepEqual([tool(127, row).faults, tool(127, row).gpus.length], [failed({}), 1]);
  });

  it('leaves out a GPU that does not work, and names it', () => {
    for (const word of ['[GPU is lost]', '[Unknown Error]', '[GPU requires reset]', 'ERR!']) {
      const proof = tool(0, row, second.replace('24564', word));
      assert.equal(proof.gpus.length, 1);
      assert.deepEqual(proof.faults, [{ kind: 'smiFailed', gpu: 1, detail: word }]);
    }
  });

  it('counts memory errors of each GPU', () => {
    const ecc = (line: string, count: string) => line.replace('[N/A], [N/A]', `${count}, Disabled`);
    assert.deepEqual(tool(0, ecc(row, '0'), ecc(second, '1')).faults, [{ kind: 'ecc', gpu: 1, number: 1 }]);
  });

  it('knows the GPUs without the tool from what is there, the surest first', () => {
    const check = (...lines: readonly string[]) =>
      read(['gpu-rental proof', 'smi-code 127', ...lines.map((line) => `look ${line}`), 'end']);
    const missing = [{ kind: 'smiMissing' }];
    const devices = ['device nvidia', 'device nvidia'];
    const amd = ['amd 17163091968 AMD Radeon RX 7900 XT', 'amd 0 '];
    const models = check('model NVIDIA A40', 'driver 570.1', ...devices, ...amd);
    assert.deepEqual(
      [models.kind, models.gpus, models.driver],
      ['nvidia', [{ name: 'NVIDIA A40' }], '570.1'],
    );
    assert.deepEqual([check(...devices, ...amd).gpus, check(...devices).faults], [[{}, {}], missing]);
    const cards = check(...amd);
    assert.deepEqual([cards.kind, cards.faults], ['amd', []]);
    assert.deepEqual(cards.gpus, [{ name: 'AMD Radeon RX 7900 XT', memoryMb: 16_368 }, {}]);
    const faulty = check(...amd, 'amd-errors 0 0', 'amd-errors 1 3', 'amd-errors 1 x', 'amd-errors -1 3');
    assert.deepEqual(faulty.faults, [{ kind: 'ras', gpu: 1, number: 3 }]);
    assert.deepEqual([check().kind, check().gpus, check().faults], ['none', [], missing]);
  });

  it('lists the parts of a partitioned GPU alone', () => {
    const parts = (mode: string, code: number) =>
      read([
        'gpu-rental proof',
        `smi 0, NVIDIA A100-SXM4-80GB, 81920, 550.54.15, 0, ${mode}`,
        'smi-code 0',
        'parts   MIG 1c.3g.40gb  Device  0:',
        `parts-code ${code}`,
        'end',
      ]);
    assert.deepEqual([parts('Enabled', 0).mig, parts('Enabled', 0).migDevices], [true, ['1c.3g.40gb']]);
    assert.deepEqual([parts('Enabled', 9).mig, parts('Enabled', 9).migDevices], [true, undefined]);
    assert.deepEqual([parts('Disabled', 0).mig, parts('Disabled', 0).migDevices], [false, undefined]);
  });

  it('counts errors of the kernel log that are recent and of the hardware, each code once', () => {
    const { faults } = changed(
      'kernel up',
      'kernel up 200000',
      'kernel xid 113599 48 PCI:0000:01:00',
      'kernel xid 113601 74 PCI:0000:01:00',
      'kernel xid 199990 13 PCI:0000:01:00',
      'kernel xid 199991 79 PCI:0000:01:00',
      'kernel xid 199992 79 PCI:0000:02:00',
    );
    assert.deepEqual(faults, [
      { kind: 'xid', number: 74 },
      { kind: 'xid', number: 79 },
    ]);
    assert.deepEqual(changed('kernel up', 'kernel xid 199991 79 PCI:0000:01:00').faults, []);
  });

  it('counts no error that a program of the user may cause', () => {
    const all = Array.from({ length: 200 }, (_, xid) => `kernel xid 199990 ${xid} PCI:0000:01:00`);
    const { faults } = changed('kernel up', 'kernel up 200000', ...all);
    assert.deepEqual(
      faults.map(({ number }) => number),
      [48, 62, 63, 64, 74, 79, 92, 94, 95, 119, 120],
    );
  });

  it('reads the figure of a slow disk', () => {
    const { disk } = changed(
      'disk 134217728',
      'disk 134217728 bytes (128.0MB) copied, 268.435456 seconds, 512.0KB/s',
    );
    assert.equal(disk.mbPerSecond, 0.5);
  });

  it('reads the CUDA version of newer tables', () => {
    const table = 'table | NVIDIA-SMI 590.44.01   KMD Version: 590.44.01   CUDA UMD Version: 13.1 |';
    assert.equal(changed('table', table).cuda, '13.1');
    assert.equal(changed('table', 'table | CUDA Version: ERR! |').cuda, undefined);
  });

  it('leaves out lines of other forms', () => {
    const odd = [
      'smi 0, NVIDIA GeForce RTX 4090',
      'smi x, NVIDIA GeForce RTX 4090, 24564, 570.124.04, 0, Disabled',
      'smi -1, A, 1, 1.1, 0, Disabled',
      'smi 0, \u001b[2J$(boom) [x](command:y), 1e9, 570;rm, 1.5, Enabledish',
      'disk overlay -1 -1 -1 5% /',
      'disk 1 bytes copied, 0 s, 1 GB/s',
    ];
    const proof = read(['gpu-rental proof', ...odd, 'smi-code 0', 'end']);
    assert.deepEqual(proof, { at: 5, kind: 'nvidia', gpus: [{}], mig: false, faults: [], disk: {} });
  });

  it('stays plain data and plain words, for any output of the machine', () => {
    const random = seeded(testSeed);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] ?? assert.fail();
    const values = [
      '[N/A]',
      '[Not Supported]',
      'ERR!',
      '',
      '99999999999999999999',
      '-1',
      '1e308',
      '0x10',
      '\u202e',
      '\u001b]0;x\u0007',
      '$(x)',
      '[a](command:b)',
      'é'.repeat(300),
      '\0',
      ',,,,',
      'end',
    ];
    const mutate = (line: string): readonly string[] => {
      const kind = Math.floor(random() * 6);
      if (kind === 0) {
        return [];
      }
      if (kind === 1) {
        return [line, line];
      }
      if (kind === 2) {
        return [line.slice(0, Math.floor(random() * line.length))];
      }
      if (kind === 3) {
        return [line.replace(/\d+(?:\.\d+)?|NVIDIA[^,]*/g, () => pick(values))];
      }
      if (kind === 4) {
        return [`${pick(['smi', 'look', 'disk', 'kernel', 'parts', 'table'])} ${pick(values)}`, line];
      }
      return [line];
    };
    for (let round = 0; round < sized(3000, 100_000); round += 1) {
      checkAnswer([whole[0] ?? '', ...whole.slice(1, -1).flatMap(mutate), 'end'].join('\n'));
    }
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) =>
        checkAnswer(`gpu-rental proof\nsmi 0, ${text}\nsmi-code 1\nlook model ${text}\ndisk ${text}\nend`),
      ),
    );
  });

  it('reads the beginning of what is too long', () => {
    assert.deepEqual(parseProof(['gpu-rental proof', 'x'.repeat(1_000_000), 'end'].join('\n'), 5), {
      kind: 'cut',
    });
  });
});

/** Numbers are numbers, counts are small, and each sentence is one line of plain words. */
function checkAnswer(stdout: string): void {
  const answer = parseProof(stdout, 5);
  if (answer?.kind !== 'proof') {
    return;
  }
  const { proof } = answer;
  assert.deepEqual(machineProofShape.parse(JSON.parse(JSON.stringify(proof))), proof);
  const expected = { gpuCount: 2, gpuName: 'RTX 4090', gpuRamMb: 24_564, diskGb: 40 };
  const verdict = verdictOn(proof, expected);
  assert.ok(proof.gpus.length <= 64 && JSON.stringify(proof).length < 20_000);
  for (const words of [verdictText(proof, verdict, expected), ...verdict.differences.map(differenceText)]) {
    assert.doesNotMatch(formatText(words), /[\p{Cc}\p{Cf}]|NaN|Infinity|undefined|\]\(|\$\(/u);
  }
}
