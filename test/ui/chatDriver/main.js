const { rmSync } = require('node:fs');
const net = require('node:net');
const vscode = require('vscode');

/** `{"tool": …, "input": …}`, `{"command": …, "args": […]}` or `{"setting": …, "value": …}`, as a prompt in the chat or over the socket of a test. */
async function run({ tool, input, command, args = [], setting, value }, toolInvocationToken) {
  if (setting !== undefined) {
    await vscode.workspace.getConfiguration().update(setting, value, vscode.ConfigurationTarget.Global);
    return {};
  }
  if (command !== undefined) {
    return { value: String(await vscode.commands.executeCommand(command, ...args)) };
  }
  if (tool === undefined) {
    return { names: vscode.lm.tools.map(({ name }) => name) };
  }
  const { token } = new vscode.CancellationTokenSource();
  const result = await vscode.lm.invokeTool(tool, { input, toolInvocationToken }, token);
  return { text: result.content.map(({ value }) => value).join('') };
}

async function answer(text, toolInvocationToken) {
  try {
    return JSON.stringify(await run(JSON.parse(text), toolInvocationToken));
  } catch (error) {
    return JSON.stringify({ error: error.message });
  }
}

exports.activate = (context) => {
  if (typeof vscode.chat?.createChatParticipant === 'function') {
    const participant = vscode.chat.createChatParticipant(
      'gpu-rental-tests.driver',
      async (request, _context, stream) => {
        stream.markdown(await answer(request.prompt, request.toolInvocationToken));
      },
    );
    context.subscriptions.push(participant);
  }
  const address = process.env.GPU_RENTAL_TEST_CHAT;
  rmSync(address, { force: true });
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (part) => (text += part));
    socket.on('error', () => undefined);
    socket.on('end', async () => socket.end(await answer(text)));
  });
  server.listen(address);
  context.subscriptions.push({ dispose: () => server.close() });
};
