const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

exports.activate = (context) => {
  const rejections = new Map();
  const onRejection = (error, promise) => rejections.set(promise, String(error?.stack ?? error));
  const onHandled = (promise) => rejections.delete(promise);
  process.on('unhandledRejection', onRejection);
  process.on('rejectionHandled', onHandled);
  context.subscriptions.push(
    { dispose: () => process.off('unhandledRejection', onRejection).off('rejectionHandled', onHandled) },
    vscode.commands.registerCommand('everyCommand.run', () => runAll(rejections)),
  );
};

/** Runs what the file `commands.json` of the workspace names, and writes beside it what came of each. */
async function runAll(rejections) {
  const [folder] = vscode.workspace.workspaceFolders;
  const file = (name) => path.join(folder.uri.fsPath, name);
  const write = (name, value) => {
    writeFileSync(file(`${name}.new`), JSON.stringify(value));
    renameSync(file(`${name}.new`), file(name));
  };
  const { ids, giveUpMs } = JSON.parse(readFileSync(file('commands.json'), 'utf8'));
  const ends = [];
  for (const id of ids) {
    write('current.json', { id });
    const startedAt = Date.now();
    const end = await runOne(id, giveUpMs);
    ends.push({ id, end, ms: Date.now() - startedAt });
  }
  await pause(1500);
  write('ends.json', { ends, rejections: [...rejections.values()] });
}

/** How a command ends whose questions are closed at once: `done`, `open`, or why it failed. */
async function runOne(id, giveUpMs) {
  let end;
  const done = vscode.commands.executeCommand(id).then(
    () => (end = 'done'),
    (error) => (end = `failed: ${error}`),
  );
  const until = Date.now() + giveUpMs;
  while (end === undefined && Date.now() < until) {
    await Promise.race([done, pause(150)]);
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
  }
  return end ?? 'open';
}
