import assert from 'node:assert/strict';
import type * as engine from '../../src/editor/quickInput';
import type { Level, ListLevel } from '../../src/editor/quickLevels';
import { settle } from './fakeClock';
import { loadSource } from './fakeEditor/product';
import { backButton, FakeInputBox, FakeQuickPick, QuickInputPlace } from './fakeEditor/quickInput';
import { until } from './until';

const place = new QuickInputPlace();

/** Questions in levels on the stand-in for the editor's lists and boxes. */
export const { QuickInput, interrupting } = loadSource('src/editor/quickInput.ts', {
  vscode: {
    window: {
      createQuickPick: () => new FakeQuickPick(place),
      createInputBox: () => new FakeInputBox(place),
    },
    QuickInputButtons: { Back: backButton },
    InputBoxValidationSeverity: { Info: 1, Warning: 2, Error: 3 },
    l10n: { t: (words: string) => words },
  },
}) as typeof engine;

export const rows = (...ids: string[]) => ids.map((id) => ({ id, label: id }));

export const levelOf = (more: Partial<ListLevel> = {}): ListLevel => ({
  title: 'Which?',
  placeholder: 'One',
  rows: () => rows('a', 'b', 'c'),
  ...more,
});

export function open(level: Level) {
  const input = new QuickInput<string>();
  const answer = { value: undefined as string | undefined, isOver: false };
  const over = input.open(level).then((value) => {
    Object.assign(answer, { value, isOver: true });
  });
  return { input, answer, over };
}

/** What is shown, if anything. */
export const shownInput = () => place.current;

export function list() {
  assert.ok(place.current instanceof FakeQuickPick);
  return place.current;
}

export function box() {
  assert.ok(place.current instanceof FakeInputBox);
  return place.current;
}

export const hasActive = (label: string) =>
  until(`the active row ${label}`, () => list().activeItems[0]?.label === label, { everyMs: 1 });

/** Lets the turn pass in which a list looks at its active row. */
export async function turn(): Promise<void> {
  await settle();
  await new Promise((resolve) => setTimeout(resolve, 0));
  await settle();
}
