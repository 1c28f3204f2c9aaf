import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { AgentWatch } from '../../../src/agents/ui/oversight/agentWatch';
import { StatusItem } from '../../../src/editor/statusItem';
import { AccountTree } from '../../../src/features/accountView/accountTree';
import { DocumentLenses } from '../../../src/features/documents/documentLenses';
import { InstanceTree } from '../../../src/features/instances/instanceTree';
import { PortRows } from '../../../src/features/ports/portRows';
import { CheckNotes } from '../../../src/features/readiness/machineCheck';
import { SshKeyTree } from '../../../src/features/sshKeys/sshKeyTree';
import { register as showStatus } from '../../../src/features/statusBar';
import { TemplateLists } from '../../../src/features/templates/templateLists';
import { EndNotes } from '../../../src/features/warnings/endNotes';
import { HistoryGroup } from '../../../src/history/ui/historyGroup';
import { MachineTree } from '../../../src/hosting/ui/machines/machineTree';
import { JobTree } from '../../../src/jobs/ui/jobTree';
import { fromDollars } from '../../../src/model/money';
import { anInstance } from '../../support/builders';
import { FakeClock } from '../../support/fakeClock';
import { FakeEventEmitter } from '../../support/fakeEditor/events';
import { useScreen } from '../../support/onScreen';
import { only } from '../../support/only';

/** What tells of changes, by name, so that each can be told alone. */
class Sources {
  private readonly emitters = new Map<string, FakeEventEmitter<unknown>>();

  /** Something that tells of its changes; it stands for whatever is listened to. */
  of(name: string, more: object = {}, event = 'onDidChange'): never {
    const emitter = new FakeEventEmitter<unknown>();
    this.emitters.set(name, emitter);
    // Settings are listened to by their section.
    const listen = (...args: unknown[]) => emitter.event(args.at(-1) as (value: unknown) => void);
    return Object.assign(more, { [event]: listen }) as never;
  }

  fire(name: string, value?: unknown): void {
    const emitter = this.emitters.get(name);
    assert.ok(emitter, `nothing is called ${name}`);
    emitter.fire(value);
  }

  get names(): readonly string[] {
    return [...this.emitters.keys()];
  }
}

interface Drawn {
  /** Called when it has to be drawn again. */
  readonly onDidChange: (listener: () => void) => unknown;
  readonly before?: (name: string) => unknown;
}

const me = { active: { key: 'mine', user: { id: 1, credit: fromDollars(5) } }, state: { kind: 'signedIn' } };
const view = { visible: true, badge: undefined };
const cases: Readonly<Record<string, (from: Sources) => Drawn>> = {
  'the account': (from) => {
    const deps = {
      ...{ fleet: from.of('the instances'), volumes: from.of('the volumes') },
      ...{ accountGroups: from.of('other features'), keyAccess: from.of('the permissions') },
    };
    const tree = new AccountTree(only(deps), from.of('the lists'));
    return { onDidChange: tree.onDidChangeTreeData };
  },
  'the instances': (from) => {
    const accounts = { ...me };
    const deps = {
      accounts: from.of('the account', accounts),
      fleet: from.of('the instances', { state: { kind: 'loading' } }),
      volumes: { onDidChange: () => undefined, state: { kind: 'ready', value: [] } },
      instanceGroups: from.of('other features', { groups: [] }),
      trees: { 'gpuRental.instances': { view: { ...view, onDidChangeVisibility: () => undefined } } },
      ...{ otherAccounts: () => Promise.resolve([]), contextKeys: { set: () => undefined } },
    };
    const tree = new InstanceTree(only(deps));
    const signOut = (name: string) => {
      if (name === 'the account') {
        Object.assign(accounts, { active: undefined, state: { kind: 'signedOut' } });
      }
    };
    return { onDidChange: tree.onDidChangeTreeData, before: signOut };
  },
  jobs: (from) => {
    const jobs = { moves: from.of('a transfer'), open: [], rows: [] };
    const deps = {
      ...{ jobs: from.of('the jobs', jobs), fleet: { onDidChange: () => undefined } },
      clock: new FakeClock(),
    };
    const tree = new JobTree(only(deps), () => true);
    return { onDidChange: tree.onDidChangeTreeData };
  },
  'machines that are hosted': (from) => {
    const tree = new MachineTree(only({}), from.of('the list', { windows: from.of('the maintenance') }));
    return { onDidChange: tree.onDidChangeTreeData };
  },
  'SSH keys': (from) => {
    const accounts = { active: { key: 'mine' } };
    const deps = {
      sshKeys: from.of('the list'),
      accounts: from.of('the account', accounts),
      ...{ ssh: { localKeys: () => Promise.resolve([]) }, log: {} },
    };
    const tree = new SshKeyTree(only(deps));
    const change = (name: string) => {
      if (name === 'the account') {
        accounts.active = { key: 'theirs' };
      }
    };
    return { onDidChange: tree.onDidChangeTreeData, before: change };
  },
  'lists of templates': (from) => {
    const refs = from.of('favorites', { show: () => undefined });
    const deps = {
      ...{ templates: from.of('the list', { state: { kind: 'idle' } }), accounts: from.of('the account') },
      templateStores: { refs },
    };
    return new TemplateLists(only(deps));
  },
  'rentals that are over': (from) => new HistoryGroup(only({ history: from.of('the history') })),
  ports: (from) => new PortRows(only({}), from.of('forwarded ports')),
  'notes on checks': (from) => {
    const deps = {
      machineProofs: from.of('results'),
      startWatches: { onDidChange: () => undefined },
      instanceGroups: { addInstanceNotes: () => ({ dispose: () => undefined }) },
    };
    return new CheckNotes(only(deps));
  },
  'what agents do': (from) => {
    const deps = {
      ...{ rentals: from.of('rentals', { rentals: [] }), fleet: from.of('the instances') },
      settings: from.of('the settings', { get: () => 'off' }),
    };
    return new AgentWatch(only(deps));
  },
  'commands above a template': (from) => {
    const documents = from.of('a notice', from.of('the template'), 'onDidNotice');
    const deps = { accounts: from.of('the account'), templateStores: { documents } };
    return { onDidChange: new DocumentLenses(only(deps)).onDidChangeCodeLenses };
  },
};

