const { rmSync } = require('node:fs');
const net = require('node:net');
const vscode = require('vscode');

const vendor = 'gpu-rental-tests';
/** Answers of the participant to prompts that the test sent, the first first. */
const waiting = [];

/**
 * `{"prompt": {"tool": …, "input": …}}` over the socket of a test goes through the chat and its participant. The others are
 * done at once, as by any extension: `{"tool": …, "input": …}`, `{"command": …, "args": […]}`, `{"setting": …, "value": …}`.
 * `{"say": …}` goes through the chat to a model of the product, whose answer the participant shows as it comes.
 */
async function run({ prompt, say, tool, input, command, args = [], setting, value }, toolInvocationToken) {
  if (prompt !== undefined || say !== undefined) {
    const query = `@driver ${JSON.stringify(prompt ?? { text: say })}`;
    const answered = new Promise((resolve) => waiting.push(resolve));
    await vscode.commands.executeCommand('workbench.action.chat.open', {
      query,
      mode: 'ask',
      modelSelector: { vendor: say === undefined ? vendor : 'gpu-rental' },
    });
    return answered;
  }
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

function answer(text, toolInvocationToken) {
  return run(JSON.parse(text), toolInvocationToken).catch((error) => ({ error: error.message }));
}

/** Asks the model of a request, and shows its answer piece by piece. */
async function passOn({ model }, text, stream, token) {
  const answer = await model.sendRequest([vscode.LanguageModelChatMessage.User(text)], {}, token);
  const pieces = [];
  for await (const piece of answer.text) {
    pieces.push(piece);
    stream.markdown(piece);
  }
  return { vendor: model.vendor, model: model.name, pieces };
}

/** The chat sends nothing to a participant while there is no model. Nothing asks this one. */
const model = {
  provideLanguageModelChatInformation: () => [
    {
      id: 'stub',
      name: 'Stub',
      family: 'stub',
      version: '1',
      maxInputTokens: 100_000,
      maxOutputTokens: 10_000,
      isUserSelectable: true,
      capabilities: { toolCalling: true },
    },
  ],
  provideLanguageModelChatResponse: () => Promise.resolve(),
  provideTokenCount: () => Promise.resolve(1),
};

exports.activate = (context) => {
  const participant = vscode.chat.createChatParticipant(
    `${vendor}.driver`,
    async (request, _, stream, token) => {
      const { text } = JSON.parse(request.prompt);
      if (text !== undefined) {
        const passed = passOn(request, text, stream, token).catch((error) => ({ error: error.message }));
        waiting.shift()?.(await passed);
        return;
      }
      const answered = await answer(request.prompt, request.toolInvocationToken);
      stream.markdown(JSON.stringify(answered));
      waiting.shift()?.(answered);
    },
  );
  context.subscriptions.push(participant, vscode.lm.registerLanguageModelChatProvider(vendor, model));
  const address = process.env.GPU_RENTAL_TEST_CHAT;
  rmSync(address, { force: true });
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (part) => (text += part));
    socket.on('error', () => undefined);
    socket.on('end', async () => socket.end(JSON.stringify(await answer(text))));
  });
  server.listen(address);
  context.subscriptions.push({ dispose: () => server.close() });
};
