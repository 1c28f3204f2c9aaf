const { randomUUID } = require('node:crypto');
const vscode = require('vscode');

/** Label, provider and command provider of each collection, by its id. */
const collections = new Map();
let controller;

exports.activate = (context) => {
  context.subscriptions.push(vscode.commands.registerCommand('jupyterStandIn.selectKernel', selectKernel), {
    dispose: () => controller?.dispose(),
  });
  return {
    createJupyterServerCollection: (id, label, provider) => {
      if (collections.has(id)) {
        throw new Error(`The collection ${id} exists`);
      }
      const collection = { id, label, provider, dispose: () => collections.delete(id) };
      collections.set(id, collection);
      return collection;
    },
  };
};

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
  // The finders of kernels ask as well, unasked and at once.
  const [resolved] = await Promise.all(
    [1, 2, 3].map(() => collection.provider.resolveJupyterServer(server, token)),
  );
  use(resolved);
}

function use({ label, connectionInformation: { baseUrl, token } }) {
  const base = baseUrl.toString(true);
  let kernel;
  controller?.dispose();
  controller = vscode.notebooks.createNotebookController(
    'stand-in',
    'jupyter-notebook',
    `Python 3 · ${label}`,
  );
  controller.supportedLanguages = ['python'];
  controller.executeHandler = async (cells) => {
    kernel ??= await startKernel(base, token);
    for (const cell of cells) {
      const execution = controller.createNotebookCellExecution(cell);
      execution.start(Date.now());
      const printed = await run(base, token, kernel, cell.document.getText());
      await execution.replaceOutput([
        new vscode.NotebookCellOutput([vscode.NotebookCellOutputItem.stdout(printed)]),
      ]);
      execution.end(true, Date.now());
    }
  };
  for (const notebook of vscode.workspace.notebookDocuments) {
    controller.updateNotebookAffinity(notebook, vscode.NotebookControllerAffinity.Preferred);
  }
}

async function startKernel(base, token) {
  const answer = await fetch(`${base}api/kernels`, {
    method: 'POST',
    headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'python3' }),
  });
  return (await answer.json()).id;
}

/** What a cell prints; https://jupyter-client.readthedocs.io/en/stable/messaging.html */
function run(base, token, kernel, code) {
  return new Promise((resolve, reject) => {
    const msg_id = randomUUID();
    const socket = new WebSocket(
      `${base.replace(/^http/, 'ws')}api/kernels/${kernel}/channels?token=${token}`,
    );
    let printed = '';
    socket.onerror = () => reject(new Error('no websocket'));
    socket.onopen = () => {
      const header = {
        msg_id,
        username: '',
        session: randomUUID(),
        msg_type: 'execute_request',
        version: '5.3',
      };
      const content = { code, silent: false, store_history: true, user_expressions: {}, allow_stdin: false };
      socket.send(
        JSON.stringify({ header, parent_header: {}, metadata: {}, content, channel: 'shell', buffers: [] }),
      );
    };
    socket.onmessage = ({ data }) => {
      const { header, parent_header, content } = JSON.parse(data);
      if (parent_header.msg_id !== msg_id) {
        return;
      }
      printed += header.msg_type === 'stream' ? content.text : '';
      if (header.msg_type === 'status' && content.execution_state === 'idle') {
        socket.close();
        resolve(printed);
      }
    };
  });
}
