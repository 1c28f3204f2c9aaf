import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { optionsStep } from '../../../../src/features/rent/optionSteps';
import type { StepDeps } from '../../../../src/features/rent/rentSteps';
import type { Offer } from '../../../../src/model/offers/offer';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import { RentFlow } from '../../../../src/model/rentals/rentFlow';
import type { RentChoices } from '../../../../src/model/rentals/rentPlan';
import { aTemplate, anOffer } from '../../../support/builders';
import { FakeInputBox, FakeQuickPick, rowText } from '../../../support/fakeEditor/quickInput';
import { useScreen } from '../../../support/onScreen';

describe('The options of a rental', () => {
  const screen = useScreen();
  const image = { source: { kind: 'image', image: 'ubuntu' } } as const;
  let flow: RentFlow;
  const list = () => {
    const { current } = screen.quick;
    assert.ok(current instanceof FakeQuickPick, 'a list is open');
    return current;
  };
  const turn = async () => {
    for (let count = 0; count < 4; count += 1) {
      await setImmediate();
    }
  };
  const open = async (choices: Partial<RentChoices> = {}, offer: Partial<Offer> = {}) => {
    screen.quick.current?.leave();
    flow = new RentFlow({
      title: 'Rent',
      query: defaultQuery,
      offer: anOffer(offer),
      choices: { ...image, ...choices },
    });
    const step = optionsStep(flow, {} as StepDeps);
    await turn();
    return step;
  };
  const pick = async (text: string) => {
    const row = list()
      .visible()
      .find((one) => rowText(one).startsWith(text));
    assert.ok(row, `${text} is not in ${list().visible().map(rowText).join('\n')}`);
    list().move(row);
    list().accept();
    await turn();
  };
  const active = () => list().activeItems.map(rowText).join();

  it('show what is chosen, what the template sets, and what applies without a choice', async () => {
    void open();
    await turn();
    assert.deepEqual(list().visible().map(rowText), [
      'Done',
      'Environment and ports none',
      'On-start script none',
      'How many 1',
      'Start At Once',
      'Volume none',
      'JupyterLab instead of Jupyter Notebook default',
      'Folder in which Jupyter starts default',
      'Registry login none',
      'Virtual machine instead of a container default',
      'UTF-8 for Python (C.UTF-8) default',
      'UTF-8 for the system (C.UTF-8) default',
      "If the machine can't start now Do Not Rent",
    ]);
    const template = aTemplate({
      onstart: 'x',
      dockerLoginRepo: 'ghcr.io',
      jupyterDir: '/w',
      argsStr: '-v',
      env: '-e A=1',
    });
    void open({ source: { kind: 'template', template }, runtype: 'args' });
    await turn();
    assert.deepEqual(list().visible().map(rowText), [
      'Done',
      'Environment and ports A',
      'On-start script from the template',
      'Arguments from the template',
      'How many 1',
      'Start At Once',
      'Volume none',
      'JupyterLab instead of Jupyter Notebook As the Template Says',
      'Folder in which Jupyter starts from the template',
      'Registry login from the template',
      'Virtual machine instead of a container default',
      'UTF-8 for Python (C.UTF-8) default',
      'UTF-8 for the system (C.UTF-8) default',
      "If the machine can't start now Do Not Rent",
    ]);
    const set = {
      ...{
        onstart: 'echo',
        count: 3,
        targetState: 'stopped',
        useJupyterLab: true,
        vm: false,
        pythonUtf8: true,
      },
      ...{ jupyterDir: '/x', imageLogin: 'l', cancelUnavailable: false, env: { A: '1', '-p 1:1': '1' } },
    } as const;
    void open(set as unknown as Partial<RentChoices>);
    await turn();
    assert.deepEqual(list().visible().map(rowText), [
      'Done',
      'Environment and ports A, -p 1:1',
      'On-start script 4 characters',
      'How many 3',
      'Start later, rented as stopped',
      'Volume none',
      'JupyterLab instead of Jupyter Notebook Yes',
      'Folder in which Jupyter starts /x',
      'Registry login set',
      'Virtual machine instead of a container No',
      'UTF-8 for Python (C.UTF-8) Yes',
      'UTF-8 for the system (C.UTF-8) default',
      "If the machine can't start now Wait for It",
    ]);
  });

  it('warn where the machine has too few ports', async () => {
    void open({ env: { '-p 8080:8080': '1' } }, { directPorts: 0 });
    await turn();
    const row = list()
      .visible()
      .find(({ label }) => label.endsWith('Environment and ports'));
    assert.match(row?.detail ?? '', /^\$\(warning\) Open ports needed: \d+\. This machine has 0\./);
  });

  it('are changed by their lists, each of which begins at the present choice', async () => {
    void open();
    await turn();
    const asked: string[] = [];
    for (const [option, answer] of [
      ['How many', '3'],
      ['How many', '1'],
      ['Start', 'Later'],
      ['Start', 'At Once'],
      ["If the machine can't start now", 'Wait for It'],
      ["If the machine can't start now", 'Do Not Rent'],
      ['Virtual machine', 'Yes'],
      ['Virtual machine', 'No'],
      ['Virtual machine', 'default'],
    ] as const) {
      await pick(option);
      const begin = active();
      await pick(answer);
      asked.push(
        `${option}: ${begin} → ${answer}: ${JSON.stringify({ ...flow.choices, source: undefined })}`,
      );
      assert.ok(active().startsWith(option), 'the cursor stays at the option');
    }
    assert.deepEqual(asked, [
      'How many: 1 → 3: {"count":3}',
      'How many: 3 → 1: {"count":1}',
      'Start: At Once → Later: {"count":1,"targetState":"stopped"}',
      'Start: Later Rented as stopped: storage costs money, and another user may get the GPU. → At Once: {"count":1}',
      `If the machine can't start now: Do Not Rent → Wait for It: {"count":1,"cancelUnavailable":false}`,
      `If the machine can't start now: Wait for It Your instance stays stopped until the machine is free, and storage costs money. → Do Not Rent: {"count":1}`,
      'Virtual machine: default → Yes: {"count":1,"vm":true}',
      'Virtual machine: Yes → No: {"count":1,"vm":false}',
      'Virtual machine: No → default: {"count":1}',
    ]);
  });

  it('accept a folder for Jupyter that is one, or none', async () => {
    void open();
    await turn();
    const typed = async (text: string) => {
      await pick('Folder in which Jupyter starts');
      const { current } = screen.quick;
      assert.ok(current instanceof FakeInputBox);
      current.type(text);
      await turn();
      const said = current.message;
      current.accept();
      await turn();
      if (screen.quick.current === current) {
        current.pressButton('Back');
      }
      await turn();
      return [said, flow.choices.jupyterDir];
    };
    assert.equal((await typed(' /w '))[1], '/w');
    assert.deepEqual(await typed('w'), ['Enter a full path, such as /workspace.', '/w']);
    assert.equal((await typed(' '))[1], undefined);
  });

  it('end with Done and with Back, and change nothing where a list is left', async () => {
    const step = open();
    await turn();
    await pick('How many');
    list().pressButton('Back');
    await turn();
    assert.equal(flow.choices.count, undefined);
    await pick('Done');
    assert.deepEqual(await step, { kind: 'picked', value: {} });
    const other = open();
    await turn();
    list().pressButton('Back');
    assert.deepEqual(await other, { kind: 'picked', value: {} });
    const left = open();
    await turn();
    screen.quick.current?.leave();
    assert.equal((await left).kind, 'cancelled');
  });
});
