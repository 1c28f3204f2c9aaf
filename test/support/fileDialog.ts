import { pressEnter } from './press';
import { until } from './until';
import type { Workbench } from './workbench';

/** Waits until the open file dialog, which in a browser is one of the editor's own boxes, heeds what is done in it. */
export async function fileDialogReady({ quick }: Workbench): Promise<void> {
  // It writes the proposed path into its box together with the rows of the folder.
  await until(
    'the folder',
    async () => (await quick.rows.count()) > 0 && (await quick.input.inputValue()) !== '',
  );
}

/** Takes a path in the open file dialog. */
export async function chooseFile(workbench: Workbench, file: string): Promise<void> {
  const { quick } = workbench;
  await fileDialogReady(workbench);
  await until('the path', async () => {
    await quick.input.fill(file);
    return (await quick.input.inputValue()) === file;
  });
  await pressEnter(quick.input);
  await quick.widget.waitFor({ state: 'hidden' });
}
