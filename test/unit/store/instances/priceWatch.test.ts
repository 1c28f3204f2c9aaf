import assert from 'node:assert/strict';
import { priceEveryMs, PriceWatch } from '../../../../src/store/instances/priceWatch';
import { Notices } from '../../../../src/store/windows/notices';
import { anInstance } from '../../../support/builders';
import { computerScene, type ComputerScene } from '../../../support/computerScene';

describe('Watching for price increases', () => {
  let { service, computer } = {} as ComputerScene;
  beforeEach(async () => {
    ({ service, computer } = await computerScene({ instances: [anInstance()] }));
    service.priceIncreases = [{ id: 4 }, { id: 5 }];
  });
  afterEach(() => computer.dispose());

  const open = async () => {
    const window = await computer.openSignedIn();
    const notices = window.owned.add(new Notices(window.hub));
    const posted: string[] = [];
    window.owned.add(notices.onDidPost(({ key }) => posted.push(key)));
    const { accounts, fleet } = window;
    const { clock, log } = computer;
    window.owned.add(new PriceWatch({ accounts, fleet, notices, clock, log }));
    return { ...window, posted, keys: () => [...new Set(posted)].map((key) => key.replace(/^.*:/, '')) };
  };

  it('asks beside a list that is read anyway, once in half an hour over all windows', async () => {
    const [first, second] = [await open(), await open()];
    await first.fleet.refresh();
    await second.fleet.refresh();
    await computer.clock.advance(0);
    assert.equal(service.count('priceIncreases.list'), 1);
    assert.equal(service.unasked.filter((call) => call === 'priceIncreases.list').length, 1);
    assert.deepEqual(
      [first.keys(), second.keys()],
      [
        ['4', '5'],
        ['4', '5'],
      ],
    );
    await computer.clock.advance(priceEveryMs);
    await first.fleet.refresh();
    await computer.clock.advance(0);
    assert.equal(service.count('priceIncreases.list'), 2);
  });

  it('asks for nothing while nothing is rented', async () => {
    service.instances = [];
    const window = await open();
    await window.fleet.refresh();
    assert.equal(service.count('priceIncreases.list'), 0);
  });

  it('shows no message if the service does not know the question, and only logs that', async () => {
    service.failsBefore('priceIncreases.list', () => new Error('no such thing'));
    const window = await open();
    await window.fleet.refresh();
    assert.deepEqual(window.keys(), []);
    assert.equal(window.fleet.state.kind, 'ready');
    await computer.clock.advance(0);
    assert.equal(
      computer.log.count('warn Pending price increases could not be read: Error: no such thing'),
      1,
    );
  });
});
