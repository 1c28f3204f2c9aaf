import * as vscode from 'vscode';
import * as z from 'zod';
import { runCommand } from '../../editor/commands';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import type { Disposable } from '../../util/disposable';

const type = 'gpuRental';

/** What a folder says in its `launch.json`. */
const launch = z.object({
  program: z.string().min(1),
  args: z.array(z.string()).max(1000).optional(),
  justMyCode: z.boolean().optional(),
});

/** Lets F5 debug files on instances. A session is one of the Python debugger, which the command starts. */
export function registerDebugConfigurations(): Disposable {
  const usual = { type, request: 'launch', name: t('Python File on an Instance'), program: '${file}' };
  return vscode.debug.registerDebugConfigurationProvider(type, {
    provideDebugConfigurations: () => [usual],
    // Without a launch.json, F5 has an empty one.
    resolveDebugConfiguration: (_folder, given) => (given.request ? given : usual),
    resolveDebugConfigurationWithSubstitutedVariables: async (_folder, given) => {
      const { data } = launch.safeParse(given);
      if (!data) {
        message('warning', t('"program" in launch.json must be the path of a file.'));
        return undefined;
      }
      const { program, ...rest } = data;
      await runCommand('gpuRental.debugFile', { uri: vscode.Uri.file(program).toString(), ...rest });
      return undefined;
    },
  });
}
