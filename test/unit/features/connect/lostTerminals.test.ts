import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { NotReachableError } from '../../../../src/api/errors';
import type { Contact } from '../../../../src/features/connect/contact';
import type {
  KeptTerminal,
  KeptTerminals,
  LostTerminal,
} from '../../../../src/features/connect/keptTerminals';
import { LostTerminals } from '../../../../src/features/connect/lostTerminals';
import type { Services } from '../../../../src/services';
import { keptTerminalScript, terminalCommand } from '../../../../src/ssh/terminals';
import { Emitter } from '../../../../src/util/emitter';
import { FakeClock } from '../../../support/fakeClock';
import { showWithoutProgram, type FakeTerminal } from '../../../support/fakeEditor/terminals';
import { useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('a terminal whose connection broke', () => {
  const screen = useScreen();
  const lines = {
    lost: 'The connection to trainer was lost. This terminal keeps running there.',
    connecting: 'Connecting to trainer…',
    waiting: 'Waiting until trainer can be reached. Press any key to try now.',
    over: 'Could not reconnect. Press any key to try again.',
  };
  let clock: FakeClock;
  let lost: Emitter<LostTerminal>;
  let changed: Emitter<undefined>;
  let fleetChanged: Emitter<unknown>;
  let error: unknown;
  let status: 'running' | 'loading';
  /** When logins were tried, in seconds. */
  let logins: number[];
  let answers: boolean;
  let ended: readonly string[];
  let taken: readonly string[];
  let reattached: (readonly string[])[];
  let waits: LostTerminals;

  const kept = (name: string): KeptTerminal => ({
    instanceId: 7,
    alias: 'gpu-7',
    accountKey: 'a',
    name,
  });
  const optionsOf = (name: string) => {
    const [shellPath, ...shellArgs] = terminalCommand(['ssh', 'gpu-7'], keptTerminalScript(name));
    return { name: 'trainer', shellPath, shellArgs };
  };
  const all = () => screen.terminals.all;
  const lose = (terminal: FakeTerminal, name: string) => {
    screen.terminals.close(terminal, 255);
    lost.fire({ terminal: terminal as unknown as vscode.Terminal, one: kept(name) });
    const standIn = all().at(-1);
    assert.ok(standIn);
    const shown = showWithoutProgram(standIn);
    return { standIn, press: shown.press, said: () => shown.text.split('\r\n').slice(0, -1) };
  };
  const begin = (name = 'ml-1', location?: FakeTerminal['creationOptions']['location']) =>
    lose(
      screen.terminals.create(
        { ...optionsOf(name), ...(location === undefined ? {} : { location }) },
        undefined,
      ),
      name,
    );
  const programs = () =>
    all().flatMap(({ creationOptions }) => ('pty' in creationOptions ? [] : creationOptions));
  const pass = (seconds: number) => clock.advance(seconds * 1000);
  const become = (change: () => void) => {
    change();
    fleetChanged.fire(undefined);
  };

  beforeEach(() => {
    clock = new FakeClock();
    lost = new Emitter();
    changed = new Emitter();
    fleetChanged = new Emitter();
    error = undefined;
    status = 'running';
    logins = [];
    answers = false;
    ended = [];
    taken = [];
    reattached = [];
    waits = new LostTerminals({
      clock,
      accounts: only<Services['accounts']>({ active: { key: 'a' } }),
      fleet: only<Services['fleet']>({
        onDidChange: fleetChanged.event,
        find: () => ({ actualStatus: status }),
        get state() {
          return { kind: 'ready', value: {}, fetchedAt: 0, ...(error === undefined ? {} : { error }) };
        },
      }),
      contact: only<Contact>({
        name: () => 'trainer',
        title: () => 'Connecting to trainer',
        looks: (_machine: unknown, options: object) => ({ name: 'trainer', ...options }),
      }),
      terminals: only<KeptTerminals>({
        onDidLose: lost.event,
        onDidChange: changed.event,
        isKept: ({ name }: KeptTerminal) => !ended.includes(name),
        isTaken: ({ name }: KeptTerminal) => taken.includes(name),
        show: ({ name }: KeptTerminal) => optionsOf(name),
        look: () => {
          logins.push(Math.round(clock.elapsed() / 1000));
          return Promise.resolve(answers);
        },
      }),
      reattach: (ones) => {
        reattached.push(ones.map(({ name }) => name));
        return Promise.resolve();
      },
    });
  });
  afterEach(() => {
    waits.dispose();
    all()
      .slice()
      .forEach((terminal) => screen.terminals.close(terminal, undefined));
    assert.equal(clock.pending, 0);
  });

  it('is tried ten times in a day, with longer and longer pauses, and shows them', async () => {
    const { said } = begin();
    await pass(86_400);
    assert.deepEqual(logins, [2, 6, 14, 30, 62, 126, 254, 510, 810, 1110]);
    const text = said();
    assert.deepEqual(text.slice(0, 3), [
      lines.lost,
      lines.connecting,
      'No answer. Next try in 4 s. Press any key to try now.',
    ]);
    assert.deepEqual(text.slice(-2), [lines.connecting, lines.over]);
  });

  it('returns to its place, with the others of its machine, by one login', async () => {
    const first = screen.terminals.create({ ...optionsOf('ml-1'), name: 'mine' }, undefined);
    const second = screen.terminals.create(optionsOf('ml-2'), undefined);
    const one = lose(first, 'ml-1');
    const other = lose(second, 'ml-2');
    await pass(2);
    answers = true;
    await pass(4);
    assert.deepEqual(logins, [2, 6]);
    assert.deepEqual(
      programs().map(({ name, location }) => [name, location]),
      [
        ['mine', { parentTerminal: one.standIn }],
        ['trainer', { parentTerminal: other.standIn }],
      ],
    );
    await pass(86_400);
    assert.equal(all().length, 2);
    assert.equal(logins.length, 2);
  });

  it('is shown where it was, though the editor has shown the next one already', async () => {
    const [first, second] = ['ml-1', 'ml-2'].map((name) =>
      screen.terminals.create(optionsOf(name), undefined),
    );
    assert.ok(first && second);
    screen.terminals.activeChanged.fire(first);
    await pass(60);
    screen.terminals.activeChanged.fire(second);
    assert.equal(lose(first, 'ml-1').standIn.isShown, true);
    await pass(60);
    const third = screen.terminals.create(optionsOf('ml-3'), undefined);
    assert.equal(lose(third, 'ml-3').standIn.isShown, false);
  });

  it('stays in the editor area', async () => {
    const area = { viewColumn: vscode.ViewColumn.Two };
    const { standIn } = begin('ml-1', area);
    assert.deepEqual(standIn.creationOptions.location, area);
    answers = true;
    await pass(2);
    assert.deepEqual(
      programs().map(({ location }) => location),
      [area],
    );
  });

  it('is not tried again and again where each connection breaks at once', async () => {
    answers = true;
    begin();
    for (let round = 0; round < 30; round += 1) {
      const back = all().find(({ creationOptions }) => !('pty' in creationOptions));
      if (back) {
        lose(back, 'ml-1');
      }
      await clock.advance(clock.untilNext ?? 0);
    }
    assert.ok(logins.length <= 10, String(logins.length));
  });

  it('is not tried while this computer is offline, and is at once afterwards', async () => {
    error = new NotReachableError();
    const { said } = begin();
    await pass(86_400);
    assert.deepEqual(logins, []);
    assert.deepEqual(said(), [lines.lost, lines.waiting]);
    answers = true;
    become(() => (error = undefined));
    await pass(2);
    assert.equal(programs().length, 1);
  });

  it('waits for a machine that does not run', async () => {
    const { said } = begin();
    await pass(2);
    become(() => (status = 'loading'));
    await pass(86_400);
    assert.deepEqual(logins, [2]);
    assert.equal(said().at(-1), lines.waiting);
    become(() => (status = 'running'));
    await pass(2);
    assert.equal(logins.length, 2);
  });

  it('shows that it has ended, and closes by a key', async () => {
    const { said, press } = begin();
    await pass(2);
    ended = ['ml-1'];
    changed.fire(undefined);
    assert.deepEqual(said().slice(-2), [
      'The terminal ml-1 has ended.',
      'Press any key to close the terminal.',
    ]);
    await pass(86_400);
    assert.deepEqual(logins, [2]);
    press();
    assert.deepEqual(reattached, []);
  });

  it('stays where another window took it over', async () => {
    answers = true;
    taken = ['ml-1'];
    const { said } = begin();
    await pass(86_400);
    assert.deepEqual(logins, [2]);
    assert.deepEqual(said().slice(-2), ['ml-1, open elsewhere', lines.over]);
    assert.deepEqual(programs(), []);
  });

  it('is tried by a key with all explanations, once at a time', async () => {
    const { said, press } = begin();
    press();
    press();
    await pass(86_400);
    assert.deepEqual([reattached, logins], [[['ml-1']], []]);
    assert.deepEqual(said(), [lines.lost, lines.connecting, lines.over]);
  });

  it('is not tried once the user has closed what waits for it', async () => {
    const { standIn } = begin();
    screen.terminals.close(standIn, undefined, 3);
    await pass(86_400);
    assert.deepEqual([logins, all()], [[], []]);
  });

  it('gives way to the one that the user reattaches', async () => {
    begin();
    screen.terminals.create(optionsOf('ml-1'), undefined);
    await pass(86_400);
    assert.deepEqual([logins, all().length, programs().length], [[], 1, 1]);
  });
});
