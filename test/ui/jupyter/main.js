const vscode = require('vscode');

/** Label, provider and command provider of each collection, by its id. */
const collections = new Map();
/** Ids of the servers that notebooks used, as the Jupyter extension keeps them for a workspace. */
const storedKey = 'servers';
let state;
let controller;
let manager;

exports.activate = (context) => {
  state = context.workspaceState;
  context.subscriptions.push(vscode.commands.registerCommand('jupyterStandIn.selectKernel', selectKernel), {
    dispose: () => {
      controller?.dispose();
      manager?.dispose();
    },
  });
  return {
    createJupyterServerCollection: (id, label, provider) => {
      if (collections.has(id)) {
        throw new Error(`The collection ${id} exists`);
      }
      const collection = { id, label, provider, dispose: () => collections.delete(id) };
      collections.set(id, collection);
      // The finders of kernels ask for what is stored, unasked and at once, before anything is chosen.
      void find(collection);
      provider.onDidChangeServers?.(() => void find(collection));
      return collection;
    },
  };
};

/** Resolves each stored server three times at once; one that the list lacks is forgotten. */
async function find({ provider }) {
  const { token } = new vscode.CancellationTokenSource();
  const servers = await provider.provideJupyterServers(token);
  const stored = state.get(storedKey, []).filter((id) => servers.some((server) => server.id === id));
  await state.update(storedKey, stored);
  for (const id of stored) {
    const server = servers.find((one) => one.id === id);
    const found = await Promise.allSettled([1, 2, 3].map(() => provider.resolveJupyterServer(server, token)));
    if (found[0].status === 'fulfilled' && !controller) {
      use(found[0].value);
    }
  }
}

/** The picker, as `remoteNotebookKernelSourceSelector.ts` of microsoft/vscode-jupyter builds it. */
async function selectKernel() {
  const [collection] = collections.values();
  const { token } = new vscode.CancellationTokenSource();
  const servers = await collection.provider.provideJupyterServers(token);
  servers.sort((a, b) => a.label.localeCompare(b.label));
  const commands = (await collection.commandProvider.provideCommands(undefined, token)) ?? [];
  const chosen = await vscode.window.showQuickPick(
    [
      ...servers.map((server) => ({ label: server.label, server })),
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      ...commands.map((command) => ({ ...command, command })),
    ],
    { title: 'Select a Jupyter Server', placeHolder: collection.label },
  );
  if (!chosen) {
    return;
  }
  const server = chosen.server ?? (await collection.commandProvider.handleCommand(chosen.command, token));
  if (!server) {
    return;
  }
  await state.update(storedKey, [...new Set([...state.get(storedKey, []), server.id])]);
  const [resolved] = await Promise.all(
    [1, 2, 3].map(() => collection.provider.resolveJupyterServer(server, token)),
  );
  use(resolved);
}

/** Runs cells by the official client, which the Jupyter extension uses as well. */
function use({ label, connectionInformation: { baseUrl, token } }) {
  const { KernelManager, ServerConnection } = require(process.env['JUPYTERLAB_SERVICES']);
  const base = baseUrl.toString(true);
  const serverSettings = ServerConnection.makeSettings({
    baseUrl: base,
    wsUrl: base.replace(/^http/, 'ws'),
    token,
    appendToken: true,
  });
  manager?.dispose();
  controller?.dispose();
  manager = new KernelManager({ serverSettings });
  controller = vscode.notebooks.createNotebookController(
    'stand-in',
    'jupyter-notebook',
    `Python 3 · ${label}`,
  );
  controller.supportedLanguages = ['python'];
  let kernel;
  controller.executeHandler = async (cells) => {
    kernel ??= connect(manager);
    for (const cell of cells) {
      await execute(await kernel, cell);
    }
  };
  for (const notebook of vscode.workspace.notebookDocuments) {
    controller.updateNotebookAffinity(notebook, vscode.NotebookControllerAffinity.Preferred);
  }
}

/** The kernel that runs there, or a new one. */
async function connect(kernels) {
  await kernels.ready;
  const [running] = kernels.running();
  return running ? kernels.connectTo({ model: running }) : kernels.startNew({ name: 'python3' });
}

async function execute(kernel, cell) {
  const execution = controller.createNotebookCellExecution(cell);
  execution.start(Date.now());
  await execution.clearOutput();
  const future = kernel.requestExecute({ code: cell.document.getText() });
  future.onIOPub = ({ header, content }) => {
    if (header.msg_type === 'stream') {
      const printed = vscode.NotebookCellOutputItem.stdout(content.text);
      void execution.appendOutput([new vscode.NotebookCellOutput([printed])]);
    }
  };
  const reply = await future.done;
  execution.end(reply.content.status === 'ok', Date.now());
}
