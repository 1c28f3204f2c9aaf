import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { confirmRental, chooseOffer } from './journey';
import { pressEnter } from './press';
import type { UiSession } from './uiSession';
import { until } from './until';
import type { Workbench } from './workbench';

/** A key on this computer and at the service, so that a rental asks for none. */
export async function haveKey(session: UiSession): Promise<void> {
  const file = path.join(session.root, 'home', '.ssh', 'id_ed25519');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
  const publicKey = readFileSync(`${file}.pub`, 'utf8').trim();
  await session.simulator.call('POST', '/api/v0/ssh/', { ssh_key: publicKey });
}

const rentalsOf = (session: UiSession) => session.simulator.received('PUT', /^\/api\/v0\/asks\//);

/** From the list of offers that is open to the confirmation: the first such row, all further steps skipped. */
export async function reviewFirst(workbench: Workbench, offer: RegExp): Promise<void> {
  const { page, quick } = workbench;
  await chooseOffer(workbench, offer);
  // The pointer stands where the hover of the box would cover the title.
  await page.mouse.move(700, 700);
  await quick.waitForTitle(/^Rent: (Template|Disk)/);
  const skip = quick.titleButton('Keep the Defaults and Review');
  await skip.focus();
  await pressEnter(skip);
  await quick.waitForTitle('Rent: Confirm');
}

/** The search with what is typed, up to the confirmation of the first offer that matches. */
export async function searchAndReview(workbench: Workbench, typed: string, offer: RegExp): Promise<void> {
  const { page, quick } = workbench;
  await workbench.run('Search Offers…');
  await quick.waitForTitle('Search Offers');
  await quick.rows.filter({ hasText: '% reliable' }).first().waitFor({ timeout: 90_000 });
  await page.keyboard.type(typed);
  await until(
    `offers for ${typed}`,
    async () => {
      const offers = (await quick.rowTexts()).filter((text) => text.includes('% reliable'));
      return offers.length > 0 && offers.every((text) => offer.test(text));
    },
    { timeoutMs: 90_000 },
  );
  await reviewFirst(workbench, offer);
}

/** From the confirmation and back: variables as text, and the login to a private registry, where secrets are kept. */
export async function giveEnvironmentAndLogin(
  { quick }: Workbench,
  environment: string,
  login: { readonly address: string; readonly user: string; readonly token: string },
): Promise<void> {
  await quick.pick('More Options…');
  await quick.waitForTitle('Rent: More Options');
  await quick.pick('Environment and ports');
  await quick.waitForTitle('Rent: Environment and ports');
  await quick.pick('Edit as Text…');
  await quick.waitForTitle('Rent: Environment and ports');
  await quick.type(environment);
  await quick.waitForTitle('Rent: Environment and ports');
  await quick.back();
  await quick.waitForTitle('Rent: More Options');
  await quick.pick('Registry login');
  await quick.waitForTitle('Rent: Registry login');
  await quick.pick('Enter a Login…');
  const give = async (asks: RegExp, answer: string) => {
    await until(String(asks), async () => asks.test(await quick.message()));
    await quick.type(answer);
  };
  await give(/Address/, login.address);
  await give(/User name/, login.user);
  await quick.waitForTitle(`Rent: ${login.address}`);
  await quick.pick('New Secret…');
  await give(/Access token/, login.token);
  await quick.waitForTitle('Rent: More Options');
  await quick.pick('Done');
  await quick.waitForTitle('Rent: Confirm');
}

/** Rents what the open confirmation says; returns once the service has answered. */
export async function rentNow(session: UiSession, workbench: Workbench): Promise<void> {
  // The simulator forgets its oldest requests, so that their count is useless.
  const before = rentalsOf(session).at(-1)?.seq ?? 0;
  await workbench.quick.waitForTitle('Rent: Confirm');
  await confirmRental(workbench);
  await until(
    'the answer to the rental',
    () => rentalsOf(session).some(({ seq, status }) => seq > before && status !== 0),
    { timeoutMs: 40_000 },
  );
}
