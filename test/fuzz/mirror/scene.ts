import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunResult as ProgramResult } from '../../../src/ssh/run';
import type { SshService } from '../../../src/ssh/service';
import { systemClock, type Clock } from '../../../src/util/clock';
import type { MirrorEngine } from '../../../src/workspaces/machine/mirror/engine';
import { CuttingProxy } from '../../support/cuttingProxy';
import { MirrorScene } from '../../support/mirrorScene';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { SshMachine } from '../../support/sshMachine';
import { Dice } from '../dice';
import type { RunResult } from '../scene';
import { contentsBelow, Edits, names, type Side } from './edits';

/** Pauses take a part of their time; what the disks note is real. */
const quick: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now() * 20,
  schedule: (run, delayMs) => systemClock.schedule(run, delayMs / 20),
};

/** One run of so many goes through a real server, whose line is cut. */
const overSsh = 20;
const steps = 14;

/**
 * Random edits on both sides of a mirror, with cut lines, killed windows and full disks. Each written version is unique, so
 * that the judge finds each in a file, or in a folder of replaced versions, unless its own writer replaced it.
 */
export async function playMirror(
  seed: number,
  trace: (line: string) => void = () => undefined,
): Promise<RunResult> {
  const run = new MirrorRun(seed, trace);
  try {
    await run.open();
    for (let step = 0; step < steps && run.violations.length === 0; step += 1) {
      await run.step();
    }
    await run.converge();
  } catch (error) {
    run.violations.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    await run.close();
  }
  return { seed, violations: run.violations, rentals: 0 };
}

class MirrorRun {
  readonly violations: string[] = [];
  private readonly dice: Dice;
  private readonly scene = new MirrorScene(quick);
  private readonly edits: Edits;
  private readonly closers: (() => unknown)[] = [];
  private exec: SshService['exec'] = this.scene.exec;
  private engine: MirrorEngine | undefined;
  private proxy: CuttingProxy | undefined;
  /** What was there at any time, so that the user there may have replaced it. */
  private readonly seenThere = new Set<string>();
  private readonly released = new Set<string>();
  /** What was not to be deleted there, which belongs to the instance from then on. */
  private readonly leftThere = new Set<string>();
  /** Faults of the next login. */
  private fault: 'cut' | 'lost' | 'kill' | 'full' | undefined;
  private readonly hasGit: boolean;
  private readonly platform: NodeJS.Platform;

  constructor(
    private readonly seed: number,
    private readonly trace: (line: string) => void,
  ) {
    this.dice = new Dice(seed);
    this.edits = new Edits(this.dice, this.scene, trace);
    this.hasGit = this.dice.chance(0.3);
    this.platform = this.dice.chance(0.2) ? 'darwin' : 'linux';
  }

  async open(): Promise<void> {
    if (this.seed % overSsh === 0) {
      await this.openSsh();
    }
    if (this.hasGit) {
      this.git('init', '-q', '-b', 'main');
      this.git('config', 'user.email', 'a@example.com');
      this.git('config', 'user.name', 'a');
    }
    for (let index = this.dice.between(0, 6); index > 0; index -= 1) {
      this.edits.edit('local');
    }
    if (this.dice.chance(0.3)) {
      this.edits.edit('remote');
    }
    this.reopen();
  }

  async close(): Promise<void> {
    this.engine?.dispose();
    for (const close of this.closers.reverse()) {
      await close();
    }
    await this.scene.dispose();
  }

  async step(): Promise<void> {
    const what = this.dice.weighted<() => unknown>([
      [6, () => this.edits.edit('local')],
      [4, () => this.edits.edit('remote')],
      [5, () => this.settle()],
      [3, () => this.touch()],
      [2, () => this.fetch()],
      [2, () => this.keep()],
      [2, () => this.answer(0.6)],
      [1, () => this.reopen()],
      [3, () => this.setFault()],
      [this.hasGit ? 3 : 0, () => this.useGit()],
      [0.3, () => this.wipe()],
    ]);
    await what();
    this.look();
    this.judge();
  }

