import type { TestSimulator } from './startSimulator';

/**
 * Makes the list of instances answer with `count` copies of the one that is rented, each with its own id and
 * label (`machine 12`), all in `status`. Every other request goes on as it was.
 */
export async function pretendInstances(
  simulator: TestSimulator,
  count: number,
  status: 'running' | 'loading',
  label = 'machine',
): Promise<void> {
  simulator.faults.clear();
  const { json } = await simulator.call('GET', '/api/v0/instances/');
  const [record]: Record<string, unknown>[] = json.instances;
  if (record === undefined) {
    throw new Error('One instance has to be rented.');
  }
  const copies = Array.from({ length: count }, (_, index) => ({
    ...record,
    id: 1_000_000 + index,
    label: `${label} ${index}`,
    actual_status: status,
    cur_state: 'running',
    intended_status: 'running',
  }));
  for (const path of ['/api/v0/instances/', '/api/v1/instances/']) {
    simulator.fail({
      kind: 'answer',
      method: 'GET',
      path,
      times: 0,
      status: 200,
      body: {
        success: true,
        instances: copies,
        instances_found: count,
        total_instances: count,
        next_token: null,
      },
    });
  }
}

/** Rents the cheapest offer without SSH, by a plain request. */
export async function rentOne(simulator: TestSimulator): Promise<number> {
  const found = await simulator.call('POST', '/api/v0/bundles/', { limit: 1, type: 'on-demand' });
  const [offer]: { id: number }[] = found.json.offers;
  const rented = await simulator.call('PUT', `/api/v0/asks/${String(offer?.id)}/`, {
    client_id: 'me',
    image: 'ubuntu:22.04',
    disk: 10,
    runtype: 'ssh_direc ssh_proxy',
  });
  if (rented.status !== 200) {
    throw new Error(rented.text);
  }
  return rented.json.new_contract as number;
}
