import type { ReceivedRequest } from '../../../src/simulator/requestLog';
import type { QuickDriver } from './quickDriver';
import type { FeatureWindow } from './window';

/** The list of offers and its filters, used by the keyboard. */
export class OfferList {
  constructor(private readonly window: FeatureWindow) {}

  private get quick(): QuickDriver {
    return this.window.quick;
  }

  /** The searches that the service received, oldest first. */
  searches(): readonly ReceivedRequest[] {
    return this.window.computer.simulator.received('POST', '/api/v0/bundles/');
  }

  /** What the last search asked for. */
  body(): Record<string, unknown> | undefined {
    return this.searches().at(-1)?.body as Record<string, unknown> | undefined;
  }

  /** The text of the rows of offers. */
  offers(): string[] {
    return this.quick.rows().filter((row) => row.includes('% reliable'));
  }

  /** Opens the list and waits for what it finds. */
  async open(): Promise<void> {
    this.window.run('Search Offers…');
    await this.quick.title(/^Search Offers$/);
    await this.settled();
  }

  /** Waits until the list shows all that was asked for. */
  async settled(): Promise<void> {
    await this.window.computer.until('the end of the search', () => !this.quick.open.busy);
  }

  async openFilters(): Promise<void> {
    await this.quick.type('/', { enter: false });
    await this.quick.title('Search Offers: Filters');
  }

  /** Picks the row with this label. */
  async pick(label: string): Promise<void> {
    await this.quick.pick(new RegExp(`^${label}( |$)`));
  }

  /** From the filters back to the offers. */
  async back(): Promise<void> {
    await this.pick('Show Offers');
    await this.quick.title(/^Search Offers$/);
    await this.settled();
  }

  /** Opens the filters and chooses an order. */
  async sortBy(label: string): Promise<void> {
    await this.openFilters();
    await this.pick('Sort by');
    await this.quick.title('Search Offers: Sort by');
    await this.pick(label);
  }
}