  /** After the last cut, all is the same, listed or asked. */
  async converge(): Promise<void> {
    this.fault = undefined;
    this.proxy?.spare();
    this.trace('converge');
    this.isCalm = true;
    await this.idle();
    this.reopen();
    for (let round = 0; round < 3; round += 1) {
      await this.window.settle();
      if (this.window.status.question) {
        this.answer(0.7);
      }
    }
    await this.window.settle();
    this.look();
    this.judge();
    const { status } = this.window;
    const listed = new Set(
      [
        ...status.differing,
        ...status.leftOut,
        ...(status.question?.names.map((name) => ({ name })) ?? []),
      ].map(({ name }) => name),
    );
    const [here, there] = [this.treeOf('local'), this.treeOf('remote')];
    for (const name of new Set([...here.keys(), ...there.keys()])) {
      const isSame = here.get(name) === there.get(name);
      if (!isSame && !listed.has(name) && !this.isIgnored(name)) {
        this.complain(`${name} differs and is not listed: ${here.get(name)} here, ${there.get(name)} there`);
      }
    }
    for (const { name, change } of status.differing) {
      if (here.get(name) !== undefined && here.get(name) === there.get(name)) {
        this.complain(`${name} is listed as ${change} and the same`);
      }
      if (!this.edits.isTouchedThere && !this.leftThere.has(name)) {
        this.complain(`${name} is listed as ${change} though nothing was changed there`);
      }
    }
    if (status.waiting > 0 && !status.question) {
      this.complain(`${status.waiting} files wait for ever`);
    }
    const left = [...here.keys(), ...there.keys()].filter((name) => name.endsWith('.part'));
    if (left.length > 0) {
      this.complain(`parts are left: ${left.join()}`);
    }
    const stages = existsSync(this.scene.beside) ? readdirSync(this.scene.beside) : [];
    if (!this.isCutHard && stages.some((name) => name.startsWith('stage'))) {
      this.complain('a stage is left');
    }
  }

  private isCutHard = false;
  /** Nothing is edited any more. */
  private isCalm = false;

  private get window(): MirrorEngine {
    if (!this.engine) {
      throw new Error('No window is open');
    }
    return this.engine;
  }

  private reopen(): void {
    this.trace('reopen');
    this.engine?.dispose();
    this.engine = this.scene.open({
      clock: quick,
      platform: this.platform,
      ssh: { exec: (...call) => this.login(...call) },
      ...(this.dice.chance(0.2) ? { singleBytes: 8 } : {}),
    });
  }

  /** One login, perhaps with an edit right before it, and a fault during it. */
  private async login(
    ...[alias, script, options = {}]: Parameters<SshService['exec']>
  ): Promise<ProgramResult> {
    const { fault } = this;
    this.fault = undefined;
    if (!this.isCalm && this.dice.chance(0.15)) {
      this.edits.edit(this.dice.chance(0.5) ? 'local' : 'remote');
    }
    if (fault) {
      this.trace(`  fault: ${fault}`);
    }
    const lost: ProgramResult = { code: 255, stdout: '', stderr: '', timedOut: false };
    if (fault === 'full') {
      return this.exec(alias, `ulimit -f ${this.dice.between(0, 1)}\n${script}`, options);
    }
    if (fault === 'lost') {
      await this.exec(alias, script, options);
      return lost;
    }
    if (fault === 'cut') {
      const { input } = options;
      const most = this.dice.between(0, 9_000);
      const part = typeof input === 'object' ? { input: firstBytes(input, most) } : {};
      await this.exec(alias, script, { ...options, ...part }).catch(() => undefined);
      return lost;
    }
    if (fault === 'kill') {
      // The window ends while the machine works.
      const engine = this.window;
      const ended = this.exec(alias, script, options);
      setTimeout(() => engine.dispose(), this.dice.between(0, 60));
      this.isCutHard = true;
      return ended;
    }
    return this.exec(alias, script, options);
  }

  private async openSsh(): Promise<void> {
    const home = new SshHome();
    const machine = new SshMachine();
    this.closers.push(
      () => home.dispose(),
      () => machine.dispose(),
    );
    const key = home.key();
    machine.authorize(key);
    await machine.start({ env: { HOME: this.scene.home, HOST_ROOT: this.scene.root } });
    const proxy = await new CuttingProxy(() => machine.port).start();
    this.closers.push(() => proxy.dispose());
    const ssh = home.service();
    const instance = sshInstance(proxy.port);
    await ssh.prepare({ account: sshAccount, instanceId: 7, instance, registeredKeys: [key] });
    this.proxy = proxy;
    this.exec = (...call) => ssh.exec(...call);
  }

  private setFault(): void {
    if (this.proxy) {
      this.proxy.cutAfter(this.dice.between(3_000, 30_000));
      this.isCutHard = true;
      this.trace('cut the line');
    } else {
      this.fault = this.dice.pick(['cut', 'lost', 'kill', 'full']);
    }
  }

  private async attempt(what: string, work: Promise<unknown>): Promise<void> {
    this.trace(what);
    await work.catch((error: unknown) => {
      this.trace(`  ${String(error)}`);
      if (error instanceof TypeError || error instanceof RangeError) {
        this.complain(error.stack ?? error.message);
      }
    });
    await this.idle();
    if (this.isCutHard) {
      this.reopen();
    }
  }

