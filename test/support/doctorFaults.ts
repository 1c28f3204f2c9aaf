import assert from 'node:assert/strict';
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DoctorPorts } from '../../src/features/doctor/examination';
import type { DoctorFinding } from '../../src/features/doctor/finding';
import type { DoctorScene } from './doctorScene';
import { sshAccount, sshInstance } from './sshInstance';
import { freePort } from './sshMachine';

/** What is wrong, and how the doctor says so. */
export interface DoctorFault {
  readonly id: string;
  readonly verdict: DoctorFinding['verdict'];
  /** Kind of the fix, or the command that it runs; '' where none is possible. */
  readonly fix: string;
  readonly arrange: () => Partial<DoctorPorts> | Promise<Partial<DoctorPorts>>;
}

export function doctorFault(
  id: string,
  verdict: DoctorFinding['verdict'],
  fix: string,
  arrange: DoctorFault['arrange'],
): DoctorFault {
  return { id, verdict, fix, arrange };
}

/** Returns what can be wrong with a machine; each begins with one on which all is well. */
const fullDisk = "echo '/dev/vda1 1000000 999000 1000 100% /'";

export function machineFaults(scene: () => DoctorScene): Readonly<Record<string, DoctorFault>> {
  const fault = doctorFault;
  /** The machine runs this in place of each command. */
  const answers = (script: string) => () => {
    scene().answering(script);
    return {};
  };
  const having = (programs: Readonly<Record<string, string>>) => () => {
    scene().having(programs);
    return {};
  };
  return {
    'no key of this computer on it': fault('keyOnInstance', 'problem', 'gpuRental.instance.attachKey', () => {
      scene().onInstance = [scene().home.key('other')];
      for (const name of ['other', 'other.pub']) {
        rmSync(join(scene().home.sshDir, name));
      }
      scene().machine?.authorize();
      return {};
    }),
    'that it lets nobody in': fault('login', 'problem', 'gpuRental.instance.attachKey', () => {
      scene().machine?.authorize();
      return {};
    }),
    'that it prints text at every login': fault(
      'login',
      'note',
      'gpuRental.instance.openTerminal',
      answers(String.raw`echo tmux; eval \"$SSH_ORIGINAL_COMMAND\"`),
    ),
    'that its shell ends too early': fault(
      'login',
      'problem',
      'gpuRental.instance.openTerminal',
      answers('true'),
    ),
    'a host key that changed': fault('hostKey', 'problem', 'forgetHostKey', async () => {
      const known = await scene()
        .home.service()
        .connect({
          account: sshAccount,
          instanceId: 7,
          instance: sshInstance(scene().port),
          registeredKeys: scene().registered,
        });
      assert.equal(known.preflight.ok, true);
      const port = scene().port;
      await scene().machine?.stop();
      scene().machine?.newHostKey();
      await scene().machine?.start({ port });
      return {};
    }),
    'that its disk is full': fault(
      'disk',
      'problem',
      'gpuRental.instance.openTerminal',
      having({ df: fullDisk }),
    ),
    'that no GPU answers': fault(
      'gpu',
      'problem',
      'gpuRental.instance.reboot',
      having({ 'nvidia-smi': 'exit 9' }),
    ),
    'an image without the tool of NVIDIA': fault(
      'gpu',
      'note',
      'gpuRental.instance.check',
      answers(String.raw`eval \"$SSH_ORIGINAL_COMMAND\"`),
    ),
    'a host key that is known, and a GPU, on a full disk': fault(
      'gpu',
      'ok',
      '',
      having({ 'nvidia-smi': "echo 'GPU 0: RTX 4090'", df: fullDisk }),
    ),
    'that its own address does not answer': fault('direct address', 'note', '', async () => ({
      instances: [sshInstance(await freePort(), { sshHost: '127.0.0.1', sshPort: scene().port })],
    })),
    "that the service's address does not answer": fault('proxy address', 'note', '', async () => ({
      instances: [sshInstance(0, { ports: [], sshHost: '127.0.0.1', sshPort: await freePort() })],
    })),
    'that no SSH server answers': fault('sshd', 'problem', 'gpuRental.instance.showLogs', async () => {
      await scene().machine?.stop();
      return {};
    }),
    'that the config overrides the entry': fault('sshG', 'problem', 'openFile', () => {
      scene().home.write(`Host gpu-*\n  Port 1\nMatch all\nInclude ${scene().home.ownDir}/*.conf\n`);
      chmodSync(scene().home.configFile, 0o400);
      return {};
    }),
    'that ssh does not take the config': fault('login', 'problem', 'openFile', () => {
      scene().home.write(`${scene().home.read()}Host a\n  MadeUpOption yes\n`);
      return {};
    }),
  };
}
