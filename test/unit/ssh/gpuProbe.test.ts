import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MachineProof } from '../../../src/model/proof/machineProof';
import gpuProbeScript from '../../../src/ssh/gpuProbe.sh';
import { CancelledError } from '../../../src/util/errors';
import { ProofMachine, tableHead, twoCards } from '../../support/proofMachine';
import { until } from '../../support/until';

/** Images have one or the other. */
const shells = ['dash', 'bash', 'busybox'] as const;

describe('A look at the GPUs of a machine', () => {
  const machines: ProofMachine[] = [];
  afterEach(() => machines.splice(0).forEach((machine) => machine.dispose()));
  const machineOf = (shell?: (typeof shells)[number]) => {
    const machine = new ProofMachine(shell);
    machines.push(machine);
    return shell === 'busybox' ? machine.onBusyBox() : machine;
  };
  const proofOf = async (machine: ProofMachine): Promise<MachineProof> => {
    const answer = await machine.probe();
    assert.deepEqual(left(machine), []);
    return answer.kind === 'proof' ? answer.proof : assert.fail(JSON.stringify(answer));
  };
  const left = (machine: ProofMachine) => readdirSync(machine.home);
  const inMemory = (machine: ProofMachine) => {
    const own = machine.home.replace(/[^A-Za-z0-9]/g, '_');
    return readdirSync('/dev/shm').filter((name) => name.endsWith(own));
  };
  /** Processes that carry the machine's folder in their environment. */
  const processesOf = (machine: ProofMachine) =>
    spawnSync('sh', ['-c', `grep -ls -- "HOME=${machine.home}" /proc/[0-9]*/environ`], {
      encoding: 'utf8',
    }).stdout.trim();

  it('is a script that shellcheck has no objection to', () => {
    const { status, stdout } = spawnSync('shellcheck', ['--shell=sh', '-'], { input: gpuProbeScript });
    assert.equal(status, 0, String(stdout));
  });

  for (const shell of shells) {
    it(`reads the output of the driver’s tool, in ${shell}`, async () => {
      const { disk, ...proof } = await proofOf(machineOf(shell).nvidiaSmi());
      assert.deepEqual(proof, {
        at: 1000,
        kind: 'nvidia',
        gpus: [
          { name: 'NVIDIA GeForce RTX 4090', memoryMb: 24_564 },
          { name: 'NVIDIA GeForce RTX 4090', memoryMb: 24_564 },
        ],
        driver: '570.124.04',
        cuda: '12.8',
        mig: false,
        faults: [],
      });
      assert.ok((disk.sizeGb ?? 0) > (disk.freeGb ?? 0) && (disk.freeGb ?? 0) > 0, JSON.stringify(disk));
      // BusyBox as Debian builds it has a dd that names no time.
      const slowest = shell === 'busybox' ? 0 : 1;
      assert.ok((disk.mbPerSecond ?? 0) >= slowest, JSON.stringify(disk));
    });
  }

  it('ends a tool that hangs, and explains why one fails, in busybox', async () => {
    const hangs = machineOf('busybox').tool('nvidia-smi', 'exec sleep 1000');
    const fails = machineOf('busybox').nvidiaSmi({
      rows: ['NVML: Driver/library version mismatch'],
      code: 18,
    });
    const [hung, failed] = await Promise.all([proofOf(hangs), proofOf(fails)]);
    assert.deepEqual(hung.faults, [{ kind: 'smiHung' }]);
    assert.deepEqual(failed.faults, [{ kind: 'smiFailed', detail: 'NVML: Driver/library version mismatch' }]);
    assert.equal(processesOf(hangs), '');
  });

  it('finds the GPUs of AMD in busybox', async () => {
    const machine = machineOf('busybox')
      .file('dev/kfd')
      .file('dev/dri/renderD128')
      .file('sys/class/drm/renderD128/device/vendor', '0x1002\n')
      .file('sys/class/drm/renderD128/device/mem_info_vram_total', '206141652992\n')
      .file('sys/class/drm/renderD128/device/product_name', 'AMD Instinct MI300X\n');
    assert.deepEqual((await proofOf(machine)).gpus, [{ name: 'AMD Instinct MI300X', memoryMb: 196_592 }]);
  });

  it('reports the login', async () => {
    let times = 0;
    await machineOf()
      .nvidiaSmi()
      .probe({ onLogin: () => (times += 1) });
    assert.equal(times, 1);
  });

  it('asks an older driver for what it knows', async () => {
    const machine = machineOf().tool(
      'nvidia-smi',
      'case "$1" in *mig*) echo \'Field "mig.mode.current" is not a valid field to query.\'; exit 2 ;; esac',
      'echo "0, Tesla K80, 11441, 418.226.00"',
    );
    const { gpus, faults, driver } = await proofOf(machine);
    assert.deepEqual(gpus, [{ name: 'Tesla K80', memoryMb: 11_441 }]);
    assert.deepEqual([faults, driver], [[], '418.226.00']);
  });

  it('lists the parts of a partitioned GPU', async () => {
    const machine = machineOf().nvidiaSmi({
      rows: ['0, NVIDIA A100-SXM4-80GB, 81920, 550.54.15, 0, Enabled'],
      list: [
        'GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-5c8f5f0a-1111-2222-3333-444444444444)',
        '  MIG 3g.40gb     Device  0: (UUID: MIG-7c2e3f10-1111-2222-3333-444444444444)',
        '  MIG 1g.10gb+me  Device  1: (UUID: MIG-8d3e4f10-1111-2222-3333-444444444444)',
      ],
    });
    const { mig, migDevices, faults } = await proofOf(machine);
    assert.deepEqual([mig, migDevices, faults], [true, ['3g.40gb', '1g.10gb+me'], []]);
  });

  it('knows the GPUs of a machine without the tool from the driver itself', async () => {
    const machine = machineOf()
      .file('proc/driver/nvidia/gpus/0000:01:00.0/information', 'Model: \t\t NVIDIA RTX A6000\nIRQ: 88\n')
      .file(
        'proc/driver/nvidia/version',
        'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.124.04  Release Build\nGCC version: 12\n',
      )
      .file('dev/nvidia0')
      .file('dev/nvidiactl');
    const { kind, gpus, driver, faults } = await proofOf(machine);
    assert.deepEqual([kind, gpus], ['nvidia', [{ name: 'NVIDIA RTX A6000' }]]);
    assert.deepEqual([driver, faults], ['570.124.04', [{ kind: 'smiMissing' }]]);
  });

  it('counts the device files where nothing else is there', async () => {
    const { kind, gpus } = await proofOf(
      machineOf().file('dev/nvidia0').file('dev/nvidia1').file('dev/nvidia-uvm'),
    );
    assert.deepEqual([kind, gpus], ['nvidia', [{}, {}]]);
  });

  it('finds the GPUs of AMD', async () => {
    const machine = machineOf()
      .file('dev/kfd')
      .file('dev/dri/renderD128')
      .file('dev/dri/renderD129')
      .file('sys/class/drm/renderD128/device/vendor', '0x1002\n')
      .file('sys/class/drm/renderD128/device/mem_info_vram_total', '206141652992\n')
      .file('sys/class/drm/renderD128/device/product_name', 'AMD Instinct MI300X\n')
      .file('sys/class/drm/renderD129/device/vendor', '0x1a03\n')
      .file('sys/module/amdgpu/version', '6.10.5\n');
    const { kind, gpus, driver, faults } = await proofOf(machine);
    assert.deepEqual(kind, 'amd');
    assert.deepEqual(gpus, [{ name: 'AMD Instinct MI300X', memoryMb: 196_592 }]);
    assert.deepEqual([driver, faults], ['6.10.5', []]);
  });

  for (const shell of shells) {
    it(`reads the uncorrected errors that the driver of AMD counts, in ${shell}`, async () => {
      const card = (node: number) => `sys/class/drm/renderD${node}/device`;
      const machine = machineOf(shell).file('dev/kfd');
      for (const node of [128, 129, 130]) {
        machine.file(`dev/dri/renderD${node}`).file(`${card(node)}/vendor`, '0x1002\n');
      }
      machine
        .file(`${card(128)}/ras/umc_err_count`, 'ue: 0\nce: 12\nde: 1\n')
        .file(`${card(129)}/ras/umc_err_count`, 'ue: 2\nce: 0\nde: 0\n')
        .file(`${card(129)}/ras/gfx_err_count`, 'ue: 1\nce: 0\n')
        .file(`${card(129)}/ras/sdma_err_count`, 'ue: 08; exit\n')
        .file(`${card(129)}/ras/features`, 'ue: 7\n');
      const { kind, gpus, faults } = await proofOf(machine);
      assert.deepEqual([kind, gpus.length], ['amd', 3]);
      assert.deepEqual(faults, [{ kind: 'ras', gpu: 1, number: 3 }]);
    });
  }

  it('finds none on a machine without any', async () => {
    const { kind, gpus } = await proofOf(machineOf());
    assert.deepEqual([kind, gpus], ['none', []]);
  });

  it('explains why the tool fails', async () => {
    const machine = machineOf().nvidiaSmi({
      rows: ['Failed to initialize NVML: Driver/library version mismatch', 'NVML library version: 550.54'],
      code: 18,
    });
    const { gpus, faults } = await proofOf(machine);
    assert.deepEqual(gpus, []);
    assert.deepEqual(faults, [{ kind: 'smiFailed', detail: 'NVML library version: 550.54' }]);
  });

  it('names a GPU that does not work beside others that do', async () => {
    const lost = '1, [GPU is lost], [GPU is lost], 570.124.04, [GPU is lost], [N/A]';
    const { gpus, faults } = await proofOf(
      machineOf().nvidiaSmi({ rows: [twoCards[0] ?? '', lost], code: 15 }),
    );
    assert.equal(gpus.length, 1);
    assert.deepEqual(faults, [{ kind: 'smiFailed', gpu: 1, detail: '[GPU is lost]' }]);
  });

  it('reads errors of memory, and those of the hardware from the log of the kernel', async () => {
    const up = Number(spawnSync('cat', ['/proc/uptime'], { encoding: 'utf8' }).stdout.split('.')[0]);
    const machine = machineOf()
      .nvidiaSmi({ rows: ['0, NVIDIA A40, 46068, 550.54.15, 3, Disabled'] })
      .tool(
        'dmesg',
        "cat <<'END'",
        `[    1.000001] NVRM: loading NVIDIA UNIX x86_64 Kernel Module`,
        `[${up - 50}.123456] NVRM: Xid (PCI:0000:01:00): 13, pid=99, name=python, Graphics Exception`,
        `[${up - 40}.123456] NVRM: Xid (PCI:0000:01:00): 79, pid=99, GPU has fallen off the bus.`,
        `[${up - 30}.123456] NVRM: Xid (PCI:0000:01:00): 79, pid=99, GPU has fallen off the bus.`,
        'END',
      );
    const { faults } = await proofOf(machine);
    assert.deepEqual(faults, [
      { kind: 'ecc', gpu: 0, number: 3 },
      { kind: 'xid', number: 79 },
    ]);
  });

  it('treats what is not reported as unknown', async () => {
    const machine = machineOf().nvidiaSmi({
      rows: ['0, NVIDIA GB10, [N/A], 580.95.05, [N/A], [N/A]'],
      table: tableHead.map((line) => line.replace('12.8', 'N/A ')),
    });
    const { gpus, cuda, faults } = await proofOf(machine);
    assert.deepEqual([gpus, cuda, faults], [[{ name: 'NVIDIA GB10' }], undefined, []]);
  });

  it('writes nothing to a disk that is nearly full', async () => {
    const machine = machineOf()
      .nvidiaSmi()
      .tool(
        'df',
        'echo "Filesystem 1024-blocks Used Available Capacity Mounted on"',
        'echo "overlay 41943040 41700000 243040 100% /"',
      )
      .tool('dd', 'echo ran >"$HOME/../dd"');
    const { disk } = await proofOf(machine);
    assert.deepEqual(disk, { sizeGb: 42.949_672_96, freeGb: 0.248_872_96 });
    assert.ok(!readdirSync(machine.dir).includes('dd'));
  });

  it('compares the disk that was rented, where the home folder is on a volume', async () => {
    const machine = machineOf()
      .nvidiaSmi()
      .tool(
        'df',
        'echo "Filesystem 1024-blocks Used Available Capacity Mounted on"',
        'for at in "$@"; do case "$at" in',
        '-*) ;;',
        '/) echo "overlay 104857600 4857600 100000000 5% /" ;;',
        '*) echo "/dev/sdb 10485760 10000000 485760 96% /root" ;;',
        'esac; done',
      )
      .tool('dd', 'echo ran >"$HOME/../dd"');
    const { disk } = await proofOf(machine);
    assert.deepEqual(disk, { sizeGb: 107.374_182_4, freeGb: 102.4 });
    assert.ok(!readdirSync(machine.dir).includes('dd'), 'the volume has no room for a test');
  });

  it('continues if a tool hangs, and ends it', async () => {
    const machine = machineOf().tool('nvidia-smi', 'echo >>"$HOME/../asked"', 'exec sleep 1000');
    const startedAt = Date.now();
    const { faults, gpus, disk } = await proofOf(machine);
    assert.ok(Date.now() - startedAt < 10_000, `${Date.now() - startedAt} ms`);
    assert.deepEqual([faults, gpus], [[{ kind: 'smiHung' }], []]);
    assert.ok(disk.sizeGb !== undefined);
    assert.equal(processesOf(machine), '');
    assert.equal(readFileSync(path.join(machine.dir, 'asked'), 'utf8').length, 1, 'asked once');
  });

  it('reads a little of a tool that never ends to speak', async () => {
    const { faults } = await proofOf(machineOf().tool('nvidia-smi', 'exec yes NVIDIA'));
    assert.equal(faults[0]?.kind, 'smiFailed');
  });

  for (const signal of ['SIGHUP', 'SIGTERM', 'SIGINT'] as const) {
    it(`leaves nothing behind when ${signal} ends it`, async () => {
      const machine = machineOf().tool('nvidia-smi', 'exec sleep 1000');
      const child = spawn('sh', ['-c', gpuProbeScript], { env: machine.env, stdio: 'ignore' });
      const ended = once(child, 'exit');
      await until('it looks', () => processesOf(machine).split('\n').length > 3, { everyMs: 20 });
      child.kill(signal);
      await ended;
      await until('all has ended', () => processesOf(machine) === '', { everyMs: 20 });
      assert.deepEqual(left(machine), []);
    });
  }

  it('removes what one left that was killed', async () => {
    const machine = machineOf().nvidiaSmi();
    mkdirSync(path.join(machine.home, '.gpu-rental-proof'));
    writeFileSync(path.join(machine.home, '.gpu-rental-proof', 'smi'), 'old');
    assert.equal((await proofOf(machine)).gpus.length, 2);
  });

  it('uses the memory if the disk is full', async () => {
    const machine = machineOf()
      .nvidiaSmi()
      .tool('mkdir', 'case "$1" in "$HOME"/*) exit 1 ;; esac', 'exec /bin/mkdir "$@"');
    const { gpus } = await proofOf(machine);
    assert.equal(gpus.length, 2);
    assert.deepEqual(inMemory(machine), []);
  });

  it('reports that there is no room at all', async () => {
    const machine = machineOf().nvidiaSmi().tool('mkdir', 'exit 1');
    assert.deepEqual(await machine.probe(), { kind: 'noRoom' });
    machine.dispose();
    assert.deepEqual(await machine.probe(), { kind: 'noRoom' });
  });

  it('uses the age of its folder on a machine without flock', async () => {
    const machine = machineOf().nvidiaSmi().without('flock');
    assert.equal((await proofOf(machine)).gpus.length, 2);
    const kinds = (await Promise.all([1, 2, 3].map(() => machine.probe()))).map(({ kind }) => kind);
    assert.deepEqual(kinds.sort(), ['busy', 'busy', 'proof']);
    const folder = path.join(machine.home, '.gpu-rental-proof');
    mkdirSync(folder);
    assert.deepEqual(await machine.probe(), { kind: 'busy' });
    const old = Date.now() / 1000 - 150;
    utimesSync(folder, old, old);
    assert.equal((await proofOf(machine)).gpus.length, 2);
  });

  it('never runs twice at once on one machine', async () => {
    const machine = machineOf().tool('nvidia-smi', 'exec sleep 1000');
    const first = new AbortController();
    let isIn = false;
    const running = machine.probe({ signal: first.signal, onLogin: () => (isIn = true) });
    await until('the first looks', () => isIn && processesOf(machine).split('\n').length > 3, {
      everyMs: 20,
    });
    assert.deepEqual(await machine.probe(), { kind: 'busy' });
    first.abort();
    await assert.rejects(running, CancelledError);
    await until('all has ended', () => processesOf(machine) === '', { everyMs: 20 });
    assert.equal((await machine.nvidiaSmi().probe()).kind, 'proof');
  });

  describe('while its user works with it', () => {
    const again = async (machine: ProofMachine) => {
      const answer = await machine.probe({ isAgain: true });
      assert.deepEqual(left(machine), []);
      return answer.kind === 'proof' ? answer.proof : assert.fail(JSON.stringify(answer));
    };

    for (const shell of shells) {
      it(`finds GPUs that are slowed down for longer than a moment, in ${shell}`, async () => {
        const reasons = [
          ['0, 0x0000000000000040', '1, 0x0000000000000008'],
          ['0, 0x0000000000000068', '1, 0x0000000000000004'],
        ];
        const { faults } = await again(machineOf(shell).nvidiaSmi({ reasons }));
        assert.deepEqual(faults, [{ kind: 'slowed', gpu: 0 }]);
      });
    }

    it('asks an older driver by the older name', async () => {
      const machine = machineOf().tool(
        'nvidia-smi',
        'case "$1" in',
        '*clocks_event*) echo "Field \\"clocks_event_reasons.active\\" is not a valid field to query."; exit 2 ;;',
        '*clocks_throttle*) echo "0, 0x00000000000000A0" ;;',
        `--query*) echo "${twoCards[0] ?? ''}" ;;`,
        'esac',
      );
      assert.deepEqual((await again(machine)).faults, [{ kind: 'slowed', gpu: 0 }]);
    });

    it('does not measure its disk, and finds no fault with a driver that lacks these reasons', async () => {
      const machine = machineOf().nvidiaSmi().tool('dd', 'touch "$HOST_DEV-written"');
      const { disk, faults } = await again(machine);
      assert.deepEqual([Object.keys(disk).sort(), faults], [['freeGb', 'sizeGb'], []]);
      assert.equal(readdirSync(machine.dir).includes('dev-written'), false);
    });
  });
});
