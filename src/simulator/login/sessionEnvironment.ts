import { existsSync } from 'node:fs';
import path from 'node:path';
import { variablesOf } from '../instances/envFlags';
import type { InstanceState } from '../state';
import type { World } from '../world';
import type { MachineDir } from './machineDir';

/** Ours, whatever a template says. */
const reserved = ['HOME', 'USER', 'LOGNAME', 'SHELL', 'PATH', 'TERM'];
/**
 * A real shell of this computer would run or load what these name. A template must not reach that far:
 * its scripts are recorded and never run here.
 */
const dangerous =
  /^(BASH_.*|ENV|PROMPT_COMMAND|PS[0-4]|SHELLOPTS|BASHOPTS|IFS|LD_.*|DYLD_.*|PYTHONSTARTUP|PYTHONPATH|PYTHONHOME|PERL5.*|RUBYOPT|NODE_OPTIONS|GIT_.*|SSH_.*|SIMULATED_.*|CONTAINER_API_KEY)$/;
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The variables of a session: what the renter asked for, and what the machine itself provides. */
export function sessionEnvironment(
  world: World,
  instance: InstanceState,
  machine: MachineDir,
  token: string,
): Readonly<Record<string, string>> {
  const asked = [
    ...Object.entries(world.ports.accountEnv?.(instance.accountId) ?? {}),
    ...variablesOf(instance.env),
  ].filter(([name]) => !reserved.includes(name) && !dangerous.test(name));
  return {
    LANG: 'C.UTF-8',
    ...(instance.utf8 ? { LC_ALL: 'C.UTF-8', PYTHONIOENCODING: 'UTF-8' } : {}),
    ...Object.fromEntries(asked),
    // Between the machine's own programs and the system's: what a template adds, where it is in a folder.
    PATH: [machine.bin, instance.env['PATH'], systemPath].filter((part) => part).join(':'),
    HOME: machine.home,
    USER: 'root',
    LOGNAME: 'root',
    SHELL: existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh',
    CONTAINER_API_KEY: instance.apiKey,
    CONTAINER_ID: String(instance.id),
    SIMULATOR_URL: world.baseUrl,
    SIMULATED_MACHINE: token,
    // Who is logged in to the computer that simulates the machine is nothing the machine may see.
    HOST_PROC: path.join(machine.dir, 'proc'),
    HOST_DEV: path.join(machine.dir, 'dev'),
    HOST_SYS: path.join(machine.dir, 'sys'),
  };
}
