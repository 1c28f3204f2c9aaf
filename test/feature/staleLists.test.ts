import { registerKey } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

function part(name: string) {
  return { name, view: 'account', heading: name } as const;
}

describe('lists that can’t be refreshed', () => {
  const computer = useComputer();
  let window: FeatureWindow;

  const lists = [
    { name: 'instances', view: 'instances', path: '/api/v1/instances/', row: 'trainer' },
    { name: 'volumes', view: 'instances', heading: 'Volumes', path: '/api/v0/volumes/', row: 'spare' },
    { name: 'SSH keys', view: 'sshKeys', path: '/api/v0/ssh/', row: 'SHA256' },
    { name: 'machines', view: 'hosting', path: '/api/v0/machines/', row: 'rented' },
    {
      name: 'deployments',
      view: 'account',
      heading: 'Serverless Deployments',
      path: '/api/v0/deployments/',
      row: 'active',
    },
    { ...part('API Keys'), path: '/api/v0/auth/apikeys/', row: 'in use' },
    { ...part('Secrets'), path: '/api/v0/secrets/', row: 'No secrets' },
    { ...part('Team'), path: '/api/v0/team/roles-full/', row: 'team_read' },
    { ...part('Team'), name: 'team members', path: '/api/v0/team/members/', row: 'ben@example.org' },
    { ...part('Team'), name: 'team balances', path: '/api/v0/team/balances', row: /^Lab ?balance/ },
    { ...part('Two-Factor Authentication'), path: '/api/v0/tfa/status/', row: 'No 2FA method' },
  ] as const;

  before(async () => {
    const { simulator } = computer();
    await registerKey(computer());
    await computer().rentRunning({ label: 'trainer' });
    const found = await simulator.call('POST', '/api/v0/volumes/search/', { disk_space: { gte: 100 } });
    const [offer] = found.json.offers as readonly { id: number }[];
    await simulator.call('PUT', '/api/v0/volumes/', { id: offer?.id, size: 20, name: 'spare' });
    window = await computer().openSignedIn();
  });

  for (const { name, path, row, ...place } of lists) {
    it(`show ${name} with the time of the last good read, the reason and a retry`, async () => {
      const { simulator } = computer();
      const view = window.view(place.view).show();
      if ('heading' in place) {
        await view.expand(place.heading);
      }
      await view.row(row);
      await view.noRow('Could not');
      simulator.fail({ kind: 'html500', method: 'GET', path, times: 0 });
      await computer().pass(60_000);
      window.run('Refresh');
      await view.row(/^Could not refresh since \d+:\d+ \S+ Select to retry\. .*problem of its own/);
      await view.row(row);
      simulator.faults.clear();
      await view.click('Could not refresh');
      await view.noRow('Could not refresh');
      window.clearToasts();
    });
  }

  it('give the time beside the figures of a closed group', async () => {
    const { simulator } = computer();
    const instances = window.view('instances');
    const account = window.view('account');
    simulator.fail({ kind: 'html500', method: 'GET', path: '/api/v0/volumes/', times: 0 });
    simulator.fail({ kind: 'html500', method: 'GET', path: '/api/v0/auth/apikeys/', times: 0 });
    window.run('Refresh');
    await instances.row(/^Volumes ?1 · \$\d+\.\d+\/day, as of \d+:\d+/);
    await account.row(/^API Keys ?\d+, as of \d+:\d+/);
    simulator.faults.clear();
    window.run('Refresh');
    await instances.row(/^Volumes ?1 · \$\d+\.\d+\/day$/);
    await account.row(/^API Keys ?\d+$/);
  });
});
