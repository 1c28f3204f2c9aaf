import * as vscode from 'vscode';
import { DisposableStore } from '../util/disposable';
import { plainLabel } from '../util/plainLabel';
import { t } from './localize';
import { plainRow, type PickRow } from './plainRow';
import { comeBack } from './unasked';

export { plainLabel };
export type { PickRow } from './plainRow';

/** How a step ended. */
export type StepAnswer<T> =
  | { readonly kind: 'picked'; readonly value: T }
  | { readonly kind: 'back' }
  /** This and all further steps keep their defaults. */
  | { readonly kind: 'skip' }
  | { readonly kind: 'cancelled' };

/** A row that stands for a value; without one it only informs. */
export interface Row<T> extends PickRow {
  readonly value?: T;
  /** Finds the row again after the list was made anew. */
  readonly id?: string;
}

export interface StepTitle {
  readonly title: string;
  readonly step?: number;
  readonly totalSteps?: number;
  readonly canGoBack?: boolean;
  /** Offers to keep all further defaults. */
  readonly canSkip?: boolean;
}

export interface ListStep<T> extends StepTitle {
  readonly placeholder: string;
  readonly rows: readonly Row<T>[];
  readonly activeId?: string;
  /** Makes the rows for what is typed; such rows are shown whatever the editor's own filter says. */
  readonly rowsFor?: (typed: string) => readonly Row<T>[];
  /** Runs instead of an immediate answer, for steps that take an accept only under conditions. */
  readonly onAccept?: (row: Row<T>, accept: () => void) => void;
  /** Also when it is shown again after another question took its place. */
  readonly onShown?: () => void;
  /** Another question has taken its place. */
  readonly onCovered?: () => void;
  readonly ignoreFocusOut?: boolean;
  /** Takes the question away. */
  readonly signal?: AbortSignal | undefined;
}

export interface TextStep extends StepTitle {
  readonly prompt: string;
  readonly placeholder?: string;
  readonly value?: string;
  readonly password?: boolean;
  readonly ignoreFocusOut?: boolean;
  /** The reason why a value cannot be used; nothing when it can. */
  readonly problem?: (value: string) => string | vscode.InputBoxValidationMessage | undefined;
}

const skipButton = (): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon('debug-step-over'),
  tooltip: t('Keep the Defaults and Review'),
});

/** Title, steps and buttons, the same for lists and texts. */
function dress(
  input: vscode.QuickInput & { buttons: readonly vscode.QuickInputButton[] },
  options: StepTitle,
  skip: vscode.QuickInputButton,
): void {
  input.title = options.title;
  input.step = options.step;
  input.totalSteps = options.totalSteps;
  input.buttons = [
    ...(options.canGoBack === true ? [vscode.QuickInputButtons.Back] : []),
    ...(options.canSkip === true ? [skip] : []),
  ];
}

/** Sets the rows and makes the row with the id active again, without moving the list. */
export function setRows<T extends PickRow & { readonly id?: string }>(
  picker: vscode.QuickPick<T>,
  rows: readonly T[],
  activeId?: string,
): void {
  const items = rows.map(plainRow);
  picker.keepScrollPosition = true;
  picker.items = items;
  const active = activeId === undefined ? undefined : items.find((row) => row.id === activeId);
  if (active) {
    picker.activeItems = [active];
  }
}

/**
 * Keeps the rows in the order given while somebody types. The editor has the switch without declaring
 * it; where it is missing, rows are only sorted by their label.
 */
export function keepOrder<T extends vscode.QuickPickItem>(picker: vscode.QuickPick<T>): void {
  if ('sortByLabel' in picker) {
    (picker as vscode.QuickPick<T> & { sortByLabel: boolean }).sortByLabel = false;
  }
}

