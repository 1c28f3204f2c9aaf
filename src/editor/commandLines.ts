import { t } from './localize';

/** The room of a dialog on a small screen: rows of this many characters, below what an editor breaks itself. */
const rowLength = 60;
const mostRows = 16;

/**
 * Returns a command for a dialog, each row behind a bar, so that no line of it can pass for one of the dialog's own. Long
 * lines are broken here, tabs are spaces, and other hidden characters are shown by their number. What is left out is
 * counted, since the end of a command may matter most.
 */
export function commandLines(command: string): readonly string[] {
  const rows = command.split('\n').flatMap((line) => rowsOf(line));
  const shown = rows.slice(0, mostRows);
  const rest = command.length - shown.reduce((sum, { length }) => sum + length, 0);
  return [
    ...shown.map(({ text, isFirst }) => `${isFirst ? '│' : '┊'} ${text}`),
    ...(rows.length === shown.length ? [] : [restText(rest)]),
  ];
}

interface Row {
  readonly text: string;
  readonly isFirst: boolean;
  /** In characters of the command, with the end of the line. */
  readonly length: number;
}

function rowsOf(line: string): readonly Row[] {
  const rows: Row[] = [];
  let [text, width, length] = ['', 0, 0];
  const end = () => {
    rows.push({ text, length, isFirst: rows.length === 0 });
    [text, width, length] = ['', 0, 0];
  };
  for (const character of line) {
    const drawn = visible(character);
    // Characters of East Asia are twice as wide.
    const more = drawn.length * (drawn === character && character >= '\u1100' ? 2 : 1);
    if (width + more > rowLength) {
      end();
    }
    text += drawn;
    width += more;
    length += character.length;
  }
  length += 1;
  end();
  return rows;
}

function visible(character: string): string {
  if (character === '\t') {
    return '    ';
  }
  return /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|\p{M}/u.test(character)
    ? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
    : character;
}

function restText(characters: number): string {
  return t('… and more characters that are not shown here: {0}', characters);
}
