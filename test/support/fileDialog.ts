import { until } from './until';
import type { Workbench } from './workbench';

/** Takes a path in the open file dialog, which in a browser is one of the editor's own boxes. */
export async function takeFile({ quick }: Workbench, file: string): Promise<void> {
  // The dialog writes the proposed path into its box together with the rows of the folder.
  await until(
    'the folder',
    async () => (await quick.rows.count()) > 0 && (await quick.input.inputValue()) !== '',
  );
  await until('the path', async () => {
    await quick.input.fill(file);
    return (await quick.input.inputValue()) === file;
  });
  await quick.input.press('Enter');
  await quick.widget.waitFor({ state: 'hidden' });
}
