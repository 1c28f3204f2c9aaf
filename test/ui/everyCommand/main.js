const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

/**
 * The one fixed wait here. The editor tells nobody when it has drawn a question or a message, so they are closed again
 * and again; and what a command began without waiting for it fails, if it does, some time after the command's end.
 */
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
  const close = async (...commands) => {
    for (const command of commands) await vscode.commands.executeCommand(command);
  };
  let end;
  const done = vscode.commands.executeCommand(id).then(
    () => (end = 'done'),
    (error) => (end = `failed: ${error}`),
  );
  const begun = Date.now();
  while (end === undefined && Date.now() < begun + giveUpMs) {
    await Promise.race([done, pause(150)]);
    await close('workbench.action.closeQuickOpen');
    // Some wait for the answer to what they tell.
    if (Date.now() > begun + 1500) await close('notifications.clearAll');
  }
  await pause(100);
  await close('notifications.clearAll', 'workbench.action.revertAndCloseActiveEditor');
  return end ?? 'open';
}
