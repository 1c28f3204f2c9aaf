import type { KnownTemplate } from './templateReader';

/**
 * The templates of this window, as last read or saved, and as the screen shows them; the screen follows a moment
 * later.
 */
export class TemplatesOnScreen {
  private readonly known = new Map<number, KnownTemplate>();
  private readonly shown = new Map<number, KnownTemplate>();

  get(id: number): KnownTemplate | undefined {
    return this.known.get(id);
  }

  has(id: number): boolean {
    return this.known.has(id);
  }

  /** Sets a newer record, which the screen is about to show. */
  set(id: number, template: KnownTemplate): void {
    this.known.set(id, template);
  }

  /** Sets the version that any text on the screen is based on. */
  adopt(id: number, template: KnownTemplate): void {
    this.known.set(id, template);
    this.shown.set(id, template);
  }

  /** Notes that the document now shows this text. */
  noteShown(id: number, text: string): void {
    const known = this.known.get(id);
    if (known?.text === text) {
      this.shown.set(id, known);
    }
  }

  /** Returns false if the document has shown no version that this window knows. */
  isShown(id: number): boolean {
    return this.shown.has(id);
  }

  /** Returns to the version on the screen; returns true if the screen was behind. */
  goBackToShown(id: number): boolean {
    const shown = this.shown.get(id);
    if (!shown || shown.text === this.known.get(id)?.text) {
      return false;
    }
    this.known.set(id, shown);
    return true;
  }

  delete(id: number): void {
    this.known.delete(id);
    this.shown.delete(id);
  }
}
