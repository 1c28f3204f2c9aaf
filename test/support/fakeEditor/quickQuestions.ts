import type * as vscode from 'vscode';
import { resolved } from './events';
import { FakeInputBox, FakeQuickPick, type QuickInputPlace } from './quickInput';

type Items = readonly string[] | readonly vscode.QuickPickItem[];

/** `window.showQuickPick`: settles with the row, its text where rows are texts, or nothing. */
export function showQuickPick(
  place: QuickInputPlace,
  items: Items | PromiseLike<Items>,
  options: vscode.QuickPickOptions = {},
  token?: vscode.CancellationToken,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const picker = new FakeQuickPick<vscode.QuickPickItem>(place);
    picker.title = options.title;
    picker.placeholder = options.placeHolder;
    picker.canSelectMany = options.canPickMany ?? false;
    picker.matchOnDescription = options.matchOnDescription ?? false;
    picker.matchOnDetail = options.matchOnDetail ?? false;
    picker.ignoreFocusOut = options.ignoreFocusOut ?? false;
    let isPlain = false;
    let isOver = false;
    const end = (value: unknown) => {
      if (isOver) {
        return;
      }
      isOver = true;
      picker.hide();
      resolve(value);
    };
    picker.onDidAccept(() => {
      const chosen = picker.selectedItems.map((row) => (isPlain ? row.label : row));
      if (picker.canSelectMany) {
        end(chosen);
      } else if (chosen.length > 0) {
        end(chosen[0]);
      }
    });
    picker.onDidHide(() => {
      end(undefined);
    });
    picker.onDidChangeActive(([row]) => {
      if (row) {
        options.onDidSelectItem?.(isPlain ? row.label : row);
      }
    });
    token?.onCancellationRequested(() => {
      end(undefined);
    });
    picker.show();
    resolved(items).then((all) => {
      isPlain = typeof all[0] === 'string';
      picker.items = all.map((item) => (typeof item === 'string' ? { label: item } : item));
      if (picker.canSelectMany) {
        picker.selectedItems = picker.items.filter((row) => row.picked === true);
      }
    }, reject);
  });
}

/** `window.showInputBox`: settles with the text, or nothing; Enter is blocked while there is an error. */
export function showInputBox(
  place: QuickInputPlace,
  options: vscode.InputBoxOptions = {},
  token?: vscode.CancellationToken,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const box = new FakeInputBox(place);
    box.title = options.title;
    box.prompt = options.prompt;
    box.placeholder = options.placeHolder;
    box.password = options.password ?? false;
    box.ignoreFocusOut = options.ignoreFocusOut ?? false;
    box.value = options.value ?? '';
    let isOver = false;
    const end = (value: string | undefined) => {
      if (isOver) {
        return;
      }
      isOver = true;
      box.hide();
      resolve(value);
    };
    const check = async (): Promise<boolean> => {
      const problem = await resolved(options.validateInput?.(box.value));
      box.validationMessage = problem ?? undefined;
      const isError = typeof problem === 'string' ? problem !== '' : problem?.severity === 3;
      return !isError;
    };
    box.onDidChangeValue(() => void check());
    box.onDidAccept(() => {
      void check().then((isFine) => {
        if (isFine) {
          end(box.value);
        }
      });
    });
    box.onDidHide(() => {
      end(undefined);
    });
    token?.onCancellationRequested(() => {
      end(undefined);
    });
    box.show();
    void check();
  });
}
