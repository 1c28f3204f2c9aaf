import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import type { UiSession } from './uiSession';
import { confirmRental } from './journey';
import { until } from './until';
import type { Workbench } from './workbench';

/** A key on this computer and at the service, so that a rental asks for none. */
export async function haveKey(session: UiSession): Promise<void> {
  const file = path.join(session.root, 'home', '.ssh', 'id_ed25519');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
  const publicKey = readFileSync(`${file}.pub`, 'utf8').trim();
  await session.simulator.call('POST', '/api/v0/ssh/', { ssh_key: publicKey });
}

export const rentalsOf = (session: UiSession) => session.simulator.received('PUT', /^\/api\/v0\/asks\//);

/** What the last rental sent, its label without the mark that is different each time. */
export function lastRental(session: UiSession): Record<string, unknown> {
  const body = rentalsOf(session).at(-1)?.body as Record<string, unknown> | undefined;
  if (body === undefined) throw new Error('Nothing was rented.');
  return { ...body, label: String(body['label']).replace(/\s*\[gr-[0-9a-f]{8}\]$/, '') };
}

/** From the list of offers that is open to the confirmation: the first such row, all further steps skipped. */
export async function reviewFirst(workbench: Workbench, offer: RegExp): Promise<void> {
  const { page, quick } = workbench;
  await quick.rows.filter({ hasText: offer }).first().waitFor({ timeout: 90_000 });
  await quick.pickMatching(offer);
  // The pointer stands where the hover of the box would cover the title.
  await page.mouse.move(700, 700);
  await quick.waitForTitle(/^Rent: (Template or Image|Disk)/);
  const skip = quick.titleButton('Keep the Defaults and Review');
  await skip.focus();
  await page.keyboard.press('Enter');
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

/** Presses Enter on the open confirmation, and waits for what comes of it. */
async function confirmUntil(workbench: Workbench, isDone: () => boolean | Promise<boolean>): Promise<void> {
  await workbench.quick.waitForTitle('Rent: Confirm');
  await confirmRental(workbench);
  await until('what comes of the Enter', isDone, { timeoutMs: 40_000 });
}

/** Rents what the open confirmation says; returns once the service has answered. */
export async function rentNow(session: UiSession, workbench: Workbench): Promise<void> {
  const before = rentalsOf(session).length;
  await confirmUntil(workbench, () => (rentalsOf(session)[before]?.status ?? 0) !== 0);
}

/** Away with the messages; progress that still goes on may stay, so it is not waited for. */
export async function clearMessages(workbench: Workbench): Promise<void> {
  await workbench.quick.run('Notifications: Clear All Notifications');
  await workbench.quick.widget.waitFor({ state: 'hidden' });
}

/** The row that stands last; the list does not keep its rows in order in the page. */
export async function clickLast(rows: Locator): Promise<void> {
  const shown = await rows.all();
  const places = await Promise.all(shown.map(async (row) => Number(await row.getAttribute('data-index'))));
  await shown[places.indexOf(Math.max(...places))]?.click();
}
