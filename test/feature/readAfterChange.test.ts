import assert from 'node:assert/strict';
import { registerKey } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { ViewName } from '../support/feature/viewDriver';
import type { FeatureWindow } from '../support/feature/window';

interface Change {
  readonly what: string;
  readonly view: ViewName;
  readonly row: string;
  readonly menu: string;
  /** The list that shows the change. */
  readonly list: string;
  /** Begins it, up to the last key. */
  readonly make: (window: FeatureWindow) => Promise<void>;
  readonly request: readonly [method: string, path: RegExp];
}

const changes: readonly Change[] = [
  {
    what: 'a name',
    view: 'instances',
    row: 'trainer',
    menu: 'Rename…',
    list: '/api/v1/instances/',
    make: async ({ quick }) => {
      await quick.title(/^Rename/);
      await quick.type('tuned');
    },
    request: ['PUT', /\/instances\/\d+\/$/],
  },
  {
    what: 'a deleted SSH key',
    view: 'sshKeys',
    row: 'SHA256',
    menu: 'Delete SSH Key…',
    list: '/api/v0/ssh/',
    make: (window) => window.dialogButton('Delete', 'Delete the SSH key'),
    request: ['DELETE', /\/ssh\/\d+\/$/],
  },
  {
    what: 'a deleted template',
    view: 'templates',
    row: 'ours',
    menu: 'Delete Template…',
    list: '/api/v0/template/',
    make: (window) => window.dialogButton('Delete', 'Delete the template'),
    request: ['DELETE', /\/template\/$/],
  },
];

describe('a change whose list can’t be read afterwards', () => {
  const computer = useComputer();
  let window: FeatureWindow;

  before(async () => {
    await registerKey(computer());
    await computer().rentRunning({ label: 'trainer' });
    const docker = { docker_login_repo: '', docker_login_user: '', docker_login_pass: '' };
    const template = { name: 'ours', image: 'pytorch/pytorch', ...docker };
    await computer().simulator.call('POST', '/api/v0/template/', template);
    window = await computer().openSignedIn();
    window.clearToasts();
  });

  for (const { what, view, row, menu, list, make, request } of changes) {
    it(`is not reported as a failure: ${what}`, async () => {
      const { simulator } = computer();
      const rows = window.view(view);
      await rows.menu(row, menu);
      simulator.fail({ kind: 'html500', method: 'GET', path: list, times: 0 });
      await make(window);
      await rows.row(/^Could not refresh/);
      assert.deepEqual(
        simulator.received(...request).map(({ status }) => status),
        [200],
      );
      assert.deepEqual(
        window.screen.messages.shown.filter(({ kind }) => kind === 'error').map(({ text }) => text),
        [],
      );
      simulator.faults.clear();
      await rows.click('Could not refresh');
      await rows.noRow('Could not refresh');
      window.clearToasts();
    });
  }
});
