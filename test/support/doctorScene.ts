import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultNetworkSettings } from '../../src/api/chooseTransport';
import type { Client } from '../../src/api/client';
import type { CallOptions } from '../../src/api/http';
import { examine, type DoctorPorts } from '../../src/features/doctor/examination';
import type { DoctorFinding } from '../../src/features/doctor/finding';
import type { User } from '../../src/model/accounts/account';
import type { ApiKey } from '../../src/model/accounts/apiKey';
import { fromDollars } from '../../src/model/money';
import { findResolvers } from '../../src/ssh/resolvers';
import { ProgramMissingError, type Run } from '../../src/ssh/run';
import { SshHome } from './sshHome';
import { sshAccount, sshInstance } from './sshInstance';
import { SshMachine } from './sshMachine';

type Call = 'current' | 'instances' | 'sshKeys' | 'apiKeys' | 'instanceKeys';

/** What the real programs say of themselves, which no scene changes: asked once for all of them. */
const asked = new Map<string, ReturnType<Run>>();
const asksOnce = ['-V', '-?', '-L'];

/** A computer, an account and a machine on which all is well, until a test changes one of them. */
export class DoctorScene {
  home = new SshHome();
  machine: SshMachine | undefined;
  /** Public keys that the account knows, and those on the instance where they differ. */
  registered: string[] = [];
  onInstance: string[] | undefined;
  fails: Partial<Record<Call, Error>> = {};
  user: User = { id: 1, keyId: 5, credit: fromDollars(5) };
  key: ApiKey = { id: 5 };
  /** The clock of the service; ours shows four seconds more. */
  date = 'Fri, 02 Jan 2026 03:04:01 GMT';
  /** How long each call waits for the rate limit. */
  waitMs = 0;
  run: Run = (...args) => this.real(...args);

  constructor() {
    this.registered = [this.home.key()];
    this.home.write(`# >>> GPU Rental >>>\nInclude ${this.home.ownDir}/*.conf\n# <<< GPU Rental <<<\n`);
  }

  async dispose(): Promise<void> {
    await this.machine?.dispose();
    this.home.dispose();
  }

  private readonly real: Run = (program, args, options) => {
    if (args.length !== 1 || !asksOnce.includes(args[0] ?? '')) {
      return this.home.run(program, args, options);
    }
    const question = `${program} ${args.join()}`;
    const known = asked.get(question) ?? this.home.run(program, args, options);
    asked.set(question, known);
    return known;
  };

  /** A home folder as after the installation of the system. */
  emptyHome(): SshHome {
    this.home.dispose();
    this.home = new SshHome();
    return this.home;
  }

  ports(more: Partial<DoctorPorts> = {}): DoctorPorts {
    const manifest = { contributes: { configuration: { properties: { 'remote.SSH.configFile': {} } } } };
    return {
      account: { ...sshAccount, client: this.client(), user: this.user },
      network: defaultNetworkSettings,
      env: {},
      ssh: this.home.service({ run: (...args) => this.run(...args) }),
      resolvers: findResolvers([{ id: 'ms-vscode-remote.remote-ssh', manifest }]),
      configFileIsSet: true,
      instances: [],
      facts: () => ({}),
      now: () => Date.parse('2026-01-02T03:04:05Z'),
      instanceId: undefined,
      ...more,
    };
  }

  check(more: Partial<DoctorPorts> = {}): Promise<readonly DoctorFinding[]> {
    return examine(this.ports(more), new AbortController().signal);
  }

  async verdicts(more: Partial<DoctorPorts> = {}): Promise<Record<string, string>> {
    return Object.fromEntries((await this.check(more)).map(({ id, verdict }) => [id, verdict]));
  }

  /** A machine that lets the key of this computer in and has a GPU, reached by both addresses. */
  async rented(): Promise<Partial<DoctorPorts>> {
    this.machine = await new SshMachine().start();
    this.having({ 'nvidia-smi': "echo 'GPU 0: RTX 4090'" });
    const proxy = { sshHost: '127.0.0.1', sshPort: this.port };
    return { instances: [sshInstance(this.port, proxy)], instanceId: 7 };
  }

  get port(): number {
    return this.machine?.port ?? 0;
  }

  /** Whatever command comes to the machine, this script answers it. */
  answering(script: string): void {
    this.machine?.authorize(`command="${script}" ${this.registered[0] ?? ''}`);
  }

  /** These programs come first on the machine, each with the shell script that it runs. */
  having(programs: Readonly<Record<string, string>>): void {
    const folder = join(this.machine?.dir ?? '', 'programs');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    for (const [name, script] of Object.entries(programs)) {
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    this.answering(String.raw`export PATH=${folder}:$PATH; eval \"$SSH_ORIGINAL_COMMAND\"`);
  }

  without(program: string): void {
    this.run = (name, args, options) =>
      name === program
        ? Promise.reject(new ProgramMissingError(name, undefined))
        : this.real(name, args, options);
  }

  /** The ssh client names itself so. */
  clientPrints(version: string): void {
    this.run = (name, args, options) =>
      name === 'ssh' && args.includes('-V')
        ? Promise.resolve({ code: 0, stdout: '', stderr: `${version}\n`, timedOut: false })
        : this.real(name, args, options);
  }

  /** As much of a client as the doctor asks. */
  client(): Client {
    const answer = (call: Call, value: () => unknown) => (options?: CallOptions) => {
      if (this.waitMs > 0) {
        options?.onWait?.(this.waitMs);
      }
      const error = this.fails[call];
      if (error) {
        return Promise.reject(error);
      }
      options?.onHeaders?.({ date: this.date }, 0);
      return Promise.resolve(value());
    };
    const list = (items: readonly unknown[]) => ({ items, skipped: 0 });
    const keys = (lines: readonly string[]) => list(lines.map((publicKey, id) => ({ id, publicKey })));
    const parts = {
      users: { current: answer('current', () => this.user) },
      instances: {
        list: answer('instances', () => list([])),
        keys: (_: number, options: CallOptions) =>
          answer('instanceKeys', () => keys(this.onInstance ?? this.registered))(options),
      },
      sshKeys: { list: answer('sshKeys', () => keys(this.registered)) },
      apiKeys: { list: answer('apiKeys', () => list([this.key])) },
    };
    // The other calls would be a mistake, and would fail as such.
    return parts as unknown as Client;
  }
}
