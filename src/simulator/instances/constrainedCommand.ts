import { lstatSync, readdirSync, realpathSync, rmSync, type Stats } from 'node:fs';
import path from 'node:path';
import { splitWords } from './envFlags';

/** A command that *execute* refuses before it is run; becomes `invalid_args`. */
export class InvalidCommand extends Error {}

/** See docs/service/limits.md#sizes. */
const longestCommand = 512;

/**
 * Our own `ls`, `du` and `rm`, confined to one folder that plays the root of the container: no program of
 * this computer runs and no link leads out (docs/service/commands.md#execute).
 */
export class ConstrainedCommand {
  private constructor(
    private readonly program: 'ls' | 'du' | 'rm',
    /** Letters of the short flags. */
    private readonly flags: string,
    /** How deep `du` lists folders; all of them unless given. */
    private readonly depth: number,
    private readonly paths: readonly string[],
  ) {}

  /** @throws InvalidCommand for anything else than the three commands and their simple flags. */
  static parse(command: string): ConstrainedCommand {
    if (command.length > longestCommand) {
      throw new InvalidCommand(`Invalid command given: at most ${longestCommand} characters.`);
    }
    const [program, ...args] = splitWords(command);
    if ((program !== 'ls' && program !== 'du' && program !== 'rm') || /[;&|<>`$\r\n\0]/.test(command)) {
      throw new InvalidCommand('Invalid command given: use ls, du or rm.');
    }
    const { shorts, depth, paths } = readArguments(args);
    if (!/^[a-zA-Z0-9]*$/.test(shorts)) {
      throw new InvalidCommand('Invalid command given: unknown flag.');
    }
    if (program === 'rm' && paths.length === 0) {
      throw new InvalidCommand('Invalid command given: rm needs a path.');
    }
    return new ConstrainedCommand(program, shorts, depth, paths);
  }

  /**
   * The text the command writes. `shownRoot` replaces the folder in the output, as
   * the service shows the path on its host.
   */
  run(folder: string, shownRoot: string): string {
    const root = realpathSync(folder);
    const shown = (file: string) => path.posix.join(shownRoot, toPosix(path.relative(root, file)));
    const lines = (this.paths.length > 0 ? this.paths : ['.']).flatMap((wanted) => {
      const found = resolveInside(root, wanted);
      if (found.length === 0) {
        return this.program === 'rm' && this.flags.includes('f')
          ? []
          : [`${this.program}: cannot access '${wanted}': No such file or directory`];
      }
      return found.flatMap((file) => this.runOn(file, root, shown));
    });
    return lines.map((line) => `${line}\n`).join('');
  }

  private runOn(file: string, root: string, shown: (file: string) => string): readonly string[] {
    if (this.program === 'rm') {
      return this.remove(file, root, shown);
    }
    return this.program === 'du' ? this.usage(file, shown) : this.listing(file, shown);
  }

  private remove(file: string, root: string, shown: (file: string) => string): readonly string[] {
    if (file === root) {
      return ["rm: refusing to remove '/'"];
    }
    if (lstatSync(file).isDirectory() && !/[rR]/.test(this.flags)) {
      return [`rm: cannot remove '${shown(file)}': Is a directory`];
    }
    rmSync(file, { recursive: true, force: true });
    return this.flags.includes('v') ? [`removed '${shown(file)}'`] : [];
  }

  private listing(file: string, shown: (file: string) => string): readonly string[] {
    if (!lstatSync(file).isDirectory()) {
      return [this.entry(file, shown(file))];
    }
    const all = /[aA]/.test(this.flags);
    const names = readdirSync(file)
      .filter((name) => all || !name.startsWith('.'))
      .sort();
    return names.map((name) => this.entry(path.join(file, name), name));
  }

  private entry(file: string, name: string): string {
    if (!this.flags.includes('l')) {
      return name;
    }
    const stats = lstatSync(file);
    const day = stats.mtime.toISOString().slice(0, 16).replace('T', ' ');
    return `${mode(stats)} 1 root root ${String(stats.size).padStart(10)} ${day} ${name}`;
  }

  private usage(file: string, shown: (file: string) => string): readonly string[] {
    const depth = this.flags.includes('s') ? 0 : this.depth;
    const lines: string[] = [];
    const visit = (current: string, level: number): number => {
      const stats = lstatSync(current);
      const inner = stats.isDirectory()
        ? readdirSync(current).reduce((sum, name) => sum + visit(path.join(current, name), level + 1), 0)
        : 0;
      const bytes = inner + Math.max(4096, Math.ceil(stats.size / 4096) * 4096);
      if (level <= depth && (stats.isDirectory() || level === 0 || this.flags.includes('a'))) {
        lines.push(`${this.size(bytes)}\t${shown(current)}`);
      }
      return bytes;
    };
    visit(file, 0);
    return lines;
  }

  private size(bytes: number): string {
    if (this.flags.includes('b')) {
      return String(bytes);
    }
    if (!this.flags.includes('h')) {
      return String(Math.ceil(bytes / 1024));
    }
    const units = ['K', 'M', 'G', 'T'];
    let value = bytes / 1024;
    let unit = 0;
    while (value >= 1024 && unit < units.length - 1) {
      value /= 1024;
      unit += 1;
    }
    return `${value < 10 ? value.toFixed(1) : Math.ceil(value)}${units[unit] ?? ''}`;
  }
}

function readArguments(args: readonly string[]) {
  const paths: string[] = [];
  let shorts = '';
  let depth = Infinity;
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    const given = /^(?:-d|--max-depth=)(\d*)$/.exec(arg);
    if (given) {
      depth = Number(given[1] || args[(index += 1)]);
    } else if (!arg.startsWith('--') && arg.startsWith('-')) {
      shorts += arg.slice(1);
    } else if (!arg.startsWith('-')) {
      paths.push(arg);
    }
  }
  return { shorts, depth: Number.isNaN(depth) ? Infinity : depth, paths };
}

/** Returns the files of a path, with `*` in its last part; none when it leads out of the root. */
function resolveInside(root: string, wanted: string): readonly string[] {
  const inContainer = wanted.replace(/^(~|\/root)(?=\/|$)/, '/');
  const target = path.resolve(root, `.${path.posix.normalize(`/${inContainer}`)}`);
  const [parent, name] = target === root ? [root, ''] : [path.dirname(target), path.basename(target)];
  try {
    const realParent = realpathSync(parent);
    if (realParent !== root && !realParent.startsWith(root + path.sep)) {
      return [];
    }
    if (name === '') {
      return [root];
    }
    if (!name.includes('*')) {
      const file = path.join(realParent, name);
      lstatSync(file);
      return [file];
    }
    const pattern = new RegExp(`^${name.split('*').map(escapeRegExp).join('.*')}$`);
    return readdirSync(realParent)
      .filter((entry) => pattern.test(entry) && !entry.startsWith('.'))
      .map((entry) => path.join(realParent, entry));
  } catch {
    // Missing, or not a folder: the caller reports that in the words of the command.
    return [];
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function toPosix(relative: string): string {
  return relative.split(path.sep).join('/');
}

function mode(stats: Stats): string {
  const kind = stats.isDirectory() ? 'd' : stats.isSymbolicLink() ? 'l' : '-';
  return (
    kind +
    [6, 3, 0]
      .map((shift) => (stats.mode >> shift) & 7)
      .map((bits) => `${bits & 4 ? 'r' : '-'}${bits & 2 ? 'w' : '-'}${bits & 1 ? 'x' : '-'}`)
      .join('')
  );
}