  /** What was left of a killed window, or of a cut login, ends by itself. */
  private async idle(): Promise<void> {
    while (this.window.status.isWorking) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  private settle(): Promise<void> {
    return this.attempt('settle', this.window.settle());
  }

  private async touch(): Promise<void> {
    const touched = names.filter(() => this.dice.chance(0.3));
    this.trace(`touch ${touched.join()}`);
    this.window.touched(touched);
    await new Promise((resolve) => setTimeout(resolve, 25));
    await this.idle();
    if (this.isCutHard) {
      this.reopen();
    }
  }

  private differing(): string[] {
    return this.window.status.differing.map(({ name }) => name).filter(() => this.dice.chance(0.7));
  }

  private async fetch(): Promise<void> {
    const wanted = this.differing();
    this.release(wanted);
    await this.attempt(`fetch ${wanted.join()}`, this.window.fetch(wanted));
  }

  private async keep(): Promise<void> {
    const wanted = this.differing();
    const side = this.dice.chance(0.5) ? 'here' : 'instance';
    if (side === 'instance') {
      this.release(wanted);
    }
    await this.attempt(`keep ${wanted.join()} ${side}`, this.window.keep(wanted, side));
  }

  /** A file here that was there as well may be replaced by what the user there made of it. */
  private release(wanted: readonly string[]): void {
    this.look();
    const here = this.treeOf('local');
    for (const name of wanted) {
      const content = here.get(name);
      if (content !== undefined && this.seenThere.has(content)) {
        this.released.add(content);
      }
    }
  }

  private answer(chance: number): void {
    this.trace('answer');
    const isAllowed = this.dice.chance(chance);
    const { question } = this.window.status;
    if (question?.kind === 'deletes' && !isAllowed) {
      question.names.forEach((name) => this.leftThere.add(name));
    }
    this.window.answer(isAllowed);
  }

  private wipe(): void {
    this.trace('wipe');
    this.edits.isTouchedThere = true;
    const gone = this.dice.chance(0.5) ? this.scene.remote : this.scene.home;
    for (const content of [...this.treeOf('remote').values(), ...this.replacedThere()]) {
      this.edits.written.remote.delete(content);
    }
    rmSync(gone, { recursive: true, force: true });
    mkdirSync(this.scene.home, { recursive: true });
  }

  private useGit(): void {
    const what = this.dice.pick(['commit', 'switch', 'clean', 'stash', 'ignore']);
    this.trace(`git ${what}`);
    const forget = () => {
      for (const content of this.treeOf('local').values()) {
        this.edits.written.local.delete(content);
        this.edits.written.remote.delete(content);
      }
    };
    if (what === 'commit') {
      this.git('add', '-A');
      this.git('commit', '-q', '--allow-empty', '-m', 'x');
    } else if (what === 'switch') {
      forget();
      this.git(
        'checkout',
        '-q',
        '-f',
        '-B',
        this.dice.pick(['one', 'two']) ?? 'one',
        this.dice.pick(['main', 'HEAD']) ?? '',
      );
    } else if (what === 'clean') {
      forget();
      this.git('clean', '-q', '-fdx');
    } else if (what === 'stash') {
      forget();
      this.git('stash', '-q');
    } else {
      writeFileSync(join(this.scene.local, '.gitignore'), `${this.dice.pick(names) ?? 'a'}\n`);
      this.ignored = true;
    }
  }

  private ignored = false;

  private git(...args: readonly string[]): void {
    try {
      execFileSync('git', ['-C', this.scene.local, ...args], { stdio: 'ignore' });
    } catch {
      // Such as a branch that is not there yet.
    }
  }

  private isIgnored(name: string): boolean {
    return this.ignored || name.startsWith('.git/');
  }

  /** Notes what is there by now. */
  private look(): void {
    for (const content of this.treeOf('remote').values()) {
      this.seenThere.add(content);
    }
  }

  private judge(): void {
    const { notes } = { notes: this.scene.files.notesOf(this.scene.folder).folder };
    const here = new Set([
      ...this.treeOf('local').values(),
      ...contentsBelow(join(notes, 'replaced')).values(),
    ]);
    const there = new Set([...this.treeOf('remote').values(), ...this.replacedThere()]);
    for (const content of this.edits.written.local) {
      if (!here.has(content) && !this.released.has(content)) {
        this.complain(`lost what was written here: ${content.slice(0, 12)}`);
      }
    }
    for (const content of this.edits.written.remote) {
      if (!there.has(content) && !here.has(content)) {
        this.complain(`lost what was written there: ${content.slice(0, 12)}`);
      }
    }
  }

  private treeOf(side: Side): ReadonlyMap<string, string> {
    return contentsBelow(this.scene[side]);
  }

  private replacedThere(): readonly string[] {
    return [...contentsBelow(join(this.scene.home, '.gpu-rental-mirror')).values()];
  }

  private complain(what: string): void {
    this.trace(`VIOLATION ${what}`);
    this.violations.push(what);
  }
}

async function* firstBytes(input: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let left = most;
  for await (const piece of input) {
    yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) {
      return;
    }
  }
}
