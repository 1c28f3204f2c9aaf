import assert from 'node:assert/strict';
import { letAgentsIn } from '../../support/feature/agentDriver';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';
import { sized } from '../../support/seeded';

/** No list of ours has more steps. */
const mostSteps = 10;
/** Commands that can cost money; the others change keys, secrets, templates and what is shown. */
const priced =
  /^gpuRental\.((instance|job|volume|deployment|machine|history|offer|port)\.|rent|search|setBudget|manageWatch)/;
/** What costs money or loses data once it was sent. */
const spending =
  /^PUT \/api\/v0\/(asks|volumes|instances\/(bid_price\/)?\d+\/$)|^DELETE \/api\/v0\/(instances|volumes)|^POST \/api\/v0\/deployment/;

for (let round = 1; round <= sized(1, 20); round += 1) {
  describe(`an agent that accepts each list, box and message, round ${round}`, () => {
    const computer = useComputer({ simulator: { sshServer: true, limits: false } });
    let window: FeatureWindow;
    let trainer: number;
    let spot: number;
    const row = async () => (await window.view('instances').row(/^trainer/)).text;

    before(async () => {
      trainer = await reachableInstance(computer(), 'trainer');
      spot = await computer().rentRunning({ label: 'spot', price: 0.2 });
      window = await computer().openSignedIn();
      await window.view('instances').menu('trainer', 'End Later…');
      await window.quick.pick(/Stop After a Time/);
      await window.quick.title(/When/);
      await window.quick.type('9h', { enter: false });
      await window.quick.pick(/In 9 h/);
      await letAgentsIn(window);
      window.clearToasts();
    });

    /** As the commands of the editor do it. They can't press a button of a dialog, which is answered with its default. */
    function accept(): boolean {
      const { messages, quick } = window.screen;
      const open = quick.current;
      open?.accept();
      const shown = messages.shown.filter(({ kind }) => kind !== 'progress');
      for (const message of shown) {
        message.wasSeen = true;
        const [first] = message.buttons;
        if (first === undefined) {
          message.close();
        } else {
          message.press(first);
        }
      }
      return open !== undefined || shown.length > 0;
    }

    async function acceptAll(id: string, args: readonly unknown[]): Promise<readonly string[]> {
      const { simulator } = computer();
      const from = simulator.requests().length;
      const { screen } = window;
      screen.fileDialogs.splice(0, Infinity, undefined, undefined);
      const run = { isOver: false };
      const end = () => {
        run.isOver = true;
      };
      screen.commands.execute(id, ...args).then(end, end);
      for (let step = 0; step < mostSteps; step += 1) {
        // What is held down from the step before counts for nothing.
        await computer().pass(1200);
        if (!accept() && run.isOver) {
          break;
        }
      }
      window.quick.escape();
      accept();
      await computer().pass(5000);
      accept();
      for (const panel of screen.panels.all) {
        panel.close();
      }
      return simulator
        .requests()
        .slice(from)
        .filter(({ method, path, body }) => spending.test(`${method} ${path}`) && !isLabel(body))
        .map(({ method, path, body }) => `${id} sends ${method} ${path} ${JSON.stringify(body)}`);
    }

    function isLabel(body: unknown): boolean {
      return typeof body === 'object' && body !== null && 'label' in body && !('state' in body);
    }

    it('spends, starts, prolongs and destroys nothing', async () => {
      const end = /\d+:\d\d [AP]M/.exec(await row())?.[0];
      assert.ok(end, `no end in ${await row()}`);
      const found: string[] = [];
      const ids = window.screen.commands.ids().filter((id) => priced.test(id));
      assert.ok(ids.length > 40, `${ids.length} commands`);
      for (const id of ids) {
        const targets = id.includes('.instance.')
          ? [[{ instanceId: trainer }], [{ instanceId: spot }]]
          : [[]];
        for (const args of targets) {
          found.push(...(await acceptAll(id, args)));
        }
      }
      assert.deepEqual(found, []);
      assert.match(await row(), new RegExp(end));
      assert.equal(computer().simulator.world.instances.length, 2);
    });
  });
}
