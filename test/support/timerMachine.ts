import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { disarmTimer, type TimerOrder } from '../../src/schedules/machine/machineTimer';
import { runProgram } from '../../src/ssh/run';
import { httpTools, placeOf, shellTools } from './machinePrograms';
import { rentRunning } from './rentRunning';
import { useSimulators, type TestSimulator } from './startSimulator';

/** An instance of a simulator, whose timers run as real processes of this computer in a home folder of their own. */
export function useTimerMachine() {
  const simulators = useSimulators();
  let home: string;
  let simulator: TestSimulator;
  let id: number;
  beforeEach(async () => {
    home = mkdtempSync(path.join(os.tmpdir(), 'gr-timer-'));
    mkdirSync(path.join(home, 'dev', 'pts'), { recursive: true });
    simulator = await simulators.start({ fakeClock: true });
    id = await rentRunning(simulator);
  });
  afterEach(async () => {
    await disarmTimer(machine(), 'gpu-1', id);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });

  /** A machine that has these programs and the key of its instance; the script runs in a real shell. */
  const machine = (tools?: readonly string[], key?: string, env: Record<string, string> = {}) => {
    const bin = path.join(home, 'bin');
    if (tools) {
      mkdirSync(bin, { recursive: true });
      for (const tool of [...shellTools, ...tools].filter((one) => !existsSync(path.join(bin, one)))) {
        symlinkSync(placeOf(tool), path.join(bin, tool));
      }
    }
    const own = simulator.world.instance(id)?.apiKey ?? '';
    return {
      exec: (_: string, script: string, more: object) =>
        runProgram('/bin/sh', ['-c', script], {
          ...more,
          env: {
            HOME: home,
            HOST_DEV: file('dev'),
            CONTAINER_API_KEY: key ?? own,
            ...(tools ? { PATH: bin } : {}),
            ...env,
          },
        }),
    };
  };
  const file = (name: string) => path.join(home, name);
  const tool = (name: string, ...lines: readonly string[]) => {
    mkdirSync(file('bin'), { recursive: true });
    // It may be a link to the program of this computer.
    rmSync(path.join(file('bin'), name), { force: true });
    writeFileSync(path.join(file('bin'), name), ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
  };
  /** A machine that wakes up sooner than it was told to and reads the time from its clocks. */
  const hastyMachine = (
    tools: readonly string[] = httpTools.slice(0, 1),
    env: Record<string, string> = {},
  ) => {
    tool('sleep', `exec ${placeOf('sleep')} 0.2`);
    return machine(tools, undefined, env);
  };
  /**
   * A machine whose clocks stand still until `pass` moves them, so that no timer ends before its arming was confirmed.
   * One step is at most 60 seconds: the machine takes more than that for a clock that was set.
   */
  const frozenMachine = (tools?: readonly string[]) => {
    let seconds = 0;
    const show = () => {
      writeFileSync(file('day'), `${1_000_000 + seconds}\n`);
      writeFileSync(file('proc/uptime'), `${100 + seconds}.25 50.00\n`);
    };
    mkdirSync(file('proc'), { recursive: true });
    tool('date', 'cat "$HOME/day"');
    show();
    const pass = (more: number) => {
      seconds += more;
      show();
    };
    return { ...hastyMachine(tools, { HOST_PROC: file('proc') }), pass };
  };
  const order = (more: Partial<TimerOrder> = {}): TimerOrder => ({
    serviceUrl: simulator.url,
    instanceId: id,
    action: 'stop',
    seconds: 600,
    token: 'abc123',
    mode: 'at',
    ...more,
  });
  const processes = () => {
    const folder = path.join(home, '.gpu-rental');
    const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('timer-')) : [];
    return files.map((name) => Number(readFileSync(path.join(folder, name), 'utf8')));
  };
  /** What changes an instance; to rent it changes none. */
  const writes = () =>
    simulator.received(undefined, /^\/api\/v0\/instances\//).filter(({ method }) => method !== 'GET');

  return {
    machine,
    hastyMachine,
    frozenMachine,
    tool,
    file,
    order,
    processes,
    writes,
    /** What the service has of the instance. */
    instance: () => simulator.world.instance(id),
    get home() {
      return home;
    },
    get simulator() {
      return simulator;
    },
    get id() {
      return id;
    },
  };
}
