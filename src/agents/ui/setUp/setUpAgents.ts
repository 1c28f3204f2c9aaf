import { access, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { hasChatTools } from '../../../editor/chatTools';
import { commandLines } from '../../../editor/commandLines';
import { confirm } from '../../../editor/confirm';
import { t } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { showTerminal } from '../../../editor/ownTerminal';
import { pickOne } from '../../../editor/quickPick';
import { titleOf } from '../../../editor/titles';
import { isInstalled } from '../../../util/isInstalled';
import { homeFolder } from '../../../util/thisUser';
import { changedLines, withServer } from '../../model/clientText';
import {
  mcpClients,
  serverName,
  vscodeLink,
  type McpClient,
  type ServerCommand,
} from '../../model/mcpConfiguration';
import type { Services } from '../../services';
import { ClientFile, textOf, unreadable } from './clientFile';
import { copyConfiguration } from './copyConfiguration';
import { cursorServers } from './cursorDoor';
import { ensureAccess, type AccessDeps } from './ensureAccess';
import { startOfServer, type ServerDeps } from './serverFile';

export type ClientDeps = AccessDeps & ServerDeps & Pick<Services, 'clock'>;

/** Puts the server in its place, and returns how a client starts it. */
type Server = () => Promise<ServerCommand>;

interface Way {
  readonly label: string;
  readonly description?: string;
  readonly run: () => Promise<void>;
}

/** Sets up a client that the user picks among those of this computer. */
export async function setUpAgents(deps: ClientDeps): Promise<void> {
  if (!(await ensureAccess(deps))) {
    return;
  }
  const server = () => startOfServer(deps);
  const found = (await Promise.all(mcpClients.map((client) => waysOf(deps, client, server)))).flat();
  const last = { label: t('Copy the Configuration…'), run: () => copyConfiguration(server) };
  const skills = (await Promise.all(mcpClients.map((client) => skillWay(deps, client)))).flat();
  const picked = await pickOne([...found, ...linkWay(server), ...skills, last], {
    title: titleOf('gpuRental.agents.setUp'),
    placeHolder: t('Clients on this computer'),
  });
  await picked?.run();
}

/** A client without a file and a command, or that is not on this computer, has its configuration copied. */
async function waysOf(deps: ClientDeps, client: McpClient, server: Server): Promise<readonly Way[]> {
  const home = homeFolder();
  const { name, file, program } = client;
  if (program) {
    const isUsed = (await isThere(join(home, ...program.folder))) || (await isInstalled(program.name));
    const run = async () =>
      runCommandOf(name, program, client.write(await server(), process.platform === 'win32'));
    return isUsed ? [{ label: name, description: t('by its own command'), run }] : [];
  }
  const path = file && join(home, ...file.path(process.platform));
  // Cursor has the server of this window already, by its own interface.
  const isOwn = client.id === 'cursor' && cursorServers() !== undefined;
  if (!file || path === undefined || isOwn || !(await isThere(dirname(path)))) {
    return [];
  }
  return [
    {
      label: name,
      description: shortPath(path),
      run: async () => {
        const command = await server();
        await changeFile(deps, path, {
          change: (before) => withServer(before, file, command),
          question: t('Add GPU Rental to {0}?', name),
          done: t('{0} is set up. Restart it to use GPU Rental.', name),
        });
      },
    },
  ];
}

/** This editor's own chat has the tools already. */
function linkWay(server: Server): readonly Way[] {
  const open = async () => {
    await vscode.env.openExternal(vscode.Uri.parse(vscodeLink(await server())));
  };
  return hasChatTools() ? [] : [{ label: 'VS Code', description: t('by its own question'), run: open }];
}

/** The workflow, its costs and its limits, as a file that the client finds by itself. */
async function skillWay(
  deps: ClientDeps,
  { name, skills, file, program }: McpClient,
): Promise<readonly Way[]> {
  const home = homeFolder();
  const folder = program?.folder ?? (file && file.path(process.platform).slice(0, -1));
  if (!skills || !folder || !(await isThere(join(home, ...folder)))) {
    return [];
  }
  const path = join(home, ...skills, serverName, 'SKILL.md');
  return [
    {
      label: t('Skill for {0}', name),
      description: shortPath(path),
      run: async () => {
        const { fsPath } = vscode.Uri.joinPath(deps.extensionUri, 'media', 'skill', 'SKILL.md');
        const skill = await readFile(fsPath, 'utf8');
        await changeFile(deps, path, {
          change: () => skill,
          question: t('Teach {0} to work with GPU Rental?', name),
          done: t('{0} finds the skill the next time it starts.', name),
        });
      },
    },
  ];
}

interface FileChange {
  /** Returns the new text; `undefined` if the file can't be changed. */
  readonly change: (before: string) => string | undefined;
  readonly question: string;
  readonly done: string;
}

/** Changes a file of another program after a question that shows the difference. */
async function changeFile({ clock }: ClientDeps, path: string, what: FileChange): Promise<void> {
  const file = new ClientFile({ home: homeFolder(), clock }, path);
  const bytes = await file.read();
  const before = textOf(bytes, path);
  const after = what.change(before);
  if (after === undefined) {
    throw unreadable(path);
  }
  if (after === before) {
    message('info', what.done);
    return;
  }
  const { removed, added } = changedLines(before, after);
  const isAgreed = await confirm({
    message: what.question,
    detail: [
      ...(removed.length > 0
        ? [t('Removed from {0}:', shortPath(path)), ...commandLines(removed.join('\n'))]
        : []),
      t('Added to {0}:', shortPath(path)),
      ...commandLines(added.join('\n')),
    ].join('\n'),
    button: t('Write'),
  });
  if (isAgreed) {
    const written = Buffer.from(after, 'utf8');
    await file.write(written, bytes);
    message('info', what.done, { label: t('Undo'), run: () => file.write(bytes, written) });
  }
}

/** Runs the command in the user's own terminal, which shows what becomes of it. */
async function runCommandOf(
  name: string,
  { notes, remove }: NonNullable<McpClient['program']>,
  add: string,
): Promise<void> {
  const noted = await readFile(join(homeFolder(), ...notes), 'utf8').catch(() => '');
  const commands = [...(noted.includes(`"${serverName}"`) ? [remove] : []), add];
  const isAgreed = await confirm({
    message: t('Run this command of {0} in a terminal?', name),
    detail: commandLines(commands.join('\n')).join('\n'),
    button: t('Run'),
  });
  if (isAgreed) {
    const terminal = showTerminal({ name });
    for (const command of commands) {
      terminal.sendText(command);
    }
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function shortPath(path: string): string {
  const home = homeFolder();
  return path.startsWith(home) ? `~${path.slice(home.length).replaceAll('\\', '/')}` : path;
}