describe('What is shown is drawn again', () => {
  for (const [what, make] of Object.entries(cases)) {
    it(`after each change of what it shows: ${what}`, () => {
      const listed = new Sources();
      make(listed);
      assert.ok(listed.names.length > 0);
      const missed = listed.names.filter((name) => {
        const sources = new Sources();
        const drawn = make(sources);
        let count = 0;
        drawn.onDidChange(() => {
          count += 1;
        });
        drawn.before?.(name);
        sources.fire(name, 'one');
        return count === 0;
      });
      assert.deepEqual(missed, []);
    });
  }

  it('of checks, only where there is or was one, and with the time while there is one', async () => {
    const sources = new Sources();
    const clock = new FakeClock();
    const notes = new CheckNotes(
      only({
        clock,
        machineProofs: sources.of('results'),
        startWatches: sources.of('watches'),
        instanceGroups: { addInstanceNotes: () => ({ dispose: () => undefined }) },
      }),
    );
    let count = 0;
    notes.onDidChange(() => {
      count += 1;
    });
    const counts = [[{}], [{ check: {} }], [{ check: {} }], [{}], [{}]].map((watches) => {
      sources.fire('watches', watches);
      return count;
    });
    assert.deepEqual(counts, [0, 1, 2, 3, 3]);
    await clock.advance(60_000);
    assert.equal(count, 3);
    sources.fire('watches', [{ check: {} }]);
    await clock.advance(10_000);
    assert.equal(count, 6);
    notes.dispose();
    assert.equal(clock.pending, 0);
  });

  it('of the end of a rental, once the credit is used up and once it is there again', () => {
    const sources = new Sources();
    const user = { credit: fromDollars(5), balance: fromDollars(5) };
    const accounts = sources.of('the account', { active: { key: 'mine', user } });
    const notes = new EndNotes(only({ accounts }));
    let count = 0;
    notes.onDidChange(() => {
      count += 1;
    });
    const counts = [5, 0, 0, 5, 5].map((dollars) => {
      Object.assign(user, { credit: fromDollars(dollars), balance: fromDollars(dollars) });
      sources.fire('the account');
      return count;
    });
    assert.deepEqual(counts, [0, 1, 1, 2, 2]);
  });

  describe('in the status bar', () => {
    const screen = useScreen();
    const sources = new Sources();
    const clock = new FakeClock();
    const user = { credit: fromDollars(5), balance: fromDollars(5) };
    const accounts: { active: object | undefined } = { active: { key: 'mine', user } };
    sources.of('the account', accounts);
    let isWanted = true;
    const list = { instances: [anInstance()], skipped: undefined, missing: 0 };
    const deps = {
      ...{ accounts, clock, statusItem: new StatusItem() },
      fleet: sources.of('the instances', { state: { kind: 'ready', value: list }, facts: () => ({}) }),
      volumes: sources.of('the volumes', { state: { kind: 'ready', value: [] } }),
      budget: sources.of('the budget', { now: undefined }),
      startWatches: sources.of('what gets ready', { watches: [] }),
      rentals: sources.of('rentals', { rentals: [] as object[] }),
      settings: sources.of('the settings', { get: () => isWanted }),
    };
    const status = () => {
      const item = screen.status.get('gpuRental.status');
      return item?.isShown === true ? item.text : 'nothing';
    };
    let end: { dispose(): void };
    before(() => {
      end = showStatus(only(deps));
    });
    after(() => end.dispose());

    for (const name of sources.names) {
      it(`after a change of ${name}`, () => {
        assert.notEqual(status(), 'nothing');
        isWanted = false;
        sources.fire(name);
        assert.equal(status(), 'nothing');
        isWanted = true;
        sources.fire(name);
        assert.notEqual(status(), 'nothing');
      });
    }

    it('without an account, not at all', async () => {
      accounts.active = undefined;
      sources.fire('the account');
      await setImmediate();
      assert.equal(status(), 'nothing');
    });
  });
});
