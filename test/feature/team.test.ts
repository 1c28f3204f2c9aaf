import assert from 'node:assert/strict';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const [members, balances, roles] = [
  '/api/v0/team/members/',
  '/api/v0/team/balances',
  '/api/v0/team/roles-full/',
];

describe('the team in the account view', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const view = () => window.view('account');
  const reads = (path: string) => computer().simulator.received('GET', path).length;
  const answer = (path: string, body: unknown) => computer().simulator.fail({ kind: 'answer', path, body });

  before(async () => {
    window = await computer().openSignedIn();
    view().show();
  });
  afterEach(() => computer().simulator.faults.clear());

  it('is read when its row is opened: balances, people with their roles, and roles', async () => {
    assert.deepEqual([members, balances, roles].map(reads), [0, 0, 0]);
    await view().expand('Team');
    await view().row(/^Lab ?balance \$\d+\.\d\d/);
    await view().row(/^Ben Okafor ?ML engineer · ben@example\.org$/);
    await view().row(/^cy ?ML engineer, Finance & audit · cy@example\.org$/);
    await view().row(/^ML engineer ?misc, instance_read/);
    await view().row(/^Team ?3$/);
    assert.deepEqual([members, balances, roles].map(reads), [1, 1, 1]);
  });

  it('leads to the web console for changes, which none of its rows makes', async () => {
    await view().click('Invite people or change their roles');
    await window.toast(/This marketplace runs on your computer and has no web console/);
    window.clearToasts();
    assert.ok(
      computer()
        .simulator.received()
        .every(({ method, path }) => method === 'GET' || !path.includes('/team/')),
    );
  });

  it('of a person without one is empty, and no error', async () => {
    for (const path of [members, balances]) {
      const fault = { kind: 'error', path, status: 404, error: 'not_found', msg: 'No team' } as const;
      computer().simulator.fail(fault);
    }
    answer(roles, []);
    window.run('Refresh');
    await view().row(/^none$/);
    await view().noRow('Could not');
    await view().row(/^Team ?0$/);
  });

  it('shows once what the key may not read, beside what it may', async () => {
    for (const path of [members, roles]) {
      const denied = {
        status: 403,
        error: 'not_authorized',
        msg: 'This key lacks the permission team_read.',
      };
      computer().simulator.fail({ kind: 'error', path, ...denied, times: 0 });
    }
    window.run('Refresh');
    await view().row(/^Could not refresh .*team_read/);
    await view().row(/^Lab/);
    assert.equal((await view().rows()).filter((row) => row.text.includes('team_read.')).length, 1);
    computer().simulator.faults.clear();
    window.clearToasts();
    window.run('Refresh');
    await view().row('Ben Okafor');
  });

  it('shows hostile names as plain text, and an amount that is unknown', async () => {
    answer(members, [{ id: 8, fullname: '$(zap)\u202e[x](command:y)', roles: ['$(key)'] }]);
    answer(balances, { success: true, balances: [{ team_id: 9, balance: null }] });
    window.run('Refresh');
    await view().row(/^\$ \(zap\) \[x\] - \(command:y\) ?\$ \(key\)/);
    await view().row(/^Team #9 ?balance unknown/);
  });
});
