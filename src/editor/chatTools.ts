import * as vscode from 'vscode';
import { agentAccess, areAgentsLetIn } from './agentAccess';

type Call = (
  tool: string,
  input: unknown,
  signal: AbortSignal,
) => Promise<{ readonly text: string; readonly isError: boolean } | undefined>;

/**
 * Offers tools to the editor's chat while agent access is on. Does nothing in editors without such a chat, such as some
 * forks of VS Code.
 */
export function chatTools(names: readonly string[], call: Call): vscode.Disposable {
  let registered: readonly vscode.Disposable[] = [];
  const end = () => {
    registered.forEach((one) => {
      one.dispose();
    });
    registered = [];
  };
  const update = () => {
    const isOff = !areAgentsLetIn();
    if (isOff) {
      end();
    } else if (registered.length === 0) {
      registered = names.map((name) => vscode.lm.registerTool(name, toolOf(name, call)));
    }
  };
  if (!hasChatTools()) {
    return new vscode.Disposable(end);
  }
  const changes = vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(agentAccess)) {
      update();
    }
  });
  update();
  return new vscode.Disposable(() => {
    changes.dispose();
    end();
  });
}

/** The types declare an API that older editors and other products lack. */
export function hasChatTools(): boolean {
  const { lm } = vscode as { readonly lm?: { readonly registerTool?: unknown } };
  return typeof lm?.registerTool === 'function';
}

function toolOf(name: string, call: Call): vscode.LanguageModelTool<unknown> {
  return {
    // Our own dialog, which no command can answer, asks about money; a second question here would only be noise.
    invoke: async ({ input }, token) => {
      const stop = new AbortController();
      const cancelled = token.onCancellationRequested(() => {
        stop.abort();
      });
      try {
        const answer = await call(name.replace(/^gpuRental_/, ''), input, stop.signal);
        if (answer === undefined || answer.isError) {
          throw new Error(answer?.text ?? 'GPU Rental did not start. Tell the user.');
        }
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(answer.text)]);
      } finally {
        cancelled.dispose();
      }
    },
  };
}
