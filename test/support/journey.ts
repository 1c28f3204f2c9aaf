import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { systemClock, wait } from '../../src/util/clock';
import { appears, clickRow } from './press';
import type { UiSession } from './uiSession';
import { until } from './until';
import type { Workbench } from './workbench';

/** Signs in to the session's marketplace by the welcome view, as a user does. */
export async function signIn(session: UiSession, workbench: Workbench): Promise<void> {
  await workbench.openContainer('GPU Rental');
  await workbench.view('Instances').welcomeButton('Sign In');
  await workbench.quick.waitForTitle('Sign In');
  await workbench.quick.pick(session.simulator.url);
  await workbench.quick.waitForTitle('Sign In: API key');
  await workbench.quick.type(session.simulator.apiKey);
  await workbench.toast(/Signed in as/);
}

export interface RentSteps {
  /** What is typed into the search; the first row that matches `offer` is taken. */
  readonly search: string;
  readonly offer: RegExp;
  readonly label: string;
  /** Takes a picture of each step. */
  readonly shots?: boolean;
}

/** Searches, takes an offer and goes through every step up to the confirmation, which stays open. */
export async function toConfirmation(workbench: Workbench, steps: RentSteps): Promise<void> {
  const { quick, page } = workbench;
  const shot = async (name: string) => {
    if (steps.shots === true) {
      await workbench.shot(name);
    }
  };
  await workbench.run('Search Offers…');
  await quick.waitForTitle('Search Offers');
  await quick.rows.filter({ hasText: '% reliable' }).first().waitFor();
  await shot('rent-1-offers');
  await page.keyboard.type(steps.search);
  await quick.rows.filter({ hasText: steps.offer }).first().waitFor();
  await shot('rent-2-filtered');
  await chooseOffer(workbench, steps.offer);
  for (const { title, isList } of [
    { title: 'Template', isList: true },
    { title: 'Disk', isList: false },
    { title: 'Label', isList: false },
    { title: 'Run type', isList: true },
  ]) {
    await quick.waitForTitle(`Rent: ${title}`);
    await shot(`rent-${title}`);
    if (title === 'Label') {
      await quick.input.fill(steps.label);
    }
    await quick.enter({ isList });
  }
  await quick.waitForTitle('Rent: Confirm');
  await shot('rent-confirm');
}

/**
 * Takes the first such offer of the list that is open. A click on a row at a place that the rows which are on their way
 * no longer have does nothing, and is made again, as a user does.
 */
export async function chooseOffer({ page, quick }: Workbench, offer: RegExp): Promise<void> {
  const row = quick.rows.filter({ hasText: offer }).first();
  await row.waitFor({ timeout: 90_000 });
  await until('the first step of the rental', async () => {
    if (await row.isVisible()) {
      await clickRow(page, row);
    }
    return appears(quick.title(/^Rent: /), 5000);
  });
}

/** Presses Enter on the open confirmation, once it takes one. */
export async function confirmRental(workbench: Workbench): Promise<void> {
  // An Enter that comes right after the one of the step before does not rent, in the product's time.
  await wait(systemClock, 1000);
  await workbench.quick.enter({ isList: true });
}

/** Answers the question for a key that comes before the first rental: makes one on this computer. */
export async function generateKey(session: Pick<UiSession, 'root'>, workbench: Workbench): Promise<void> {
  const { quick } = workbench;
  await quick.waitForTitle('Choose an SSH Key to Log In With');
  await quick.pickMatching(/Generate a New Key/);
  await quick.waitForTitle('Generate SSH Key');
  await quick.enter();
  // The step before has the same title, and its box would be closed under the Enter.
  await quick.waitForPrompt(/passphrase/i);
  await quick.enter();
  const file = path.join(session.root, 'home', '.ssh', 'gpu_rental');
  await until('the new key', () => existsSync(`${file}.pub`));
}

/** The instance whose label, as the user sees it, is this one. */
export function instanceLabelled(session: UiSession, label: string): { readonly id: number } {
  const [instance] = session.simulator.world.instances.filter((one) => one.label?.startsWith(`${label} `));
  assert.ok(instance, `no instance is labelled ${label}`);
  return instance;
}
