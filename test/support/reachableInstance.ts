import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from './rentRunning';
import type { TestSimulator } from './startSimulator';
import type { UiSession } from './uiSession';

/** Makes a key on the session's computer, which its account knows. */
export async function registerOwnKey(session: UiSession): Promise<void> {
  const file = path.join(session.root, 'home', '.ssh', 'id_ed25519');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'mine', '-f', file]);
  const ssh_key = readFileSync(`${file}.pub`, 'utf8').trim();
  await session.simulator.call('POST', '/api/v0/ssh/', { ssh_key });
}

/** An instance that runs and lets the key of the session's computer in; its id. */
export async function reachableInstance(session: UiSession, label: string): Promise<number> {
  await registerOwnKey(session);
  return runningInstance(session.simulator, label);
}

/** An instance that runs, with ports and a shell; its id. */
export async function runningInstance(
  simulator: TestSimulator,
  label: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const found = await simulator.call('POST', '/api/v0/bundles/', {
    rentable: { eq: true },
    direct_port_count: { gte: 4 },
    limit: 1,
  });
  const rented = await simulator.call('PUT', `/api/v0/asks/${String(found.json.offers[0].id)}/`, {
    image: 'pytorch/pytorch:latest',
    disk: 10,
    label,
    runtype: 'ssh_direct',
    ...more,
  });
  const id = Number(rented.json.new_contract);
  await eventually(() => {
    simulator.advance(30);
    return simulator.world.instance(id)?.actualStatus === 'running';
  }, 60_000);
  return id;
}
