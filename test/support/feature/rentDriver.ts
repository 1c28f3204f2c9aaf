import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { unpackOnstart } from '../../../src/api/onstart';
import { withoutGuard } from '../../../src/model/rentals/birthGuard';
import type { ReceivedRequest } from '../../../src/simulator/requestLog';
import type { InstanceState } from '../../../src/simulator/state';
import type { Computer } from './computer';
import type { Wanted } from './wanted';
import type { FeatureWindow } from './window';

/** A key on this computer and at the service, so that a rental does not ask for one. */
export async function haveKey({ root, simulator }: Pick<Computer, 'root' | 'simulator'>): Promise<void> {
  const file = path.join(root, 'home', '.ssh', 'id_ed25519');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
  const publicKey = readFileSync(`${file}.pub`, 'utf8').trim();
  const { status, text } = await simulator.call('POST', '/api/v0/ssh/', { ssh_key: publicKey });
  assert.equal(status, 200, text);
}

/** Requests to rent, oldest first, without the lines of ours before the script of the user. */
export function rentalsOf({ simulator }: Computer): readonly ReceivedRequest[] {
  return simulator.received('PUT', /^\/api\/v0\/asks\//).map((sent) => {
    const { onstart, ...body } = sent.body as Record<string, unknown>;
    const script = typeof onstart === 'string' ? withoutGuard(unpackOnstart(onstart)) : '';
    return { ...sent, body: script === '' ? body : { ...body, onstart: script } };
  });
}

/** What the last rental sent. Its label stands without the mark, which must be there and is different each time. */
export function lastRental(computer: Computer): Record<string, unknown> {
  const body = rentalsOf(computer).at(-1)?.body as Record<string, unknown> | undefined;
  assert.ok(body, 'nothing was rented');
  const label = String(body['label']);
  assert.match(label, /(^| )\[gr-[0-9a-f]{8}\]$/);
  return { ...body, label: label.replace(/\s*\[gr-[0-9a-f]{8}\]$/, '') };
}

