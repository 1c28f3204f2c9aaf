import { FakeDisposable } from './events';
import { inWords, manifest } from './manifest';
import { holds, type ContextKeys } from './whenClause';

type Handler = (...args: unknown[]) => unknown;

/** The commands of one window, its context keys, and what palette and menus offer by them. */
export class Commands {
  readonly keys: Record<string, unknown> = {};
  /** Commands of the editor itself that were run, with their arguments. */
  readonly executed: { readonly id: string; readonly args: readonly unknown[] }[] = [];
  /** What the editor adds to what the product registers, as to focus a view. */
  readonly ofEditor = new Map<string, Handler>();
  private readonly handlers = new Map<string, Handler>();

  register(id: string, handler: Handler, self?: unknown): FakeDisposable {
    if (this.handlers.has(id)) {
      throw new Error(`command '${id}' already exists`);
    }
    this.handlers.set(id, (...args) => handler.apply(self, args));
    return new FakeDisposable(() => this.handlers.delete(id));
  }

  async execute(id: string, ...args: readonly unknown[]): Promise<unknown> {
    const handler = this.handlers.get(id) ?? this.ofEditor.get(id);
    if (handler) {
      return await handler(...args);
    }
    if (id.startsWith('gpuRental.')) {
      throw new Error(`command '${id}' not found`);
    }
    if (id === 'setContext') {
      this.keys[String(args[0])] = args[1];
    } else {
      this.executed.push({ id, args });
    }
    return undefined;
  }

  ids(): string[] {
    return [...this.ofEditor.keys(), ...this.handlers.keys()];
  }

  /** Id of the command with this title that the palette offers now; throws where it does not. */
  inPalette(title: string): string {
    const { commands } = manifest.contributes;
    const found = commands.filter((one) => sameTitle(inWords(one.title), title));
    if (found.length === 0) {
      throw new Error(`No command is called "${title}"`);
    }
    const offered = found.find(({ command }) => this.isInPalette(command));
    if (!offered) {
      throw new Error(`The palette does not offer "${title}" now`);
    }
    return offered.command;
  }

  /** Whether the palette offers a command now. */
  isInPalette(id: string): boolean {
    const { commands, menus } = manifest.contributes;
    const contributed = commands.find(({ command }) => command === id);
    const entries = (menus['commandPalette'] ?? []).filter(({ command }) => command === id);
    return (
      contributed !== undefined &&
      entries.every(({ when }) => holds(when, this.keys)) &&
      holds(contributed.enablement, this.keys)
    );
  }

  /** What a menu offers, submenus included, by titles. */
  menu(
    name: string,
    keys: ContextKeys,
  ): readonly { readonly title: string; readonly id: string; readonly isInline: boolean }[] {
    const { commands, menus } = manifest.contributes;
    const all = { ...this.keys, ...keys };
    return (menus[name] ?? [])
      .filter(({ when }) => holds(when, all))
      .flatMap(({ command, submenu, group }) => {
        if (submenu !== undefined) {
          return this.menu(submenu, keys);
        }
        const found = commands.find((one) => one.command === command);
        if (!found || !holds(found.enablement, all)) {
          return [];
        }
        return [
          { title: inWords(found.title), id: found.command, isInline: group?.startsWith('inline') === true },
        ];
      });
  }
}

export function sameTitle(one: string, other: string): boolean {
  const plain = (text: string) => text.replace(/…$/, '');
  return plain(one) === plain(other);
}
