import { parseTree, type Node, type ParseError } from 'jsonc-parser';
import { tooDeepAt } from '../../util/json';
import type { Span } from './envFlags';
import { jsonText } from './jsonText';

export interface TextChange extends Span {
  readonly text: string;
}

/** A JSON text with the places of its values. Comments are allowed and errors are skipped. */
export class JsonPlaces {
  readonly root: Node | undefined;
  /** The line of the first error, counted from 1; the values after it may be missing or misplaced. */
  readonly brokenLine: number | undefined;
  /** Where the text has more levels than can be read; it then counts as empty. */
  readonly tooDeepAt: number | undefined;

  /** The places below `at` alone, whose paths begin there. */
  constructor(
    readonly source: string,
    private readonly at: readonly string[] = [],
  ) {
    const errors: ParseError[] = [];
    this.tooDeepAt = tooDeepAt(source);
    const readable = this.tooDeepAt === undefined ? source : '';
    const tree = parseTree(readable, errors, { allowTrailingComma: true, disallowComments: false });
    this.root = at.reduce<Node | undefined>(child, tree);
    const brokenAt = this.tooDeepAt ?? errors[0]?.offset;
    this.brokenLine = brokenAt === undefined ? undefined : source.slice(0, brokenAt).split('\n').length;
  }

  /** Returns the node at a path. If a key occurs twice, the last one wins. */
  node(path: readonly string[]): Node | undefined {
    return path.reduce<Node | undefined>(child, this.root);
  }

  /** Returns the place of a value, or of its whole property with `keyToo`. `undefined` if the path does not exist. */
  span(path: readonly string[], keyToo = false): Span | undefined {
    const node = this.node(path);
    const target = keyToo && node?.parent?.type === 'property' ? node.parent : node;
    return target && { offset: target.offset, length: target.length };
  }

  /** Returns the nearest existing place: the value, the key of a parent, or the opening brace. */
  nearest(path: readonly string[]): Span {
    for (let length = path.length; length > 0; length--) {
      const span = this.span(path.slice(0, length));
      if (span) {
        return span;
      }
    }
    return { offset: this.root?.offset ?? 0, length: 1 };
  }

  /** Returns the place of a property's key. */
  keySpan(path: readonly string[]): Span | undefined {
    const key = this.node(path)?.parent?.children?.[0];
    return key && { offset: key.offset, length: key.length };
  }

  /** Returns the keys of an object with their places. */
  keys(path: readonly string[] = []): readonly { readonly name: string; readonly span: Span }[] {
    const node = path.length === 0 ? this.root : this.node(path);
    return (node?.type === 'object' ? (node.children ?? []) : []).flatMap((property) => {
      const key = property.children?.[0];
      return typeof key?.value === 'string'
        ? [{ name: key.value, span: { offset: key.offset, length: key.length } }]
        : [];
    });
  }

  /** Returns the value at a path as plain data. */
  value(path: readonly string[]): unknown {
    const node = path.length === 0 ? this.root : this.node(path);
    return node && plain(node);
  }

  private get lineBreak(): string {
    return this.source.includes('\r\n') ? '\r\n' : '\n';
  }

  private get indent(): string {
    return /^([ \t]+)"/m.exec(this.source)?.[1] ?? '  ';
  }

  /** Returns the changes that add or replace a top-level property. */
  set(name: string, value: unknown): TextChange[] {
    return this.setAt([name], value);
  }

  /** Returns the changes that add or replace a property; none if its object does not exist. */
  setAt(path: readonly string[], value: unknown): TextChange[] {
    const outer = this.indent.repeat(this.at.length + path.length - 1);
    const inner = outer + this.indent;
    const written = jsonText(value, this.indent).split('\n').join(`${this.lineBreak}${inner}`);
    const present = this.span(path);
    if (present) {
      return [{ ...present, text: written }];
    }
    const parent = path.length === 1 ? this.root : this.node(path.slice(0, -1));
    if (parent?.type !== 'object') {
      return [];
    }
    const entry = `${inner}${jsonText(path.at(-1) ?? '')}: ${written}`;
    const last = parent.children?.at(-1);
    const start = parent.offset + 1;
    if (!last && this.source.slice(start, parent.offset + parent.length - 1).trim() !== '') {
      // Comments stay.
      return [{ offset: start, length: 0, text: `${this.lineBreak}${entry}` }];
    }
    if (!last) {
      return [
        {
          offset: parent.offset,
          length: parent.length,
          text: `{${this.lineBreak}${entry}${this.lineBreak}${outer}}`,
        },
      ];
    }
    return this.after(last, entry);
  }

  /** A comment at the end of the line of the property before stays there. */
  private after({ offset, length }: Span, entry: string): TextChange[] {
    const end = offset + length;
    const rest = /^[^\r\n]*/.exec(this.source.slice(end))?.[0] ?? '';
    const comment = /^([ \t]*,)?[ \t]*(?:\/\/.*|\/\*[^*]*\*\/[ \t]*)$/.exec(rest);
    if (!comment) {
      return [{ offset: end, length: 0, text: `,${this.lineBreak}${entry}` }];
    }
    const hasComma = comment[1] !== undefined;
    return [
      ...(hasComma ? [] : [{ offset: end, length: 0, text: ',' }]),
      { offset: end + rest.length, length: 0, text: `${this.lineBreak}${entry}${hasComma ? ',' : ''}` },
    ];
  }

  /** Returns the changes that replace the value at a path; none if the path does not exist. */
  replace(path: readonly string[], value: unknown): TextChange[] {
    const span = this.span(path);
    return span ? [{ ...span, text: jsonText(value) }] : [];
  }

  /** Returns the changes that remove a property with its comma and line. */
  remove(path: readonly string[]): TextChange[] {
    const property = this.node(path)?.parent;
    const siblings = property?.parent?.children ?? [];
    const index = property ? siblings.indexOf(property) : -1;
    if (!property || index < 0) {
      return [];
    }
    const previous = siblings[index - 1];
    const next = siblings[index + 1];
    const end = property.offset + property.length;
    if (previous) {
      const start = previous.offset + previous.length;
      return [{ offset: start, length: end - start, text: '' }];
    }
    return next
      ? [{ offset: property.offset, length: next.offset - property.offset, text: '' }]
      : [{ offset: property.offset, length: property.length, text: '' }];
  }
}

function child(parent: Node | undefined, name: string): Node | undefined {
  return parent?.type === 'array'
    ? parent.children?.[Number(name)]
    : parent?.children?.findLast(({ children }) => children?.[0]?.value === name)?.children?.[1];
}

function plain(node: Node): unknown {
  if (node.type === 'array') {
    return (node.children ?? []).map(plain);
  }
  if (node.type === 'object') {
    return Object.fromEntries(
      (node.children ?? []).map((property) => {
        const [key, value] = property.children ?? [];
        return [String(key?.value), value && plain(value)];
      }),
    );
  }
  const value: unknown = node.value;
  return value;
}

/** Returns the text with the changes applied. The changes must not overlap. */
export function applyChanges(source: string, changes: readonly TextChange[]): string {
  return [...changes]
    .sort((a, b) => b.offset - a.offset)
    .reduce(
      (text, change) =>
        text.slice(0, change.offset) + change.text + text.slice(change.offset + change.length),
      source,
    );
}