/** What the last search asked for. */
export function lastSearch({ simulator }: Computer): Record<string, unknown> {
  const body = simulator.received('POST', /^\/api\/v0\/bundles\//).at(-1)?.body;
  assert.ok(body, 'nothing was searched for');
  return body as Record<string, unknown>;
}

/** Searches by the palette for what is typed, until every offer in the list fits. */
export async function searchFor(window: FeatureWindow, typed: string, offer: RegExp): Promise<void> {
  const { quick, computer } = window;
  window.run('Search Offers…');
  await quick.title('Search Offers');
  await quick.row('% reliable');
  await quick.type(typed, { enter: false });
  await computer.until(`only offers with ${String(offer)}`, () => {
    const offers = quick.rows().filter((row) => row.includes('% reliable'));
    // What is there may fit while the search for it is still to come.
    const isSent = !typed.startsWith('spot ') || lastSearch(computer)['type'] === 'bid';
    return isSent && !quick.open.busy && offers.length > 0 && offers.every((row) => offer.test(row));
  });
}

/** From the list of offers to the confirmation: the first such offer, with the defaults of all further steps. */
export async function reviewFirst(window: FeatureWindow, offer: Wanted): Promise<void> {
  const { quick } = window;
  await quick.pick(offer);
  await quick.title(/^Rent: (Template|Disk)$/);
  await quick.button('Keep the Defaults and Review');
  await quick.title('Rent: Confirm');
}

export async function searchAndReview(window: FeatureWindow, typed: string, offer: RegExp): Promise<void> {
  await searchFor(window, typed, offer);
  await reviewFirst(window, offer);
}

export interface RentSteps {
  readonly search: string;
  readonly offer: RegExp;
  readonly label: string;
}

/** Searches, takes an offer and goes through every step up to the confirmation, which stays open. */
export async function toConfirmation(window: FeatureWindow, steps: RentSteps): Promise<void> {
  const { quick } = window;
  await searchFor(window, steps.search, steps.offer);
  await quick.pick(steps.offer);
  await quick.title('Rent: Template');
  await quick.enter();
  await quick.title('Rent: Disk');
  await quick.enter();
  await quick.title('Rent: Label');
  await quick.type(steps.label);
  await quick.title('Rent: Run type');
  await quick.enter();
  await quick.title('Rent: Confirm');
}

/** Presses Enter on the confirmation, where the row that rents is active. It takes none that comes with the step. */
export async function confirmRental({ quick, computer }: FeatureWindow): Promise<void> {
  await quick.title('Rent: Confirm');
  await computer.pass(1000);
  await quick.enter();
}

/** Rents what the open confirmation says; waits for the answer of the service. */
export async function rentNow(window: FeatureWindow): Promise<void> {
  const { computer } = window;
  // The simulator forgets its oldest requests, so that their count is useless.
  const before = rentalsOf(computer).at(-1)?.seq ?? 0;
  await confirmRental(window);
  await computer.until('the answer to the rental', () =>
    rentalsOf(computer).some(({ seq, status }) => seq > before && status !== 0),
  );
}

/** Runs what rents one machine, and waits for its instance. */
export async function newInstance(computer: Computer, rent: () => Promise<void>): Promise<InstanceState> {
  const { world } = computer.simulator;
  const known = world.instances.map(({ id }) => id);
  await rent();
  return computer.until('the instance', () => world.instances.find(({ id }) => !known.includes(id)));
}

/** Rents the first RTX 3090 with the defaults of all steps, and waits for its instance. */
export async function rent3090(window: FeatureWindow): Promise<InstanceState> {
  await searchAndReview(window, '1x 3090', /1× RTX 3090/);
  return newInstance(window.computer, () => rentNow(window));
}

/** The next machines that start stop with these messages, one each. */
export async function failNextStarts(
  simulator: Computer['simulator'],
  ...messages: readonly string[]
): Promise<void> {
  for (const message of messages) {
    await simulator.call('POST', '/__sim/next-boot/', { outcome: 'exited', message });
  }
}

/** Answers the question for a key that comes before the first rental: makes one on this computer. */
export async function generateKey(window: FeatureWindow): Promise<void> {
  const { quick, computer } = window;
  await quick.title('Choose an SSH Key to Log In With');
  await quick.pick(/Generate a New Key/);
  await quick.title('Generate SSH Key');
  await quick.enter();
  await quick.title('Generate SSH Key');
  await quick.enter();
  const file = path.join(computer.root, 'home', '.ssh', 'gpu_rental');
  await computer.until('the new key', () => existsSync(`${file}.pub`));
}

/** Several offers at one price, so that there is a next best one within the limit. */
export async function evenPrices({ simulator }: Computer): Promise<void> {
  const { json } = await simulator.call('POST', '/api/v0/bundles/', { gpu_name: { eq: 'RTX 3090' } });
  for (const { id } of (json as { offers: readonly { id: number }[] }).offers) {
    await simulator.call('PUT', `/__sim/offers/${id}/`, { price_per_gpu: 0.2 });
  }
}

/** A window of a user who is signed in and has a key, where several offers have one price. */
export async function openToRent(computer: Computer): Promise<FeatureWindow> {
  await haveKey(computer);
  await evenPrices(computer);
  return computer.openSignedIn();
}

/** Rents a machine that stops while no editor is open, so that it may have run; returns its id. */
export async function rentUnwatched(computer: Computer): Promise<number> {
  const { simulator } = computer;
  await haveKey(computer);
  const window = await computer.openSignedIn();
  await simulator.call('POST', '/__sim/next-boot/', { outcome: 'stuck', message: 'pulling' });
  const { id } = await rent3090(window);
  await window.view('instances').row(`#${id}`);
  window.close();
  await computer.pass(10 * 60_000);
  await simulator.call('PUT', `/__sim/instances/${id}/`, { actual_status: 'exited' });
  return id;
}

/** Another user rents all that is free on a machine, such as that of an instance. */
export async function occupyGpus(
  { simulator }: Pick<Computer, 'simulator'>,
  instanceId: number,
  machineId = simulator.world.instance(instanceId)?.machineId ?? 0,
): Promise<void> {
  const account = await simulator.call('POST', '/__sim/accounts/', { credit: 1000 });
  const { key } = account.json as { key: string };
  for (;;) {
    const wanted = { machine_id: { eq: machineId }, rentable: { eq: true } };
    const found = await simulator.call('POST', '/api/v0/bundles/', wanted, key);
    const [offer] = (found.json as { offers: readonly { id: number }[] }).offers;
    if (!offer) {
      return;
    }
    await simulator.call('PUT', `/api/v0/asks/${offer.id}/`, { image: 'ubuntu', disk: 8 }, key);
  }
}
