import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { letAgentsIn } from '../../support/feature/agentDriver';
import type { Computer } from '../../support/feature/computer';
import { reachableInstance } from '../../support/feature/reachable';
import { failNextStarts, openToRent, rent3090, rentalsOf } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

const minute = 60_000;
const rounds = 20;

/** As a program does it by commands: buttons of messages and the first row of lists. A dialog takes its default alone. */
async function acceptAll(window: FeatureWindow, button?: string): Promise<void> {
  const { messages, quick } = window.screen;
  for (let step = 0; step < 3; step += 1) {
    await window.computer.pass(1200);
    quick.current?.accept();
    for (const message of messages.shown.filter(({ kind, modal }) => kind !== 'progress' || modal)) {
      message.wasSeen = true;
      const named = message.modal ? undefined : message.buttons.find((one) => one === button);
      const pressed = named ?? message.buttons[0];
      if (pressed === undefined) {
        message.close();
      } else {
        message.press(pressed);
      }
    }
  }
}

/** What a window asked in a dialog whose text is like this. */
const asked = ({ screen }: FeatureWindow, text: RegExp) =>
  screen.messages.history.filter((one) => one.modal && text.test(one.text));

describe('an agent that accepts more time for a job', () => {
  const computer = useComputer({ simulator: { sshServer: true, limits: false } });
  let window: FeatureWindow;

  before(async () => {
    await reachableInstance(computer(), 'trainer');
    const file = path.join(computer().workspace, '.vscode', 'gpu-rental.json');
    mkdirSync(path.dirname(file), { recursive: true });
    const run = 'until [ -e ../limit ]; do sleep 0.2; done; echo "told $(cat ../limit)"; sleep 1000';
    const train = { run, machine: 'running', outputs: [], limits: { hours: 1, costDollars: 5 } };
    writeFileSync(file, JSON.stringify({ jobs: { train } }));
    window = await computer().openSignedIn();
    await window.view('instances').row('trainer');
    window.run('Run Job…');
    await window.quick.title('Run train: Confirm');
    await computer().pass(1000);
    await window.quick.pick(/Run on trainer/);
    await window.view('jobs').row(/train.*running/);
    await letAgentsIn(window);
    window.clearToasts();
  });

  const extended = () => window.allMessages().includes('at the latest and costs at most');

  it('gets none, because a dialog asks after the list', async () => {
    for (let round = 1; round <= rounds; round += 1) {
      window.start('gpuRental.job.extend');
      await window.quick.title('Extend train');
      await acceptAll(window);
      assert.equal(asked(window, /^Extend train\?$/).length, round);
      assert.ok(!extended(), 'the job has more time');
    }
  });

  it('leaves it to a person, who gets it by the same list', async () => {
    window.start('gpuRental.job.extend');
    await window.quick.title('Extend train');
    await computer().pass(1000);
    await window.quick.pick(/2 h More/);
    const { detail } = await window.dialog('Extend train?');
    assert.match(detail ?? '', /It can then cost up to \$\d+\.\d\d, without traffic\./);
    await window.dialogButton('Extend Job');
    await computer().until('more time', extended);
    window.clearToasts();
  });
});

for (const isPerson of [false, true]) {
  describe(`the stop at the end of a budget that ${isPerson ? 'a person' : 'an agent'} declines`, () => {
    const computer = useComputer({ settings: { 'gpuRental.budget.stopAllAtLimit': true } });

    it(isPerson ? 'is left out after a dialog' : 'happens all the same, because a dialog asks', async () => {
      const id = await computer().rentRunning({ label: 'trainer' });
      const window = await computer().openSignedIn();
      await letAgentsIn(window);
      window.clearToasts();
      computer().settings.set('gpuRental.budget.perDay', 0.01);
      await window.toast(/is nearly spent/);
      if (isPerson) {
        await window.toastButton(/is nearly spent/, 'Not Now');
        await window.dialogButton('Keep Running', /^Continue outside your budget/);
      } else {
        await acceptAll(window, 'Not Now');
        assert.equal(asked(window, /^Continue outside your budget/).length, 1);
      }
      await computer().pass(20 * minute);
      const stops = computer().simulator.received('PUT', `/api/v0/instances/${id}/`);
      assert.equal(stops.length, isPerson ? 0 : 1);
      window.clearToasts();
    });
  });
}

/** A machine that will not get ready, in a window with this text. */
async function failedMachine(
  computer: Computer,
): Promise<{ readonly id: number; readonly window: FeatureWindow }> {
  const window = await openToRent(computer);
  await failNextStarts(computer.simulator, 'no space left');
  const { id } = await rent3090(window);
  await window.toast(/will not get ready/);
  return { id, window };
}

for (const isPerson of [false, true]) {
  describe(`the next best machine that ${isPerson ? 'a person' : 'an agent'} accepts`, () => {
    const computer = useComputer();

    it(isPerson ? 'is rented after a dialog' : 'is not rented, nor is the old one destroyed', async () => {
      const { id, window } = await failedMachine(computer());
      await letAgentsIn(window);
      if (isPerson) {
        await window.toastButton(/will not get ready/, 'Destroy and Rent Next Best');
        const { detail, buttons } = await window.dialog(/^Rent the next best machine/);
        assert.match(detail ?? '', /\$\d/);
        await window.dialogButton(buttons[1] ?? '');
        await computer().until('the next best', () => rentalsOf(computer()).length === 2);
      } else {
        await acceptAll(window, 'Destroy and Rent Next Best');
        assert.equal(asked(window, /^Rent the next best machine/).length, 1);
        await computer().pass(5 * minute);
        assert.equal(rentalsOf(computer()).length, 1);
      }
      assert.equal(computer().simulator.world.instance(id) === undefined, isPerson);
      window.clearToasts();
    });
  });
}

describe('an agent that accepts the next best machine after a window was killed', () => {
  const computer = useComputer();

  it('gets none', async () => {
    const { simulator } = computer();
    const { id, window: first } = await failedMachine(computer());
    // The first search finds the next best; the second looks at its price once the old one is gone.
    simulator.fail({ kind: 'stall', method: 'POST', path: '/api/v0/bundles/', skip: 1 });
    await first.toastButton(/will not get ready/, 'Destroy and Rent Next Best');
    await computer().until('the end of the old one', () => simulator.world.instance(id) === undefined);
    first.kill();
    await computer().pass(minute);
    const next = await computer().openWindow({ isFocused: true });
    const toast = await next.toast(/before a replacement was rented/);
    await letAgentsIn(next);
    toast.press('Rent Next Best');
    await acceptAll(next);
    assert.equal(asked(next, /^Rent the next best machine/).length, 1);
    assert.equal(rentalsOf(computer()).length, 1);
    next.clearToasts();
  });
});