/** Shows a list of which one row is picked. */
export async function pickOne<T extends PickRow>(
  rows: readonly T[],
  options: vscode.QuickPickOptions,
): Promise<T | undefined> {
  const items = rows.map(plainRow);
  const picked = await vscode.window.showQuickPick(items, options);
  return picked && rows[items.indexOf(picked)];
}

/** Shows a list of which several rows can be ticked; undefined when it is left. */
export async function pickMany<T extends PickRow>(
  rows: readonly T[],
  options: vscode.QuickPickOptions,
): Promise<readonly T[] | undefined> {
  const items = rows.map(plainRow);
  const picked = await vscode.window.showQuickPick(items, { ...options, canPickMany: true });
  return picked && rows.filter((_, at) => picked.includes(items[at] as T));
}

/** One step with a list. */
export function pickFromList<T>(options: ListStep<T>): Promise<StepAnswer<T>> {
  const store = new DisposableStore();
  const picker = store.add(vscode.window.createQuickPick<Row<T>>());
  const skip = skipButton();
  keepOrder(picker);
  dress(picker, options, skip);
  picker.placeholder = options.placeholder;
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  picker.ignoreFocusOut = options.ignoreFocusOut ?? false;
  setRows(picker, options.rowsFor?.('') ?? options.rows, options.activeId);
  return new Promise((resolve) => {
    const finish = (answer: StepAnswer<T>) => {
      resolve(answer);
      store.dispose();
    };
    store.add(
      picker.onDidAccept(() => {
        const [row] = picker.selectedItems;
        if (row?.value === undefined) {
          return;
        }
        const { value } = row;
        const accept = () => {
          finish({ kind: 'picked', value });
        };
        if (options.onAccept) {
          options.onAccept(row, accept);
        } else {
          accept();
        }
      }),
    );
    store.add(
      picker.onDidTriggerButton((button) => {
        finish({ kind: button === skip ? 'skip' : 'back' });
      }),
    );
    store.add(
      picker.onDidChangeValue((value) => {
        if (options.rowsFor) {
          setRows(picker, options.rowsFor(value), picker.activeItems[0]?.id);
        }
      }),
    );
    const cancel = () => {
      finish({ kind: 'cancelled' });
    };
    store.add(comeBack(picker, { ended: cancel, covered: options.onCovered, shownAgain: options.onShown }));
    options.signal?.addEventListener('abort', cancel, { once: true });
    store.add({
      dispose: () => {
        options.signal?.removeEventListener('abort', cancel);
      },
    });
    if (options.signal?.aborted) {
      cancel();
      return;
    }
    picker.show();
    options.onShown?.();
  });
}

/** One step with a text; Enter is blocked while there is a problem. */
export function askText(options: TextStep): Promise<StepAnswer<string>> {
  const store = new DisposableStore();
  const input = store.add(vscode.window.createInputBox());
  const skip = skipButton();
  dress(input, options, skip);
  input.prompt = options.prompt;
  input.placeholder = options.placeholder && plainLabel(options.placeholder);
  input.value = options.value ?? '';
  input.password = options.password ?? false;
  input.ignoreFocusOut = options.ignoreFocusOut ?? false;
  const check = () => {
    input.validationMessage = options.problem?.(input.value);
    const message = input.validationMessage;
    return (
      message === undefined ||
      (typeof message !== 'string' && message.severity !== vscode.InputBoxValidationSeverity.Error)
    );
  };
  return new Promise((resolve) => {
    const finish = (answer: StepAnswer<string>) => {
      resolve(answer);
      store.dispose();
    };
    store.add(input.onDidChangeValue(check));
    store.add(
      input.onDidAccept(() => {
        if (check()) {
          finish({ kind: 'picked', value: input.value });
        }
      }),
    );
    store.add(
      input.onDidTriggerButton((button) => {
        finish({ kind: button === skip ? 'skip' : 'back' });
      }),
    );
    store.add(
      comeBack(input, {
        ended: () => {
          finish({ kind: 'cancelled' });
        },
      }),
    );
    input.show();
  });
}
