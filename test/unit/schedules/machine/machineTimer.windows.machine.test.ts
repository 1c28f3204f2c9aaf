import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  armTimer,
  checkTimer,
  disarmTimer,
  type TimerOrder,
} from '../../../../src/schedules/machine/machineTimer';
import { runProgram } from '../../../../src/ssh/run';
import { httpTools, placeOf } from '../../../support/machinePrograms';
import { rentRunning } from '../../../support/rentRunning';
import { sized } from '../../../support/seeded';
import { useSimulators } from '../../../support/startSimulator';
import { useTimerMachine } from '../../../support/timerMachine';
import { useFolder } from '../../../support/useFolder';

describe('A timer on the machine and several windows', () => {
  const simulators = useSimulators();
  let home = '';
  useFolder((made) => void (home = made));

  it('is one, and the one that is known, where they start, check and end it at once', async () => {
    const simulator = await simulators.start({ fakeClock: true });
    const id = await rentRunning(simulator);
    const env = { HOME: home, CONTAINER_API_KEY: simulator.world.instance(id)?.apiKey ?? '' };
    const machine = {
      exec: (_: string, script: string, more: object) =>
        runProgram('/bin/sh', ['-c', script], { ...more, env }),
    };
    const order = (token: string): TimerOrder => ({
      ...{ serviceUrl: simulator.url, instanceId: id, action: 'stop', seconds: 600, token, mode: 'at' },
    });
    const folder = path.join(home, '.gpu-rental');
    const alive = () =>
      readdirSync(folder)
        .filter((name) => name.startsWith('timer-'))
        .map((name) => Number(readFileSync(path.join(folder, name), 'utf8')))
        .filter((pid) => {
          try {
            return process.kill(pid, 0);
          } catch {
            return false;
          }
        });
    for (let round = 0; round < sized(3, 40); round += 1) {
      const tokens = ['a', 'b', 'c'].map((letter) => `${letter}${round}`);
      const isEnded = round % 2 === 1;
      const verdicts = await Promise.all([
        ...tokens.map((token) => armTimer(machine, 'gpu-1', order(token))),
        ...(isEnded ? [disarmTimer(machine, 'gpu-1', id)] : []),
      ]);
      const left = alive();
      const checks = await Promise.all(tokens.map((token) => checkTimer(machine, 'gpu-1', order(token))));
      const said = JSON.stringify([verdicts, checks]);
      assert.equal(checks.filter(({ kind }) => kind === 'armed').length, left.length, said);
      assert.ok(left.length === 1 || (isEnded && left.length === 0), said);
    }
    await disarmTimer(machine, 'gpu-1', id);
    assert.deepEqual([alive(), readdirSync(folder)], [[], ['guard.sh']]);
  });
});

describe('A timer on the machine where another window has its turn', () => {
  const timer = useTimerMachine();

  it('is neither started nor ended before that turn is over, for any length of it', async () => {
    const machine = timer.hastyMachine([...httpTools.slice(0, 1), 'flock']);
    timer.tool('sleep', '');
    const folder = timer.file('.gpu-rental');
    mkdirSync(folder);
    const holder = spawn('sh', ['-c', 'exec 9<"$1"; flock 9; echo held; exec sleep 60', 'sh', folder], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    const ended = new Promise((resolve) => holder.once('close', resolve));
    try {
      assert.deepEqual(await armTimer(machine, 'gpu-1', timer.order()), { kind: 'busy' });
      assert.equal(await disarmTimer(machine, 'gpu-1', timer.id), false);
    } finally {
      holder.kill('SIGKILL');
      await ended;
    }
    timer.tool('sleep', `exec ${placeOf('sleep')} 0.2`);
    assert.equal((await armTimer(machine, 'gpu-1', timer.order())).kind, 'armed');
    assert.equal(await disarmTimer(machine, 'gpu-1', timer.id), true);
  });
});
