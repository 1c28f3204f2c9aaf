import assert from 'node:assert/strict';
import { DocumentDriver } from '../support/feature/documentDriver';
import {
  confirmRental,
  failNextStarts,
  haveKey,
  newInstance,
  rentNow,
  rentalsOf,
  searchAndReview,
} from '../support/feature/rentDriver';
import { ServiceTemplates } from '../support/feature/templateRecords';
import { useComputer } from '../support/feature/useComputer';
import type { ViewName } from '../support/feature/viewDriver';
import type { FeatureWindow } from '../support/feature/window';

/** Goes as far as the last question; what it returns says yes to that. */
type Asking = (window: FeatureWindow) => Promise<() => Promise<void>>;

const answering = (button: string, says: RegExp): Asking =>
  async function answer(window) {
    await window.dialog(says);
    return () => window.dialogButton(button, says);
  };

const inMenu =
  (view: ViewName, row: RegExp, title: string, button: string, says: RegExp): Asking =>
  async (window) => {
    await window.view(view).menu(row, title);
    return answering(button, says)(window);
  };

const first = async ({ quick, computer }: FeatureWindow): Promise<void> => {
  await computer.until('a row to pick', () => quick.rows().length > 0);
  await quick.enter();
};

/** Everything that costs money, loses data or changes something after a question. */
const questions: Readonly<Record<string, Asking>> = {
  'a stop': inMenu('instances', /^trainer/, 'Stop…', 'Stop', /Stop/),
  'a start': inMenu('instances', /^sleeper/, 'Start…', 'Start', /Start/),
  'a start outside the budget': async (window) => {
    window.computer.settings.set('gpuRental.budget.perDay', 0.01);
    await (
      await inMenu('instances', /^sleeper/, 'Start…', 'Start', /Start “?sleeper/)(window)
    )();
    return answering('Continue Anyway', /outside your budget/)(window);
  },
  'a reboot': inMenu('instances', /^trainer/, 'Reboot…', 'Reboot', /Reboot/),
  'a recycling': inMenu('instances', /^trainer/, 'Recycle…', 'Recycle', /Recycle/),
  'a destroy': inMenu('instances', /^trainer/, 'Destroy…', 'Destroy', /Destroy/),
  'a new name': async (window) => {
    await window.view('instances').menu(/^trainer/, 'Rename…');
    await window.quick.title(/Rename/);
    return () => window.quick.type('another');
  },
  'a schedule': async (window) => {
    await window.view('instances').menu(/^trainer/, 'End Later…');
    await window.quick.pick(/Stop After a Time/);
    await window.quick.type('30m', { enter: false });
    return () => window.quick.pick('In 30 min');
  },
  'a rental': async (window) => {
    await searchAndReview(window, '1x 3090', /^1× RTX 3090/);
    return () => confirmRental(window);
  },
  'the stop of a deployment': async (window) => {
    window.run('Stop Deployment…');
    await first(window);
    return answering('Stop', /Stop the deployment/)(window);
  },
  'the start of a deployment': async (window) => {
    window.run('Start Deployment');
    await first(window);
    return answering('Start', /Start the deployment/)(window);
  },
  'a minimum bid': async (window) => {
    await window.view('hosting').menu(/^#\d+/, 'Set Minimum Bid…');
    await window.quick.title(/Minimum Bid/);
    return () => window.quick.type('0.5');
  },
  'a maintenance': async (window) => {
    const { quick } = window;
    await window.view('hosting').menu(/^#\d+/, 'Schedule Maintenance…');
    await quick.title(/Start/);
    await quick.enter();
    await quick.title(/Duration/);
    await quick.enter();
    await quick.pick('Power');
    await quick.type('new fans');
    return answering('Schedule and Notify', /Schedule maintenance/)(window);
  },
  'the end of a template': inMenu(
    'templates',
    /^Fine-tuning/,
    'Delete Template…',
    'Delete',
    /Delete the template/,
  ),
  'a template that is created again': async (window) => {
    const { simulator } = window.computer;
    const service = new ServiceTemplates(() => window.computer);
    const id = await service.make('Created again');
    window.run('Refresh');
    await window.view('templates').click('Created again');
    const editor = new DocumentDriver(window);
    await editor.shows('Created again.json', '"desc"');
    await editor.type({ desc: 'kept' });
    await simulator.call('DELETE', '/api/v0/template/', { template_id: id });
    await editor.save();
    return answering('Create Again', /Create it again/)(window);
  },
  'a template from an instance': async (window) => {
    window.run('Create Template…');
    await window.quick.pick('From an Instance');
    await window.quick.title('Create Template');
    return () => window.quick.pick(/trainer/);
  },
  'the end of an SSH key': inMenu('sshKeys', /./, 'Delete SSH Key…', 'Delete', /Delete the SSH key/),
  'a detached SSH key': async (window) => {
    await window.view('instances').menu(/^trainer/, 'Detach SSH Key…');
    await first(window);
    return answering('Detach SSH Key', /Detach the SSH key/)(window);
  },
  'a variable': async (window) => {
    window.run('Set Secret…');
    await window.quick.title(/Set Secret/);
    await window.quick.type('HF_TOKEN');
    await window.quick.pick('At the Service');
    await window.quick.title(/HF_TOKEN/);
    return () => window.quick.type('hf_123');
  },
  'an API key': async (window) => {
    window.run('Create API Key…');
    await window.quick.title('Create API Key');
    await window.quick.type('build server');
    await window.quick.pick('Read Everything');
    await window.quick.title('Create API Key');
    return () => window.quick.enter();
  },
  'a watched search': async (window) => {
    window.run('Watch a Search…');
    await window.quick.pick('The Last Search');
    await window.quick.title('Watch a Search: Price');
    await window.quick.type('0.01');
    await window.quick.title('Watch a Search: Name');
    return () => window.quick.enter();
  },
  'a higher price': async (window) => {
    window.run('Review Price Increases…');
    await window.quick.pick(/^Accept/);
    return answering('Accept', /Pay more/)(window);
  },
  'a command': async (window) => {
    await window.view('instances').menu(/^trainer/, 'Run Command…');
    await window.quick.title(/Run/);
    return () => window.quick.type('ls');
  },
};

const isSaid = /done because the account was switched/;

describe('what is asked of one account, answered while another is active', () => {
  const computer = useComputer({ secrets: ['hf_123'] });
  let window: FeatureWindow;
  let other: FeatureWindow;
  let otherKey = '';
  const call = (method: string, path: string, body?: unknown) =>
    computer().simulator.call(method, path, body);
  const writes = () =>
    computer()
      .simulator.received()
      .filter(({ method, path }) => method !== 'GET' && !/__sim|bundles|volumes\/search|logs/.test(path))
      .map(({ method, path }) => `${method} ${path}`);

  before(async () => {
    await haveKey(computer());
    const trainer = await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    const sleeper = await computer().rentRunning({ label: 'sleeper', runtype: 'ssh_direct' });
    await call('PUT', `/api/v0/instances/${sleeper}/`, { state: 'stopped' });
    await computer().until(
      'the stop',
      () => computer().simulator.world.instance(sleeper)?.actualStatus === 'exited',
    );
    // So that the smallest budget is used up.
    await computer().pass(60 * 60_000);
    await call('POST', '/__sim/price-increases/', { instance_id: trainer, new_price: 20 });
    const { json } = await call('POST', '/__sim/accounts/', { credit: 10 });
    otherKey = (json as { key: string }).key;
    window = await computer().openSignedIn();
    other = await computer().openWindow({ isFocused: false });
    await other.view('instances').row('trainer');
    window.clearToasts();
  });

  /** Leaves all questions, and signs in again to the account that is asked. */
  async function backToFirst(): Promise<void> {
    for (const one of window.screen.messages.shown.filter(({ modal }) => modal)) {
      one.close();
    }
    window.quick.escape();
    computer().settings.set('gpuRental.budget.perDay', 0);
    await other.signIn();
    for (const each of [window, other]) {
      each.clearToasts();
    }
  }

  for (const [name, ask] of Object.entries(questions)) {
    it(`is not done: ${name}`, async () => {
      try {
        const yes = await ask(window);
        const before = writes().length;
        await other.signIn(otherKey);
        await yes();
        await computer().until('the reason', () => isSaid.test(window.describe().split('  log: ')[0] ?? ''));
        assert.deepEqual(writes().slice(before), []);
      } finally {
        await backToFirst();
      }
    });
  }
});

describe('what is asked of an account that is signed out before the answer', () => {
  const computer = useComputer();

  it('is not done', async () => {
    const id = await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    const window = await computer().openSignedIn();
    const other = await computer().openWindow({ isFocused: false });
    await other.view('instances').row('trainer');
    await window.view('instances').menu(/^trainer/, 'Destroy…');
    await window.dialog(/Destroy/);
    other.run('Sign Out…');
    await other.dialogButton('Sign Out');
    await other.toast(/Signed out of/);
    await window.dialogButton('Destroy', /Destroy/);
    await window.toast(/You are not signed in/);
    assert.deepEqual(computer().simulator.received('DELETE'), []);
    assert.ok(computer().simulator.world.instance(id));
  });
});

describe('a machine that is picked after another account became active', () => {
  const computer = useComputer();

  for (const title of ['Set Minimum Bid', 'Schedule Maintenance']) {
    it(`is none of that account: ${title}`, async () => {
      const { simulator } = computer();
      const { json } = await simulator.call('POST', '/__sim/accounts/', { credit: 10 });
      const window = await computer().openSignedIn();
      const other = await computer().openWindow({ isFocused: false });
      await other.view('hosting').row(/^#\d+/);
      window.run(`${title}…`);
      await window.quick.title(title);
      await other.signIn((json as { readonly key: string }).key);
      await first(window);
      await window.toast(/Nothing was done because the account was switched/);
      assert.equal(window.quick.isOpen, false);
      for (const each of [window, other]) {
        each.clearToasts();
      }
    });
  }
});

describe('the replacement of a machine that is offered for one account, and chosen while another is active', () => {
  const computer = useComputer();

  it('is not done, for the reason', async () => {
    await haveKey(computer());
    const { simulator } = computer();
    const { json } = await simulator.call('POST', '/__sim/accounts/', { credit: 10 });
    const window = await computer().openSignedIn();
    await failNextStarts(simulator, 'no space left');
    await searchAndReview(window, '1x 3090', /^1× RTX 3090/);
    await newInstance(computer(), () => rentNow(window));
    const offered = await window.toast(/will not get ready/);
    await window.signIn((json as { key: string }).key);
    offered.press('Destroy and Rent Next Best');
    await window.toast(isSaid);
    assert.equal(simulator.world.instances.length, 1);
    assert.equal(rentalsOf(computer()).length, 1);
    window.clearToasts();
  });
});
