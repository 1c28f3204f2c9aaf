const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const os = require('node:os');
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
    ends.push({ id, ...(await runOne(id, giveUpMs)) });
  }
  await pause(1500);
  write('ends.json', { ends, rejections: [...rejections.values()] });
}

/** How long the processors had nothing to do, all of them together. */
const idleMs = () => os.cpus().reduce((sum, { times }) => sum + times.idle, 0);
const turnMs = 150;

/**
 * How a command ends whose questions are closed at once: `done`, `open`, or why it failed; and how long it waited
 * while a processor was free. What a busy machine or a slow page takes is not counted: a command waits for neither.
 */
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
  let waitedMs = 0;
  while (end === undefined && waitedMs < giveUpMs) {
    const idleBefore = idleMs();
    const startedAt = Date.now();
    await Promise.race([done, pause(turnMs)]);
    waitedMs += Math.min(turnMs, Date.now() - startedAt, idleMs() - idleBefore);
    await close('workbench.action.closeQuickOpen');
    // Some wait for the answer to what they tell.
    if (Date.now() > begun + 1500) await close('notifications.clearAll');
  }
  await pause(100);
  await close('notifications.clearAll', 'workbench.action.revertAndCloseActiveEditor');
  return { end: end ?? 'open', waitedMs };
}
